"""Accept a signal for a resource.

It may clear a breakpoint; else the plug-in of the resource handles it
(``handle``). One for an abandoned stack is forwarded.
"""

import typing

from orch import errors as base_errors
from orch import ids
from orch.context import request
from orch.db import engine as db_engine
from orch.db.repositories import moves
from orch.db.repositories import resources
from orch.db.repositories import signals
from orch.db.repositories import stacks
from orch.engine import dependencies
from orch.engine.acceptance import idempotency
from orch.engine.acceptance import stack_lock
from orch.engine.forwarding import pending_signals
from orch.engine.judged_requests import judged_request
from orch.engine.queries import errors
from orch.engine.queries import lookup
from orch.engine.queries import stack_user_access
from orch.engine.signals import clear_breakpoint
from orch.engine.signals import handle
from orch.engine.signals import targets
from orch.model import resource
from orch.model import stack
from orch.rpc import contract

_MAX_MOVES: typing.Final = 32
"""Maximum of stacks that the search visits."""


def find_moved(
    connection: db_engine.Connection, stack_id: str, resource_id: str
) -> resource.Resource | None:
    """Return the row of a resource that has moved to another stack.

    :param stack_id: the id of the stack that it was in; it may have moved more
        than once
    :returns: ``None`` when it did not move, or does not exist any more
    """
    target_id = ids.ResourceId(resource_id)
    visited, left = {stack_id}, [ids.StackId(stack_id)]
    while left and len(visited) < _MAX_MOVES:
        for target in moves.list_targets(connection, left.pop(0)):
            if target in visited:
                continue
            found = resources.find(connection, target_id, target)
            if found is not None:
                return found
            visited.add(target)
            left.append(target)
    return None


def submit_signal(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    stack_id: str,
    name: str,
    details: object,
    resource_id: str | None = None,
    signal_id: str | None = None,
    hops: int = 0,
) -> contract.Signalled:
    """Accept a signal durably; what waits for it goes on later.

    One for a resource of an abandoned stack is saved, and forwarded.

    :param details: any JSON value; ``{"unset_hook": "pre-create"}`` clears a
        breakpoint
    :param resource_id: the one incarnation that may take it, for callers
        who have no other right than that
    :param signal_id: id that its sender gave it; ``None`` for a new one
    :param hops: how often it was forwarded
    :returns: the operation that may go on, if any, and the type's answer
    :raises clear_breakpoint.NotWaiting: the resource does not wait there
    :raises orch.engine.signals.handle.SignalNotSupported: its type takes no
        signals
    :raises orch.engine.signals.handle.SignalNotNow: it is suspended or deleted
    :raises orch.engine.signals.handle.AddressRevoked: the address of the
        caller is revoked
    :raises orch.engine.signals.handle.SignalRefused: its plug-in refuses this
        one
    :raises orch.engine.signals.handle.SignalTooLarge: its data exceeds the
        limit
    :raises orch.engine.forwarding.pending_signals.QueueFull: the queue of
        signals to forward is full
    :raises orch.engine.forwarding.pending_signals.TooManyHops: it was
        forwarded in a circle
    :raises orch.engine.judged_requests.hooks.RequestDenied: a lifecycle
        plug-in denies it
    :raises orch.engine.queries.lookup.StackChanged: the stack is not what
        the request depends on any more
    :raises orch.errors.NotFound: this caller has no such stack, or the
        stack has no such resource
    """
    if (
        resource_id is None
        and isinstance(details, dict)
        and clear_breakpoint.CLEARS in details
        and _is_member(deps, ctxt, stack_id, name)
    ):
        given = details[clear_breakpoint.CLEARS]
        return _submit_clearing(deps, ctxt, stack_id, name, given)
    arrival = pending_signals.Arrival(signal_id, hops)
    judged = judged_request.JudgedRequest(deps, ctxt, "signal")

    def work(connection: db_engine.Connection) -> handle.HandledSignal:
        taken = handle_or_save(connection)
        if taken.error is None:
            idempotency.save_answer(connection, ctxt, taken.answer)
        return taken

    def handle_or_save(
        connection: db_engine.Connection,
    ) -> handle.HandledSignal:
        if resource_id is None:
            return take(connection)
        kept = keep(connection, resource_id)
        if kept is not None:
            return kept
        try:
            return take(connection)
        except (base_errors.NotFound, handle.SignalNotNow):
            # The stack may have been abandoned a moment ago.
            kept = keep(connection, resource_id)
            if kept is None:
                raise
            return kept

    def keep(
        connection: db_engine.Connection, target_id: str
    ) -> handle.HandledSignal | None:
        gone = pending_signals.find_address(connection, ctxt, target_id)
        if gone is None:
            return None
        return handle.HandledSignal(
            pending_signals.save_signal(
                deps, connection, gone, details, arrival
            )
        )

    def take(connection: db_engine.Connection) -> handle.HandledSignal:
        reached = stack_user_access.get_signalled(
            deps, connection, ctxt, stack_id, name
        )
        stack = reached.stack
        _check_unchanged(connection, ctxt, stack)
        heard = stack_user_access.signal_context(ctxt, stack)
        is_sealed = resource_id is not None
        target_id = resource_id if is_sealed else reached.resource_id
        taking = handle.SignalHandler(deps, heard, connection, stack, judged)
        try:
            return taking.take(
                name, target_id, details, arrival, is_sealed=is_sealed
            )
        except errors.ResourceNotFound:
            moved = resource_id and find_moved(
                connection, stack_id, resource_id
            )
            if not moved:
                raise
        stack = lookup.get_stack(connection, ctxt, moved.stack_id)
        taking = handle.SignalHandler(deps, ctxt, connection, stack, judged)
        return taking.take(
            moved.name, resource_id, details, arrival, is_sealed=True
        )

    with judged:
        taken = judged.run(work)
    deps.notify()
    if taken.error is not None:
        raise taken.error
    return taken.answer


