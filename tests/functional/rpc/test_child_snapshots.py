"""The snapshot of an inner stack is found by the outer one that asked."""

from orch import ids
from orch.db.repositories import operations
from orch.db.repositories import snapshots
from orch.db.repositories import stacks
from orch.engine.nested import child_requests
from orch.flow.state import contexts
from orch.model import operation
from orch.model import snapshot
from orch.model import stack as stack_model
from orch.model import states
from tests.functional.rpc import worker
from tests.unit.engine import fakes

_TEMPLATE = {
    "heat_template_version": "2018-08-31",
    "resources": {"kid": {"type": "kid.yaml"}},
}
_FILES = {
    "kid.yaml": """
heat_template_version: 2018-08-31
resources:
  web: {type: "Test::Server"}
"""
}


class ChildSnapshotTest(worker.TestCase):
    def setUp(self) -> None:
        super().setUp()
        stack_id = self.create(_TEMPLATE, files=_FILES)
        self.parent = self.get_stack(stack_id)
        row = self.put_resource(stack_id, "kid", type_name="kid.yaml")
        with self.database.write() as connection:
            bound = self.deps.templates.load(connection, self.parent)
        self.context = contexts.build_context(self.parent, row, self.ann)
        types = self.deps.types_of(self.parent, bound, self.ann, [row])
        self.plugin = types.get("kid.yaml")
        self.operation = self.operation_of_parent(ids.OperationId(ids.new()))

    def operation_of_parent(
        self, operation_id: ids.OperationId
    ) -> operation.Operation:
        return operation.Operation(
            id=operation_id,
            stack_id=self.parent.id,
            project_id="demo",
            action=states.Action.SNAPSHOT,
            state=states.OperationState.RUNNING,
            created_at=fakes.NOW,
        )

    def begin(self, asked: operation.Operation) -> str:
        """Let the inner stack take a snapshot for the outer operation."""
        inner = child_requests.operation_of(
            asked,
            self.parent,
            self.context,
            states.Action.SNAPSHOT,
            self.clock,
        )
        stack = stack_model.Stack(
            **{
                **{
                    name: getattr(self.parent, name)
                    for name in stack_model.Stack.__slots__
                },
                "id": ids.StackId(self.context.token),
                "parent_id": self.parent.id,
            }
        )
        with self.database.write() as connection:
            stacks.insert(connection, stack)
            operations.insert(connection, inner)
            snapshots.insert(
                connection, snapshot.new_snapshot(inner, stack, None)
            )
        return inner.id

    def test_that_which_the_outer_one_asked_for_is_found(self) -> None:
        other = self.operation_of_parent(ids.OperationId(ids.new()))
        self.begin(other)
        wanted = self.begin(self.operation)

        found = self.plugin.find_snapshot(self.context, self.operation.id)

        self.assertEqual({child_requests.SNAPSHOT: wanted}, found)

    def test_one_that_was_never_begun_is_not_found(self) -> None:
        self.assertIsNone(
            self.plugin.find_snapshot(self.context, self.operation.id)
        )
