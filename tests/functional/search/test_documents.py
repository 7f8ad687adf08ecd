"""Workers tell over the bus what there is of stacks that they have made."""

import json
import typing

from orch.conf import load
from orch.context import request
from orch.engine import credentials
from orch.rpc import contract
from orch.rpc import proxy
from orch.rpc import transport
from orch.search import document
from orch.search.sources import engine
from tests.functional import acting
from tests.functional import deploying
from tests.functional import observing
from tests.support import rest
from tests.support import running
from tests.support import waiting
from tests.support import world
from tests.support import world_templates

Json = dict[str, typing.Any]

_SECRET = "canary-4be21f"
_DEFAULT = "canary-default-90aa"
_WORD: Json = {"get_param": "word"}
_PART: Json = {"str_split": ["-", _WORD, 1]}
_INNER = """
heat_template_version: 2021-04-16
parameters:
  given: {type: string}
  own: {type: string, hidden: true, default: none}
resources:
  deep:
    type: Test::World::Thing
    properties: {label: {get_param: given}, value: {get_param: own}}
outputs:
  said: {value: {get_attr: [deep, label]}}
  own: {value: {get_param: own}}
"""
_MADE: Json = {"get_attr": ["rs", "value"]}
_INNER_MADE = """
heat_template_version: 2021-04-16
parameters:
  given: {type: string, default: none}
resources:
  mine: {type: OS::Heat::RandomString}
  deep:
    type: Test::World::Thing
    properties: {label: {get_param: given}, value: {get_resource: mine}}
outputs:
  said: {value: {get_attr: [deep, label]}}
  mine: {value: {get_attr: [mine, value]}}
"""


