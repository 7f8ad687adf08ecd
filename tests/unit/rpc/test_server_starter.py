"""Servers that listen once they can, on real threads."""

import logging
import threading
import typing

import fixtures

from orch import periodic
from orch.rpc import server_starter
from tests import base
from tests.support import waiting

LOG = logging.getLogger(__name__)

_LIMIT_S: typing.Final = 60.0


class Server:
    """Does nothing when it is told to start twice, as the library's."""

    def __init__(self, error: Exception | None) -> None:
        self.error = error
        self.was_notified = False
        self.is_listening = False
        self.has_ended = False

    def start(self, override_pool_size: int) -> None:
        if self.was_notified:
            return
        self.was_notified = True
        if self.error is not None:
            raise self.error
        self.is_listening = True

    def stop(self) -> None:
        self.is_listening = False

    def wait(self) -> None:
        self.has_ended = True


class Broker:
    def __init__(self) -> None:
        self.answers: list[bool] = []

    def is_reachable(self) -> bool:
        return self.answers.pop(0) if self.answers else True


class StarterTest(base.TestCase):
    def setUp(self) -> None:
        super().setUp()
        self.log = self.useFixture(fixtures.FakeLogger())
        self.broker = Broker()
        self.failing: list[Exception] = []
        self.made: list[Server] = []
        self.notified: list[bool] = []
        self.ended: list[bool] = []
        self.failures: list[Exception] = []

    def make(self) -> Server:
        self.made.append(Server(self.failing.pop(0) if self.failing else None))
        return self.made[-1]

    def notify(self) -> None:
        if self.failures:
            raise self.failures.pop(0)
        self.notified.append(self.made[-1].is_listening)

    def end(self) -> None:
        self.ended += [each.has_ended for each in self.made]

    def starter(self) -> server_starter.Starter:
        made = server_starter.Starter(
            "test",
            self.make,  # type: ignore[arg-type]
            self.broker,
            periodic.Failures(
                LOG, "nobody listens", "they listen", first_pause_s=0.001
            ),
            threads=1,
            retry_s=0.001,
            on_started=self.notify,
            on_stopped=self.end,
        )
        self.addCleanup(made.stop, _LIMIT_S)
        return made

    def wait_until_notified(self) -> None:
        waiting.wait_for(
            lambda: self.notified, "a server that listens", _LIMIT_S
        )

    def test_with_its_broker_it_listens_at_once(self) -> None:
        self.starter().start()

        self.assertEqual([True], self.notified)

    def test_without_its_broker_it_listens_later(self) -> None:
        self.broker.answers = [False] * 3
        self.starter().start()
        self.wait_until_notified()

        self.assertEqual(([True], 1), (self.notified, len(self.made)))

    def test_one_that_could_not_start_is_replaced(self) -> None:
        self.failing = [OSError("reset"), OSError("reset")]
        subject = self.starter()
        subject.start_later()
        self.wait_until_notified()

        self.assertEqual(
            [False, False, True], [each.is_listening for each in self.made]
        )
        self.assertEqual(1, self.log.output.count("nobody listens"))
        self.assertTrue(subject.stop(_LIMIT_S))
        self.assertEqual(
            [False, False, True], [each.has_ended for each in self.made]
        )

    def test_one_that_listens_is_kept_until_all_know(self) -> None:
        self.failures = [OSError("reset")]
        self.starter().start_later()
        self.wait_until_notified()

        self.assertEqual(([True], 1), (self.notified, len(self.made)))

    def test_what_comes_after_the_end_waits_for_it(self) -> None:
        subject = self.starter()
        subject.start()

        self.assertTrue(subject.stop(_LIMIT_S))

        self.assertEqual([True], self.ended)

    def test_a_stop_gives_up_on_a_server_that_hangs(self) -> None:
        subject = self.starter()
        subject.start()
        may_end = threading.Event()
        self.addCleanup(may_end.set)
        self.made[0].wait = may_end.wait  # type: ignore[assignment]

        self.assertFalse(subject.stop(0.05))

    def test_one_that_never_started_can_be_stopped(self) -> None:
        self.assertTrue(self.starter().stop(_LIMIT_S))
        self.assertEqual([], self.made)
