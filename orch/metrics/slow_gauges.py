"""Read costly gauges, such as those of a query, at a limited rate."""

import threading

from orch import clock
from orch.metrics import meters


class Seldom:
    """Gauges that are read at most once in so many seconds.

    In between they have their last values. While one caller reads, others get
    the last values: only one of them waits for a database.
    """

    def __init__(
        self, read: meters.Read, every_s: float, clock_: clock.Clock
    ) -> None:
        """Have read nothing yet."""
        self._read = read
        self._every_s = every_s
        self._clock = clock_
        self._lock = threading.Lock()
        self._next_at: float | None = None
        self._known: tuple[meters.Reading, ...] = ()

    def __call__(self) -> tuple[meters.Reading, ...]:
        """Return what was read last, or now.

        :raises Exception: what reading raised; it is not tried again before
            its time, and until then there are no values
        """
        if not self._lock.acquire(blocking=False):
            return self._known
        try:
            now = self._clock.monotonic()
            if self._next_at is None or now >= self._next_at:
                self._next_at = now + self._every_s
                self._known = self._read_now()
            return self._known
        finally:
            self._lock.release()

    def _read_now(self) -> tuple[meters.Reading, ...]:
        try:
            return tuple(self._read())
        except Exception:
            # Old values are not shown where the current ones are unknown.
            self._known = ()
            raise
