"""Notifications from the outbox to a listener, over a real RabbitMQ."""

import time

import oslo_messaging as messaging
from oslo_config import cfg

from orch import clock
from orch import ids
from orch.conf import limits
from orch.conf import notifications
from orch.db import engine
from orch.db import migrate
from orch.db.repositories import outbox
from orch.events import notification
from orch.events import outbox_relay
from orch.model import notification as model
from orch.rpc import options
from tests import base
from tests.support import proxy
from tests.support import rabbit
from tests.support import waiting


class Consumer:
    def __init__(self) -> None:
        self.got: list[int] = []
        self.contexts: list[dict[str, object]] = []

    def info(
        self,
        ctxt: dict[str, object],
        publisher_id: str,
        event_type: str,
        payload: dict[str, int],
        metadata: object,
    ) -> None:
        self.contexts.append(ctxt)
        self.got.append(payload["sequence"])


class RelayTest(base.TestCase):
    def setUp(self) -> None:
        super().setUp()
        self.host = self.useFixture(rabbit.VirtualHost())
        self.proxy = self.useFixture(proxy.Proxy(rabbit.HOST, rabbit.PORT))
        self.conf = cfg.ConfigOpts()
        self.conf([], default_config_files=[])
        limits.SECTION.register(self.conf)
        notifications.SECTION.register(self.conf)
        options.register_options(self.conf)
        path = self.make_directory() / "orch.db"
        self.database = engine.Database(f"sqlite:///{path}")
        self.addCleanup(self.database.dispose)
        migrate.upgrade(self.database)
        self.consumer = self._listen()
        self.addCleanup(self._restore)

    def _restore(self) -> None:
        self.proxy.cut()
        self.proxy.restore()

    def _listen(self) -> Consumer:
        consumer = Consumer()
        transport = messaging.get_notification_transport(
            self.conf, self.host.url()
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

    def _start(self) -> outbox_relay.Relay:
        publisher = notification.Publisher(
            self.conf, self.host.url(self.proxy.port)
        )
        self.addCleanup(publisher.close)
        stack = outbox_relay.Relay(
            self.database,
            publisher,
            ids.WorkerId("w1"),
            clock.SystemClock(),
        )
        stack.start()
        self.addCleanup(stack.stop)
        return stack

    def _fill(self, *sequences: int) -> None:
        values = [
            model.Notification(
                stack_id=ids.StackId("s1"),
                sequence=sequence,
                event_type="orchestration.stack.create.start",
                priority="info",
                context={"user": "u1"},
                payload={"sequence": sequence},
                created_at=clock.Timestamp(0),
            )
            for sequence in sequences
        ]
        self.database.run(lambda conn: outbox.insert_many(conn, values))

    def _until(self, count: int) -> None:
        end = time.monotonic() + 30
        while len(set(self.consumer.got)) < count:
            self.assertLess(time.monotonic(), end, f"{self.consumer.got}")
            time.sleep(0.02)

    def test_a_listener_on_heats_exchange_gets_them_in_order(self) -> None:
        self._fill(*range(20))
        self._start()
        self._until(20)

        self.assertEqual(list(range(20)), self.consumer.got)
        self.assertEqual("u1", self.consumer.contexts[0]["user_id"])

    def test_an_outage_loses_nothing_and_keeps_the_order(self) -> None:
        stack = self._start()
        self._fill(0, 1)
        stack.wake()
        self._until(2)
        self.proxy.cut()
        self._fill(*range(2, 12))
        stack.wake()
        time.sleep(1.5)
        self.assertEqual([0, 1], self.consumer.got)
        self.proxy.restore()
        self._until(12)

        first_seen = list(dict.fromkeys(self.consumer.got))
        self.assertEqual(list(range(12)), first_seen)
        # What was published leaves the outbox a moment later.
        waiting.wait_for(
            lambda: self.database.query(outbox.count) == 0,
            "the outbox to be empty",
        )
