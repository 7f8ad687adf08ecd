"""S3: secrets that nobody wrote down, and ids that are made of what is hidden.

Rows are as plug-ins would have left them.
"""

import dataclasses
import typing

from oslo_config import cfg

from orch import ids
from orch.db.repositories import resources
from orch.engine import dependencies
from orch.flow.state import contexts
from orch.model import states
from orch.plugin import call_context
from orch.plugin import registry
from orch.plugin import resource
from orch.resources.heat import random_string
from tests.functional.rpc import searchable
from tests.unit.engine import fakes

_STRING = "OS::Heat::RandomString"
_MADE = "made-up-canary-77"
_WHOLE = "north-qxzjv-staple"
_PART = "/qxzjv"
_UUID = "0b5f6c1e-94c4-4f0e-9a53-6f1f0f5a7c11"
_WORD: searchable.Json = {"get_param": "word"}
_CUT: searchable.Json = {"str_split": ["-", _WORD, 1]}


class Handle(resource.Resource):
    """What stands for it is an address and no id."""

    type_name = "Test::Handle"

    def reference_id(self, context: call_context.Context) -> str:
        """Return the address."""
        return "https://host/a?token=x"


def _server(**properties: object) -> searchable.Json:
    return {"type": "Test::Server", "properties": properties}


def _id_of(name: str) -> searchable.Json:
    return {"get_resource": name}


def _template(
    outputs: searchable.Json | None = None, **resources: searchable.Json
) -> searchable.Json:
    return {
        "heat_template_version": "2018-08-31",
        "parameters": {
            "word": {"type": "string", "hidden": True, "default": _WHOLE}
        },
        "resources": resources,
        "outputs": {
            name: {"value": value} for name, value in (outputs or {}).items()
        },
    }


class _Case(searchable.TestCase):
    def setUp(self) -> None:
        super().setUp()
        types = (*fakes.KINDS, Handle, random_string.RandomString)
        self.start(
            types=registry.ResourceTypes.of(types, cfg.ConfigOpts()),
            settings=dependencies.Settings(
                max_stacks_per_tenant=-1, seal_keys=("k" * 32,)
            ),
        )

    def fields(
        self, stack_id: ids.StackId, name: str
    ) -> dict[str, typing.Any]:
        return dict(self.resource_of(stack_id, name)["fields"])

    def put_made(self, stack_id: ids.StackId) -> None:
        self.put_resource(
            stack_id,
            "rs",
            type_name="My::Word",
            mapped_type=_STRING,
            attributes={"value": _MADE, "show": "shown"},
        )


class GeneratedTest(_Case):
    def make_one(self, name: str = "app") -> ids.StackId:
        return self.make(
            {
                **_template(rs={"type": _STRING}, web=_server(flavor="big")),
                "parameters": {},
            },
            name,
        )

    def test_a_made_up_secret_is_hidden_wherever_it_went(self) -> None:
        stack_id = self.make_one()
        self.put_made(stack_id)
        self.put_resource(
            stack_id,
            "web",
            properties={"flavor": f"is {_MADE}", "peer": "shown"},
            attributes={"address": [_MADE, "shown"]},
            physical_id=f"/srv/{_MADE}",
            status=states.Status.FAILED,
            status_reason=f"{_MADE} is wrong",
        )
        self.set_stack(
            stack_id, description=f"log in with {_MADE}", tags=(_MADE, "red")
        )

        found = self.read(stack_id)["documents"]

        self.assertNotIn(_MADE, repr(found))
        web = self.resource_of(stack_id, "web")
        self.assertEqual("****** is wrong", web["reason"])
        self.assertEqual("", web["physical_id"])
        self.assertEqual(
            {"properties.peer": ["shown"], "attributes.address": ["shown"]},
            web["fields"],
        )
        self.assertEqual(["red"], found[0]["tags"])
        self.assertEqual("log in with ******", found[0]["description"])

    def test_it_is_hidden_in_the_whole_tree(self) -> None:
        outer, middle, inner = (
            self.make_one(name) for name in ("outer", "middle", "inner")
        )
        self.set_stack(
            middle, parent_id=outer, root_id=outer, parent_resource="web"
        )
        self.set_stack(
            inner, parent_id=middle, root_id=outer, parent_resource="web"
        )
        self.put_made(middle)
        for each in (outer, inner):
            self.put_resource(each, "web", attributes={"address": _MADE})

        for each in (outer, inner):
            self.assertEqual({}, self.fields(each, "web"))

    def test_a_path_of_its_own_is_shown_beside_it(self) -> None:
        made: searchable.Json = {"get_attr": ["rs", "value"]}
        stack_id = self.make(
            _template(
                rs={"type": _STRING},
                web=_server(flavor="/srv/web", peer=made),
                reader=_server(peer=_id_of("web")),
            )
        )
        self.put_made(stack_id)
        self.put_resource(stack_id, "web", physical_id="/srv/web")
        self.put_resource(stack_id, "reader", properties={"peer": "/srv/web"})

        web = self.resource_of(stack_id, "web")
        self.assertEqual("/srv/web", web["physical_id"])
        self.assertEqual(
            {"properties.peer": ["/srv/web"]}, self.fields(stack_id, "reader")
        )

    def test_where_it_was_nobody_showed_it_before(self) -> None:
        stack_id = self.make_one()
        before = self.read(stack_id)["redacted"]

        self.put_made(stack_id)

        self.assertEqual(before, self.read(stack_id)["redacted"])
        self.assertEqual([], before)


