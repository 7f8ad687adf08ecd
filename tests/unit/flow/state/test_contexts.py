"""Resources that others of their stack name."""

import dataclasses

from orch import clock
from orch import ids
from orch.flow.state import contexts
from orch.model import resource
from orch.model import states
from orch.plugin import call_context
from orch.plugin import registry
from orch.plugin import resource as plugin_resource
from tests import base
from tests.support import nouns
from tests.unit.resources import contexts as options

_NOW = clock.Timestamp(0.0)
_ID = ids.ResourceId("6f1f64d4-6c7f-4d3a-9e3c-2f2f9a9b1c01")


class _Group(plugin_resource.Resource):
    """A group."""

    type_name = "Test::Group"
    is_scalable = True


SUBJECT = nouns.make_stack(project_id="demo", name="shop")
ROW = resource.Resource(
    id=_ID,
    stack_id=SUBJECT.id,
    name="g",
    type_name="Test::Group",
    physical_id="group-1",
    properties={"size": 1},
    created_at=_NOW,
    updated_at=_NOW,
)


class NamedTest(base.TestCase):
    def find(
        self, wanted: object, *rows: resource.Resource
    ) -> call_context.ReferredResource | None:
        types = registry.ResourceTypes.of([_Group], options.options())
        return contexts.find_resource(SUBJECT, wanted, rows or (ROW,), types)

    def test_each_of_its_names_will_do(self) -> None:
        for name in ("group-1", "g", f"shop-g-{ids.short(_ID)}"):
            found = self.find(name)

            assert found is not None, name
            self.assertEqual("Test::Group", found.type_name)
            self.assertEqual({"size": 1}, found.properties)
            self.assertTrue(found.is_scalable)

    def test_what_is_not_there_is_not_found(self) -> None:
        gone = dataclasses.replace(
            ROW, action=states.Action.DELETE, status=states.Status.COMPLETE
        )
        self.assertIsNone(self.find("other"))
        self.assertIsNone(self.find(None))
        self.assertIsNone(self.find("group-1", gone))

    def test_what_was_replaced_is_known_by_its_id_alone(self) -> None:
        old = dataclasses.replace(ROW, replaced_by=ids.ResourceId("new"))

        self.assertIsNone(self.find("g", old))
        self.assertEqual(self.find("g", ROW), self.find("group-1", old))

    def test_a_type_that_nothing_serves_is_not_scalable(self) -> None:
        other = dataclasses.replace(ROW, type_name="Test::Other")

        found = self.find("g", other)

        assert found is not None
        self.assertFalse(found.is_scalable)
