"""The operations of a stack: how far they are, and what failed."""

from orch import errors as base_errors
from orch import ids
from orch.context import request
from orch.db import engine as db_engine
from orch.db.repositories import operations
from orch.engine import dependencies
from orch.engine import errors
from orch.engine import words
from orch.engine.operations import lookup
from orch.model import operation
from orch.rpc import contract


def list_(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    stack_id: str,
) -> list[contract.OperationFacts]:
    """Return the operations of a stack, the newest first.

    :raises orch.errors.NotFound: this caller has no such stack
    """

    def work(connection: db_engine.Connection) -> list[operation.Operation]:
        subject = lookup.get(connection, ctxt, stack_id)
        return operations.list_(connection, subject.id)

    found = deps.database.query(work)
    return [_facts(each) for each in reversed(found)]


def show(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    stack_id: str,
    operation_id: str,
) -> contract.OperationFacts:
    """Return one operation of a stack.

    :raises orch.errors.NotFound: this caller has no such stack, or the
        stack has no such operation
    """

    def work(connection: db_engine.Connection) -> operation.Operation:
        subject = lookup.get(connection, ctxt, stack_id)
        found = _find(connection, operation_id)
        if found is None or found.stack_id != subject.id:
            raise errors.OperationNotFound(
                f"The Operation ({operation_id[:255]}) could not be found."
            )
        return found

    return _facts(deps.database.query(work))


def _find(
    connection: db_engine.Connection, operation_id: str
) -> operation.Operation | None:
    if not words.is_id(operation_id):
        return None
    try:
        return operations.get(connection, ids.OperationId(operation_id))
    except base_errors.NotFound:
        return None


def _facts(found: operation.Operation) -> contract.OperationFacts:
    asked_by = found.context.get("user_name") or found.context.get("user_id")
    return contract.OperationFacts(
        id=found.id,
        action=found.action.value,
        state=found.state.value,
        attempt=found.attempt,
        reason=found.reason,
        total=found.total,
        done=found.done,
        failures=[dict(failure) for failure in found.failures],
        superseded_by=found.superseded_by,
        asked_by=str(asked_by) if asked_by else None,
        worker=found.owner,
        created_at=found.created_at,
        started_at=found.started_at,
        finished_at=found.finished_at,
    )
