"""What tests do to a broker happens, and to no one else."""

import kombu
from kombu import exceptions

from tests import base
from tests.support import broker
from tests.support import ports
from tests.support import rabbit


def connect(url: str) -> kombu.Connection:
    return kombu.Connection(
        url.replace("rabbit://", "amqp://"),
        connect_timeout=5,
        transport_options={"confirm_publish": True},
    )


class VhostTests(base.TestCase):
    def setUp(self) -> None:
        super().setUp()
        rabbit.insist()
        self.vhost = self.useFixture(rabbit.VirtualHost())

    def test_another_virtual_host_sees_no_queue_of_this_one(self) -> None:
        other = self.useFixture(rabbit.VirtualHost())
        with connect(self.vhost.url()) as here, connect(other.url()) as there:
            here.default_channel.queue_declare("orch-engine")

            self.assertRaises(
                there.channel_errors,
                there.default_channel.queue_declare,
                "orch-engine",
                passive=True,
            )

    def test_dropped_connections_are_gone_here_alone(self) -> None:
        other = self.useFixture(rabbit.VirtualHost())
        with connect(self.vhost.url()) as here, connect(other.url()) as there:
            here.connect()
            there.connect()

            self.vhost.drop_connections()

            self.assertRaises(
                here.connection_errors, here.drain_events, timeout=5
            )
            there.default_channel.queue_declare("still-here")


class BrokerTests(base.TestCase):
    limit_s = 180

    def test_a_durable_message_outlives_a_kill(self) -> None:
        node = self.useFixture(broker.Broker())
        with connect(node.url) as client, client.SimpleQueue("kept") as queue:
            queue.put({"number": 1})

        node.kill()

        self.assertRaises(
            exceptions.OperationalError,
            connect(node.url).ensure_connection,
            max_retries=0,
        )
        node.start()
        with connect(node.url) as client, client.SimpleQueue("kept") as queue:
            self.assertEqual({"number": 1}, queue.get(timeout=5).payload)

    def test_nothing_is_left_of_a_node(self) -> None:
        node = broker.Broker()
        with node:
            port = int(node.url.rpartition(":")[2].rstrip("/"))
            self.assertTrue(ports.is_open(port))

        self.assertFalse(ports.is_open(port))
