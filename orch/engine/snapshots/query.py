"""Queries of the snapshots of a stack."""

import collections.abc
import dataclasses

from orch.context import request
from orch.db import engine as db_engine
from orch.db.repositories import operations
from orch.db.repositories import snapshots
from orch.db.repositories import stacks
from orch.engine import dependencies
from orch.engine.queries import errors as engine_errors
from orch.engine.queries import lookup
from orch.engine.secrets import redaction
from orch.engine.secrets import stack_documents
from orch.engine.secrets import tree_secrets
from orch.engine.stack_inputs import store
from orch.model import resource
from orch.model import snapshot
from orch.model import stack
from orch.model import states
from orch.rpc import contract

Document = dict[str, object]


def snapshot_document(
    deps: dependencies.Dependencies,
    connection: db_engine.Connection,
    stack: stack.Stack,
    found: snapshot.Snapshot,
) -> Document:
    """Return the stack as it was when the snapshot was taken.

    Until it is complete it has no resources, and the state is that of the
    stack.
    """
    then = dataclasses.replace(
        stack,
        template_hash=found.template_hash,
        environment_hash=found.environment_hash,
    )
    if found.data is not None:
        then = dataclasses.replace(
            then,
            tags=tuple(found.tags()),
            action=states.Action.SNAPSHOT,
            status=found.status,
        )
    return heat_document(deps, connection, then, found.resources())


def heat_document(
    deps: dependencies.Dependencies,
    connection: db_engine.Connection,
    stack: stack.Stack,
    rows: collections.abc.Iterable[resource.Resource],
) -> Document:
    """Return the document of a stack, in Heat's form.

    :param rows: the current resources
    """
    parsed_template = deps.templates.find(connection, stack)
    redacts = stack_documents.child_redaction(
        connection, deps.templates.find, stack
    )
    redacts_rows = tree_secrets.redaction_of(
        connection, deps.templates.find, stack, is_plain=True
    )
    return {
        "name": stack.name,
        "id": stack.id,
        "action": stack.action.value,
        "status": stack.status.value,
        "template": stack_documents.read_template(
            connection, deps.templates.find, stack
        ),
        "environment": None
        if parsed_template is None
        else stack_documents.redact_environment(parsed_template, redacts),
        "files": store.read_files(connection, stack),
        "tags": list(stack.tags),
        "project_id": stack.project_id,
        "stack_user_project_id": None,
        "resources": {row.name: _entry(row, redacts_rows) for row in rows},
    }


def _entry(row: resource.Resource, redacts: redaction.Redaction) -> Document:
    """Return a resource, with the data that its plug-in stores."""
    data = {**row.data, **(row.snapshot_data or {})}
    return {
        "name": row.name,
        "resource_id": row.physical_id,
        "type": row.type_name,
        "action": row.action.value,
        "status": row.status.value,
        "metadata": redacts.value(row.metadata),
        "resource_data": redacts.value(data),
    }


_NO_RESULT = "The operation ended without a snapshot"


def list_snapshots(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    stack_id: str,
) -> list[contract.SnapshotFacts]:
    """Return the snapshots of a stack, the oldest first.

    :raises orch.errors.NotFound: this caller has no such stack
    """

    def work(
        connection: db_engine.Connection,
    ) -> list[contract.SnapshotFacts]:
        stack = lookup.get_stack(connection, ctxt, stack_id)
        return [
            _facts(deps, connection, stack, each)
            for each in snapshots.list_(connection, stack.id)
        ]

    return deps.database.query(work)


def show_snapshot(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    stack_id: str,
    snapshot_id: str,
) -> contract.SnapshotFacts:
    """Return one snapshot of a stack.

    :raises orch.errors.NotFound: this caller has no such stack, or the stack
        has no such snapshot
    """

    def work(connection: db_engine.Connection) -> contract.SnapshotFacts:
        stack = lookup.get_stack(connection, ctxt, stack_id)
        found = get_snapshot(connection, ctxt, stack, snapshot_id)
        return _facts(deps, connection, stack, found)

    return deps.database.query(work)


def show_begun(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    stack_id: str,
    snapshot_id: str,
) -> contract.SnapshotFacts:
    """Return a snapshot as it was when its operation was accepted.

    A repeated request for one gets the same answer again.

    :raises orch.errors.NotFound: as of :func:`show_snapshot`
    """

    def work(connection: db_engine.Connection) -> contract.SnapshotFacts:
        stack = lookup.get_stack(connection, ctxt, stack_id)
        begun = dataclasses.replace(
            get_snapshot(connection, ctxt, stack, snapshot_id),
            status=states.Status.IN_PROGRESS,
            data=None,
        )
        then = dataclasses.replace(
            stack, action=states.Action.SNAPSHOT, status=begun.status
        )
        facts = _facts(deps, connection, then, begun)
        return {**facts, "status": begun.status.value, "status_reason": ""}

    return deps.database.query(work)


def get_snapshot(
    connection: db_engine.Connection,
    ctxt: request.RequestContext,
    stack: stack.Stack,
    snapshot_id: str,
) -> snapshot.Snapshot:
    """Return one snapshot of a stack.

    :raises orch.engine.queries.errors.SnapshotNotFound: no snapshot has that
        id
    :raises orch.engine.queries.errors.SnapshotOfOtherStack: it is of another
        stack
    """
    found = None
    if lookup.is_id(snapshot_id):
        found = snapshots.find(connection, snapshot_id)
    if found is None or not _is_visible(connection, ctxt, found):
        raise engine_errors.SnapshotNotFound(
            f"Snapshot with id {snapshot_id[:255]} not found"
        )
    if found.stack_id != stack.id:
        raise engine_errors.SnapshotOfOtherStack(
            f"The Snapshot ({snapshot_id}) for Stack ({stack.name}) could"
            " not be found."
        )
    return found


def state_of(
    connection: db_engine.Connection, found: snapshot.Snapshot
) -> tuple[states.Status, str]:
    """Return status and reason of a snapshot.

    Its operation is more exact than its row while it runs again, and when it
    ended for an error of ours.
    """
    operation = operations.get(connection, found.operation_id)
    if operation.state in states.OPEN_STATES:
        return states.Status.IN_PROGRESS, ""
    if found.status is states.Status.IN_PROGRESS:
        return states.Status.FAILED, operation.reason or _NO_RESULT
    return found.status, found.status_reason


def _is_visible(
    connection: db_engine.Connection,
    ctxt: request.RequestContext,
    found: snapshot.Snapshot,
) -> bool:
    owner = stacks.find(connection, found.stack_id)
    return owner is not None and lookup.is_visible(ctxt, owner.project_id)


def _facts(
    deps: dependencies.Dependencies,
    connection: db_engine.Connection,
    stack: stack.Stack,
    found: snapshot.Snapshot,
) -> contract.SnapshotFacts:
    status, reason = state_of(connection, found)
    data: collections.abc.Mapping[str, object] = snapshot_document(
        deps, connection, stack, found
    )
    return contract.SnapshotFacts(
        id=found.id,
        name=found.name,
        status=status.value,
        status_reason=reason,
        created_at=found.created_at,
        data=dict(data),
    )
