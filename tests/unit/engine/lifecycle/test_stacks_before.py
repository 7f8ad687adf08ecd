"""Stacks before an operation, as they are stored and read again."""

import datetime
import types
from unittest import mock

from orch import clock
from orch import ids
from orch.engine.lifecycle import stacks_before
from orch.model import lifecycle as model
from orch.plugin import lifecycle_operation
from tests import base
from tests.support import patterns


def _operation(
    before: lifecycle_operation.StackView | None,
) -> lifecycle_operation.LifecycleOperation:
    return patterns.make_operation(before=before)


class StoredTest(base.TestCase):
    def run_of(self, *, has_before: bool = True) -> model.Run:
        return model.Run(
            operation_id=ids.OperationId("o"),
            attempt=1,
            verb="update",
            stack_id=ids.StackId("s"),
            project_id="p",
            chain=("one",),
            began_at=clock.Timestamp(1.0),
            has_before=has_before,
        )

    def find(
        self, stored: bytes | None, path: str
    ) -> lifecycle_operation.StackView | None:
        database = mock.Mock(query=lambda read: stored)
        return stacks_before.find_stack(database, self.run_of(), path)

    def test_a_tree_is_read_as_it_was_stored(self) -> None:
        deep = patterns.stack(
            patterns.resource(
                "d",
                properties={
                    "sizes": (1, {"deep": types.MappingProxyType({"a": 2})}),
                    "at": datetime.date(2026, 11, 28),
                },
                physical_id="d-1",
            ),
            name="deep",
            outputs={"label": "old"},
        )
        shown = patterns.stack(
            patterns.resource("kid", child_stack=deep, requires=("a",)),
            patterns.resource("a"),
            tags=("t", "u"),
            parameters={"label": "old"},
        )

        stored = stacks_before.capture_stacks(
            [_operation(shown), _operation(None)]
        )
        found = self.find(stored, "")

        assert found is not None
        kid = found.resources["kid"]
        assert kid.child_stack is not None
        (inner,) = kid.child_stack.resources.values()
        self.assertEqual(
            {
                "sizes": (1, {"deep": {"a": 2}}),
                "at": "2026-11-28",
            },
            inner.properties,
        )
        self.assertEqual(("kid/d", "d-1"), (inner.path, inner.physical_id))
        self.assertEqual(("a",), kid.requires)
        self.assertEqual(("t", "u"), found.tags)
        self.assertEqual({"label": "old"}, found.parameters)
        self.assertEqual({"label": "old"}, kid.child_stack.outputs)
        self.assertIsNone(found.resources["a"].child_stack)
        self.assertIsNone(self.find(stored, "other"))
        self.assertIsNone(self.find(None, ""))

    def test_nothing_is_stored_where_no_stack_exists(self) -> None:
        self.assertIsNone(stacks_before.capture_stacks([_operation(None)]))

    def test_nothing_is_read_where_nothing_is_stored(self) -> None:
        database = mock.Mock()
        run = self.run_of(has_before=False)

        self.assertIsNone(stacks_before.find_stack(database, run, ""))
        self.assertIsNone(stacks_before.find_stack(database, None, ""))
        database.query.assert_not_called()
