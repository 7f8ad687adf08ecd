"""What oslo.messaging hides of the broker: is it there, what is queued.

Speaks to RabbitMQ by kombu with the options that oslo.messaging has. Other
transports have no broker to ask: there is nothing to reach and no queue.
"""

import collections.abc
import contextlib
import dataclasses
import threading
from urllib import parse

import amqp
import oslo_messaging as messaging
from kombu import connection as kombu_connection
from kombu import exceptions as kombu_exceptions
from oslo_config import cfg

from orch import errors

_CONNECT_S = 5.0
_HEARTBEAT_S = 30.0
_SCHEMES = {"rabbit": "amqp", "kombu": "amqp", "amqp": "amqp"}

FAILURES = (OSError, kombu_exceptions.KombuError, amqp.AMQPError)
"""What a connection to a broker raises when it does not serve us."""


@dataclasses.dataclass(frozen=True, slots=True)
class Queue:
    """What the broker says of a queue."""

    name: str
    messages: int
    consumers: int


_COMPARED = ("'durable'", "'x-queue-type'")


class Broker:
    """A way to ask the broker; each question opens its own connection."""

    def __init__(
        self, conf: cfg.ConfigOpts, url: messaging.TransportURL
    ) -> None:
        """Keep the address; connect to nothing yet.

        :param conf: options after :func:`orch.rpc.options.register_options`
        """
        self._conf = conf.oslo_messaging_rabbit
        self._url = url
        self.is_external = url.transport in _SCHEMES

    def is_reachable(self, timeout_s: float = _CONNECT_S) -> bool:
        """Answer whether the broker lets us in now."""
        if not self.is_external:
            return True
        try:
            with self._connect(timeout_s):
                return True
        except FAILURES:
            return False

    def wait_for_loss(self, is_stopping: threading.Event) -> bool:
        """Return once the broker, or the way to it, was lost.

        :param is_stopping: return soon after it is set
        :returns: false where it cannot be reached now, or need not be waited
            for any more
        """
        if not self.is_external:
            return False
        try:
            connection = self._make_connection(_CONNECT_S, _HEARTBEAT_S)
            connection.ensure_connection(max_retries=len(self._hosts()))
        except FAILURES:
            return False
        with contextlib.closing(connection):
            while not is_stopping.is_set():
                try:
                    connection.drain_events(timeout=_HEARTBEAT_S / 3)
                except TimeoutError:
                    pass
                except FAILURES:
                    return True
                try:
                    connection.heartbeat_check()
                except FAILURES:
                    return True
        return False

    def find_queues(self, names: collections.abc.Iterable[str]) -> list[Queue]:
        """Return what is known of these queues; missing ones are left out.

        :raises orch.errors.Unavailable: the broker cannot be reached
        """
        if not self.is_external:
            return []
        with self._connected() as connection:
            found = (_find_queue(connection, name) for name in names)
            return [queue for queue in found if queue is not None]

    def find_mismatches(
        self,
        queues: collections.abc.Iterable[str],
        exchanges: collections.abc.Iterable[str],
    ) -> list[str]:
        """Return which of these exist with another durability, or type.

        Those that do not exist are left out; nothing is made.

        :returns: what the broker says of each
        :raises orch.errors.Unavailable: the broker cannot be reached
        """
        if not self.is_external:
            return []
        is_quorum = self._conf.rabbit_quorum_queue
        kept = {
            "durable": is_quorum or self._conf.amqp_durable_queues,
            "auto_delete": self._conf.amqp_auto_delete,
        }
        of_queue = {
            "arguments": {"x-queue-type": "quorum"} if is_quorum else {}
        }
        with self._connected() as connection:
            said = [
                *(
                    _compare(
                        connection,
                        "exchange_declare",
                        each,
                        type="topic",
                        **kept,
                    )
                    for each in exchanges
                ),
                *(
                    _compare(
                        connection, "queue_declare", each, **kept, **of_queue
                    )
                    for each in queues
                ),
            ]
        return [each for each in said if each]

    def purge(self, name: str) -> int:
        """Throw away the messages that wait in the queue.

        Nothing is lost for good by that: what runs is in the database.

        :returns: how many there were
        :raises orch.errors.NotFound: there is no such queue
        :raises orch.errors.Unavailable: the broker cannot be reached
        """
        if not self.is_external:
            raise errors.NotFound("this transport has no broker, so no queue")
        with self._connected() as connection:
            try:
                return int(connection.default_channel.queue_purge(name) or 0)
            except amqp.NotFound as error:
                raise errors.NotFound(f"there is no queue {name}") from error

    @contextlib.contextmanager
    def _connected(
        self,
    ) -> collections.abc.Iterator[kombu_connection.Connection]:
        try:
            with self._connect(_CONNECT_S) as connection:
                yield connection
        except FAILURES as error:
            raise errors.Unavailable(
                f"the message broker does not answer: {error}"
            ) from error

    @contextlib.contextmanager
    def _connect(
        self, timeout_s: float
    ) -> collections.abc.Iterator[kombu_connection.Connection]:
        with self._make_connection(timeout_s) as connection:
            connection.ensure_connection(
                max_retries=len(self._hosts()) - 1, interval_start=0
            )
            yield connection

    def _make_connection(
        self, timeout_s: float, heartbeat_s: float = 0
    ) -> kombu_connection.Connection:
        return kombu_connection.Connection(
            [self._address(host) for host in self._hosts()],
            connect_timeout=timeout_s,
            login_method=self._conf.rabbit_login_method,
            ssl=self._ssl(),
            heartbeat=heartbeat_s,
        )

    def _hosts(self) -> list[messaging.TransportHost]:
        return self._url.hosts or [
            messaging.TransportHost("localhost", 5672, "guest", "guest")
        ]

    def _address(self, host: messaging.TransportHost) -> str:
        name = host.hostname or "localhost"
        name = f"[{name}]" if ":" in name else name
        user = parse.quote(host.username or "", safe="")
        password = parse.quote(host.password or "", safe="")
        path = parse.quote(self._url.virtual_host or "/", safe="")
        return f"amqp://{user}:{password}@{name}:{host.port or 5672}/{path}"

    def _ssl(self) -> dict[str, object] | bool:
        if not self._conf.ssl:
            return False
        named = {
            "keyfile": self._conf.ssl_key_file,
            "certfile": self._conf.ssl_cert_file,
            "ca_certs": self._conf.ssl_ca_file,
        }
        return {key: value for key, value in named.items() if value} or True


def _find_queue(
    connection: kombu_connection.Connection, name: str
) -> Queue | None:
    """Return the queue as a passive declaration answers."""
    with connection.channel() as channel:
        try:
            facts = channel.queue_declare(name, passive=True)
        except amqp.NotFound:
            return None
    return Queue(name, facts.message_count, facts.consumer_count)


def _compare(
    connection: kombu_connection.Connection,
    declare: str,
    name: str,
    **wanted: object,
) -> str:
    """Return how what exists differs from what is wanted; empty if not.

    The broker says it only where a declaration is not passive.
    """
    with connection.channel() as channel:
        try:
            getattr(channel, declare)(name, passive=True, **wanted)
            getattr(channel, declare)(name, **wanted)
        except amqp.PreconditionFailed as error:
            text = str(error.reply_text)
            return text if any(each in text for each in _COMPARED) else ""
        except amqp.ChannelError:
            # There is none, or we may not declare it.
            return ""
    return ""


def notification_broker(conf: cfg.ConfigOpts) -> Broker:
    """Return the broker of notifications, which may be another one.

    :param conf: options after :func:`orch.rpc.options.register_options`
    """
    url = conf.oslo_messaging_notifications.transport_url
    return Broker(conf, messaging.TransportURL.parse(conf, url))
