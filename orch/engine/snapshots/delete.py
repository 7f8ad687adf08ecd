"""Delete a snapshot, and the data that plug-ins store for it.

The row is deleted last. Whatever interrupts the deletion, the snapshot stays
in the list, cannot be restored any more, and can be deleted again. A deletion
that takes longer than a caller waits goes on without the caller; a second
request waits for the same one.
"""

from orch import errors
from orch import ids
from orch.context import request
from orch.db import engine as db_engine
from orch.db.repositories import operations
from orch.db.repositories import snapshots
from orch.db.repositories import stacks
from orch.engine import dependencies
from orch.engine import plugin_reads
from orch.engine.execution import planning
from orch.engine.judged_requests import judged_request
from orch.engine.queries import lookup
from orch.engine.secrets import tree_secrets
from orch.engine.snapshots import query
from orch.flow.runner import open_calls
from orch.flow.state import snapshot_data
from orch.model import snapshot
from orch.model import stack as stack_model
from orch.model import states

_BEGUN = "Its deletion was begun and is not complete: delete it again"


class SnapshotNotRemoved(errors.Unavailable):
    """A part of the snapshot still exists; the request may be repeated."""

    code = "orch.snapshot.not_removed"


class SnapshotInUse(errors.Conflict):
    """The stack is being restored from the snapshot."""

    code = "orch.snapshot.in_use"


def delete_snapshot(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    stack_id: str,
    snapshot_id: str,
) -> None:
    """Delete a snapshot, with the data of plug-ins.

    The state of the stack does not change by it. When it takes too long for
    the caller, it goes on without the caller.

    :raises orch.errors.NotSupported: it is being taken
    :raises SnapshotInUse: the stack is being restored from it
    :raises SnapshotNotRemoved: a plug-in could not remove its part, or takes
        long
    :raises orch.engine.queries.lookup.StackChanged: the stack is not what
        the request depends on any more
    :raises orch.engine.judged_requests.hooks.RequestDenied: a lifecycle
        plug-in denies it
    :raises orch.errors.NotFound: this caller has no such stack, or the stack
        has no such snapshot
    """
    judged = judged_request.JudgedRequest(deps, ctxt, "delete_snapshot")

    def begin(
        connection: db_engine.Connection,
    ) -> tuple[stack_model.Stack, snapshot.Snapshot]:
        stack = lookup.get_stack(connection, ctxt, stack_id)
        stack = stacks.lock(connection, stack.id)
        lookup.check_unchanged(ctxt, stack)
        found = query.get_snapshot(connection, ctxt, stack, snapshot_id)
        _check_free(connection, found)
        judged.check(stack)
        judged.allow(connection, is_done=False)
        snapshots.update(
            connection,
            found.id,
            status=states.Status.FAILED,
            status_reason=_BEGUN,
        )
        return stack, found

    with judged:
        stack, found = judged.run(begin)
        _remove_once(deps, ctxt, stack, found)


def _remove_once(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    stack: stack_model.Stack,
    found: snapshot.Snapshot,
) -> None:
    """Remove a snapshot; callers at the same moment share one removal.

    :raises SnapshotNotRemoved: a plug-in could not remove its part, or takes
        long
    """
    try:
        deps.reads.begin().run_once(
            f"snapshot {found.id}",
            lambda: _remove(deps, ctxt, stack, found),
        )
    except plugin_reads.ReadFailed as error:
        raise SnapshotNotRemoved(
            f"The snapshot {found.id} is still being deleted, which takes"
            " long; it is gone from the list when that is done. Delete it"
            " again if it stays there."
        ) from error


def _check_free(
    connection: db_engine.Connection, found: snapshot.Snapshot
) -> None:
    """Raise an error if an operation uses the snapshot."""
    for each in operations.find_open(connection, found.stack_id):
        if each.id == found.operation_id:
            raise errors.NotSupported(
                "Deleting in-progress snapshot is not supported: wait until"
                " it is taken, or cancel it."
            )
        if each.options.get(planning.SNAPSHOT) == found.id:
            raise SnapshotInUse(
                f"The stack is being restored from the snapshot {found.id}."
            )


def _remove(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    stack: stack_model.Stack,
    found: snapshot.Snapshot,
) -> None:
    """Delete the data of plug-ins, then the row of the snapshot."""
    name = ""
    types = deps.types_of(stack, None, ctxt)
    calls = open_calls.OpenCalls(deps.database, stack.id)
    try:
        for each in snapshot_data.list_snapshot_data(
            found, stack, types, ctxt
        ):
            name = f" resource {each.context.name}:"
            if each.data is None:
                # An abandoned call may still be about to store data.
                calls.check(ids.ResourceId(each.context.token))
            each.remove()
    except Exception as error:
        reason = f"{type(error).__name__}: {error}"
        shown = deps.database.query(
            lambda connection: tree_secrets.redact_said(
                connection, deps.templates.find, stack, reason
            )
        )
        raise SnapshotNotRemoved(
            f"The snapshot {found.id} is not deleted yet:{name}"
            f" {shown}. Delete it again."
        ) from error
    deps.database.run(
        lambda connection: snapshots.delete(connection, found.id)
    )
