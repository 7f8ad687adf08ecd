"""Store signals for resources of abandoned stacks.

They are forwarded in their order, by ``orch.engine.forwarding.forwarder``.
"""

import dataclasses

from orch import errors
from orch import ids
from orch.context import request
from orch.db import engine as db_engine
from orch.db import functions
from orch.db.repositories import forwarding as rows
from orch.engine import dependencies
from orch.model import forwarding
from orch.rpc import contract


class TooManyHops(errors.Invalid):
    """A signal was forwarded too often: it goes in a circle."""

    code = "orch.signals.too_many_hops"


class QueueFull(errors.LimitExceeded):
    """The queue of signals for a resource has reached its limit."""

    code = "orch.signals.queue_full"


@dataclasses.dataclass(frozen=True, slots=True)
class Arrival:
    """How a signal arrived.

    :ivar signal_id: id that its sender gave it; ``None`` for a new one
    :ivar hops: how often it was forwarded
    """

    signal_id: str | None = None
    hops: int = 0


def find_address(
    connection: db_engine.Connection,
    ctxt: request.RequestContext,
    resource_id: str,
) -> forwarding.Address | None:
    """Return the address of a resource, if its stack was abandoned.

    The address may name another stack: that which the resource was in before
    it moved to the abandoned one.
    """
    found = rows.find(connection, resource_id)
    if (
        found is None
        or found.kind is forwarding.Kind.METADATA
        or found.project_id != ctxt.project_id
    ):
        return None
    return found


def save_signal(
    deps: dependencies.Dependencies,
    connection: db_engine.Connection,
    address: forwarding.Address,
    details: object,
    arrival: Arrival,
) -> contract.Signalled:
    """Store a signal until it is forwarded; the commit makes it durable.

    One of the same id that waits already is stored once.

    :raises TooManyHops: it was forwarded too often
    :raises QueueFull: the queue of the resource is full
    """
    answer = contract.Signalled(accepted=None, answer=None, is_pending=True)
    if arrival.hops >= forwarding.MAX_HOPS:
        raise TooManyHops(
            f"The signal was forwarded {arrival.hops} times; the stacks that"
            " it went through lead to each other."
        )
    held = rows.lock(connection, address)
    signal_id = arrival.signal_id or ids.new()
    if held is None or rows.has_signal(connection, held, signal_id):
        return answer
    _check_quota(deps, connection, held, details)
    now = functions.read_clock(connection)
    rows.save_signal(
        connection,
        forwarding.Signal(
            stack_id=held.stack_id,
            resource_id=held.resource_id,
            number=held.next_number,
            signal_id=signal_id,
            details=details,
            hops=arrival.hops,
            came_at=now,
        ),
    )
    due = held.next_at
    leads_on = held.new_address is not None or held.successor_id is not None
    if due is None and leads_on:
        due = now
    rows.update(
        connection,
        held,
        waiting=held.waiting + 1,
        next_number=held.next_number + 1,
        next_at=due,
        used_at=now,
    )
    return answer


def _check_quota(
    deps: dependencies.Dependencies,
    connection: db_engine.Connection,
    held: forwarding.Address,
    details: object,
) -> None:
    limit = deps.settings.max_stored_size
    size = rows.count_waiting(connection, held) + rows.size_of(details)
    # Each costs a row, however small it is.
    if size > limit or held.waiting >= limit // 64:
        raise QueueFull(
            f"{held.waiting} signals wait for the resource {held.path[-1]},"
            " whose stack has moved, and the queue is full: send again once"
            " they were forwarded"
        )
