"""The snapshots of child stacks, which snapshots of their parents include."""

import collections.abc
import dataclasses

from orch import errors
from orch import ids
from orch.context import request
from orch.db import engine as db_engine
from orch.db.repositories import snapshots
from orch.db.repositories import stacks
from orch.engine.stack_inputs import restored_template
from orch.engine.stack_inputs import template_cache
from orch.flow.state import snapshot_data
from orch.model import snapshot
from orch.model import stack as stack_model
from orch.plugin import registry
from orch.template import inputs
from orch.template import template

FindTypes = collections.abc.Callable[
    [stack_model.Stack, template.Template | None], registry.Types
]


class SnapshotMissing(errors.Conflict):
    """The snapshot of a child stack was deleted."""

    code = "orch.snapshot.child_missing"


@dataclasses.dataclass(frozen=True, slots=True)
class ChildSnapshots:
    """Reads and deletes snapshots of child stacks.

    A child stack may be deleted since, or be another one.

    :ivar types_of: finds the types of a stack with a template
    """

    database: db_engine.Database
    templates: template_cache.TemplateCache
    types_of: FindTypes
    requested_by: request.RequestContext

    def restored_inputs(self, snapshot_id: str) -> inputs.Inputs:
        """Return the inputs of a child stack that a snapshot restores.

        Those of its own child stacks are read too.

        :raises SnapshotMissing: the snapshot does not exist any more
        :raises orch.errors.OrchError: a stored state does not exist any more
        """

        def look(
            connection: db_engine.Connection,
        ) -> tuple[
            stack_model.Stack,
            snapshot.Snapshot,
            tuple[inputs.Inputs, template.Template],
        ]:
            found = snapshots.find(connection, snapshot_id)
            if found is None:
                raise SnapshotMissing(
                    f"The snapshot {snapshot_id} of a child stack was"
                    " deleted, so it cannot be restored."
                )
            stack = stacks.get(connection, found.stack_id)
            then = restored_template.load_snapshot_inputs(
                connection, stack, found, self.templates
            )
            return stack, found, then

        stack, found, (given, before) = self.database.query(look)
        raw = restored_template.restored_template(
            before, found, self.types_of(stack, before)
        )
        return dataclasses.replace(given, template=raw)

    def delete(self, stack_id: str, snapshot_id: str) -> None:
        """Delete a snapshot of a child stack; already gone is success."""

        def look(
            connection: db_engine.Connection,
        ) -> tuple[stack_model.Stack | None, snapshot.Snapshot | None]:
            return (
                stacks.find(connection, ids.StackId(stack_id)),
                snapshots.find(connection, snapshot_id),
            )

        stack, found = self.database.query(look)
        if stack is None or found is None:
            return
        for each in snapshot_data.list_snapshot_data(
            found, stack, self.types_of(stack, None), self.requested_by
        ):
            each.remove()
        self.database.run(
            lambda connection: snapshots.delete(connection, snapshot_id)
        )
