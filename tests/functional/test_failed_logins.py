"""How often passwords may be guessed at several processes of the API."""

import itertools
import pathlib
import typing

import bcrypt
import fixtures
import requests

from orch.api import settings
from orch.api.middleware import login_throttle
from orch.api.middleware import stores
from tests import base
from tests.support import redis_server
from tests.support import running
from tests.support import systems
from tests.support import waiting

_FREE = 4
_WHO = ("ann", "192.0.2.1")
_LONG_S = 5
_PATIENCE_S = 60


class _Patient(fixtures.Fixture):
    """No store counts as away because it is slow."""

    def _setUp(self) -> None:  # noqa: N802 - the name that fixtures calls
        module = "orch.api.middleware.shared_store"
        self.useFixture(fixtures.MonkeyPatch(f"{module}._TIMEOUT_S", 60))


class ServersTests(base.TestCase):
    """Two servers that have nothing in common but the store."""

    limit_s = 120

    def setUp(self) -> None:
        super().setUp()
        self.useFixture(_Patient())
        home = pathlib.Path(self.useFixture(fixtures.TempDir()).path)
        self.users = home / "htpasswd"
        hashed = bcrypt.hashpw(b"right", bcrypt.gensalt(4)).decode()
        self.users.write_text(f"ann:{hashed}\nbob:{hashed}\n")

    def two(self, store: str) -> list[systems.System]:
        """Return two servers."""
        options: systems.Options = {
            "api": {
                "auth": "basic",
                "user_file": self.users,
                "basic_grants": "ann demo reader\nbasic_grants = bob * reader",
                "max_failed_logins": _FREE,
                "rate_store": store,
            }
        }
        return [
            self.useFixture(running.Embedded(options)).system for _ in range(2)
        ]

    def ask(
        self, system: systems.System, password: str, user: str = "ann"
    ) -> requests.Response:
        """Return the answer to who looks for stacks."""
        return requests.get(
            f"http://127.0.0.1:{system.port}/v1/demo/stacks",
            auth=(user, password),
            timeout=30,
        )

    def attempt(self, *asked: systems.System) -> None:
        """Use up what is free, by turns."""
        for system, number in zip(
            itertools.cycle(asked), range(_FREE), strict=False
        ):
            answer = self.ask(system, f"wrong{number}")
            self.assertEqual(401, answer.status_code)

    def shut_out(self, system: systems.System) -> int:
        """Guess on until there is time to look around within the pause.

        :returns: how many were looked at
        """
        looked_at: list[requests.Response] = []

        def is_long() -> bool:
            answer = self.ask(system, "wrong")
            if answer.status_code == 401:
                looked_at.append(answer)
            return int(answer.headers.get("Retry-After", 0)) > _LONG_S

        waiting.wait_for(is_long, "a long pause", _PATIENCE_S)
        return len(looked_at)

    def test_with_a_store_they_count_together(self) -> None:
        store = self.useFixture(redis_server.RedisServer())
        first, second = self.two(store.url)
        self.attempt(first, second)
        self.shut_out(first)

        for each in (first, second):
            answer = self.ask(each, "right")
            self.assertEqual(429, answer.status_code)
            self.assertIn("Retry-After", answer.headers)
            self.assertEqual(200, self.ask(each, "right", "bob").status_code)
        waiting.wait_for(
            lambda: self.ask(second, "right").status_code == 200,
            "the end of the pause",
            _PATIENCE_S,
        )
        # What was right at one makes up for all at the other.
        self.attempt(first)

    def test_without_a_store_each_counts_for_itself(self) -> None:
        first, second = self.two("")
        self.attempt(first)
        self.shut_out(first)

        self.assertEqual(429, self.ask(first, "right").status_code)
        self.assertEqual(200, self.ask(second, "right").status_code)

    def test_while_the_store_is_away_each_goes_by_what_it_saw(self) -> None:
        store = self.useFixture(redis_server.RedisServer())
        first, second = self.two(store.url)
        for number in range(_FREE - 1):
            self.assertEqual(401, self.ask(first, f"w{number}").status_code)
        store.kill()

        # As many again would have been free.
        self.assertLess(self.shut_out(first), _FREE + 3)
        self.assertEqual(429, self.ask(first, "right").status_code)
        self.assertEqual(200, self.ask(second, "right").status_code)


