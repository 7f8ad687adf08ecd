import uuid

import oslo_messaging as messaging
from oslo_config import cfg

from orch import clock
from orch import errors
from orch import ids
from orch.conf import limits
from orch.conf import notifications
from orch.events import notification
from orch.model import notification as model
from tests import base
from tests.support import ports


def make(**changes: object) -> model.Notification:
    values: dict[str, object] = {
        "number": 1,
        "stack_id": ids.StackId("s1"),
        "sequence": 1,
        "event_type": "orchestration.stack.create.start",
        "priority": "info",
        "context": {"user": "u1", "project_id": "p1", "auth_token": "x"},
        "payload": {"stack_name": "web"},
        "created_at": clock.Timestamp(0),
    }
    return model.Notification(**(values | changes))


class Consumer:
    def __init__(self) -> None:
        self.got: list[tuple[str, dict[str, object], dict[str, object]]] = []
        self.envelopes: list[dict[str, object]] = []

    def info(self, *said: object) -> None:
        self._note("info", *said)

    def error(self, *said: object) -> None:
        self._note("error", *said)

    def _note(
        self,
        priority: str,
        ctxt: dict[str, object],
        publisher_id: str,
        event_type: str,
        payload: dict[str, object],
        metadata: dict[str, object],
    ) -> None:
        self.envelopes.append(metadata)
        self.got.append(
            (f"{priority} {publisher_id} {event_type}", ctxt, payload)
        )


class PublisherTest(base.TestCase):
    def setUp(self) -> None:
        super().setUp()
        self.conf = cfg.ConfigOpts()
        self.conf([], default_config_files=[])
        limits.SECTION.register(self.conf)
        notifications.SECTION.register(self.conf)
        self.conf.set_override("host", "w1")
        self.url = f"orch-inproc:///{uuid.uuid4().hex}"

    def publisher(self) -> notification.Publisher:
        publisher = notification.Publisher(self.conf, self.url)
        self.addCleanup(publisher.close)
        return publisher

    def listen(self, topic: str = "notifications") -> Consumer:
        consumer = Consumer()
        transport = messaging.get_notification_transport(self.conf, self.url)
        self.addCleanup(transport.cleanup)
        self.listener = transport._listen_for_notifications(
            [
                (messaging.Target(exchange="heat", topic=topic), priority)
                for priority in ("info", "error")
            ],
            None,
            1,
            None,
        )._poll_style_listener
        dispatcher = messaging.notify.dispatcher.NotificationDispatcher(
            [consumer], None
        )
        self.dispatch = dispatcher.dispatch
        return consumer

    def take(self) -> None:
        for incoming in self.listener.poll(timeout=0):
            self.dispatch(incoming)

    def test_consumers_get_what_heats_would(self) -> None:
        consumer = self.listen()
        self.publisher().publish(make(), "notifications")
        self.take()

        said, context, payload = consumer.got[0]
        self.assertEqual(
            "info orchestration.w1 orchestration.stack.create.start", said
        )
        self.assertEqual("web", payload["stack_name"])
        self.assertEqual(("u1", "p1"), (context["user_id"], context["tenant"]))
        self.assertIn("trustor_user_id", context)
        self.assertNotIn("auth_token", context)

    def test_an_error_goes_to_the_queue_of_errors(self) -> None:
        consumer = self.listen()
        self.publisher().publish(make(priority="error"), "notifications")
        self.take()

        self.assertTrue(consumer.got[0][0].startswith("error "))

    def test_a_topic_gets_it(self) -> None:
        consumer = self.listen("billing")
        self.publisher().publish(make(), "billing")
        self.take()

        self.assertEqual(1, len(consumer.got))

    def test_the_time_is_that_of_the_event(self) -> None:
        consumer = self.listen()
        happened = clock.Timestamp(1_764_000_000.25)
        self.publisher().publish(make(created_at=happened), "notifications")
        self.take()

        (envelope,) = consumer.envelopes
        _, _, payload = consumer.got[0]
        self.assertEqual("2025-11-24 16:00:00.250000", envelope["timestamp"])
        self.assertEqual("2025-11-24T16:00:00.250000Z", payload["event_time"])

    def test_a_repeated_message_has_the_same_id(self) -> None:
        consumer = self.listen()
        values = (
            make(),
            make(number=7, payload={}),
            make(sequence=2),
            make(stack_id=ids.StackId("s2")),
            make(event_type="orchestration.stack.create.end"),
            make(created_at=clock.Timestamp(0.000001)),
            make(payload={"deployment_id": "d1"}),
        )
        for each in values:
            self.publisher().publish(each, "notifications")
            self.take()

        first, again, *others = (
            str(each["message_id"]) for each in consumer.envelopes
        )
        self.assertEqual(first, again)
        self.assertEqual(6, len({first, *others}))
        uuid.UUID(first)

    def test_the_publisher_is_an_option(self) -> None:
        self.conf.set_override("publisher_id", "me", "notifications")
        consumer = self.listen()
        self.publisher().publish(make(), "notifications")
        self.take()

        self.assertTrue(consumer.got[0][0].startswith("info me "))

    def test_a_bus_that_is_away_is_an_error(self) -> None:
        self.url = f"rabbit://guest:guest@127.0.0.1:{ports.find_free()}/"
        publisher = self.publisher()

        error = self.assertRaises(
            errors.Unavailable, publisher.publish, make(), "notifications"
        )

        self.assertIsNotNone(error.__cause__)
