"""Moves notifications from the outbox to the bus.

Of all workers one at a time does it, under the named lease ``relay``, so
that the notifications of a stack leave in their order. A notification is
deleted after the bus took it for each topic: it may leave twice, as the same
message, and is never lost.

A topic whose queue takes no more stops no other: what is published to the
others stays in the outbox for that topic alone, completed as it left, and what
follows is put behind it until the queue has room. What the bus refuses for
itself, or a queue over some 15 seconds, leaves with less and less in it; what
the bus refuses even so is set aside, for an operator to look at.
"""

import collections.abc
import contextlib
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
from orch.events import topics as notification_topics
from orch.metrics import catalogue
from orch.model import notification

LOG = logging.getLogger(__name__)

LEASE = "relay"
LOOK_S: typing.Final = 1.0
"""How long a row waits in the outbox when no call wakes the relay."""
LOOK_AMONG_OTHERS_S: typing.Final = 0.3
"""The same where other workers put something into the outbox as well."""

MAX_PAUSE_S: typing.Final = 16.0
"""How long a topic that takes no more is left alone at most. A queue that
refuses a message costs a connection, and two lines of the library's log."""

_FIRST_PAUSE_S: typing.Final = 1.0
_BATCH = 100
# What many operations have to tell within this time leaves together.
_GATHER_S = 0.05


Waiting = collections.abc.Sequence[notification.Notification]
Complete = collections.abc.Callable[[Waiting], Waiting]
"""Adds to notifications what is known only when they leave; it returns as
many, in their order."""


def as_they_are(waiting: Waiting) -> Waiting:
    """Return notifications as they wait."""
    return waiting


class Publisher(typing.Protocol):
    """What we need of ``orch.events.notification.Publisher``."""

    def publish(self, value: notification.Notification, topic: str) -> None:
        """Return once the bus has taken it for a topic, or raise.

        :raises orch.events.notification.NotificationRefused: the bus may take
            others
        :raises orch.errors.Unavailable: the bus is away
        """


