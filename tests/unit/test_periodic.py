"""Rounds and turns, on real threads; no test waits for a pause to end."""

import collections.abc
import logging
import threading
import typing

import fixtures

from orch import errors
from orch import periodic
from tests import base
from tests.support import scraped

LOG = logging.getLogger(__name__)

_LIMIT_S: typing.Final = 60.0
_NEVER_S: typing.Final = 3600.0


class Rounds:
    """A round that says what it is told to, and counts."""

    def __init__(self, *answers: float | Exception | None) -> None:
        self.answers = list(answers)
        self.count = 0
        self.began = threading.Semaphore(0)

    def __call__(self) -> float | None:
        self.count += 1
        self.began.release()
        answer = self.answers.pop(0) if self.answers else _NEVER_S
        if isinstance(answer, Exception):
            raise answer
        return answer


class PeriodicTest(base.TestCase):
    def setUp(self) -> None:
        super().setUp()
        self.log = self.useFixture(fixtures.FakeLogger(level=logging.DEBUG))

    def failures(self, **given: float) -> periodic.Failures:
        return periodic.Failures(LOG, "it waits", "it goes on", **given)

    def thread(
        self,
        rounds: periodic.Round,
        failures: periodic.Failures | None = None,
        **given: typing.Any,
    ) -> periodic.Thread:
        made = periodic.Thread(
            "periodic-test", rounds, failures or self.failures(), **given
        )
        self.addCleanup(made.stop)
        return made

    def began(self, rounds: Rounds) -> None:
        self.assertTrue(rounds.began.acquire(timeout=_LIMIT_S))


class ThreadTest(PeriodicTest):
    def test_rounds_follow_after_their_pause(self) -> None:
        rounds = Rounds(0.0, 0.001, 0.001)
        self.thread(rounds).start()

        for _ in range(4):
            self.began(rounds)

        self.assertFalse(rounds.began.acquire(timeout=0.05))

    def test_it_is_woken_at_once(self) -> None:
        rounds = Rounds()
        subject = self.thread(rounds)
        subject.start()
        self.began(rounds)

        subject.wake()

        self.began(rounds)

    def test_being_woken_during_a_round_brings_another(self) -> None:
        rounds = Rounds()

        def wake_once() -> float | None:
            if rounds.count == 0:
                subject.wake()
            return rounds()

        subject = self.thread(wake_once)
        subject.start()

        self.began(rounds)
        self.began(rounds)

    def test_once_woken_it_waits_for_more(self) -> None:
        rounds = Rounds()
        subject = self.thread(rounds, batch_delay_s=_NEVER_S)
        subject.start()
        self.began(rounds)

        for _ in range(3):
            subject.wake()
            # Whatever else comes is waited for first.
            self.assertFalse(rounds.began.acquire(timeout=0.02))

        self.assertTrue(subject.stop(_LIMIT_S))
        self.assertEqual(1, rounds.count)

    def test_the_first_round_may_come_later(self) -> None:
        rounds = Rounds()
        subject = self.thread(rounds)
        subject.start(after_s=_NEVER_S)

        self.assertFalse(rounds.began.acquire(timeout=0.05))
        self.assertTrue(subject.stop(_LIMIT_S))
        self.assertEqual(0, rounds.count)

    def test_a_round_may_be_the_last(self) -> None:
        rounds = Rounds(None)
        subject = self.thread(rounds)
        subject.start()

        subject.wait()

        self.assertEqual(1, rounds.count)

    def test_an_error_is_logged_and_the_next_round_comes(self) -> None:
        rounds = Rounds(ValueError("odd"), errors.Unavailable("away"))
        self.thread(
            rounds, self.failures(first_pause_s=0.001, max_pause_s=0.001)
        ).start()

        for _ in range(3):
            self.began(rounds)

        self.assertEqual(1, self.log.output.count("ValueError: odd"))

    def test_being_woken_leaves_the_pause_after_an_error(self) -> None:
        rounds = Rounds(errors.Unavailable("away"))
        subject = self.thread(
            rounds,
            self.failures(first_pause_s=_NEVER_S, max_pause_s=_NEVER_S),
        )
        subject.start()
        self.began(rounds)

        subject.wake()

        self.assertFalse(rounds.began.acquire(timeout=0.1))

    def test_once_it_goes_well_again_it_is_woken_at_once(self) -> None:
        rounds = Rounds(errors.Unavailable("away"))
        subject = self.thread(rounds, self.failures(first_pause_s=0.001))
        subject.start()
        for _ in range(2):
            self.began(rounds)

        subject.wake()

        self.began(rounds)

    def test_a_hasty_one_tries_again_when_it_is_woken(self) -> None:
        rounds = Rounds(errors.Unavailable("away"))
        subject = self.thread(
            rounds,
            self.failures(first_pause_s=_NEVER_S, max_pause_s=_NEVER_S),
            is_hasty=True,
        )
        subject.start()
        self.began(rounds)

        # A wake before the pause begins counts too.
        subject.wake()

        self.began(rounds)

    def test_stopping_ends_a_pause(self) -> None:
        for answer in (_NEVER_S, errors.Unavailable("away")):
            rounds = Rounds(answer)
            subject = self.thread(
                rounds,
                self.failures(first_pause_s=_NEVER_S, max_pause_s=_NEVER_S),
            )
            subject.start()
            self.began(rounds)

            self.assertTrue(subject.stop(_LIMIT_S / 3))
            self.assertEqual(1, rounds.count)

    def test_a_second_stop_changes_nothing(self) -> None:
        subject = self.thread(Rounds())
        subject.start()

        self.assertTrue(subject.stop(_LIMIT_S))
        self.assertTrue(subject.stop(_LIMIT_S))

    def test_one_that_never_started_has_ended(self) -> None:
        subject = self.thread(Rounds())

        subject.wait()
        self.assertTrue(subject.stop())

    def test_a_round_that_hangs_is_told_of(self) -> None:
        may_end = threading.Event()
        began = threading.Event()

        def hang() -> None:
            began.set()
            may_end.wait(_LIMIT_S)

        subject = self.thread(hang)
        subject.start()
        self.assertTrue(began.wait(_LIMIT_S))

        self.assertFalse(subject.stop(0.01))
        self.assertIn("periodic-test has not ended", self.log.output)

        may_end.set()
        self.assertTrue(subject.stop(_LIMIT_S))

    def test_a_round_sees_that_it_has_to_end(self) -> None:
        began = threading.Event()

        def round_() -> float:
            began.set()
            subject.stopping.wait(_LIMIT_S)
            return 0.0

        subject = self.thread(round_)
        subject.start()
        self.assertTrue(began.wait(_LIMIT_S))

        self.assertTrue(subject.stop(_LIMIT_S / 2))