class RevealingIdTest(_Case):
    def make_file(
        self, path: object, physical_id: str, resolved: str
    ) -> ids.StackId:
        """Return a stack with a resource whose path is its id.

        :param resolved: value of the path, which is sensitive
        """
        stack_id = self.make(
            _template(
                {
                    "f": _id_of("file"),
                    "cut": {"str_split": ["/", _id_of("file"), 1]},
                    "far": {"get_attr": ["reader", "address"]},
                },
                file=_server(flavor=path),
                reader=_server(peer=_id_of("file"), flavor="big"),
                free=_server(peer="free"),
            )
        )
        self.put_resource(
            stack_id,
            "file",
            properties={"flavor": resolved},
            sensitive=("flavor",),
            physical_id=physical_id,
        )
        self.put_resource(
            stack_id,
            "reader",
            properties={"peer": physical_id, "flavor": "big"},
            attributes={"address": physical_id},
        )
        self.put_resource(stack_id, "free", physical_id="free-standing")
        return stack_id

    def test_one_that_is_a_part_of_what_is_hidden(self) -> None:
        stack_id = self.make_file(_CUT, _PART, "qxzjv")

        found = self.read(stack_id)

        self.assertNotIn("qxzjv", repr(found))
        self.assertEqual("", self.resource_of(stack_id, "file")["physical_id"])
        self.assertEqual(
            {"properties.flavor": ["big"]}, self.fields(stack_id, "reader")
        )
        free = self.resource_of(stack_id, "free")
        self.assertEqual("free-standing", free["physical_id"])
        self.assertIn("resources.file.properties.flavor", found["redacted"])
        for name in ("outputs.f", "outputs.cut", "outputs.far"):
            self.assertNotIn(name, self.stack_of(stack_id)["fields"])

    def test_one_in_a_stack_far_inside(self) -> None:
        kid = _server(flavor={"get_param": "flavor"})
        declared = {"flavor": {"type": "string", "default": "?"}}
        outer = self.make(_template(kid=_server(flavor=_WORD)), "outer")
        middle, inner = (
            self.make({**_template(kid=kid), "parameters": declared}, name)
            for name in ("middle", "inner")
        )
        self.set_stack(
            middle, parent_id=outer, root_id=outer, parent_resource="kid"
        )
        self.set_stack(
            inner, parent_id=middle, root_id=outer, parent_resource="kid"
        )
        self.put_resource(
            inner,
            "kid",
            properties={"flavor": "qxzjv"},
            sensitive=("flavor",),
            physical_id=_PART,
        )
        self.put_resource(outer, "free", attributes={"address": _PART})

        self.assertEqual({}, self.fields(outer, "free"))

    def test_one_that_is_a_digest_of_it(self) -> None:
        stack_id = self.make_file(
            {"digest": ["md5", _WORD]}, "4a11c0ffee", "4a11c0ffee"
        )

        self.assertNotIn("4a11c0ffee", repr(self.read(stack_id)))

    def test_one_that_somebody_made_up_is_shown(self) -> None:
        stack_id = self.make_file(
            {"digest": ["md5", _WORD]}, _UUID, "4a11c0ffee"
        )
        self.assertEqual(
            _UUID, self.resource_of(stack_id, "file")["physical_id"]
        )
        self.assertEqual(
            [_UUID], self.fields(stack_id, "reader")["properties.peer"]
        )

    def test_the_name_that_the_engine_made_is_shown(self) -> None:
        stack_id = self.make(
            _template(file=_server(flavor={"digest": ["md5", _WORD]})), "b"
        )
        row = self.put_resource(stack_id, "file")
        name = contexts.build_physical_name(
            self.get_stack(stack_id).name, row.name, row.id
        )
        with self.database.write() as connection:
            resources.save_many(
                connection, [dataclasses.replace(row, physical_id=name)]
            )

        self.assertEqual(
            name, self.resource_of(stack_id, "file")["physical_id"]
        )

    def test_one_of_its_own_is_shown(self) -> None:
        stack_id = self.make_file(_CUT, "/srv/free", "qxzjv")

        self.assertEqual(
            "/srv/free", self.resource_of(stack_id, "file")["physical_id"]
        )
        self.assertEqual(
            ["/srv/free"], self.stack_of(stack_id)["fields"]["outputs.f"]
        )


class NamesTest(_Case):
    def test_a_text_with_the_name_of_a_hidden_parameter_is_shown(
        self,
    ) -> None:
        template = _template(
            {"said": "a keyboard on db9"},
            web=_server(flavor="keyboard on db9", peer={"get_param": "key"}),
        )
        template["parameters"] = {
            name: {"type": "string", "hidden": True, "default": "0451-7"}
            for name in ("key", "db", "e")
        }
        stack_id = self.make(template)
        self.put_resource(
            stack_id,
            "web",
            properties={"flavor": "keyboard on db9", "peer": "0451-7"},
        )

        self.assertEqual(
            {"properties.flavor": ["keyboard on db9"]},
            self.fields(stack_id, "web"),
        )
        self.assertEqual(
            ["a keyboard on db9"],
            self.stack_of(stack_id)["fields"]["outputs.said"],
        )


class ReferenceTest(_Case):
    def test_what_stands_for_a_resource_otherwise_is_in_no_output(
        self,
    ) -> None:
        stack_id = self.make(
            _template(
                {
                    "handle": _id_of("handle"),
                    "web": _id_of("web"),
                    "both": [_id_of("handle"), "x"],
                },
                handle={"type": Handle.type_name},
                web=_server(flavor="big"),
            )
        )
        self.put_resource(
            stack_id,
            "handle",
            type_name=Handle.type_name,
            physical_id="handle-1",
        )
        self.put_resource(stack_id, "web", physical_id="web-1")

        shown = self.stack_of(stack_id)["fields"]

        self.assertEqual(["web-1"], shown["outputs.web"])
        self.assertNotIn("outputs.handle", shown)
        self.assertNotIn("outputs.both", shown)
