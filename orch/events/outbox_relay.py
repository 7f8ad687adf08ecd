"""Moves notifications from the outbox to the bus.

Of all workers one at a time does it, under the named lease ``relay``, so
that the notifications of a stack leave in their order. A notification is
deleted after the bus took it: it may leave twice, it is never lost.

One that the bus refuses while it takes others must not hold them up: it
leaves with less and less in it. What is refused even so is set aside, for an
operator to look at, and the others go on. A queue that is full is given one
round to get room before anything is left out.
"""

import collections.abc
import dataclasses
import logging
import typing

from orch import clock
from orch import ids
from orch import periodic
from orch.db import engine
from orch.db import leader_lease
from orch.db.repositories import outbox
from orch.db.repositories import refused_notifications
from orch.events import notification as publishing
from orch.events import payload_size
from orch.events import payloads
from orch.metrics import catalogue
from orch.model import notification

LOG = logging.getLogger(__name__)

LEASE = "relay"
LOOK_S: typing.Final = 1.0
"""How long a row waits in the outbox when no call wakes the relay."""
LOOK_AMONG_OTHERS_S: typing.Final = 0.3
"""The same where other workers put something into the outbox as well."""

_BATCH = 100
# What many operations have to tell within this time leaves together.
_GATHER_S = 0.05


Waiting = collections.abc.Sequence[notification.Notification]
Complete = collections.abc.Callable[[Waiting], Waiting]
"""Adds to notifications what is known only when they leave; it returns as
many, in their order."""


def as_they_are(waiting: Waiting) -> Waiting:
    """Return notifications as they wait, without a claim."""
    return waiting


class Publisher(typing.Protocol):
    """What we need of ``orch.events.notification.Publisher``."""

    def publish(self, stack: notification.Notification) -> None:
        """Return once the bus has taken it, or raise.

        :raises orch.events.notification.NotificationRefused: the bus may take
            others
        :raises orch.errors.Unavailable: the bus is away
        """


class Relay:
    """A thread that publishes what waits in the outbox."""

    def __init__(
        self,
        database: engine.Database,
        publisher: Publisher,
        worker_id: ids.WorkerId,
        clock_: clock.Clock,
        complete: Complete = as_they_are,
        look_s: float = LOOK_S,
    ) -> None:
        """Do nothing before :meth:`start`.

        :param look_s: seconds after which to look for rows of which no
            call has told
        """
        self._complete = complete
        self._look_s = look_s
        self._database = database
        self._publisher = publisher
        self._leader_lease = leader_lease.LeaderLease(
            database, LEASE, worker_id, clock_
        )
        # Number of the one that found a queue full in the last round.
        self._held_up: int | None = None
        self._thread = periodic.Thread(
            "relay",
            self.step,
            periodic.Failures(
                LOG,
                "notifications wait in the outbox",
                "notifications leave again",
            ),
            batch_delay_s=_GATHER_S,
        )

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def wake(self) -> None:
        """Look now: there is something in the outbox."""
        # Without the duty only its next look may change anything.
        if self._leader_lease.was_held:
            self._thread.wake()

    def stop(self, grace_s: float = 5.0) -> bool:
        """End the thread; another worker may take over at once.

        :returns: whether it ended in time
        """
        has_ended = self._thread.stop(grace_s)
        if has_ended:
            self._leader_lease.release()
        return has_ended

    def step(self) -> float:
        """Publish one batch, if it is this worker's duty.

        :returns: seconds after which to look again
        """
        if not self._leader_lease.hold():
            return leader_lease.RETRY_INTERVAL_S
        waiting = self._database.query(
            lambda conn: outbox.list_waiting(conn, _BATCH)
        )
        if not waiting:
            return self._look_s
        taken: list[int] = []
        try:
            for each in self._completed(waiting):
                if not self._leader_lease.is_held:
                    return 0.0
                # The number of one that was set aside is free by now, and
                # may be that of a new one.
                if self._publish(each):
                    taken.append(each.number)
        finally:
            if taken:
                self._database.run(lambda conn: outbox.delete(conn, taken))
        return 0.0 if len(waiting) == _BATCH else self._look_s

    def _completed(self, waiting: Waiting) -> list[notification.Notification]:
        """Complete what waits, but what was set aside only once.

        What its stack had then may be gone.
        """
        fresh = [
            each for each in waiting if payloads.COMPLETED not in each.payload
        ]
        completed = iter(self._complete(fresh))
        return [
            _unmarked(each)
            if payloads.COMPLETED in each.payload
            else next(completed)
            for each in waiting
        ]

    def _publish(self, whole: notification.Notification) -> bool:
        """Publish a notification, or as much of it as the bus takes.

        :returns: whether the bus took it; if not, it was set aside
        :raises orch.errors.Unavailable: the bus takes none now
        """
        told = whole
        while True:
            try:
                self._publisher.publish(told)
                break
            except publishing.NotificationRefused as refusal:
                if self._may_soon_fit(whole, refusal):
                    raise
                payload = payload_size.find_smaller(told.payload)
                if payload is None and refusal.is_of_message:
                    self._set_aside(whole, refusal)
                    catalogue.NOTIFICATIONS.count("set_aside")
                    return False
                if payload is None or not self._leader_lease.hold():
                    raise
                told = dataclasses.replace(told, payload=payload)
        self._held_up = None
        catalogue.NOTIFICATIONS.count("sent" if told is whole else "cut")
        if told is not whole:
            LOG.warning(
                "the bus refused notification %d of stack %s (%s): it left"
                " with %d of its %d characters",
                whole.sequence,
                whole.stack_id,
                whole.event_type,
                payload_size.json_length(told.payload),
                payload_size.json_length(whole.payload),
            )
        return True

    def _may_soon_fit(
        self,
        whole: notification.Notification,
        refusal: publishing.NotificationRefused,
    ) -> bool:
        """Answer whether it found a queue full for the first time.

        Most queues have room again a moment later, for all of it.
        """
        if refusal.is_of_message or self._held_up == whole.number:
            return False
        self._held_up = whole.number
        return True

    def _set_aside(
        self,
        refused: notification.Notification,
        refusal: publishing.NotificationRefused,
    ) -> None:
        """Let the others leave; an operator decides about this one."""
        LOG.error(
            "notification %d of stack %s (%s) is set aside; see orch-manage"
            " notification list: %s",
            refused.sequence,
            refused.stack_id,
            refused.event_type,
            refusal,
        )
        kept = dataclasses.replace(
            refused, payload={**refused.payload, payloads.COMPLETED: True}
        )
        self._database.run(
            lambda conn: refused_notifications.set_aside(
                conn, kept, str(refusal)
            )
        )


def _unmarked(again: notification.Notification) -> notification.Notification:
    """Return one that was set aside as consumers would have got it."""
    payload = dict(again.payload)
    del payload[payloads.COMPLETED]
    return dataclasses.replace(again, payload=payload)
