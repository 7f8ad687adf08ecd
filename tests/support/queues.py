"""Queues on RabbitMQ that keep notifications as they are on the wire."""

import collections.abc
import json
import typing
import urllib.parse

import amqp
import fixtures

EXCHANGE: typing.Final = "heat"

Message = dict[str, typing.Any]


def connect(url: str) -> amqp.Connection:
    """Return a connection; the caller closes it.

    :param url: of the broker, as oslo.messaging has it
    """
    parts = urllib.parse.urlsplit(url)
    connection = amqp.Connection(
        f"{parts.hostname}:{parts.port}",
        userid=parts.username,
        password=parts.password,
        virtual_host=parts.path.removeprefix("/") or "/",
    )
    connection.connect()
    return connection


def is_durable(url: str, name: str) -> bool:
    """Whether there is a queue of the name, and it is durable."""
    with connect(url) as connection:
        try:
            for is_passive in (True, False):
                connection.channel().queue_declare(
                    name, passive=is_passive, durable=True, auto_delete=False
                )
        except (amqp.NotFound, amqp.PreconditionFailed):
            return False
    return True


def fill(url: str, name: str, count: int) -> None:
    """Put so many messages into a queue."""
    with connect(url) as connection:
        channel = connection.channel()
        for _ in range(count):
            channel.basic_publish(amqp.Message("{}"), routing_key=name)


FULL: typing.Final = {"x-max-length": 1, "x-overflow": "reject-publish"}
"""Arguments of a queue that rejects all messages after the first."""


class Queue(fixtures.Fixture):
    """A queue of our own that is bound to routing keys of notifications.

    :param url: of the broker, as oslo.messaging has it
    :param keys: ``notifications.info``
    :param arguments: of the queue, ``x-max-length``
    """

    def __init__(
        self,
        url: str,
        *keys: str,
        arguments: collections.abc.Mapping[str, object] | None = None,
    ) -> None:
        super().__init__()
        self._url = url
        self._keys = keys
        self._arguments = dict(arguments or {})
        self._got: list[Message] = []

    def _setUp(self) -> None:  # noqa: N802 - fixtures names it
        connection = connect(self._url)
        self.addCleanup(connection.close)
        self._channel = connection.channel()
        self._channel.exchange_declare(
            EXCHANGE, "topic", durable=False, auto_delete=False
        )
        self.name, _, _ = self._channel.queue_declare(
            exclusive=False, auto_delete=False, arguments=self._arguments
        )
        self.bind()

    def bind(self) -> None:
        """Let the queue get what is published from now on."""
        for key in self._keys:
            self._channel.queue_bind(self.name, EXCHANGE, key)

    def unbind(self) -> None:
        """Let it get nothing more; what is in it stays."""
        for key in self._keys:
            self._channel.queue_unbind(self.name, EXCHANGE, key)

    def get(self) -> list[Message]:
        """Return all messages that have come so far, in their order."""
        while (found := self._channel.basic_get(self.name)) is not None:
            self._channel.basic_ack(found.delivery_tag)
            message = json.loads(json.loads(found.body)["oslo.message"])
            # The library's own number of this sending.
            del message["_unique_id"]
            self._got.append(message)
        return list(self._got)