@dataclasses.dataclass(slots=True)
class _Published:
    """A notification that leaves its place in the outbox.

    :ivar number: its place
    :ivar blocked: topics whose queue has no room
    :ivar refused: topics for which the bus refuses it, and what it said
    """

    number: int
    value: notification.Notification
    blocked: list[str] = dataclasses.field(default_factory=list)
    refused: dict[str, str] = dataclasses.field(default_factory=dict)


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
        topics: collections.abc.Sequence[notification_topics.Topic] = (
            notification_topics.Topic("notifications"),
        ),
    ) -> None:
        """Do nothing before :meth:`start`.

        :param look_s: seconds after which to look for rows of which no
            call has told
        :param topics: without any, notifications are only deleted, as seldom
            as the lease allows
        """
        self._complete = complete
        # What no topic takes is only deleted, and nothing waits for that.
        self._look_s = look_s if topics else leader_lease.RETRY_INTERVAL_S
        self._database = database
        self._publisher = publisher
        self._clock = clock_
        self._topics = topics
        self._leader_lease = leader_lease.LeaderLease(
            database, LEASE, worker_id, clock_
        )
        # The topics that took no more: when to try them again, monotonic, and
        # how long to leave them alone then.
        self._pauses: dict[str, tuple[float, float]] = {}
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
        if self._topics and self._leader_lease.was_held:
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
        """Publish one batch for each topic, if it is this worker's duty.

        :returns: seconds after which to look again
        """
        if not self._leader_lease.hold():
            return leader_lease.RETRY_INTERVAL_S
        names = [each.name for each in self._topics]
        found, waiting = self._database.query(
            lambda conn: (
                outbox.list_blocked(conn, names),
                outbox.list_waiting(conn, _BATCH),
            )
        )
        blocked = {each for each in found if not self._resend(each)}
        with self._storing() as published:
            for value, topics in self._completed(waiting):
                if not self._leader_lease.is_held:
                    return 0.0
                done = _Published(value.number, value)
                for topic in topics:
                    if topic in blocked:
                        done.blocked.append(topic)
                    elif not self._publish(done, topic):
                        blocked.add(topic)
                        done.blocked.append(topic)
                published.append(done)
        return 0.0 if len(waiting) == _BATCH else self._look_s

    def _resend(self, topic: str) -> bool:
        """Publish what waits for a topic alone, in its order.

        :returns: whether nothing waits for it any more
        """
        retry_at, pause_s = self._pauses.get(topic, (float("-inf"), 0.0))
        if self._clock.monotonic() < retry_at:
            return False
        waiting = self._database.query(
            lambda conn: outbox.list_waiting(conn, _BATCH, topic)
        )
        with self._storing() as published:
            for each in waiting:
                if not self._leader_lease.is_held:
                    return False
                done = _Published(each.number, _unmarked(each))
                # A queue that is only full has room for all of it later; one
                # that is too small for it never has.
                may_shrink = pause_s >= MAX_PAUSE_S
                if not self._publish(done, topic, may_shrink=may_shrink):
                    return False
                published.append(done)
        if len(waiting) == _BATCH:
            return False
        if self._pauses.pop(topic, None) is not None:
            LOG.info("topic %s has taken all that waited for it", topic)
        return True

    def _block(self, topic: str, refusal: Exception) -> None:
        """Leave a topic alone that took no more, longer each time."""
        if topic not in self._pauses:
            LOG.warning(
                "topic %s takes no more: its notifications wait, those of"
                " other topics leave: %s",
                topic,
                refusal,
            )
        _, pause_s = self._pauses.get(topic, (0.0, _FIRST_PAUSE_S))
        self._pauses[topic] = (
            self._clock.monotonic() + pause_s,
            min(2 * pause_s, MAX_PAUSE_S),
        )

    def _completed(
        self, waiting: Waiting
    ) -> collections.abc.Iterator[tuple[notification.Notification, list[str]]]:
        """Yield what waits, completed, with the topics that get it.

        What no topic gets is not completed, nor is a second time what was set
        aside: what its stack had then may be gone.
        """
        topics = [
            [each.name for each in self._topics if each.has(value)]
            for value in waiting
        ]
        completed = iter(
            self._complete(
                [
                    value
                    for value, names in zip(waiting, topics, strict=True)
                    if names and payloads.COMPLETED not in value.payload
                ]
            )
        )
        for value, names in zip(waiting, topics, strict=True):
            if not names or payloads.COMPLETED in value.payload:
                yield _unmarked(value), names
            else:
                yield next(completed), names

    def _publish(
        self, done: _Published, topic: str, *, may_shrink: bool = False
    ) -> bool:
        """Publish a notification, or as much of it as the bus takes.

        What the bus refuses for itself is noted to be set aside.

        :param may_shrink: leave something out for a queue that takes no more
        :returns: whether the topic may take others
        :raises orch.errors.Unavailable: the bus takes none now
        """
        whole = told = done.value
        while True:
            try:
                self._publisher.publish(told, topic)
                break
            except publishing.NotificationRefused as refusal:
                if not (may_shrink or refusal.is_of_message):
                    self._block(topic, refusal)
                    return False
                payload = payload_size.find_smaller(told.payload)
                if payload is None and refusal.is_of_message:
                    _report_refusal(whole, topic, refusal)
                    done.refused[topic] = str(refusal)
                    return True
                if payload is None:
                    self._block(topic, refusal)
                    return False
                if not self._leader_lease.hold():
                    raise
                told = dataclasses.replace(told, payload=payload)
        catalogue.NOTIFICATIONS.count("sent" if told is whole else "cut")
        if told is not whole:
            LOG.warning(
                "the bus refused notification %d of stack %s (%s) for topic"
                " %s: it left with %d of its %d characters",
                whole.sequence,
                whole.stack_id,
                whole.event_type,
                topic,
                payload_size.json_length(told.payload),
                payload_size.json_length(whole.payload),
            )
        return True

    @contextlib.contextmanager
    def _storing(self) -> collections.abc.Iterator[list[_Published]]:
        """Store what a block has published, however it ends."""
        published: list[_Published] = []
        try:
            yield published
        finally:
            if published:
                self._database.run(lambda conn: _store(conn, published))


def _store(
    conn: engine.Connection, published: collections.abc.Sequence[_Published]
) -> None:
    """Delete what has left; what has not for a topic waits, or is set aside.

    Another worker that has the duty by now may have done it already.
    """
    whole = {
        each.number
        for each in published
        if not each.blocked and not each.refused
    }
    outbox.delete(conn, sorted(whole))
    for each in published:
        if each.number in whole or not outbox.delete(conn, [each.number]):
            continue
        payload = {**each.value.payload, payloads.COMPLETED: True}
        kept = dataclasses.replace(each.value, payload=payload)
        outbox.insert_many(
            conn,
            [dataclasses.replace(kept, topic=topic) for topic in each.blocked],
        )
        for topic, reason in each.refused.items():
            refused_notifications.insert(
                conn, dataclasses.replace(kept, topic=topic), reason
            )


def _report_refusal(
    value: notification.Notification,
    topic: str,
    refusal: publishing.NotificationRefused,
) -> None:
    catalogue.NOTIFICATIONS.count("set_aside")
    LOG.error(
        "notification %d of stack %s (%s) for topic %s is set aside; see"
        " orch-manage notification list: %s",
        value.sequence,
        value.stack_id,
        value.event_type,
        topic,
        refusal,
    )


def _unmarked(
    value: notification.Notification,
) -> notification.Notification:
    """Return a notification without the mark of what is complete."""
    payload = dict(value.payload)
    payload.pop(payloads.COMPLETED, None)
    return dataclasses.replace(value, payload=payload)
