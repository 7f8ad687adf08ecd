import threading
import time

from orch.rpc.inprocess import bus
from tests import base

_ADDRESS = ("exchange", "topic")


class QueueTest(base.TestCase):
    def setUp(self) -> None:
        super().setUp()
        self.bus = bus.Bus()

    def _consumer(self, *names: str) -> bus.Consumer:
        consumer = bus.Consumer(self.bus)
        for name in names:
            consumer.consume(self.bus.declare(_ADDRESS, name))
        return consumer

    def _publish(self, text: bytes, expires_at: float | None = None) -> bool:
        return self.bus.publish(
            _ADDRESS, bus.Letter(text, expires_at=expires_at)
        )

    def _bodies(self, consumer: bus.Consumer) -> list[bytes]:
        bodies = []
        while (taken := consumer.take(0)) is not None:
            bodies.append(taken[1].body)
        return bodies

    def test_letters_come_in_the_order_in_which_they_were_sent(self) -> None:
        consumer = self._consumer("q")
        for text in (b"1", b"2", b"3"):
            self._publish(text)

        self.assertEqual([b"1", b"2", b"3"], self._bodies(consumer))

    def test_a_letter_nobody_is_bound_to_is_not_taken(self) -> None:
        self.assertFalse(self._publish(b"1"))

    def test_a_queue_stays_when_its_consumer_leaves(self) -> None:
        self._consumer("q").close()

        self.assertTrue(self._publish(b"1"))
        self.assertEqual([b"1"], self._bodies(self._consumer("q")))

    def test_each_queue_of_an_address_gets_a_copy(self) -> None:
        one, other = self._consumer("one"), self._consumer("other")
        self._publish(b"1")

        self.assertEqual(
            ([b"1"], [b"1"]), (self._bodies(one), self._bodies(other))
        )

    def test_an_expired_letter_reaches_nobody(self) -> None:
        consumer = self._consumer("q")
        self._publish(b"late", expires_at=time.monotonic() - 1)
        self._publish(b"1", expires_at=time.monotonic() + 60)

        self.assertEqual([b"1"], self._bodies(consumer))

    def test_a_kept_queue_drops_the_oldest_beyond_its_limit(self) -> None:
        queue = self.bus.declare(_ADDRESS, "q", limit=2)
        for text in (b"1", b"2", b"3"):
            self._publish(text)

        self.assertEqual([b"2", b"3"], [each.body for each in queue.letters])

    def test_a_kept_queue_drops_nothing_while_it_is_consumed(self) -> None:
        self.bus.declare(_ADDRESS, "q", limit=2)
        consumer = self._consumer("q")
        for text in (b"1", b"2", b"3"):
            self._publish(text)

        self.assertEqual([b"1", b"2", b"3"], self._bodies(consumer))

    def test_a_letter_given_back_comes_first(self) -> None:
        consumer = self._consumer("q")
        self._publish(b"1")
        self._publish(b"2")
        taken = consumer.take(0)
        assert taken is not None
        queue, letter = taken

        queue.give_back(letter)

        self.assertEqual([b"1", b"2"], self._bodies(consumer))

    def test_a_forgotten_queue_takes_no_letter(self) -> None:
        self.bus.declare(_ADDRESS, "q")
        self.bus.forget(_ADDRESS, "q")

        self.assertFalse(self._publish(b"1"))


class WaitingTest(base.TestCase):
    def setUp(self) -> None:
        super().setUp()
        self.bus = bus.Bus()
        self.queue = self.bus.declare(_ADDRESS, "q")
        self.got: list[tuple[str, bytes]] = []

    def _start(self, name: str, count: int = 1) -> bus.Consumer:
        consumer = bus.Consumer(self.bus)
        consumer.consume(self.queue)

        def run() -> None:
            for _ in range(count):
                taken = consumer.take(30)
                if taken is not None:
                    self.got.append((name, taken[1].body))

        thread = threading.Thread(target=run, daemon=True)
        thread.start()
        self.addCleanup(thread.join, 5)
        self.addCleanup(consumer.close)
        self._until(lambda: consumer.is_waiting)
        return consumer

    def _until(self, condition: object) -> None:
        assert callable(condition)
        end = time.monotonic() + 10
        while not condition():
            self.assertLess(time.monotonic(), end, "waited too long")
            time.sleep(0.001)

    def _publish(self, text: bytes) -> None:
        self.bus.publish(_ADDRESS, bus.Letter(text))

    def test_waiting_consumers_take_turns(self) -> None:
        consumers = {name: self._start(name, 2) for name in ("a", "b")}
        for number in range(4):
            self._publish(b"%d" % number)
            self._until(lambda n=number: len(self.got) > n)
            self._until(
                lambda: all(
                    each.is_waiting or count == 2
                    for each, count in (
                        (consumers[name], self._count(name))
                        for name in consumers
                    )
                )
            )

        self.assertEqual((2, 2), (self._count("a"), self._count("b")))

    def _count(self, name: str) -> int:
        return sum(1 for who, _ in self.got if who == name)

    def test_two_letters_at_once_wake_two_consumers(self) -> None:
        self._start("a")
        self._start("b")
        with self.bus.lock:
            self.queue.put(bus.Letter(b"1"))
            self.queue.put(bus.Letter(b"2"))
        self._until(lambda: len(self.got) == 2)

        self.assertEqual({"a", "b"}, {who for who, _ in self.got})

    def test_a_consumer_that_leaves_passes_its_letter_on(self) -> None:
        self._start("b")
        woken = bus.Consumer(self.bus)
        woken.consume(self.queue)
        with self.bus.lock:
            # As if it had been woken for this one, and has not run yet.
            self.queue.letters.append(bus.Letter(b"1"))

        woken.close()
        self._until(lambda: len(self.got) == 1)

        self.assertEqual([("b", b"1")], self.got)

    def test_closing_ends_a_wait(self) -> None:
        consumer = self._start("a")
        consumer.close()
        self._until(lambda: not consumer.is_waiting)

        self.assertEqual([], self.got)

    def test_a_wait_ends_when_its_time_is_over(self) -> None:
        consumer = bus.Consumer(self.bus)
        consumer.consume(self.queue)

        self.assertIsNone(consumer.take(0.01))
