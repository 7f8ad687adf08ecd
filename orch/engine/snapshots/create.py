"""Accepts that the state of a stack is stored."""

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
from orch.engine.queries import visibility
from orch.engine.snapshots import query
from orch.engine.stacks import retry
from orch.flow.state import submit as flow_submit
from orch.model import snapshot
from orch.model import stack
from orch.model import states
from orch.rpc import contract


def submit(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    stack_id: str,
    name: str | None,
    options: contract.StackOptions,
) -> contract.SnapshotBegun:
    """Accept a snapshot; it never cuts short what is under way.

    :param name: for people; ``None`` for none
    :param options: with ``retry``, the one that failed goes on instead, and
        no name may be given
    :raises orch.engine.acceptance.idle.InProgress: an action is under way
    :raises orch.errors.NotFound: this caller has no such stack
    """

    def begin() -> contract.Accepted:
        if options.get("retry"):
            action = states.Action.SNAPSHOT
            return retry.submit(deps, ctxt, stack_id, options, action)
        return accept(deps, ctxt, stack_id, name, options)

    accepted = idempotency.once(deps, ctxt, begin)
    begun = query.show_begun(deps, ctxt, stack_id, accepted["operation_id"])
    return contract.SnapshotBegun(snapshot=begun, accepted=accepted)


def accept(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    stack_id: str,
    name: str | None,
    options: contract.StackOptions,
) -> contract.Accepted:
    """Accept a fresh snapshot, and look at nothing more.

    :raises orch.errors.OrchError: as :func:`submit` does
    """
    action = states.Action.SNAPSHOT
    wanted = operation_factory.new(
        deps, ctxt, ids.StackId(stack_id), action, options
    )

    def work(connection: db_engine.Connection) -> contract.Accepted:
        subject = stacks.lock(connection, wanted.stack_id)
        visibility.check_live(ctxt, subject)
        idle.check_idle(connection, subject)
        _check_room(deps, connection, subject)
        begun = flow_submit.of_stack(wanted, subject)
        snapshots.insert(connection, snapshot.begun(begun, subject, name))
        flow_submit.accept(connection, subject, begun)
        answer = operation_factory.accepted(begun, subject.name)
        return idempotency.keep(connection, ctxt, answer)

    return deps.database.run(work)


def _check_room(
    deps: dependencies.Dependencies,
    connection: db_engine.Connection,
    subject: stack.Stack,
) -> None:
    """Return only if the stack may have one snapshot more.

    :raises orch.errors.LimitExceeded: it may not
    """
    limit = deps.settings.max_snapshots_per_stack
    if 0 <= limit <= snapshots.count(connection, subject.id):
        raise errors.LimitExceeded(
            f"The stack {subject.name} has {limit} snapshots, as many as are"
            " allowed: delete one of them first."
        )
