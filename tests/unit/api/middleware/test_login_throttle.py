"""How often passwords may be guessed."""

import threading
import typing

from falcon import testing

from orch import errors
from orch.api import errors as api_errors
from orch.api import settings
from orch.api import web
from orch.api.middleware import login_throttle
from tests import base

_WHO = ("ann", "192.0.2.1")
_FREE = 3


class _Clock:
    def __init__(self) -> None:
        self.seconds = 1000.0

    def now(self) -> typing.NoReturn:
        raise AssertionError

    def monotonic(self) -> float:
        return self.seconds


def _request(peer: str, **headers: str) -> web.Request:
    """Return a request of the middleware's own kind."""
    named = {name.replace("_", "-"): text for name, text in headers.items()}
    return web.Request(testing.create_environ(remote_addr=peer, headers=named))


class _WrongError(Exception):
    pass


class FailedLoginsTest(base.TestCase):
    def setUp(self) -> None:
        super().setUp()
        self.clock = _Clock()
        self.throttle = self.made(_FREE)

    def made(self, free: int, *proxies: str) -> login_throttle.LoginThrottle:
        limits = settings.Settings(
            max_failed_logins=free, trusted_proxies=proxies
        )
        return login_throttle.find_throttle(
            limits, typing.cast(typing.Any, self.clock)
        )

    def wrong(self, who: login_throttle.Who = _WHO) -> None:
        def attempt() -> None:
            with self.throttle.attempt(who):
                raise _WrongError

        self.assertRaises(_WrongError, attempt)

    def right(self, who: login_throttle.Who = _WHO) -> None:
        with self.throttle.attempt(who):
            pass

    def refused(self, who: login_throttle.Who = _WHO) -> str:
        error = self.assertRaises(
            api_errors.TooManyFailedLogins,
            self.throttle.attempt(who).__enter__,
        )
        return error.headers["Retry-After"]

    def use_up(self) -> None:
        for _ in range(_FREE):
            self.wrong()

    def test_each_wrong_one_costs_twice_as_much(self) -> None:
        self.use_up()

        paid = []
        for _ in range(8):
            paid.append(int(self.refused()))
            self.clock.seconds += paid[-1]
            self.wrong()

        self.assertEqual([1, 2, 4, 8, 16, 32, 60, 60], paid)

    def test_what_comes_in_a_pause_makes_it_no_longer(self) -> None:
        self.use_up()
        for _ in range(5):
            self.assertEqual("1", self.refused())
        self.clock.seconds += 1
        self.right()
        self.wrong()
        self.right()

    def test_after_a_while_all_is_forgotten(self) -> None:
        for _ in range(_FREE + 5):
            self.wrong()
            self.clock.seconds += 60
        self.clock.seconds += 901
        self.use_up()
        self.assertEqual("1", self.refused())

    def test_after_a_pause_they_are_looked_at_one_by_one(self) -> None:
        self.use_up()
        self.clock.seconds += 1
        entered, told = threading.Event(), threading.Event()

        def hold() -> None:
            with self.throttle.attempt(_WHO):
                entered.set()
                told.wait(60)

        first = threading.Thread(target=hold)
        first.start()
        self.addCleanup(first.join)
        self.addCleanup(told.set)
        self.assertTrue(entered.wait(60))
        self.assertEqual("1", self.refused())
        told.set()
        first.join()
        self.right()

    def test_what_nobody_could_look_at_does_not_count(self) -> None:
        def attempt() -> None:
            with self.throttle.attempt(_WHO):
                raise errors.Unavailable("the file is away")

        for _ in range(_FREE + 1):
            self.assertRaises(errors.Unavailable, attempt)
        self.right()

    def test_another_address_and_another_user_go_on(self) -> None:
        self.use_up()
        self.right(("ann", "192.0.2.2"))
        self.right(("bob", "192.0.2.1"))
        self.refused()

    def test_only_so_many_are_remembered(self) -> None:
        self.use_up()
        for number in range(10_000):
            self.wrong((f"u{number}", "192.0.2.1"))
        counts = self.throttle._counts
        assert isinstance(counts, login_throttle.OwnCounts)
        self.assertEqual(10_000, len(counts._known))
        self.right()

    def test_without_a_limit_none_is_counted(self) -> None:
        self.throttle = self.made(-1)
        for _ in range(100):
            self.wrong()
        self.right()

    def test_only_proxies_that_are_known_are_believed(self) -> None:
        route = ("198.51.100.7", "192.0.2.9", "192.0.2.1")
        req = _request("192.0.2.1", X_Forwarded_For="198.51.100.7, 192.0.2.9")
        for proxies, address in (
            ((), "192.0.2.1"),
            (("192.0.2.1",), "192.0.2.9"),
            (("192.0.2.1", "192.0.2.9"), "198.51.100.7"),
            (route, "198.51.100.7"),
        ):
            self.assertEqual(
                ("ann", address), self.made(1, *proxies).who(req, "ann")
            )

    def test_forwarded_names_no_address(self) -> None:
        for peer in ("192.0.2.1", "::ffff:192.0.2.1"):
            req = _request(
                peer,
                X_Forwarded_For="192.0.2.9",
                Forwarded="for=198.51.100.7",
            )
            self.assertEqual(
                ("ann", "192.0.2.9"), self.made(1, "192.0.2.1").who(req, "ann")
            )
        req = _request("192.0.2.1", Forwarded="for=198.51.100.7")
        self.assertEqual(
            ("ann", "192.0.2.1"), self.made(1, "192.0.2.1").who(req, "ann")
        )

    def test_a_long_name_takes_no_more_room(self) -> None:
        req = _request("192.0.2.1")
        self.assertEqual(256, len(self.throttle.who(req, "x" * 9999)[0]))
