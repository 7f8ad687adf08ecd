"""Deliver signals for stacks that were handed over to another project.

The stack that was made of one is in the same database, so that no request
has to reach the API.
"""

from orch import errors
from orch import ids
from orch.context import request
from orch.engine import dependencies
from orch.engine.forwarding import pending_signals
from orch.engine.forwarding import sender
from orch.engine.forwarding import successors
from orch.engine.signals import handle
from orch.engine.signals import signal as signals
from orch.model import forwarding

_REJECTS = (
    handle.SignalNotSupported,
    handle.SignalRefused,
    handle.SignalTooLarge,
    pending_signals.TooManyHops,
)
"""Errors of a signal that the resource will never accept."""


def deliver_signal(
    deps: dependencies.Dependencies,
    address: forwarding.Address,
    signal: forwarding.Signal,
) -> sender.Answer:
    """Let the resource of this installation take a signal of an address."""
    target = deps.database.query(
        lambda connection: successors.find_target(connection, address)
    )
    if target is None:
        return sender.Answer(
            sender.DeliveryResult.NOT_NOW,
            "the stack that has taken it over has no such resource",
        )
    try:
        taken = signals.submit_signal(
            deps,
            request.RequestContext(project_id=target.project_id),
            target.stack_id,
            target.name,
            signal.details,
            resource_id=target.resource_id,
            signal_id=signal.signal_id,
            # From one stack to a newer one: never in a circle.
            hops=signal.hops,
        )
    except errors.OrchError as error:
        result = sender.DeliveryResult.NOT_NOW
        if isinstance(error, _REJECTS):
            result = sender.DeliveryResult.REJECTED
        return sender.Answer(result, f"the signal was refused: {error.code}")
    if taken["accepted"] is not None:
        deps.conductor.wake(ids.OperationId(taken["accepted"]["operation_id"]))
    return sender.Answer(sender.DeliveryResult.TAKEN)
