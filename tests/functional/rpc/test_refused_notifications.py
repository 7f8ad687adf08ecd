"""What a real RabbitMQ refuses does not hold up what comes after it.

The node is a test's own, as the limit of a message is a setting of a node.
"""

import typing

import amqp
import fixtures
import oslo_messaging as messaging
from oslo_config import cfg

from orch import clock
from orch import ids
from orch.conf import limits
from orch.conf import notifications
from orch.db import engine
from orch.db.repositories import outbox
from orch.db.repositories import refused_notifications
from orch.events import notification
from orch.events import outbox_relay
from orch.model import notification as model
from orch.rpc import options
from tests import base
from tests.support import broker
from tests.support import tables
from tests.support import waiting

_MOST: typing.Final = 20_000
_LIMIT_S: typing.Final = 60.0


class Consumer:
    """Keeps what it hears, in its order."""

    def __init__(self) -> None:
        self.got: list[dict[str, typing.Any]] = []

    def info(
        self,
        ctxt: object,
        publisher_id: str,
        event_type: str,
        payload: dict[str, typing.Any],
        metadata: object,
    ) -> None:
        """Keep what happened."""
        self.got.append(payload)


class RefusedTest(base.TestCase):
    def setUp(self) -> None:
        super().setUp()
        self.log = self.useFixture(fixtures.FakeLogger())
        self.node = self.useFixture(broker.Broker({"max_message_size": _MOST}))
        self.conf = cfg.ConfigOpts()
        self.conf([], default_config_files=[])
        limits.SECTION.register(self.conf)
        notifications.SECTION.register(self.conf)
        options.register_options(self.conf)
        path = self.make_directory() / "orch.db"
        tables.write(path)
        self.database = engine.Database(f"sqlite:///{path}")
        self.addCleanup(self.database.dispose)

    def listen(self) -> Consumer:
        consumer = Consumer()
        transport = messaging.get_notification_transport(
            self.conf, self.node.url
        )
        self.addCleanup(transport.cleanup)
        listener = messaging.get_notification_listener(
            transport,
            [messaging.Target(exchange="heat", topic="notifications")],
            [consumer],
        )
        listener.start(override_pool_size=1)
        self.addCleanup(listener.wait)
        self.addCleanup(listener.stop)
        return consumer

    def relay(self) -> outbox_relay.Relay:
        publisher = notification.Publisher(self.conf, self.node.url)
        self.addCleanup(publisher.close)
        return outbox_relay.Relay(
            self.database, publisher, ids.WorkerId("w1"), clock.SystemClock()
        )

    def put(self, *payloads: dict[str, object]) -> None:
        values = [
            model.Notification(
                stack_id=ids.StackId("s1"),
                sequence=sequence,
                event_type="orchestration.stack.create.start",
                priority="info",
                context={},
                payload={"sequence": sequence, **payload},
                created_at=clock.Timestamp(0),
            )
            for sequence, payload in enumerate(payloads)
        ]
        self.database.run(lambda conn: outbox.insert_many(conn, values))

    def refused(self) -> list[model.RefusedNotification]:
        return self.database.query(
            lambda conn: refused_notifications.list_(conn, 10)
        )

    def heard(self, consumer: Consumer, count: int) -> list[int]:
        waiting.wait_for(
            lambda: len(consumer.got) >= count,
            f"{count} notifications",
            _LIMIT_S,
        )
        return [each["sequence"] for each in consumer.got]

    def test_the_others_leave_in_their_order(self) -> None:
        consumer = self.listen()
        self.put(
            {"name": "before"},
            {"template": "t" * 2 * _MOST, "name": "cut"},
            {f"key{n}": "x" * 250 for n in range(100)},
            {"name": "after"},
        )

        self.relay().step()

        self.assertEqual([0, 1, 3], self.heard(consumer, 3))
        cut = consumer.got[1]
        del cut["event_time"]
        self.assertEqual({"sequence": 1, "template": None, "name": "cut"}, cut)
        self.assertEqual(0, self.database.query(outbox.count))
        (refused,) = self.refused()
        self.assertEqual(2, refused.sequence)
        self.assertIn("larger than configured max", refused.reason)

    def test_a_full_queue_holds_them_until_there_is_room(self) -> None:
        channel = self._channel()
        channel.exchange_declare(
            "heat", "topic", durable=False, auto_delete=False
        )
        channel.queue_declare(
            "small",
            auto_delete=False,
            arguments={"x-max-length": 1, "x-overflow": "reject-publish"},
        )
        channel.queue_bind("small", "heat", "notifications.info")
        self.put({"name": "fits"}, {"name": "waits"})
        stack = self.relay()

        stack.step()

        self.assertEqual(1, self.database.query(outbox.count))
        self.assertEqual([], self.refused())
        channel.queue_purge("small")
        waiting.wait_for(
            lambda: stack.step() and not self.database.query(outbox.count),
            "it has left",
            _LIMIT_S,
        )

    def _channel(self) -> amqp.Channel:
        where = self.node.url.partition("@")[2].rstrip("/")
        connection = amqp.Connection(where, userid="guest", password="guest")
        connection.connect()
        self.addCleanup(connection.close)
        return connection.channel()
