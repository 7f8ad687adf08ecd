"""Where a caller inside this process waits for the reply to its call."""

import dataclasses
import queue
import time


@dataclasses.dataclass(frozen=True, slots=True)
class Reply:
    """What came back: a body, or the text of a serialized exception."""

    body: bytes = b""
    failure: str | None = None


class Replies:
    """The mailbox of one call."""

    def __init__(self) -> None:
        self._arrived: queue.SimpleQueue[Reply | None] = queue.SimpleQueue()

    def put(self, reply: Reply) -> None:
        """Deliver the reply; a caller that has left misses nothing."""
        self._arrived.put(reply)

    def beat(self) -> None:
        """Tell the caller that its call is still being worked on."""
        self._arrived.put(None)

    def wait(
        self, timeout_s: float | None, monitor_s: float | None
    ) -> Reply | None:
        """Wait for the reply.

        :param monitor_s: give up earlier, when so long nothing was heard
        :returns: ``None`` when the time is over
        """
        end = deadline(timeout_s)
        while True:
            try:
                reply = self._arrived.get(timeout=_least(left(end), monitor_s))
            except queue.Empty:
                return None
            if reply is not None:
                return reply


def deadline(timeout_s: float | None) -> float | None:
    """Return when so many seconds are over, by ``time.monotonic``."""
    return None if timeout_s is None else time.monotonic() + timeout_s


def left(end: float | None) -> float | None:
    """Return the seconds until then, never less than 0."""
    return None if end is None else max(0.0, end - time.monotonic())


def _least(one: float | None, other: float | None) -> float | None:
    if one is None or other is None:
        return one if other is None else other
    return min(one, other)
