"""Find out that nobody takes requests, without failing those that wait."""

import threading
import time
import typing

from orch import errors
from orch.rpc import broker

SLOW_S: typing.Final = 2.0
"""After so long without an answer it is found out whether anybody is there."""
ABSENT_S: typing.Final = 5.0
"""A worker may restart meanwhile; nobody is told that none is there."""
_FRESH_S: typing.Final = 1.0


class WorkerWatch:
    """Whether any worker takes requests of a topic, as the broker says.

    It is looked at only while calls wait for long: a worker that is slow is
    there, and one that has died is not. Safe for several threads.
    """

    def __init__(self, known: broker.Broker, topic: str) -> None:
        """Know nothing yet."""
        self._broker = known
        self._topic = topic
        self._lock = threading.Lock()
        self._looked_at = float("-inf")
        self._missing_since: float | None = None

    def is_there(self) -> bool:
        """Whether one takes requests now, as far as the broker says it."""
        if not self._broker.is_external:
            return True
        found = self._broker.find_queues([self._topic])
        return any(queue.consumers for queue in found)

    def is_absent(self) -> bool:
        """Whether none has taken requests for a while, by a fresh look."""
        self._look()
        since = self._missing_since
        return since is not None and time.monotonic() - since >= ABSENT_S

    def is_suspected(self) -> bool:
        """Whether the last look has found none."""
        return self._missing_since is not None

    def _look(self) -> None:
        """Look, unless that was just done or another thread does it."""
        if not self._lock.acquire(blocking=False):
            return
        try:
            now = time.monotonic()
            if now - self._looked_at < _FRESH_S:
                return
            if self._finds_one():
                self._missing_since = None
            elif self._missing_since is None:
                self._missing_since = now
            self._looked_at = time.monotonic()
        finally:
            self._lock.release()

    def _finds_one(self) -> bool:
        """Whether one is there; without the broker nobody knows."""
        try:
            return self.is_there()
        except errors.Unavailable:
            return True
