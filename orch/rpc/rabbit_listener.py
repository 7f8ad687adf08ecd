"""Lets a worker that stops leave requests to the others.

From its stop to the end of the last call, oslo.messaging 18.3 keeps the
consumers of a server. RabbitMQ goes on to deliver requests to them, and the
library acknowledges these while it closes the connection, and drops them: the
callers wait for their whole timeout.
"""

import logging
import typing

from oslo_messaging._drivers import amqpdriver

from orch.rpc import broker

LOG = logging.getLogger(__name__)


class Listener(amqpdriver.RpcAMQPListener):
    """A listener of RPC that gives requests back once it is stopped."""

    def __call__(self, message: object) -> None:
        """Accept a request, or leave it unacknowledged after the stop."""
        if not self._shutdown.is_set():
            super().__call__(message)  # type: ignore[no-untyped-call]

    def stop(self) -> None:
        """End polling, cancel the consumers, and requeue what was left."""
        super().stop()  # type: ignore[no-untyped-call]
        connection: typing.Any = self.conn
        try:
            with connection._connection_lock:
                for consumer, tag in connection._consumers.items():
                    consumer.cancel(tag)
                # All requests that were accepted are acknowledged by now.
                if connection.channel is not None:
                    connection.channel.basic_recover(requeue=True)
        except broker.FAILURES as error:
            # Without a connection the broker has requeued them by itself.
            LOG.info("consumers are not cancelled: %s", error)


def install() -> None:
    """Let oslo.messaging's driver of RabbitMQ make these listeners."""
    amqpdriver.RpcAMQPListener = Listener  # type: ignore[misc]
