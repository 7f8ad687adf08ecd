"""Wait until a router has its interfaces and routes.

The template need not say that an address or a route needs the interface of
a router: Neutron does, in what it refuses.
"""

import collections.abc
import typing

from orch import clock
from orch.clients import rest
from orch.plugin import call_context

_TIMEOUT_S: typing.Final = 180.0
_PAUSE_S: typing.Final = 1.0
_MAX_PAUSE_S: typing.Final = 10.0
_NOT_YET: typing.Final = ("not reachable", "not connected")


def wait_for_route(
    do: collections.abc.Callable[[], object],
    context: call_context.Context,
    clock_: clock.Clock,
) -> call_context.Pending | None:
    """Do something that needs a router; ``None`` once it is done.

    :raises orch.clients.rest.CloudRefused: another reason, or it takes too
        long
    """
    try:
        do()
    except rest.CloudRefused as error:
        waited = clock_.now() - context.started_at
        is_passing = any(each in error.message for each in _NOT_YET)
        if not is_passing or waited > _TIMEOUT_S:
            raise
        pause = min(max(_PAUSE_S, waited / 4), _MAX_PAUSE_S)
        return call_context.Pending(pause, note=error.message)
    return call_context.DONE
