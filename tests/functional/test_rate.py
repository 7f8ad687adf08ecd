"""How many requests a project may send to several processes of the API."""

import concurrent.futures
import typing

from orch.api.middleware import rate
from orch.api.middleware import stores
from tests import base
from tests.support import redis_server
from tests.support import rest
from tests.support import running
from tests.support import systems

_BURST = 20
_MANY = 60


class RateTests(base.TestCase):
    """Two servers that have nothing in common but the store."""

    limit_s = 120

    def options(self, store: str) -> systems.Options:
        return {
            "api": {
                "requests_per_minute": 1,
                "request_burst": _BURST,
                "rate_store": store,
            }
        }

    def two(self, store: str) -> list[rest.Client]:
        """Return a client of each server, for a project that nobody used."""
        return [
            self.project(
                self.useFixture(
                    running.Embedded(self.options(store))
                ).system.client,
                "fresh",
            )
            for _ in range(2)
        ]

    def project(self, client: rest.Client, name: str) -> rest.Client:
        base_url = client.endpoint.rpartition("/")[0]
        found = rest.Client(f"{base_url}/{name}")
        self.addCleanup(found.close)
        return found

    def served(self, *clients: rest.Client) -> int:
        """Return how many of many requests are served, sent by turns."""

        def ask(number: int) -> bool:
            try:
                clients[number % len(clients)].get("/stacks", "stacks")
            except rest.RefusedError as error:
                self.assertEqual(
                    (429, "RequestLimitExceeded"), (error.status, error.type)
                )
                return False
            return True

        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            return sum(pool.map(ask, range(_MANY)))

    def test_without_a_store_each_counts_for_itself(self) -> None:
        clients = self.two("")

        self.assertEqual(2 * _BURST, self.served(*clients))

    def test_with_a_store_they_count_together(self) -> None:
        store = self.useFixture(redis_server.RedisServer())
        clients = self.two(store.url)

        self.assertEqual(_BURST, self.served(*clients))

        others = [self.project(each, "other") for each in clients]
        self.assertEqual(
            [[], []], [each.get("/stacks", "stacks") for each in others]
        )

    def test_while_the_store_is_away_each_counts_for_itself(self) -> None:
        store = self.useFixture(redis_server.RedisServer())
        clients = self.two(store.url)
        store.kill()

        self.assertEqual(2 * _BURST, self.served(*clients))


class FillingTests(base.TestCase):
    """One bucket, as several processes use it."""

    def setUp(self) -> None:
        super().setUp()
        self.store = self.useFixture(redis_server.RedisServer())
        self.time = Clock()

    def buckets(self, per_s: float, burst: int) -> rate.Take:
        shared = stores.load_store("shared_rate")
        own = rate.own_buckets(per_s, 1, self.time)
        found = shared.share_buckets(
            self.store.url, per_s, burst, own, self.time
        )
        return typing.cast(rate.Take, found)

    def test_what_is_to_be_waited_is_told(self) -> None:
        buckets = self.buckets(0.01, 2)

        told = [buckets("p") for _ in range(3)]

        self.assertEqual([0.0, 0.0], told[:2])
        self.assertAlmostEqual(100.0, told[2], delta=5)

    def test_a_bucket_fills_by_the_clock_of_the_store(self) -> None:
        buckets = self.buckets(1e6, 1)

        self.assertEqual([0.0] * 20, [buckets("p") for _ in range(20)])

    def test_a_store_that_is_back_is_asked_again_after_a_while(self) -> None:
        buckets = self.buckets(0.001, 3)
        self.assertEqual(0.0, buckets("p"))
        self.store.kill()
        # The own bucket has room for one.
        self.assertEqual(0.0, buckets("p"))
        self.assertLess(900, buckets("p"))
        self.store.start()

        self.assertLess(900, buckets("p"))
        self.time.seconds += 6
        again = [buckets("p") for _ in range(3)]

        self.assertEqual([0.0] * 3, again)

    def test_what_is_no_address_is_told_at_once(self) -> None:
        shared = stores.load_store("shared_rate")

        error = self.assertRaises(
            stores.BadStore,
            shared.share_buckets,
            *("cache:6379", 1.0, 1, None, self.time),
        )

        self.assertIn("rate_store in [api] is no address", error.message)


class Clock:
    """A clock that a test moves."""

    def __init__(self) -> None:
        self.seconds = 1000.0

    def now(self) -> float:
        return self.seconds

    def monotonic(self) -> float:
        return self.seconds
