"""Detects outages of the broker, in which notifications are lost.

Queues of notifications end with the broker, unless they are made durable for
all who use them; and notifications that it takes before the queue is there
again do not arrive.
"""

import collections.abc
import logging
import threading
import typing

from orch import errors
from orch import periodic

LOG = logging.getLogger(__name__)

_RETRY_S: typing.Final = 2.0


class _Queue(typing.Protocol):
    @property
    def consumers(self) -> int:
        """Return how many processes listen."""


class Broker(typing.Protocol):
    """What is needed of the broker of :class:`Listener`."""

    @property
    def is_external(self) -> bool:
        """Whether there is one outside of this process."""

    def wait_for_loss(self, is_stopping: threading.Event) -> bool:
        """Return once it is lost; false where it cannot be reached."""

    def find_queues(
        self, names: collections.abc.Iterable[str]
    ) -> collections.abc.Sequence[_Queue]:
        """Return those of the queues that exist."""


class Outages:
    """A thread that holds a connection, and reports its loss."""

    def __init__(
        self,
        known: Broker,
        queue: str,
        on_return: collections.abc.Callable[[], None],
    ) -> None:
        """Connect to nothing yet.

        :param queue: what has to be there again first
        :param on_return: called once it is
        """
        self._broker = known
        self._queue = queue
        self._on_return = on_return
        self._thread = periodic.Thread(
            "search-outages",
            self._round,
            periodic.Failures(
                LOG,
                "outages of the broker are not noticed",
                "outages of the broker are noticed again",
            ),
        )

    def start(self) -> None:
        """Start the thread, where there is a broker."""
        if self._broker.is_external:
            self._thread.start()

    def stop(self, grace_s: float) -> bool:
        """Let the thread end; what it waits for ends with the process.

        :returns: true, as there is nothing to wait for
        """
        self._thread.stop_reason()
        return True

    def _round(self) -> float:
        if not self._broker.wait_for_loss(self._thread.stopping):
            return _RETRY_S
        self._wait_for_queue()
        if not self._thread.stopping.is_set():
            self._on_return()
        return 0.0

    def _wait_for_queue(self) -> None:
        while not self._thread.stopping.wait(_RETRY_S):
            try:
                found = self._broker.find_queues([self._queue])
            except errors.Unavailable:
                continue
            if found and found[0].consumers:
                return