class CountingTest(PeriodicTest):
    def test_rounds_and_turns_that_fail_are_counted(self) -> None:
        counted = self.useFixture(scraped.Counting())

        def fail() -> bool:
            raise errors.Unavailable("away")

        subject = self.thread(fail)
        turns: periodic.Turns[str] = subject.make_turns(
            "turn-test", self.failures()
        )
        for _ in range(3):
            subject.run_once()
        turns.begin("one", fail)
        self.assertTrue(turns.finish(_LIMIT_S))

        self.assertEqual(
            {("periodic-test",): 3.0, ("turn-test",): 1.0},
            counted.all_of("orch_background_runs_failed_total", "thread"),
        )


class FailuresTest(PeriodicTest):
    def test_pauses_grow_however_often_it_fails(self) -> None:
        subject = self.failures(first_pause_s=0.5, max_pause_s=30.0)
        away = errors.Unavailable("away")

        pauses = [subject.note(away) for _ in range(5_000)]

        self.assertEqual([0.5, 1.0, 2.0], pauses[:3])
        self.assertEqual({30.0}, set(pauses[7:]))

    def test_the_first_and_the_end_are_logged(self) -> None:
        subject = self.failures()

        for _ in range(3):
            subject.note(errors.Unavailable("away"))
        subject.end()
        subject.end()

        self.assertEqual("it waits: away\nit goes on\n", self.log.output)

    def test_after_its_end_it_counts_anew(self) -> None:
        subject = self.failures()
        subject.note(errors.Unavailable("away"))
        subject.note(errors.Unavailable("away"))
        subject.end()

        self.assertEqual(1.0, subject.note(errors.Unavailable("again")))
        self.assertIn("it waits: again", self.log.output)

    def test_each_error_of_ours_leaves_its_traceback(self) -> None:
        subject = self.failures()

        subject.note(ValueError("one"))
        subject.note(ValueError("two"))

        self.assertIn("ValueError: one", self.log.output)
        self.assertIn("it waits, still", self.log.output)
        self.assertIn("ValueError: two", self.log.output)


