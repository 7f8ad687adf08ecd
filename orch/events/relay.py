"""Moves notifications from the outbox to the bus.

Of all workers one at a time does it, under the named lease ``relay``, so
that the notifications of a stack leave in their order. A notification is
deleted after the bus took it: it may leave twice, it is never lost.
"""

import logging
import threading
import typing

from orch import clock
from orch import errors
from orch import ids
from orch.db import engine
from orch.db.repositories import leases
from orch.db.repositories import outbox
from orch.model import notification

LOG = logging.getLogger(__name__)

LEASE = "relay"
_LEASE_S = 15.0
_BATCH = 100
_LOOK_S = 1.0
_LONGEST_PAUSE_S = 30.0


class Publisher(typing.Protocol):
    """What we need of ``orch.events.notification.Publisher``."""

    def publish(self, subject: notification.Notification) -> None:
        """Return once the bus has taken it, or raise."""


class Relay:
    """A thread that publishes what waits in the outbox."""

    def __init__(
        self,
        database: engine.Database,
        publisher: Publisher,
        worker_id: ids.WorkerId,
        clock_: clock.Clock,
    ) -> None:
        """Do nothing before :meth:`start`."""
        self._database = database
        self._publisher = publisher
        self._worker_id = worker_id
        self._clock = clock_
        self._held_until = 0.0
        self._renew_at = 0.0
        self._failures = 0
        self._is_stopping = threading.Event()
        self._is_awake = threading.Event()
        self._thread = threading.Thread(
            target=self._run, name="relay", daemon=True
        )

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def wake(self) -> None:
        """Look now: there is something in the outbox."""
        self._is_awake.set()

    def stop(self, grace_s: float = 5.0) -> bool:
        """End the thread; another worker may take over at once.

        :returns: whether it ended in time
        """
        self._is_stopping.set()
        self._is_awake.set()
        if self._thread.ident is not None:
            self._thread.join(grace_s)
        return not self._thread.is_alive()

    def step(self) -> float:
        """Publish one batch, if it is this worker's duty.

        :returns: seconds after which to look again
        """
        if not self._hold():
            return _LEASE_S / 3
        waiting = self._database.query(lambda conn: outbox.take(conn, _BATCH))
        taken: list[int] = []
        try:
            for each in waiting:
                if self._clock.monotonic() >= self._held_until:
                    return 0.0
                self._publisher.publish(each)
                taken.append(each.number)
        finally:
            if taken:
                self._database.run(lambda conn: outbox.delete(conn, taken))
        return 0.0 if len(waiting) == _BATCH else _LOOK_S

    def _hold(self) -> bool:
        """Answer whether this worker has the duty, renewing its lease."""
        now = self._clock.monotonic()
        if now < self._renew_at:
            return True
        held = self._database.run(
            lambda conn: leases.acquire_named(
                conn, LEASE, self._worker_id, _LEASE_S
            )
        )
        # From before the question, so that we never think it ours too long.
        self._held_until = now + _LEASE_S if held else 0.0
        self._renew_at = now + _LEASE_S / 3 if held else 0.0
        return held is not None

    def _run(self) -> None:
        while not self._is_stopping.is_set():
            self._is_awake.clear()
            pause_s = self._try()
            if self._held_until and not self._failures:
                self._is_awake.wait(pause_s)
            else:
                self._is_stopping.wait(pause_s)
        self._give_back()

    def _try(self) -> float:
        try:
            pause_s = self.step()
        except Exception as error:
            self._failures += 1
            self._complain(error)
            return min(2.0 ** (self._failures - 1), _LONGEST_PAUSE_S)
        if self._failures:
            LOG.info("notifications leave again")
            self._failures = 0
        return pause_s

    def _complain(self, error: Exception) -> None:
        """Log what is in the way, once."""
        if self._failures > 1:
            return
        if isinstance(error, errors.OrchError):
            LOG.warning("notifications wait in the outbox: %s", error)
        else:
            LOG.error("notifications wait in the outbox", exc_info=error)

    def _give_back(self) -> None:
        if not self._held_until:
            return
        try:
            self._database.run(
                lambda conn: leases.release_named(conn, LEASE, self._worker_id)
            )
        except errors.OrchError as error:
            LOG.warning("the lease of the relay runs out by itself: %s", error)
