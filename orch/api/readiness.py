"""Whether something is ready, found out in a second at most.

To look may take longer, while the broker hangs; a probe must not.
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
_KNOWN_S: typing.Final = 60.0


class ReadinessState:
    """The last look at whether something is ready; one look runs at a time."""

    def __init__(
        self,
        subject: str,
        look: collections.abc.Callable[[], bool],
        time: clock.Clock,
        *,
        unknown: bool = False,
    ) -> None:
        """Know nothing yet.

        :param subject: what is found out, for the log: "requests are answered"
        :param look: finds it out; it may hang
        :param unknown: the answer while nothing is known
        """
        self._subject = subject
        self._look = look
        self._clock = time
        self._lock = threading.Lock()
        self._unknown = unknown
        self._found = unknown
        self._found_at_s = float("-inf")
        self._begun_at_s = 0.0
        self._over: threading.Event | None = None

    def is_ready(self) -> bool:
        """Whether it is ready, by a look of the last seconds.

        A look that takes longer than :data:`_WAIT_S` goes on alone. Until it
        ends the one before counts, if it is not too old.
        """
        with self._lock:
            now_s = self._clock.monotonic()
            over = self._refresh(now_s)
            left_s = self._begun_at_s + _WAIT_S - now_s
        if over is not None:
            over.wait(max(0.0, left_s))
        with self._lock:
            age_s = self._clock.monotonic() - self._found_at_s
            return self._found if age_s <= _STALE_S else self._unknown

    def was_ready(self) -> bool:
        """Whether the last look has found it ready.

        It begins a look for the next call. Where none has ended for
        :data:`_KNOWN_S` it is asked as by :meth:`is_ready`.
        """
        with self._lock:
            now_s = self._clock.monotonic()
            if now_s - self._found_at_s <= _KNOWN_S:
                self._refresh(now_s)
                return self._found
        return self.is_ready()

    def _refresh(self, now_s: float) -> threading.Event | None:
        """Return what is set when the look that runs is over; under the lock.

        A look is begun where none runs and the last one is too old.

        :returns: ``None`` where the last one is fresh
        """
        if now_s - self._found_at_s <= _FRESH_S:
            return None
        if self._over is None:
            self._begun_at_s = now_s
            self._over = threading.Event()
            threading.Thread(
                target=self._work,
                args=(self._over,),
                name="readiness",
                daemon=True,
            ).start()
        return self._over

    def _work(self, over: threading.Event) -> None:
        try:
            found = self._look()
        except Exception:
            LOG.exception("it cannot be found out whether %s", self._subject)
            found = self._unknown
        with self._lock:
            self._found = found
            self._found_at_s = self._clock.monotonic()
            self._over = None
        over.set()
