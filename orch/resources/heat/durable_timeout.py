"""A wait that outlives a worker: it counts from the action's start."""

import typing

from orch import clock
from orch.plugin import call_context

_MIN_PAUSE_S: typing.Final = 0.5
_MAX_PAUSE_S: typing.Final = 15.0
_SHARE: typing.Final = 0.1


def remaining_s(
    started_at: clock.Timestamp, wait_s: float, now: clock.Timestamp
) -> call_context.Pending | None:
    """Return how much of a wait is left, ``None`` once it is over.

    :param started_at: when the action began
    :param wait_s: seconds from then on; negative waits for ever
    """
    if wait_s < 0:
        return call_context.Pending(note="waits for ever")
    left = min(wait_s, started_at + wait_s - now)
    if left <= 0:
        return call_context.DONE
    return call_context.Pending(after_s=left, note=f"waits {wait_s:g} seconds")


def pause_s(started_at: clock.Timestamp, now: clock.Timestamp) -> float:
    """Return how long to leave a service alone that may have no news yet.

    The longer a wait has lasted, the less often it is asked.
    """
    passed_s = max(0.0, now - started_at)
    return min(max(_MIN_PAUSE_S, _SHARE * passed_s), _MAX_PAUSE_S)
