"""Whether requests can be answered now, and by all workers, without waiting.

To look may take seconds, while the broker hangs; a probe must not.
"""

import collections.abc
import logging
import threading
import typing

from orch import clock

LOG = logging.getLogger(__name__)

_FRESH_S: typing.Final = 1.0
_WAIT_S: typing.Final = 1.0
_STALE_S: typing.Final = 10.0


class ReadinessState:
    """The last look at what requests need; one look runs at a time."""

    def __init__(
        self,
        look: collections.abc.Callable[[], bool],
        time: clock.Clock,
        *,
        unknown: bool = False,
    ) -> None:
        """Know nothing yet.

        :param look: asks whether requests can be answered; it may hang
        :param unknown: the answer while nothing is known
        """
        self._look = look
        self._clock = time
        self._lock = threading.Lock()
        self._unknown = unknown
        self._found = unknown
        self._found_at_s = float("-inf")
        self._begun_at_s = 0.0
        self._over: threading.Event | None = None

    def is_ready(self) -> bool:
        """Whether requests can be answered, by a look of the last seconds.

        A look that takes longer than :data:`_WAIT_S` goes on alone. Until it
        ends the one before counts, if it is not too old.
        """
        with self._lock:
            now_s = self._clock.monotonic()
            if now_s - self._found_at_s <= _FRESH_S:
                return self._found
            if self._over is None:
                self._over = self._begin(now_s)
            over = self._over
            left_s = self._begun_at_s + _WAIT_S - now_s
        over.wait(max(0.0, left_s))
        with self._lock:
            age_s = self._clock.monotonic() - self._found_at_s
            return self._found if age_s <= _STALE_S else self._unknown

    def _begin(self, now_s: float) -> threading.Event:
        self._begun_at_s = now_s
        over = threading.Event()
        threading.Thread(
            target=self._work, args=(over,), name="readiness", daemon=True
        ).start()
        return over

    def _work(self, over: threading.Event) -> None:
        try:
            found = self._look()
        except Exception:
            LOG.exception("whether the API is ready cannot be found out")
            found = self._unknown
        with self._lock:
            self._found = found
            self._found_at_s = self._clock.monotonic()
            self._over = None
        over.set()
