"""Receives notifications: wakes a follower, or marks their stacks.

A notification is acknowledged once its mark is kept: one that is heard twice
marks the same stack twice, which costs a reading and changes nothing.
"""

import collections.abc
import datetime
import logging
import re
import threading
import typing

import oslo_messaging as messaging
from oslo_config import cfg
from oslo_messaging.notify import dispatcher
from oslo_messaging.notify import listener

from orch import errors
from orch import periodic
from orch.rpc import broker
from orch.rpc import contract
from orch.rpc import options
from orch.rpc import server_starter
from orch.search.index import port

_FAMILY: typing.Final = "orchestration."
_ID: typing.Final = re.compile(r"[0-9A-Za-z][0-9A-Za-z-]{0,63}")
_MICRO: typing.Final = 1_000_000
_MAX_VERSION: typing.Final = 2**53


class MalformedNotification(ValueError):  # noqa: N818 - it names what the message is
    """A notification that cannot be parsed; says why."""


def find_mark(
    message: collections.abc.Mapping[str, object], *, is_thin: bool
) -> port.Mark | None:
    """Return the mark of the stack that a notification is of.

    :param message: with ``event_type``, ``payload`` and ``metadata``, as a
        listener of oslo.messaging gets it
    :param is_thin: nothing counts the events of a stack where it comes from:
        the moment at which it was sent, in microseconds, is the version, and
        what it says goes along
    :returns: ``None`` for what is of no stack
    :raises MalformedNotification: it is said to be of one, and does not say of
        which
    """
    event_type = message.get("event_type")
    if not isinstance(event_type, str):
        raise MalformedNotification("it has no event type")
    if not event_type.startswith(_FAMILY):
        return None
    payload = message.get("payload")
    if not isinstance(payload, collections.abc.Mapping):
        raise MalformedNotification("its payload is no map")
    stack_id = payload.get("stack_identity")
    if stack_id is None and not event_type.startswith(f"{_FAMILY}stack."):
        return None
    if not isinstance(stack_id, str) or not _ID.fullmatch(stack_id):
        raise MalformedNotification("its stack_identity is no id")
    if not is_thin:
        return port.Mark(stack_id, _version_of(payload.get("sequence")))
    sent = _sent_at(message.get("metadata"))
    return port.Mark(
        stack_id,
        sent,
        {"event_type": event_type, "version": sent, "payload": dict(payload)},
    )


def _version_of(sequence: object) -> int:
    if isinstance(sequence, bool) or not isinstance(sequence, int):
        return 0
    return sequence if 0 <= sequence <= _MAX_VERSION else 0


def _sent_at(metadata: object) -> int:
    """Return the moment of sending, microseconds since 1970.

    :raises MalformedNotification: it does not say when
    """
    text = None
    if isinstance(metadata, collections.abc.Mapping):
        text = metadata.get("timestamp")
    try:
        when = datetime.datetime.fromisoformat(str(text))
    except ValueError:
        raise MalformedNotification(
            "it does not say when it was sent"
        ) from None
    if when.tzinfo is None:
        when = when.replace(tzinfo=datetime.UTC)
    return int(when.timestamp() * _MICRO)


LOG = logging.getLogger(__name__)

_PRIORITIES: typing.Final = (
    "audit",
    "debug",
    "info",
    "warn",
    "error",
    "critical",
)
_BATCH: typing.Final = 100
_BATCH_WAIT_S: typing.Final = 0.03
_PREFETCH: typing.Final = 400
_RETRY_S: typing.Final = 1.0
# The broker gives what is not acknowledged to another process in time.
_RETRY_WAITS_S: typing.Final = (0.1, 0.2, 0.5, 1, 2, 5, 5, 5, 5)
_MAX_WARNINGS: typing.Final = 50
_RESERVED_NAMES: typing.Final = (contract.TOPIC, contract.SEARCH_TOPIC)

Messages = collections.abc.Sequence[collections.abc.Mapping[str, object]]


class Recorder(typing.Protocol):
    """Takes what is received."""

    def receive(self, messages: Messages) -> str:
        """Take messages.

        :returns: whether they are done with, or have to be received
            again, as oslo.messaging wants it
        """

    def stop(self) -> None:
        """Wait for nothing more."""


class WakeRecorder:
    """Wakes the follower of a source; reads nothing of a notification."""

    def __init__(self, wake: collections.abc.Callable[[], None]) -> None:
        self._wake = wake

    def receive(self, messages: Messages) -> str:
        """Wake, whatever the messages are."""
        self._wake()
        return str(messaging.NotificationResult.HANDLED)

    def stop(self) -> None:
        """Do nothing: it waits for nothing."""


