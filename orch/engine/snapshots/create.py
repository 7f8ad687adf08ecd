"""Accept a snapshot of a stack."""

from orch import errors
from orch import ids
from orch.context import request
from orch.db import engine as db_engine
from orch.db.repositories import snapshots
from orch.db.repositories import stacks
from orch.engine import dependencies
from orch.engine.acceptance import idempotency
from orch.engine.acceptance import idle
from orch.engine.acceptance import operation_factory
from orch.engine.queries import lookup
from orch.engine.queries import visibility
from orch.engine.snapshots import query
from orch.engine.stacks import retry
from orch.flow.state import submit as flow_submit
from orch.model import snapshot
from orch.model import stack
from orch.model import states
from orch.rpc import contract


def submit_snapshot(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    stack_id: str,
    name: str | None,
    options: contract.StackOptions,
) -> contract.SnapshotBegun:
    """Accept a snapshot; it never interrupts an operation.

    :param name: a name for users; ``None`` for none
    :param options: with ``retry``, the failed one is retried instead, and no
        name may be given
    :raises orch.engine.acceptance.idle.InProgress: an action is in progress
    :raises orch.errors.NotFound: this caller has no such stack
    """
    accepted = idempotency.run_once(
        deps, ctxt, accept_snapshot, stack_id, name, options
    )
    begun = query.show_begun(deps, ctxt, stack_id, accepted["operation_id"])
    return contract.SnapshotBegun(snapshot=begun, accepted=accepted)


def accept_snapshot(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    stack_id: str,
    name: str | None,
    options: contract.StackOptions,
) -> contract.Accepted:
    """Accept a new snapshot, or the retry of one, without reading it back.

    :raises orch.errors.OrchError: as :func:`submit_snapshot` does
    """
    action = states.Action.SNAPSHOT
    if options.get("retry"):
        return retry.submit_retry(deps, ctxt, stack_id, options, action)
    lookup.check_exists(deps.database, ctxt, stack_id)
    operation = operation_factory.new_operation(
        deps, ctxt, ids.StackId(stack_id), action, options
    )

    def work(connection: db_engine.Connection) -> contract.Accepted:
        stack = stacks.lock(connection, operation.stack_id)
        visibility.check_live(ctxt, stack)
        idle.check_idle(connection, stack)
        _check_quota(deps, connection, stack)
        begun = flow_submit.stack_operation(operation, stack)
        snapshots.insert(connection, snapshot.new_snapshot(begun, stack, name))
        flow_submit.accept_operation(connection, stack, begun)
        answer = operation_factory.accepted_facts(begun, stack.name)
        return idempotency.save_answer(connection, ctxt, answer)

    return deps.database.run(work)


def _check_quota(
    deps: dependencies.Dependencies,
    connection: db_engine.Connection,
    stack: stack.Stack,
) -> None:
    """Raise LimitExceeded if the stack has as many snapshots as allowed.

    :raises orch.errors.LimitExceeded: the quota of snapshots is used up
    """
    limit = deps.settings.max_snapshots_per_stack
    if 0 <= limit <= snapshots.count(connection, stack.id):
        raise errors.LimitExceeded(
            f"The stack {stack.name} has {limit} snapshots, as many as are"
            " allowed: delete one of them first."
        )