def _is_member(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    stack_id: str,
    name: str,
) -> bool:
    """Whether the caller is a member of the stack's project.

    A stack user in a server must not clear breakpoints, which wait for users.

    :raises orch.errors.NotFound: this caller has no such stack
    """
    stack = deps.database.query(
        lambda connection: (
            stack_user_access.get_signalled(
                deps, connection, ctxt, stack_id, name
            ).stack
        )
    )
    return lookup.is_visible(ctxt, stack.project_id)


def _submit_clearing(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    stack_id: str,
    name: str,
    given: object,
) -> contract.Signalled:
    """Clear a breakpoint, as :func:`submit_signal` does.

    :param given: the breakpoint, as the caller names it
    """
    judged = judged_request.JudgedRequest(deps, ctxt, "clear_breakpoint")

    def work(connection: db_engine.Connection) -> contract.Signalled:
        stack = lookup.get_stack(connection, ctxt, stack_id)
        _check_unchanged(connection, ctxt, stack)
        cleared = clear_breakpoint.clear_breakpoint(
            connection,
            stack,
            lambda: targets.list_named(connection, stack, name),
            given,
            judged,
        )
        answer = contract.Signalled(accepted=cleared, answer=None)
        return idempotency.save_answer(connection, ctxt, answer)

    with judged:
        answer = judged.run(work)
    deps.notify()
    return answer


def revoke_addresses(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    stack_id: str,
    name: str,
) -> None:
    """Revoke the signal addresses of a resource.

    Callers who may signal it over the API still may. A replacement of the
    resource has an address of its own.

    :raises orch.engine.signals.handle.SignalNotSupported: the type takes no
        signals
    :raises orch.engine.judged_requests.hooks.RequestDenied: a lifecycle
        plug-in denies it
    :raises orch.errors.NotFound: this caller has no such stack, or the
        stack has no such resource
    """
    judged = judged_request.JudgedRequest(deps, ctxt, "revoke_addresses")

    def work(connection: db_engine.Connection) -> None:
        stack = lookup.get_stack(connection, ctxt, stack_id)
        _check_unchanged(connection, ctxt, stack)
        row = targets.find_target(
            targets.list_named(connection, stack, name), None
        )
        if row is None:
            raise targets.resource_missing(stack, name)
        plugin = deps.types.find(row.plugin_type)
        if plugin is None or not plugin.takes_signals:
            raise handle.SignalNotSupported(
                f"The resource {row.name} takes no signals, and so has no"
                " address for them."
            )
        if signals.is_revoked(connection, row):
            return
        judged.check(stack, row.name)
        judged.allow(connection)
        signals.revoke(connection, row, deps.clock.now())

    with judged:
        judged.run(work)


def _check_unchanged(
    connection: db_engine.Connection,
    ctxt: request.RequestContext,
    stack: stack.Stack,
) -> None:
    """Raise StackChanged if the stack is not what the request depends on.

    :raises orch.engine.queries.lookup.StackChanged: another request has
        changed it
    """
    if ctxt.condition is not None:
        stack_lock.lock_stack(connection, stack.id)
        # Its state may have changed before the lock was had.
        now = stacks.get(connection, stack.id)
        lookup.check_unchanged(ctxt, now)