class DocumentsTest(acting.ActionsTestCase):
    @classmethod
    def setUpClass(cls) -> None:
        # Not the server of the other classes: processes, broker, database.
        cls.world = cls.use(world.World())
        cls.found = cls.use(
            running.Distributed(
                {
                    "DEFAULT": {"encrypt_parameters_and_properties": True},
                    "engine": {"lease_ttl": 2, "scan_interval": 0.2},
                    "credentials": {"encryption_keys": credentials.new_key()},
                    "api": {"hidden_stack_tags": "not-for-people"},
                    "observer": observing.OPTIONS,
                },
                cls.world.environment,
                workers=1,
            )
        )
        cls.system = cls.found.system
        cls.client = cls.system.client

    def setUp(self) -> None:
        super().setUp()
        conf = load.load([], files=[])
        built = transport.build_transport(conf, self.found.broker.url())
        self.addCleanup(built.cleanup)
        self.documents = proxy.proxy(
            contract.Documents, transport.Caller(built, 60)
        )
        self.source = engine.EngineSource(self.documents)

    def read(self, stack_id: str) -> document.StackDocuments:
        (found,) = self.source.read([stack_id])
        return found

    def by_path(self, stack_id: str) -> dict[str, document.Document]:
        return {each.path: each for each in self.read(stack_id).documents}

    def make(self, wanted: Json, **body: object) -> rest.Stack:
        body.setdefault("files", {"inner.yaml": _INNER})
        return self.created(wanted, **body)

    def child_of(self, stack: rest.Stack, name: str) -> str:
        row = self.client.resources(stack)[name]
        return str(row["physical_resource_id"])

    def test_a_stack_without_a_description_has_none(self) -> None:
        stack = self.make(
            world_templates.template(t={"type": "Test::World::Thing"})
        )

        (told, _) = self.read(stack.id).documents

        self.assertEqual(
            "No description", self.client.show(stack)["description"]
        )
        self.assertEqual("", told.description)

    def test_a_stack_of_a_thousand_resources_comes_at_once(self) -> None:
        none = {"type": "OS::Heat::None"}
        stack = self.make(
            world_templates.template(
                **{f"r{number}": none for number in range(1000)}
            )
        )

        (told,) = self.documents.read(request.RequestContext(), [stack.id])

        self.assertEqual(1001, len(told["documents"]))
        self.assertIsNone(told["next"])

    def test_s1_stacks_at_any_depth_with_their_path(self) -> None:
        middle = {
            "heat_template_version": "2021-04-16",
            "resources": {
                "low": {"type": "inner.yaml", "properties": {"given": "g"}}
            },
        }
        stack = self.make(
            world_templates.template(kid={"type": "middle.yaml"}),
            files={"middle.yaml": json.dumps(middle), "inner.yaml": _INNER},
            tags="blue",
        )
        kid = self.child_of(stack, "kid")
        found = self.by_path(kid)
        low = found[f"{self.name}/kid/low"].physical_id

        deep = self.by_path(low)[f"{self.name}/kid/low/deep"]

        listed = self.source.list_stacks("", 10_000)
        self.assertLessEqual({stack.id, kid, low}, set(listed))
        self.assertEqual(stack.id, deep.root_id)
        self.assertEqual(low, deep.stack_id)
        self.assertEqual(("blue",), deep.tags)
        self.assertEqual(("g",), deep.fields["properties.label"])
        self.assertEqual("Test::World::Thing", deep.type)
        self.assertTrue(deep.physical_id.startswith("thing-"))

    def test_s3_no_document_holds_what_is_hidden(self) -> None:
        software = deploying.template(
            deploying.config(
                config={
                    "str_replace": {
                        "template": "log in with WORD",
                        "params": {"WORD": _WORD},
                    }
                }
            )
        )["resources"]
        assert isinstance(software, dict)
        wanted = {
            **world_templates.template(
                a=world_templates.declare_resource(value=_WORD, label=_WORD),
                b=world_templates.declare_resource(
                    "a",
                    label={
                        "str_replace": {
                            "template": "http://u:WORD@host/",
                            "params": {"WORD": _WORD},
                        }
                    },
                ),
                c=world_templates.declare_resource(
                    "a", label={"get_attr": ["a", "label"]}, value="plain"
                ),
                config=software["config"],
                inner={"type": "inner.yaml", "properties": {"given": _WORD}},
                above=world_templates.declare_resource(
                    "inner", label={"get_attr": ["inner", "own"]}
                ),
                free=world_templates.declare_resource(value="plain"),
                part=world_templates.declare_resource(label=_PART),
                reader=world_templates.declare_resource(
                    label={"get_attr": ["part", "label"]}
                ),
                low={
                    "type": "inner.yaml",
                    "properties": {"given": {"get_attr": ["part", "label"]}},
                },
            ),
            "parameters": {
                "word": {"type": "string", "hidden": True},
                "other": {
                    "type": "string",
                    "hidden": True,
                    "default": _DEFAULT,
                },
            },
            "outputs": {
                "told": {"value": _WORD},
                "read": {"value": {"get_attr": ["b", "label"]}},
                "deep": {"value": {"get_attr": ["inner", "said"]}},
                "low": {"value": {"get_attr": ["low", "said"]}},
                "piece": {"value": {"get_attr": ["reader", "label"]}},
                "fine": {"value": {"get_attr": ["free", "value"]}},
            },
        }
        stack = self.make(
            wanted,
            parameters={"word": _SECRET},
            environment={"parameter_defaults": {"own": "canary-own-3f"}},
        )
        # What failed tells of it, too.
        self.world.order(self.name, "update", "b", how="permanent")
        self.client.ask(
            "PUT",
            stack.path,
            {
                "template": {
                    **wanted,
                    "resources": {
                        **typing.cast(Json, wanted["resources"]),
                        "b": world_templates.declare_resource(
                            "a", label=_WORD
                        ),
                    },
                },
                "parameters": {"word": _SECRET},
                "files": {"inner.yaml": _INNER},
                "environment": {
                    "parameter_defaults": {"own": "canary-own-3f"}
                },
            },
        )
        self.client.wait(stack, "UPDATE_FAILED")
        inner_id = self.child_of(stack, "inner")

        low_id = self.child_of(stack, "low")

        found = self.source.read([stack.id, inner_id, low_id])

        paths = [each.path for every in found for each in every.documents]
        self.assertIn(f"{self.name}/b", paths)
        self.assertIn(f"{self.name}/inner/deep", paths)
        told = repr(found)
        self.assertIn(f"{self.name}/low/deep", paths)
        part = _SECRET.partition("-")[2]
        for secret in (_SECRET, part, _DEFAULT, "canary-own-3f"):
            self.assertNotIn(secret, told)
        subject = self.by_path(stack.id)[self.name]
        self.assertEqual("FAILED", subject.status)
        self.assertEqual(("plain",), subject.fields["outputs.fine"])
        self.assertIn("str_replace", subject.texts["template"])
        self.assertIn("b", subject.texts["events"])

    def test_s3_a_random_string_is_in_no_document(self) -> None:
        stack = self.make(
            {
                **world_templates.template(
                    rs={"type": "My::Word"},
                    a=world_templates.declare_resource(
                        label=_MADE, value="plain"
                    ),
                    b=world_templates.declare_resource(
                        label={"get_resource": "rs"}
                    ),
                    c=world_templates.declare_resource(
                        label={"get_attr": ["a", "label"]}
                    ),
                    kid={
                        "type": "inner.yaml",
                        "properties": {"given": _MADE},
                    },
                    alone={"type": "inner.yaml"},
                    free=world_templates.declare_resource(label="plain"),
                ),
                "outputs": {
                    "alone": {"value": {"get_attr": ["alone", "mine"]}},
                    "o": {"value": _MADE},
                    "id": {"value": {"get_resource": "rs"}},
                    "far": {"value": {"get_attr": ["c", "label"]}},
                    "said": {"value": {"get_attr": ["kid", "said"]}},
                    "inner": {"value": {"get_attr": ["kid", "mine"]}},
                    "fine": {"value": {"get_attr": ["free", "label"]}},
                },
            },
            files={"inner.yaml": _INNER_MADE},
            environment={
                "resource_registry": {"My::Word": "OS::Heat::RandomString"}
            },
        )
        shown = self.client.outputs(stack)
        secrets = {shown["o"], shown["inner"], shown["alone"]}
        self.assertEqual(3, len(secrets))
        self.assertEqual(shown["o"], shown["far"])
        inner_id = self.child_of(stack, "kid")

        found = {
            each.path: each
            for told in self.source.read([stack.id, inner_id])
            for each in told.documents
        }

        for secret in secrets:
            self.assertNotIn(secret, repr(found))
        self.assertEqual(("plain",), found[self.name].fields["outputs.fine"])
        self.assertEqual(
            ("plain",), found[f"{self.name}/a"].fields["properties.value"]
        )
        self.assertEqual(
            document.RESOURCE, found[f"{self.name}/kid/deep"].kind
        )

    def test_s4_stacks_of_all_projects_are_read_without_a_token(
        self,
    ) -> None:
        endpoint, _, _ = self.client.endpoint.rpartition("/")
        other = rest.Client(f"{endpoint}/other")
        self.addCleanup(other.close)
        stack = other.create(self.name, world_templates.chain())
        other.wait(stack, "CREATE_COMPLETE")
        nobody = request.RequestContext()

        (found,) = self.documents.read(nobody, [stack.id])

        self.assertEqual("other", found["documents"][0]["project_id"])
        self.assertEqual(4, len(found["documents"]))

    def test_s5_a_stack_that_was_deleted_has_no_documents(self) -> None:
        stack = self.create(tags="not-for-people")
        before = self.read(stack.id)
        self.client.delete(stack)
        waiting.wait_for(
            lambda: self.read(stack.id).documents == (),
            "the documents are gone",
            limit_s=60,
        )

        after = self.read(stack.id)

        self.assertTrue(all(each.is_hidden for each in before.documents))
        self.assertEqual(4, len(before.documents))
        self.assertGreater(after.version, before.version)
        self.assertNotIn(stack.id, self.source.list_stacks("", 10_000))

    def test_what_events_say_is_told_once(self) -> None:
        self.world.order(
            self.name, "create", "a", how="busy", moment="before", times=2
        )
        stack = self.make(
            {
                **world_templates.template(
                    a=world_templates.declare_resource(), b=observing.single()
                ),
                "parameters": {"word": {"type": "string", "hidden": True}},
            },
            parameters={"word": "next try"},
        )
        self.world.relabel(self.name, "b", "otherwise")
        said = waiting.wait_for(
            lambda: next(
                (
                    each
                    for each in [self.events_of(stack)]
                    if "It has drifted" in each
                ),
                "",
            ),
            "drift is an event",
            limit_s=60,
        )

        lines = said.splitlines()
        self.assertEqual(sorted(set(lines)), sorted(lines))
        # What went well in the end was tried again, and is masked.
        (tried,) = (each for each in lines if "try 1 of" in each)
        self.assertIn("Busy: resources.a: ", tried)
        self.assertNotIn("next try", said)
        # The newest comes first; what every stack goes through is no news.
        self.assertIn("It has drifted", lines[0])
        for each in ("state changed", "started", "completed successfully"):
            self.assertNotIn(each, said)

    def events_of(self, stack: rest.Stack) -> str:
        return self.by_path(stack.id)[self.name].texts.get("events", "")

    def test_drift_is_told(self) -> None:
        stack = self.created(
            world_templates.template(
                a=observing.single(), b=observing.single()
            )
        )
        self.world.relabel(self.name, "a", "changed")

        def states() -> dict[str, str]:
            return {
                path.rpartition("/")[2]: each.drift
                for path, each in self.by_path(stack.id).items()
            }

        wanted = {self.name: "drifted", "a": "drifted", "b": "in_sync"}
        waiting.wait_for(
            lambda: states() == wanted, "drift is told", limit_s=60
        )
        found = self.by_path(stack.id)[f"{self.name}/a"]
        self.assertEqual(("label",), found.fields["drift.properties"])
