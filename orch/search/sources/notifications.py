"""Receives notifications, which tell a source that something has changed."""

import collections.abc
import logging
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


class Nothing:
    """Listens to nothing."""

    def stop(self, grace_s: float) -> bool:
        """Do nothing."""
        return True


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
    :ivar queue: the queue that they wait in
    """

    def __init__(
        self,
        conf: cfg.ConfigOpts,
        recorder: Recorder,
        on_listening: collections.abc.Callable[[bool], None] = (
            lambda _has_missed: None
        ),
        *,
        threads: int = 1,
    ) -> None:
        """Connect to nothing yet.

        :param conf: with the groups ``search`` and ``notifications``
        :param on_listening: called when each notification that is sent from
            now on is received, with whether some that were sent before may
            be lost
        :param threads: how many batches the recorder takes at a time
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
        topics = conf.notifications.topics[:1]
        self.queue = self._pool or "".join(f"{x}.info" for x in topics)
        exchange = conf.notifications.exchange
        # Each topic gets all notifications.
        self._targets = [
            messaging.Target(exchange=exchange, topic=topic)
            for topic in topics
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
            threads=threads,
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
        """Take no more; give back what is not confirmed.

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
        try:
            return bool(self.broker.find_queues([self.queue]))
        except errors.Unavailable:
            return False