class MarkRecorder:
    """Stores marks of notifications."""

    def __init__(
        self,
        index: port.Index,
        on_marked: collections.abc.Callable[
            [collections.abc.Sequence[port.Mark]], None
        ],
        *,
        is_thin: bool,
    ) -> None:
        """See :func:`find_mark`."""
        self._index = index
        self._on_marked = on_marked
        self._is_thin = is_thin
        self._is_stopping = threading.Event()
        self._warned: set[str] = set()

    def stop(self) -> None:
        """Wait for the index no more: what is left goes back to the bus."""
        self._is_stopping.set()

    def receive(self, messages: Messages) -> str:
        """Store the marks of messages.

        :returns: whether they are done with, or have to be received
            again, as oslo.messaging wants it
        """
        marks = _newest(self._find_marks(messages))
        if not marks:
            return str(messaging.NotificationResult.HANDLED)
        for wait_s in _RETRY_WAITS_S:
            if self._mark(marks):
                return str(messaging.NotificationResult.HANDLED)
            if self._is_stopping.wait(wait_s):
                break
        return str(messaging.NotificationResult.REQUEUE)

    def _mark(self, marks: list[port.Mark]) -> bool:
        try:
            self._index.mark(marks)
        except Exception as error:
            self._warn_once(
                "notifications wait: the index takes no marks",
                error=None if isinstance(error, errors.OrchError) else error,
                text=str(error),
            )
            return False
        self._on_marked(marks)
        return True

    def _find_marks(
        self, messages: Messages
    ) -> collections.abc.Iterator[port.Mark]:
        for each in messages:
            try:
                found = find_mark(each, is_thin=self._is_thin)
            except MalformedNotification as error:
                self._warn_once(
                    "a notification is passed over",
                    text=f"{error} ({str(each.get('event_type'))[:80]})",
                )
                continue
            if found is not None:
                yield found

    def _warn_once(
        self, subject: str, *, text: str, error: Exception | None = None
    ) -> None:
        """Log one thing that is wrong, once."""
        if text in self._warned or len(self._warned) > _MAX_WARNINGS:
            return
        self._warned.add(text)
        LOG.warning("%s: %s", subject, text, exc_info=error)


def _newest(marks: collections.abc.Iterable[port.Mark]) -> list[port.Mark]:
    """Return of each stack the mark with the greatest version."""
    found: dict[str, port.Mark] = {}
    for each in marks:
        known = found.get(each.stack_id)
        if known is None or known.version <= each.version:
            found[each.stack_id] = each
    return list(found.values())


class _Dispatcher(dispatcher.BatchNotificationDispatcher):
    """Hands whatever comes to the endpoint, in its order.

    oslo.messaging's own gives what it cannot read back to the broker, again
    and again.
    """

    supported_priorities = _PRIORITIES

    def __init__(self, recorder: Recorder) -> None:
        super().__init__([], None)  # type: ignore[no-untyped-call]
        self._recorder = recorder

    def dispatch(
        self, incoming: collections.abc.Sequence[typing.Any]
    ) -> set[object]:
        """Return which of the messages have to be received again."""
        result = self._recorder.receive(
            [_read(each.message) for each in incoming]
        )
        if result == messaging.NotificationResult.REQUEUE:
            return set(incoming)
        return set()


def _read(message: object) -> dict[str, object]:
    if not isinstance(message, collections.abc.Mapping):
        return {}
    return {
        "event_type": message.get("event_type"),
        "payload": message.get("payload"),
        "metadata": {"timestamp": message.get("timestamp")},
    }


class Listener:
    """Listens from :meth:`start` until :meth:`stop`.

    :ivar broker: of the bus that notifications come by
    """

    def __init__(
        self,
        conf: cfg.ConfigOpts,
        recorder: Recorder,
        on_listening: collections.abc.Callable[[bool], None] = (
            lambda _has_missed: None
        ),
    ) -> None:
        """Connect to nothing yet.

        :param conf: with the groups ``search`` and ``notifications``
        :param on_listening: called when each notification that is sent from
            now on is received, with whether some that were sent before may
            be lost
        :raises orch.errors.Invalid: the pool has the name of another queue
        """
        if conf.search.pool in _RESERVED_NAMES:
            raise errors.Invalid(
                f"pool in [search] is {conf.search.pool}, which is the queue"
                " of calls; give it another name"
            )
        options.register_options(conf)
        conf.set_default(
            "rabbit_qos_prefetch_count",
            _PREFETCH,
            group="oslo_messaging_rabbit",
        )
        self._recorder = recorder
        self._on_listening = on_listening
        self._has_queue = False
        self._transport = messaging.get_notification_transport(conf)
        url = conf.oslo_messaging_notifications.transport_url
        self.broker = broker.Broker(
            conf, messaging.TransportURL.parse(conf, url)
        )
        self._pool: str | None = conf.search.pool or None
        exchange = conf.notifications.exchange
        # Each topic gets all notifications.
        self._targets = [
            messaging.Target(exchange=exchange, topic=topic)
            for topic in conf.notifications.topics[:1]
        ]
        self._starter = server_starter.Starter(
            "search-listen",
            self._make,
            self.broker,
            periodic.Failures(
                LOG,
                "notifications are not received",
                "notifications are received again",
                first_pause_s=_RETRY_S,
            ),
            threads=1,
            retry_s=_RETRY_S,
            on_started=lambda: on_listening(not self._has_queue),
            on_stopped=self._transport.cleanup,
        )

    def start(self) -> None:
        """Listen, from now on or from when the broker is there."""
        if not self._targets:
            LOG.warning(
                "[notifications] topics is empty: changes are found by the"
                " check of the index alone"
            )
            self._on_listening(True)
        else:
            self._starter.start()

    def stop(self, grace_s: float = 5.0) -> bool:
        """Take no more; give back what is not marked.

        :param grace_s: give up on a broker that is away after so long
        :returns: whether all ended in time
        """
        self._recorder.stop()
        return self._starter.stop(grace_s)

    def _make(self) -> messaging.MessageHandlingServer:
        # Before it listens: then the queue is there in any case.
        self._has_queue = self._find_queue()
        return listener.BatchNotificationServer(
            self._transport,
            self._targets,
            _Dispatcher(self._recorder),
            pool=self._pool,
            batch_size=_BATCH,
            batch_timeout=_BATCH_WAIT_S,
        )

    def _find_queue(self) -> bool:
        """Answer whether what was sent before now waits for us."""
        if self._pool is None:
            return False
        try:
            return bool(self.broker.find_queues([self._pool]))
        except errors.Unavailable:
            return False