class TurnsTest(PeriodicTest):
    def setUp(self) -> None:
        super().setUp()
        self.rounds = Rounds()
        self.periodic_thread = self.thread(self.rounds)
        self.turns: periodic.Turns[str] = self.periodic_thread.make_turns(
            "periodic-turn", self.failures()
        )
        self.may_end = threading.Event()
        self.addCleanup(self.may_end.set)

    def hold(self) -> bool:
        return self.may_end.wait(_LIMIT_S)

    def test_turns_run_side_by_side(self) -> None:
        both = threading.Barrier(2, timeout=_LIMIT_S)
        for key in ("a", "b"):
            self.turns.begin(key, lambda: both.wait() >= 0)

        self.assertTrue(self.turns.finish(_LIMIT_S))
        self.assertFalse(both.broken)

    def test_it_is_known_what_has_a_turn(self) -> None:
        self.turns.begin("a", self.hold)
        self.assertEqual({"a"}, self.turns.keys)

        self.may_end.set()
        self.assertTrue(self.turns.finish(_LIMIT_S))
        self.assertEqual(frozenset(), self.turns.keys)

    def test_one_that_left_something_wakes_the_thread(self) -> None:
        self.periodic_thread.start()
        self.began(self.rounds)

        self.turns.begin("a", lambda: True)

        self.began(self.rounds)

    def test_one_that_left_nothing_or_failed_does_not(self) -> None:
        self.periodic_thread.start()
        self.began(self.rounds)

        def fail() -> bool:
            raise ValueError("odd")

        self.turns.begin("a", lambda: False)
        self.turns.begin("b", fail)
        self.assertTrue(self.turns.finish(_LIMIT_S))

        self.assertFalse(self.rounds.began.acquire(timeout=0.05))
        self.assertIn("ValueError: odd", self.log.output)
        self.assertEqual(frozenset(), self.turns.keys)

    def test_who_is_woken_sees_the_turn_ended(self) -> None:
        seen: list[frozenset[str]] = []

        def look() -> float:
            seen.append(self.turns.keys)
            return self.rounds() or 0.0

        self.periodic_thread = self.thread(look)
        self.turns = self.periodic_thread.make_turns("turn", self.failures())
        self.turns.begin("a", self.hold)
        self.periodic_thread.start()
        self.began(self.rounds)

        self.may_end.set()
        self.began(self.rounds)

        self.assertEqual([{"a"}, frozenset()], seen)

    def test_a_key_has_one_turn_at_a_time(self) -> None:
        self.turns.begin("a", self.hold)

        error = self.assertRaises(ValueError, self.turns.begin, "a", self.hold)

        self.assertEqual("periodic-turn: a has a turn already", str(error))
        self.assertEqual({"a"}, self.turns.keys)
        self.assertFalse(self.turns.finish(0.01))
        self.may_end.set()
        self.assertTrue(self.turns.finish(_LIMIT_S))

    def test_each_key_has_failures_of_its_own(self) -> None:
        def fail() -> bool:
            raise errors.Unavailable("away")

        def take(key: str, work: collections.abc.Callable[[], bool]) -> None:
            self.turns.begin(key, work)
            self.assertTrue(self.turns.finish(_LIMIT_S))

        for _ in range(3):
            take("bad", fail)
            take("good", lambda: False)

        self.assertEqual("it waits: away\n", self.log.output)
        take("bad", lambda: False)
        self.assertEqual("it waits: away\nit goes on\n", self.log.output)
        take("bad", fail)
        self.assertEqual(2, self.log.output.count("it waits: away"))

    def test_failures_of_so_many_keys_are_known(self) -> None:
        def fail() -> bool:
            raise errors.Unavailable("away")

        self.useFixture(fixtures.MonkeyPatch("orch.periodic._MAX_FAILING", 2))
        self.turns = self.periodic_thread.make_turns("turn", self.failures())
        for key in ("a", "b", "c", "c", "b", "a"):
            self.turns.begin(key, fail)
            self.assertTrue(self.turns.finish(_LIMIT_S))

        # The first of three is not known any more when it fails again.
        self.assertEqual(4, self.log.output.count("it waits: away"))

    def test_stopping_waits_for_turns(self) -> None:
        self.periodic_thread.start()
        self.turns.begin("a", self.hold)

        self.assertFalse(self.periodic_thread.stop(0.05))
        self.may_end.set()
        self.assertTrue(self.periodic_thread.stop(_LIMIT_S))

    def test_without_a_thread_for_it_nothing_has_begun(self) -> None:
        def refuse(_: threading.Thread) -> None:
            raise RuntimeError("can't start new thread")

        self.useFixture(fixtures.MonkeyPatch("threading.Thread.start", refuse))

        self.assertRaises(RuntimeError, self.turns.begin, "a", self.hold)
        self.assertEqual(frozenset(), self.turns.keys)


class WithinTest(PeriodicTest):
    def test_it_waits_for_what_ends(self) -> None:
        done: list[int] = []

        self.assertTrue(
            periodic.run_within(_LIMIT_S, "test", lambda: done.append(1))
        )
        self.assertEqual([1], done)

    def test_it_gives_up_on_what_hangs(self) -> None:
        may_end = threading.Event()
        self.addCleanup(may_end.set)

        self.assertFalse(
            periodic.run_within(
                0.01, "test", lambda: may_end.wait(_LIMIT_S) and None
            )
        )
