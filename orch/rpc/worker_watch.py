"""Find out that no worker takes requests, if one has no answer."""

import dataclasses
import logging
import threading
import time
import typing

from orch import errors
from orch.rpc import broker

LOG = logging.getLogger(__name__)

_FRESH_S: typing.Final = 0.9
_LOOK_S: typing.Final = 1.0
"""How long a look is waited for: the broker may hang."""


@dataclasses.dataclass(frozen=True, slots=True)
class Timeouts:
    """How long a request waits before it is refused, in seconds.

    :ivar slow_s: without an answer, until the presence of workers is checked
    :ivar absent_s: until one may be back that restarts
    """

    slow_s: float
    absent_s: float


DEFAULT_TIMEOUTS: typing.Final = Timeouts(slow_s=1.0, absent_s=5.0)
"""For requests that must not fail while a worker restarts."""
SHORT_TIMEOUTS: typing.Final = Timeouts(slow_s=0.25, absent_s=0.0)
"""For requests whose sender can do without."""


class WorkerWatch:
    """Whether any worker takes requests of a topic, as the broker says.

    It is looked at only while calls wait for long: a worker that is slow is
    there, and one that has died is not. Safe for several threads.
    """

    def __init__(
        self,
        known: broker.Broker,
        topic: str,
        timeouts: Timeouts = DEFAULT_TIMEOUTS,
    ) -> None:
        """Know nothing yet."""
        self.timeouts = timeouts
        self._broker = known
        self._topic = topic
        self._lock = threading.Lock()
        self._over: threading.Event | None = None
        self._looked_at = float("-inf")
        self._missing_since: float | None = None

    def is_there(self) -> bool:
        """Whether one takes requests now.

        :raises orch.errors.Unavailable: the broker does not say it
        """
        if not self._broker.is_external:
            return True
        found = self._broker.find_queues([self._topic])
        return any(queue.consumers for queue in found)

    @property
    def is_suspected(self) -> bool:
        """Whether the last look has found none."""
        return self._missing_since is not None

    def is_absent(self) -> bool:
        """Whether none has taken requests for ``absent_s``; it looks first."""
        over = self._begin_look()
        if over is not None and not over.wait(_LOOK_S):
            return False
        with self._lock:
            since = self._missing_since
            if since is None:
                return False
            return self._looked_at - since >= self.timeouts.absent_s

    def _begin_look(self) -> threading.Event | None:
        """Return what is set at the end of a look; ``None`` for none."""
        with self._lock:
            if self._over is not None:
                return self._over
            if time.monotonic() - self._looked_at < _FRESH_S:
                return None
            over = self._over = threading.Event()
        threading.Thread(
            target=self._look, args=(over,), name="worker-watch", daemon=True
        ).start()
        return over

    def _look(self, over: threading.Event) -> None:
        is_there = True
        try:
            is_there = self.is_there()
        except errors.Unavailable:
            LOG.debug("whether a worker is there the broker does not say")
        except Exception:
            LOG.exception("whether a worker is there cannot be found out")
        with self._lock:
            self._looked_at = time.monotonic()
            if is_there:
                self._missing_since = None
            elif self._missing_since is None:
                self._missing_since = self._looked_at
            self._over = None
        over.set()
