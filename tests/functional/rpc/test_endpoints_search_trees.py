"""What the ``document`` namespace tells of stacks in stacks."""

import dataclasses
import json
import typing

from orch import ids
from orch.db.repositories import contents
from orch.db.repositories import stacks
from orch.engine.stack_inputs import store
from orch.model import states
from orch.template import inputs
from tests.functional.rpc import searchable


class TreeTest(searchable.TestCase):
    """A root, and a stack in it that was given what the root hides."""

    CHILD: typing.ClassVar[searchable.Json] = {
        "heat_template_version": "2018-08-31",
        "parameters": {
            "given": {"type": "string"},
            "own": {
                "type": "string",
                "hidden": True,
                "default": "canary-own-77",
            },
        },
        "resources": {
            "deep": {
                "type": "Test::Value",
                "properties": {"value": {"get_param": "given"}},
            }
        },
    }

    def setUp(self) -> None:
        super().setUp()
        self.root_id = self.make()
        self.kid_id = self.hold(self.root_id, "kid", given=searchable.SECRET)

    def hold(
        self,
        parent_id: ids.StackId,
        name: str,
        *,
        sensitive: tuple[str, ...] = (),
        **values: object,
    ) -> ids.StackId:
        """Return a stack that a resource of another one holds.

        :param sensitive: names of parameters
        """
        row = self.put_resource(parent_id, name, type_name="kid.yaml")
        given = inputs.Inputs(
            self.CHILD,
            parameters=values,
            around=inputs.ParentContext(1, {}, sensitive_parameters=sensitive),
        )
        outer = self.get_stack(parent_id)
        made = store.documents_of_request(given, self.CHILD)
        with self.database.write() as connection:
            hashes = contents.save_texts(
                connection, [made.template, made.environment]
            )
            stacks.insert_unnamed(
                connection,
                [
                    dataclasses.replace(
                        outer,
                        id=ids.StackId(row.id),
                        name=f"{outer.name}-{name}",
                        template_hash=hashes[0],
                        environment_hash=hashes[1],
                        good_template_hash=None,
                        good_environment_hash=None,
                        parent_id=outer.id,
                        parent_resource=name,
                        depth=outer.depth + 1,
                        tags=(),
                        username=None,
                    )
                ],
            )
        return ids.StackId(row.id)

    def test_s1_a_path_goes_down_from_the_root(self) -> None:
        deepest = self.hold(self.kid_id, "low", given="x")
        self.put_resource(deepest, "deep", type_name="Test::Value")

        stack, deep = self.read(deepest)["documents"]

        self.assertEqual("app/kid/low", stack["path"])
        self.assertEqual("app/kid/low/deep", deep["path"])
        self.assertEqual("app-kid-low", stack["name"])
        self.assertEqual({self.root_id}, {stack["root_id"], deep["root_id"]})
        self.assertEqual(("ann", ["blue"]), (deep["owner"], deep["tags"]))

    def test_s1_stacks_at_any_depth_are_listed(self) -> None:
        found = self.documents.list_stacks(searchable.SERVICE, "", 10)

        self.assertEqual(sorted([self.root_id, self.kid_id]), found)
        self.assertEqual(
            found[1:],
            self.documents.list_stacks(searchable.SERVICE, found[0], 10),
        )
        self.assertEqual(
            found[:1], self.documents.list_stacks(searchable.SERVICE, "", 1)
        )

    def test_s3_what_the_stack_around_hides_is_hidden_below(self) -> None:
        self.put_resource(
            self.kid_id,
            "deep",
            type_name="Test::Value",
            properties={"value": searchable.SECRET},
        )

        found = self.read(self.kid_id)

        self.assertNotIn(searchable.SECRET, repr(found))
        self.assertNotIn("parameters.given", found["documents"][0]["fields"])
        before = set(found["redacted"])
        self.assertIn("parameters.own", before)
        self.stacks.update(
            self.ann, str(self.root_id), {"template": searchable.TEXT}, {}
        )
        self.assertFalse(before.issuperset(self.read(self.kid_id)["redacted"]))

    def test_s3_what_comes_from_beside_it_is_hidden_however_it_is_read(
        self,
    ) -> None:
        root_id = self.create(
            {
                "heat_template_version": "2018-08-31",
                "resources": {
                    "kid": {
                        "type": "kid.yaml",
                        "properties": {"given": "x"},
                    },
                    "low": {
                        "type": "kid.yaml",
                        "properties": {"given": {"get_attr": ["kid", "told"]}},
                    },
                },
            },
            "beside",
            files={"kid.yaml": json.dumps(self.CHILD)},
        )
        self.set_stack(root_id, status=states.Status.COMPLETE)
        kid_id = self.hold(root_id, "kid", given="x")
        low_id = self.hold(
            root_id, "low", sensitive=("given",), given="canary-piece"
        )

        alone = self.read(low_id)
        *_, together = self.documents.read(
            searchable.SERVICE, [root_id, kid_id, low_id]
        )

        self.assertNotIn("canary-piece", repr((alone, together)))
        self.assertEqual(alone["redacted"], together["redacted"])
        self.assertIn("parameters.given", alone["redacted"])

    def test_s3_what_a_stack_hides_is_hidden_above(self) -> None:
        self.put_resource(
            self.root_id, "web", attributes={"address": "canary-own-77"}
        )

        found = self.read(self.root_id)

        self.assertNotIn("canary-own-77", repr(found))
        self.assertIn("app/web", [each["path"] for each in found["documents"]])

    def test_a_hidden_tag_of_the_root_counts_below(self) -> None:
        self.set_stack(self.root_id, tags=("secret-service",))

        self.assertTrue(self.stack_of(self.kid_id)["is_hidden"])
        self.assertIn("stack", self.read(self.kid_id)["redacted"])
