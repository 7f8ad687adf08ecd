"""What notifications say is kept until the index has it."""

import threading

from orch_search_heat import inbox
from tests import base
from tests.support import waiting

_SENT = "2016-02-29 22:15:56.378444"
_SENT_MICRO = 1456784156378444


def message(
    event_type: object, payload: object, sent: str = _SENT
) -> dict[str, object]:
    return {
        "event_type": event_type,
        "payload": payload,
        "metadata": {"timestamp": sent},
    }


def of(stack_id: str, sent: str = _SENT) -> dict[str, object]:
    return message(
        "orchestration.stack.update.end",
        {"stack_identity": stack_id, "state": sent},
        sent,
    )


class ParseTest(base.TestCase):
    def test_a_notification_of_a_stack_names_it(self) -> None:
        payload = {"stack_identity": "s-1", "user_id": None}
        for event_type in (
            "orchestration.stack.create.start",
            "orchestration.resource.update.error",
            "orchestration.deployment.updated",
        ):
            found = inbox.parse(message(event_type, payload))
            thin = {
                "event_type": event_type,
                "version": _SENT_MICRO,
                "payload": payload,
            }
            self.assertEqual(
                inbox.StackMessage("s-1", thin, _SENT_MICRO), found
            )

    def test_others_are_of_no_stack(self) -> None:
        for event_type, payload in (
            ("compute.instance.create.end", {"stack_identity": "s-1"}),
            ("orchestration.deployment.created", {"id": "d-1"}),
        ):
            self.assertIsNone(inbox.parse(message(event_type, payload)))

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
                inbox.MalformedNotification,
                inbox.parse,
                message(event_type, payload),
            )
        self.assertRaises(
            inbox.MalformedNotification, inbox.parse, of("s-1", "today")
        )


class InboxTest(base.TestCase):
    def setUp(self) -> None:
        super().setUp()
        self.woken = threading.Event()
        self.inbox = inbox.Inbox(self.woken.set)
        self.addCleanup(self.inbox.stop)
        self.said: list[str] = []

    def receive(self, *messages: dict[str, object]) -> threading.Thread:
        """Receive messages in a thread, as a listener does."""
        self.woken.clear()
        thread = threading.Thread(
            target=lambda: self.said.append(self.inbox.receive(messages))
        )
        thread.start()
        self.assertTrue(self.woken.wait(60))
        return thread

    def start(self) -> str:
        return self.inbox.changes("", 10).position

    def test_the_first_answer_is_not_complete(self) -> None:
        self.assertFalse(self.inbox.changes("", 10).is_complete)
        self.assertTrue(self.inbox.changes(self.start(), 10).is_complete)

    def test_s5_it_is_acknowledged_once_it_is_confirmed(self) -> None:
        first = self.start()
        thread = self.receive(of("s1"), of("s2"), of("s1"))
        found = self.inbox.changes(first, 10)
        self.assertEqual({"s1": 0, "s2": 0}, dict(found.changed))
        self.assertTrue(found.is_needed)

        self.inbox.confirm(first)
        thread.join(0.1)
        self.assertTrue(thread.is_alive())
        self.inbox.confirm(found.position)
        thread.join(60)

        self.assertEqual(["handled"], self.said)
        self.assertEqual({}, self.inbox.changes(found.position, 10).changed)
        self.assertIsNone(self.inbox.find("s1"))

    def test_s5_what_is_not_confirmed_goes_back_to_the_bus(self) -> None:
        thread = self.receive(of("s1"))
        self.inbox.stop()
        thread.join(60)

        self.assertEqual(["requeue"], self.said)

    def test_s5_a_position_of_another_process_misses_nothing(self) -> None:
        self.receive(of("s1"))

        found = self.inbox.changes("another.7", 10)

        self.assertEqual({"s1": 0}, dict(found.changed))
        self.assertTrue(found.is_complete)

    def test_many_come_page_by_page(self) -> None:
        position = self.start()
        thread = self.receive(*(of(f"s{number}") for number in range(5)))
        pages = []
        while True:
            found = self.inbox.changes(position, 2)
            pages.append(list(found.changed))
            position = found.position
            self.inbox.confirm(position)
            if not found.has_more:
                break
        thread.join(60)

        self.assertEqual([["s0", "s1"], ["s2", "s3"], ["s4"]], pages)
        self.assertEqual(["handled"], self.said)

    def test_of_many_the_newest_is_kept(self) -> None:
        self.receive(
            of("s1", "2016-02-29 22:15:57"), of("s1", "2016-02-29 22:15:56")
        )

        found = self.inbox.find("s1")

        assert found is not None
        self.assertEqual(_SENT_MICRO // 10**6 + 1, found.version // 10**6)

    def test_what_makes_no_sense_does_not_hold_up_the_rest(self) -> None:
        self.receive({}, of("s1"), message("orchestration.stack.x", []))

        found = self.inbox.changes(self.start_before(), 10)
        self.assertEqual(["s1"], list(found.changed))

    def start_before(self) -> str:
        return "another.0"

    def test_what_is_of_no_stack_is_acknowledged_at_once(self) -> None:
        self.receive({}).join(60)

        self.assertEqual(["handled"], self.said)

    def test_s5_a_miss_is_told_until_its_position_is_reached(self) -> None:
        position = self.start()
        self.inbox.note_miss()

        for _ in range(2):
            found = self.inbox.changes(position, 10)
            self.assertFalse(found.is_complete)

        self.assertTrue(self.inbox.changes(found.position, 10).is_complete)
        waiting.wait_for(self.woken.is_set, "it is woken")