class CountsTests(base.TestCase):
    """One count, as several processes use it."""

    def setUp(self) -> None:
        super().setUp()
        self.useFixture(_Patient())
        self.store = self.useFixture(redis_server.RedisServer())
        self.client = self.store.client()
        self.addCleanup(self.client.close)
        self.time = Clock()

    def counts(self) -> login_throttle.Counts:
        """Return what one more process counts with."""
        shared = stores.load_store("shared_login_throttle")
        own = login_throttle.OwnCounts(_FREE, self.time)
        found = shared.SharedCounts(self.store.url, _FREE, own, self.time)
        return typing.cast(login_throttle.Counts, found)

    def test_each_further_one_costs_twice_as_much(self) -> None:
        one, other = self.counts(), self.counts()
        self.assertIsNone(one.begin(_WHO))

        for number in range(_FREE - 1):
            (one, other)[number % 2].count_wrong(_WHO)
            self.assertEqual(0.0, (other, one)[number % 2].begin(_WHO))
        for number, pause_s in enumerate((1, 2, 4, 8, 16, 32, 60, 60, 60)):
            before = self.now()
            (one, other)[number % 2].count_wrong(_WHO)
            self.assertGreaterEqual(self.until(), before + pause_s)
            self.assertLessEqual(self.until(), self.now() + pause_s)
        for each in (one, other):
            self.assertGreater(each.begin(_WHO) or 0, 0)

    def now(self) -> float:
        """Return the time by the clock of the store."""
        seconds, micros = typing.cast(tuple[int, int], self.client.time())
        return seconds + micros / 1e6

    def until(self) -> float:
        """Return when the one pause there is ends, by that clock."""
        (key,) = typing.cast(list[bytes], self.client.keys("*"))
        told = typing.cast(bytes, self.client.hget(key.decode(), "until"))
        return float(told)

    def test_another_address_and_another_user_go_on(self) -> None:
        counts = self.counts()
        for _ in range(_FREE + 3):
            counts.count_wrong(_WHO)

        self.assertIsNone(counts.begin(("ann", "192.0.2.2")))
        self.assertIsNone(counts.begin(("bob", "192.0.2.1")))
        self.assertGreater(counts.begin(_WHO) or 0, 0)
        counts.forget(_WHO)
        self.assertIsNone(self.counts().begin(_WHO))

    def test_after_a_pause_they_are_looked_at_one_by_one(self) -> None:
        module = "orch.api.middleware.login_throttle"
        self.useFixture(fixtures.MonkeyPatch(f"{module}.LOOKING_S", 60))
        one, other = self.counts(), self.counts()
        for _ in range(_FREE):
            one.count_wrong(_WHO)
        waiting.wait_for(
            lambda: one.begin(_WHO) == 0.0, "the end of the pause"
        )

        self.assertGreater(other.begin(_WHO) or 0, 0)

    def test_the_store_forgets_and_shows_no_names(self) -> None:
        self.counts().count_wrong(_WHO)

        (key,) = typing.cast(list[bytes], self.client.keys("*"))
        self.assertNotIn(b"ann", key)
        self.assertNotIn(b"192.0.2.1", key)
        left_s = typing.cast(int, self.client.ttl(key))
        self.assertGreater(left_s, 0)
        self.assertLessEqual(left_s, login_throttle.FORGET_AFTER_S)

    def test_what_is_no_address_is_told_at_once(self) -> None:
        limits = settings.Settings(rate_store="cache:6379")

        error = self.assertRaises(
            stores.BadStore, login_throttle.find_throttle, limits, self.time
        )

        self.assertIn("rate_store in [api] is no address", error.message)

    def test_without_a_limit_no_store_is_needed(self) -> None:
        limits = settings.Settings(
            rate_store="cache:6379", max_failed_logins=-1
        )

        found = login_throttle.find_throttle(limits, self.time)

        for _ in range(99):
            self.assertRaises(ValueError, self._wrong, found)

    def _wrong(self, found: login_throttle.LoginThrottle) -> None:
        with found.attempt(_WHO):
            raise ValueError


class Clock:
    """A clock that a test moves."""

    def __init__(self) -> None:
        self.seconds = 1000.0

    def now(self) -> float:
        return self.seconds

    def monotonic(self) -> float:
        return self.seconds
