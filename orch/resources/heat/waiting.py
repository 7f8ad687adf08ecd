"""Waiting that outlives a worker: it counts from when the action began."""

from orch import clock
from orch.plugin import resource


def remaining(
    started_at: clock.Timestamp, wait_s: float, now: clock.Timestamp
) -> resource.Pending | None:
    """Return how much of a wait is left, ``None`` once it is over.

    :param started_at: when the action began
    :param wait_s: seconds from then on; negative waits for ever
    """
    if wait_s < 0:
        return resource.Pending(note="waits for ever")
    left = min(wait_s, started_at + wait_s - now)
    if left <= 0:
        return resource.DONE
    return resource.Pending(after_s=left, note=f"waits {wait_s:g} seconds")
