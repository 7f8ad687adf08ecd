"""The oslo.messaging driver ``orch-inproc``: a broker inside the process.

Clients, serializers, dispatchers and notifiers are oslo.messaging's own and
meet the same rules as over RabbitMQ: what travels is JSON, a queue stays
once a server has listened on it, a call that none takes in time expires,
and a message that no queue takes is lost or, where the sender asks, refused.
Nothing polls: whoever waits, waits on a condition.

All transports of one process with the same URL share one bus;
``orch-inproc:///name`` names another. A bus is gone, with what is in it, when
the last transport that uses it is cleaned up.
"""

import collections.abc
import threading
import typing
import weakref

import oslo_messaging as messaging
from oslo_config import cfg
from oslo_messaging._drivers import base
from oslo_messaging._drivers import common

from orch.rpc.inprocess import bus
from orch.rpc.inprocess import listener as inprocess_listener
from orch.rpc.inprocess import payload
from orch.rpc.inprocess import replies

Message = collections.abc.Mapping[str, object]


class InprocDriver(base.BaseDriver):
    """Sends and receives over a bus that lives in this process."""

    # The one thing that must be shared without being passed: oslo.messaging
    # builds drivers from a URL, and equal URLs have to mean the same broker.
    _buses: typing.ClassVar[weakref.WeakValueDictionary[str, bus.Bus]] = (
        weakref.WeakValueDictionary()
    )
    _buses_lock: typing.ClassVar[threading.Lock] = threading.Lock()

    def __init__(
        self,
        conf: cfg.ConfigOpts,
        url: messaging.TransportURL,
        default_exchange: str | None = None,
        allowed_remote_exmods: collections.abc.Sequence[str] | None = None,
    ) -> None:
        """Join the bus that the URL's path names; make it if need be."""
        super().__init__(  # type: ignore[no-untyped-call]
            conf, url, default_exchange, allowed_remote_exmods
        )
        name = url.virtual_host or ""
        with self._buses_lock:
            self._bus = self._buses.get(name) or bus.Bus()
            self._buses[name] = self._bus

    def require_features(self, requeue: bool = False) -> None:
        """Accept: what oslo.messaging can ask for is there."""

    def send(
        self,
        target: messaging.Target,
        ctxt: Message,
        message: Message,
        wait_for_reply: bool | None = None,
        timeout: float | None = None,
        call_monitor_timeout: float | None = None,
        retry: int | None = None,
        transport_options: messaging.TransportOptions | None = None,
    ) -> object:
        """Deliver a call or a cast; return the reply of a call.

        :raises oslo_messaging.MessagingTimeout: no reply in time
        :raises oslo_messaging.MessageUndeliverable: no server ever listened,
            and ``transport_options`` ask that one does
        :raises Exception: what the endpoint raised
        """
        waiting = replies.Replies() if wait_for_reply else None
        is_taken = self._bus.publish(
            self._address(target),
            bus.Letter(
                payload.pack_message([ctxt, message]),
                waiting,
                replies.deadline(timeout),
                call_monitor_timeout,
            ),
        )
        if not is_taken and _is_mandatory(transport_options):
            raise messaging.MessageUndeliverable(
                None, target.exchange, target.topic, message
            )
        if waiting is None:
            return None
        return self._result(waiting.wait(timeout, call_monitor_timeout))

    def send_notification(
        self,
        target: messaging.Target,
        ctxt: Message,
        message: Message,
        version: float,
        retry: int | None = None,
    ) -> None:
        """Leave a notification in every queue that is bound to its topic.

        It waits there for a listener to come; while none is there, the
        newest :data:`orch.rpc.inprocess.bus.MAX_NOTIFICATIONS` do.
        """
        address = self._address(target)
        self._bus.declare(address, target.topic, bus.MAX_NOTIFICATIONS)
        self._bus.publish(
            address, bus.Letter(payload.pack_message([ctxt, message]))
        )

    def listen(
        self,
        target: messaging.Target,
        batch_size: int,
        batch_timeout: float | None,
    ) -> base.PollStyleListenerAdapter:
        """Return a listener for calls and casts to the topic or server."""
        exchange = self._exchange(target)
        listener = inprocess_listener.Listener(self._bus)
        listener.bind((exchange, target.topic), target.topic)
        listener.bind_private(_fanout(target.topic))
        if target.server:
            server = f"{target.topic}.{target.server}"
            listener.bind((exchange, server), server)
        return base.PollStyleListenerAdapter(
            listener, batch_size, batch_timeout
        )

    def listen_for_notifications(
        self,
        targets_and_priorities: collections.abc.Iterable[
            tuple[messaging.Target, str]
        ],
        pool: str | None,
        batch_size: int,
        batch_timeout: float | None,
    ) -> base.PollStyleListenerAdapter:
        """Return a listener for notifications; each pool gets a copy."""
        listener = inprocess_listener.Listener(self._bus)
        for target, priority in targets_and_priorities:
            topic = f"{target.topic}.{priority}"
            listener.bind(
                (self._exchange(target), topic),
                pool or topic,
                bus.MAX_NOTIFICATIONS,
            )
        return base.PollStyleListenerAdapter(
            listener, batch_size, batch_timeout
        )

    def cleanup(self) -> None:
        """Leave the bus; with the last one that leaves it is gone."""
        self._bus = bus.Bus()

    def _exchange(self, target: messaging.Target) -> str:
        return target.exchange or self._default_exchange or ""

    def _address(self, target: messaging.Target) -> bus.Address:
        if target.fanout:
            return _fanout(target.topic)
        if target.server:
            return self._exchange(target), f"{target.topic}.{target.server}"
        return self._exchange(target), target.topic

    def _result(self, reply: replies.Reply | None) -> object:
        if reply is None:
            raise messaging.MessagingTimeout("no reply within the time")
        if reply.failure is not None:
            failure: Exception = common.deserialize_remote_exception(
                reply.failure, self._allowed_remote_exmods
            )
            raise failure
        return payload.unpack_message(reply.body)


def _fanout(topic: str) -> bus.Address:
    return f"{topic}_fanout", topic


def _is_mandatory(options: messaging.TransportOptions | None) -> bool:
    return options is not None and bool(options.at_least_once)
