import threading
import typing

from orch.api import readiness
from tests import base
from tests.support import waiting


class _Clock:
    def __init__(self) -> None:
        self.seconds = 1000.0

    def now(self) -> typing.NoReturn:
        raise AssertionError

    def monotonic(self) -> float:
        return self.seconds


class ReadinessStateTest(base.TestCase):
    def setUp(self) -> None:
        super().setUp()
        self.clock = _Clock()
        self.go_on = threading.Event()
        self.go_on.set()
        self.addCleanup(self.go_on.set)
        self.looks = 0
        self.answer = True
        self.state = readiness.ReadinessState(
            "it is ready", self.look, typing.cast(typing.Any, self.clock)
        )

    def part(self) -> readiness.ReadinessState:
        """Return the state of a part, which is ready while not known."""
        return readiness.ReadinessState(
            "it is ready",
            self.look,
            typing.cast(typing.Any, self.clock),
            unknown=True,
        )

    def look(self) -> bool:
        self.looks += 1
        self.go_on.wait(60)
        if self.looks > 3:
            raise OSError
        return self.answer

    def hang(self) -> None:
        """Let looks hang, and have the time to wait for one passed."""
        self.go_on.clear()
        self.clock.seconds += 2
        before = self.looks
        self.state.is_ready()
        self.clock.seconds += 2
        self.assertEqual(before + 1, self.looks)

    def test_each_look_is_good_for_a_second(self) -> None:
        self.assertTrue(self.state.is_ready())
        self.answer = False
        self.assertTrue(self.state.is_ready())
        self.clock.seconds += 2
        self.assertFalse(self.state.is_ready())
        self.assertEqual(2, self.looks)

    def test_one_look_that_hangs_holds_no_probe_and_is_not_repeated(
        self,
    ) -> None:
        self.assertTrue(self.state.is_ready())
        self.hang()

        found = [self.state.is_ready() for _ in range(100)]

        self.assertEqual({True}, set(found))
        self.assertEqual(2, self.looks)
        self.clock.seconds += 10
        self.assertFalse(self.state.is_ready())

    def test_nothing_is_ready_before_the_first_look_has_ended(self) -> None:
        self.hang()
        self.assertFalse(self.state.is_ready())

    def test_a_look_that_fails_finds_nothing_ready(self) -> None:
        for _ in range(3):
            self.assertTrue(self.state.is_ready())
            self.clock.seconds += 2

        with self.assertLogs(readiness.LOG, "ERROR") as logged:
            self.assertFalse(self.state.is_ready())

        self.assertIn(
            "cannot be found out whether it is ready", logged.output[0]
        )

    def test_what_is_not_known_can_count_as_ready(self) -> None:
        self.state = readiness.ReadinessState(
            "it is ready",
            self.look,
            typing.cast(typing.Any, self.clock),
            unknown=True,
        )
        self.answer = False
        self.hang()
        self.assertTrue(self.state.is_ready())
        self.go_on.set()
        waiting.wait_for(lambda: not self.state.is_ready(), "a look ends")

        self.looks = 3
        self.clock.seconds += 2

        self.assertTrue(self.state.is_ready())

    def test_a_part_is_answered_by_the_look_before_without_a_wait(
        self,
    ) -> None:
        self.state = self.part()
        self.answer = False
        self.assertFalse(self.state.was_ready())
        self.answer = True
        self.go_on.clear()
        self.clock.seconds += 59

        # The clock stands still: a wait would not end by it.
        self.assertFalse(self.state.was_ready())
        self.assertFalse(self.state.was_ready())
        self.assertEqual(2, self.looks)
        self.go_on.set()
        waiting.wait_for(self.state.was_ready, "a look ends")

    def test_a_single_probe_of_a_part_waits_for_its_look(self) -> None:
        self.state = self.part()
        self.assertTrue(self.state.was_ready())
        self.answer = False
        self.clock.seconds += 61

        self.assertFalse(self.state.was_ready())
        self.assertEqual(2, self.looks)

    def test_a_part_is_not_known_while_a_look_hangs(self) -> None:
        self.state = self.part()
        self.answer = False
        self.assertFalse(self.state.was_ready())
        self.go_on.clear()
        self.clock.seconds += 2
        self.assertFalse(self.state.was_ready())

        self.clock.seconds += 61

        self.assertTrue(self.state.was_ready())
        self.assertEqual(2, self.looks)
