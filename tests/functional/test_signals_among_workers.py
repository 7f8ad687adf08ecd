"""Signals where several workers share a database and a broker."""

import concurrent.futures
import json
import pathlib
import typing

import requests

from tests import base
from tests.functional import databases
from tests.functional import signalling
from tests.support import rest
from tests.support import running

_OPTIONS: typing.Final = {
    "engine": {"lease_ttl": 2, "scan_interval": 0.2},
    "signals": {"seal_keys": "k" * 32},
}


class _Case(signalling.SignalMixin, base.TestCase):
    limit_s = 180
    database: type[databases.PostgreSQL] = databases.PostgreSQL

    def setUp(self) -> None:
        super().setUp()
        self.running = self.useFixture(
            running.Distributed(_OPTIONS, database=self.database)
        )
        self.system = self.running.system
        self.client = self.system.client

    def flood(self, url: str, bodies: list[dict[str, object]]) -> set[int]:
        """Send all signals, eight at a time; return the statuses."""
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            return set(
                pool.map(
                    lambda body: (
                        requests.post(url, json=body, timeout=30).status_code
                    ),
                    bodies,
                )
            )

    def check_flood(self) -> None:
        stack = self.begin(signalling.waiting(count=41))
        url = self.url_of(stack)
        bodies: list[dict[str, object]] = [
            {"id": number, "data": number} for number in range(40)
        ]
        statuses = self.flood(url, bodies * 3)
        self.assertEqual({200}, statuses)
        self.assertEqual({200}, self.flood(url, [{"id": 40, "data": 40}]))
        self.client.wait(stack, "CREATE_COMPLETE")

        data = typing.cast(str, self.client.outputs(stack)["data"])
        self.assertEqual(
            {str(number): number for number in range(41)}, json.loads(data)
        )
        self.assertEqual(41, len(self.signals(stack, "handle")))
        numbers = [
            int(str(each["id"])[-12:], 16)
            for each in self.client.events(stack)
        ]
        self.assertEqual(sorted(set(numbers)), numbers)

    def url_of(self, stack: rest.Stack) -> str:
        """Return the address of the handle as this test reaches the API."""
        given = str(self.attributes(stack, "handle")["endpoint"])
        base_url = self.client.endpoint.partition("/v1/")[0]
        return base_url + given[given.index("/v1/") :]


class PostgreSQLTests(_Case):
    def test_a_flood_at_once_is_taken_whole(self) -> None:
        self.check_flood()

    def test_one_signal_lets_hundreds_go_on_that_held_no_thread(self) -> None:
        count = 300
        template = signalling.handle_only()
        for number in range(count):
            template["resources"][f"wait{number}"] = {
                "type": "OS::Heat::WaitCondition",
                "properties": {
                    "handle": {"get_resource": "handle"},
                    "timeout": 600,
                },
            }
        before = self.thread_count()
        stack = self.begin(template)
        found = self.wait_for_parking(stack)
        threads = self.thread_count()
        self.signal(stack, "handle", None)
        self.client.wait(stack, "CREATE_COMPLETE")

        self.assertIn("and 297 more waiting for a signal", found["reason"])
        # A worker has 8 threads for calls of one project and 8 for requests;
        # both come on demand.
        self.assertLessEqual(threads - before, 2 * (8 + 8))

    def thread_count(self) -> int:
        """Return the threads of all processes of the system."""
        return sum(
            len(list(pathlib.Path(f"/proc/{each.pid}/task").iterdir()))
            for each in self.system.members
        )


class MariaDBTests(_Case):
    database = databases.MariaDB

    def test_a_flood_at_once_is_taken_whole(self) -> None:
        self.check_flood()
