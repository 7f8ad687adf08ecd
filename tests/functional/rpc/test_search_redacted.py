"""S3: names by which an index sees that a stack hides more than before."""

import dataclasses
import typing

from orch import ids
from orch.db.repositories import resources
from orch.engine import dependencies
from orch.model import marked
from orch.model import states
from orch.rpc import contract
from tests.functional.rpc import searchable
from tests.unit.engine import fakes

_KEY = "k" * 32
_OTHER_KEY = "l" * 32
_TAG = "secret-service"
_PLACES = {
    "parameters.pin",
    "parameters.word",
    "resources.web.properties.peer",
}
_HIDDEN = {"hidden": True}


def _template(
    word: searchable.Json | None = None, **more: object
) -> searchable.Json:
    """Return a template; ``word``: more of what declares that parameter."""
    return {
        "heat_template_version": "2018-08-31",
        "parameters": {
            "word": {
                "type": "string",
                "default": searchable.SECRET,
                **(word or {}),
            },
            "flag": {"type": "boolean", "default": True},
            "size": {"type": "string", "default": "small"},
        },
        "resources": {
            "web": {
                "type": "Test::Server",
                "properties": {"flavor": {"get_param": "size"}},
            }
        },
        **more,
    }


class RedactedTest(searchable.TestCase):
    def setUp(self) -> None:
        super().setUp()
        self.serve(_KEY)

    def serve(self, *seal_keys: str) -> None:
        self.start(
            settings=dependencies.Settings(
                max_stacks_per_tenant=-1,
                hidden_tags=(_TAG,),
                seal_keys=seal_keys,
            )
        )

    def redacted(self, stack_id: ids.StackId) -> frozenset[str]:
        return frozenset(self.read(stack_id)["redacted"])

    def update(
        self, stack_id: ids.StackId, template: object, **parameters: object
    ) -> frozenset[str]:
        """Return the names once an update has ended."""
        asked = typing.cast(
            contract.StackInputs,
            {"template": template, "parameters": parameters},
        )
        self.stacks.update(self.ann, str(stack_id), asked, {})
        stack = self.get_stack(stack_id)
        self.set_stack(
            stack_id,
            status=states.Status.COMPLETE,
            good_template_hash=stack.template_hash,
            good_environment_hash=stack.environment_hash,
        )
        return self.redacted(stack_id)

    def values(self, names: frozenset[str]) -> frozenset[str]:
        return frozenset(each for each in names if each.startswith("value"))

    def test_what_is_hidden_has_names(self) -> None:
        stack_id = self.make()
        self.put_resource(
            stack_id,
            "web",
            properties={"flavor": "big", "peer": searchable.SECRET},
            sensitive=("peer",),
        )

        found = self.redacted(stack_id)

        self.assertEqual(_PLACES, found - self.values(found))
        self.assertEqual(2, len(self.values(found)))
        self.assertEqual(found, self.redacted(stack_id))

    def test_a_stack_that_hides_nothing_has_none(self) -> None:
        self.assertEqual(frozenset(), self.redacted(self.make(_template())))

    def test_the_names_do_not_tell_the_values(self) -> None:
        found = self.redacted(self.make())
        other = self.redacted(self.make(name="other"))
        self.serve(_OTHER_KEY)
        by_another_key = self.redacted(self.make(name="third"))

        self.assertNotIn(searchable.SECRET, repr((found, other)))
        self.assertTrue(self.values(found).isdisjoint(other))
        self.assertTrue(self.values(found).isdisjoint(by_another_key))

    def test_what_became_hidden_has_a_new_name(self) -> None:
        stack_id = self.make(_template())

        found = self.update(stack_id, _template(_HIDDEN))

        self.assertIn("parameters.word", found)
        self.assertEqual(1, len(self.values(found)))

    def test_a_value_of_no_text_has_a_name_too(self) -> None:
        template = _template()
        stack_id = self.make(template)
        template["parameters"]["flag"]["hidden"] = True

        found = self.update(stack_id, template)

        self.assertEqual({"parameters.flag"}, found)

    def test_any_other_change_adds_no_name(self) -> None:
        template = _template(_HIDDEN)
        properties = template["resources"]["web"]["properties"]
        properties["peer"] = {"get_param": "word"}
        stack_id = self.make(template)
        before = self.redacted(stack_id)

        self.assertEqual(before, self.update(stack_id, template, size="big"))
        template["resources"]["more"] = {"type": "Test::Server"}
        self.assertEqual(before, self.update(stack_id, template))
        self.put_resource(stack_id, "web", attributes={"address": "x"})
        self.set_stack(stack_id, tags=("green",), status_reason="why")
        self.assertEqual(before, self.redacted(stack_id))

    def test_another_value_has_another_name(self) -> None:
        """It may be what a parameter that is not hidden was before."""
        stack_id = self.make(_template(_HIDDEN))
        before = self.redacted(stack_id)

        after = self.update(stack_id, _template(_HIDDEN), word="canary-new")

        self.assertEqual(
            before - self.values(before), after - self.values(after)
        )
        self.assertTrue(self.values(before).isdisjoint(after))
        self.assertEqual(1, len(self.values(after)))
        again = self.update(
            stack_id, _template(_HIDDEN), word=searchable.SECRET
        )
        self.assertEqual(before, again)

    def test_a_property_that_became_sensitive_has_a_name(self) -> None:
        stack_id = self.make(_template(_HIDDEN))
        row = self.put_resource(
            stack_id, "web", properties={"peer": "written down"}
        )
        before = self.redacted(stack_id)

        marks = marked.Marked(row.properties, [("peer",)])
        with self.database.write() as connection:
            resources.save_many(
                connection, [dataclasses.replace(row, properties=marks)]
            )

        self.assertEqual(
            {"resources.web.properties.peer"},
            self.redacted(stack_id) - before,
        )

    def test_while_an_update_runs_both_templates_count(self) -> None:
        stack_id = self.make(_template())
        stack = self.get_stack(stack_id)
        self.set_stack(
            stack_id,
            good_template_hash=stack.template_hash,
            good_environment_hash=stack.environment_hash,
        )
        asked = typing.cast(
            contract.StackInputs, {"template": _template(_HIDDEN)}
        )
        self.stacks.update(self.ann, str(stack_id), asked, {})

        self.assertIn("parameters.word", self.redacted(stack_id))

    def test_without_a_key_each_operation_has_a_name(self) -> None:
        self.serve()
        plain = self.make(_template(), name="plain")
        self.assertEqual(frozenset(), self.redacted(plain))
        stack_id = self.make(_template(_HIDDEN))
        before = self.redacted(stack_id)
        self.assertEqual(before, self.redacted(stack_id))

        after = self.update(stack_id, _template(_HIDDEN), word="canary-new")

        (name,) = self.values(after)
        self.assertIn(str(self.get_stack(stack_id).operation_id), name)
        self.assertTrue(self.values(before).isdisjoint(after))
        self.assertEqual(1, len(self.values(before)))

    def test_one_that_only_administrators_find_has_a_name(self) -> None:
        stack_id = self.make(_template())

        self.set_stack(stack_id, tags=("blue", _TAG))

        self.assertEqual({"stack"}, self.redacted(stack_id))
        self.assertTrue(self.stack_of(stack_id)["is_hidden"])

    def test_where_nobody_can_tell_all_is_hidden(self) -> None:
        stack_id = self.make(_template())

        self.set_stack(stack_id, template_hash="f" * 64)

        self.assertEqual({"everything"}, self.redacted(stack_id))

    def test_what_is_gone_tells_it_as_long_as_it_is_known(self) -> None:
        stack_id = self.make()
        before = self.redacted(stack_id)
        self.set_stack(stack_id, deleted_at=fakes.NOW)

        self.assertEqual(before, self.redacted(stack_id))
        self.assertEqual([], self.read(stack_id)["documents"])
        self.set_stack(stack_id, tags=(_TAG,))
        self.assertEqual({*before, "stack"}, self.redacted(stack_id))
        self.assertEqual({"everything"}, self.redacted(ids.StackId(ids.new())))

    def test_the_rest_of_the_resources_needs_no_names(self) -> None:
        stack_id = self.make()
        self.put_resource(stack_id, "web")

        found = self.documents.resources(searchable.SERVICE, stack_id, "a")

        self.assertEqual(1, len(found["documents"]))
        self.assertNotIn("redacted", found)
