"""What is heard becomes marks, and nothing of it is lost or deadly."""

import threading
import typing
import uuid

import fixtures
import oslo_messaging as messaging
from oslo_config import cfg
from oslo_messaging.notify import listener as oslo_listener

from orch.conf import notifications
from orch.conf import search
from orch.search.index import port
from orch.search.indexing import listener
from tests import base
from tests.support import searching
from tests.support import waiting

_SENT = "2016-02-29 22:15:56.378444"


def message(event_type: object, payload: object) -> dict[str, object]:
    return {
        "event_type": event_type,
        "payload": payload,
        "metadata": {"timestamp": _SENT},
    }


class NoticesTest(base.TestCase):
    def test_a_notification_of_a_stack_marks_it(self) -> None:
        for event_type in (
            "orchestration.stack.create.start",
            "orchestration.resource.update.error",
            "orchestration.deployment.updated",
        ):
            found = listener.find_mark(
                message(event_type, {"stack_identity": "s-1", "sequence": 5}),
                is_thin=False,
            )
            self.assertEqual(port.Mark("s-1", 5), found)

    def test_without_a_number_the_version_is_not_known(self) -> None:
        for number in (None, "5", True, -1, 2**80):
            found = listener.find_mark(
                message(
                    "orchestration.stack.create.end",
                    {"stack_identity": "s-1", "sequence": number},
                ),
                is_thin=False,
            )
            self.assertEqual(port.Mark("s-1", 0), found)

    def test_a_thin_one_goes_along(self) -> None:
        payload = {"stack_identity": "s-1", "user_id": None}
        found = listener.find_mark(
            message("orchestration.stack.create.end", payload), is_thin=True
        )
        self.assertEqual(
            port.Mark(
                "s-1",
                1456784156378444,
                {
                    "event_type": "orchestration.stack.create.end",
                    "version": 1456784156378444,
                    "payload": payload,
                },
            ),
            found,
        )

    def test_others_are_of_no_stack(self) -> None:
        for event_type, payload in (
            ("compute.instance.create.end", {"stack_identity": "s-1"}),
            ("orchestration.deployment.created", {"id": "d-1"}),
        ):
            self.assertIsNone(
                listener.find_mark(message(event_type, payload), is_thin=False)
            )

    def test_what_makes_no_sense_is_malformed(self) -> None:
        for event_type, payload in (
            (None, {}),
            (7, {}),
            ("orchestration.stack.create.end", None),
            ("orchestration.stack.create.end", "text"),
            ("orchestration.stack.create.end", {}),
            ("orchestration.stack.create.end", {"stack_identity": 5}),
            ("orchestration.stack.create.end", {"stack_identity": "a/b"}),
            ("orchestration.stack.create.end", {"stack_identity": "a" * 65}),
        ):
            self.assertRaises(
                listener.MalformedNotification,
                listener.find_mark,
                message(event_type, payload),
                is_thin=False,
            )


class MarkingTest(base.TestCase):
    def setUp(self) -> None:
        super().setUp()
        self.index = searching.Index()
        self.notified: list[port.Mark] = []
        self.recorder = listener.MarkRecorder(
            self.index, self.notified.extend, is_thin=False
        )

    def of(self, stack_id: str, sequence: int) -> dict[str, object]:
        return message(
            "orchestration.stack.update.end",
            {"stack_identity": stack_id, "sequence": sequence},
        )

    def test_s5_of_many_the_newest_is_marked(self) -> None:
        heard = [self.of("s1", 2), self.of("s2", 1), self.of("s1", 1)]

        self.assertEqual("handled", self.recorder.receive(heard))

        wanted = [port.Mark("s1", 2), port.Mark("s2", 1)]
        self.assertEqual(wanted, list(self.index.marks.values()))
        self.assertEqual(wanted, self.notified)

    def test_what_makes_no_sense_does_not_hold_up_the_rest(self) -> None:
        heard = [{}, self.of("s1", 2), message("orchestration.stack.x", [])]

        self.assertEqual("handled", self.recorder.receive(heard))

        self.assertEqual(["s1"], list(self.index.marks))

    def test_s5_an_index_that_is_away_is_waited_for(self) -> None:
        self.index.is_away = True
        said: list[str] = []
        heard = threading.Thread(
            target=lambda: said.append(
                self.recorder.receive([self.of("s1", 2)])
            )
        )
        heard.start()
        heard.join(0.25)
        self.assertTrue(heard.is_alive())
        self.index.is_away = False
        heard.join(60)

        self.assertEqual(["handled"], said)
        self.assertEqual(["s1"], list(self.index.marks))

    def test_s5_what_is_not_marked_goes_back_to_the_bus(self) -> None:
        self.index.is_away = True
        self.recorder.stop()

        self.assertEqual("requeue", self.recorder.receive([self.of("s1", 2)]))

        self.assertEqual([], self.notified)


class ListenerTest(base.TestCase):
    def test_one_that_could_not_listen_at_first_listens_later(self) -> None:
        listen = oslo_listener.NotificationServerBase._create_listener
        failing = [messaging.MessageDeliveryFailure("reset")]
        answers = [False]

        def fail_once(one: oslo_listener.NotificationServerBase) -> object:
            if failing:
                raise failing.pop()
            return listen(one)

        for name, value in (
            ("orch.search.indexing.listener._RETRY_S", 0.01),
            (
                "orch.rpc.broker.Broker.is_reachable",
                lambda *_: answers.pop() if answers else True,
            ),
            (
                "oslo_messaging.notify.listener.NotificationServerBase"
                "._create_listener",
                fail_once,
            ),
        ):
            self.useFixture(fixtures.MonkeyPatch(name, value))
        conf = cfg.ConfigOpts()
        conf([], default_config_files=[])
        search.SECTION.register(conf)
        notifications.SECTION.register(conf)
        url = f"orch-inproc:///{uuid.uuid4().hex}"
        # Declares the options of the library.
        messaging.TransportURL.parse(conf)
        conf.set_override("transport_url", url)
        index = searching.Index()
        told: list[bool] = []
        stack = listener.Listener(
            conf,
            listener.MarkRecorder(index, lambda _: None, is_thin=False),
            told.append,
        )
        self.addCleanup(stack.stop)
        stack.start()
        waiting.wait_for(lambda: told, "a listener")
        self.assertEqual([], failing)

        self.send(conf)

        waiting.wait_for(lambda: index.marks, "what was sent then")
        self.assertEqual(["s1"], list(index.marks))

    def send(self, conf: cfg.ConfigOpts) -> None:
        conf.set_override("control_exchange", conf.notifications.exchange)
        transport = messaging.get_notification_transport(conf)
        self.addCleanup(transport.cleanup)
        notifier = messaging.Notifier(
            transport,
            publisher_id="test",
            driver="messaging",
            topics=conf.notifications.topics,
        )
        payload: dict[str, typing.Any] = {
            "stack_identity": "s1",
            "sequence": 1,
        }
        notifier.info({}, "orchestration.stack.create.end", payload)
