"""Metrics of several processes on one machine, and of one that is lost."""

import re
import typing

from tests import base
from tests.support import ports
from tests.support import processes
from tests.support import running
from tests.support import scraped
from tests.support import waiting
from tests.support import world
from tests.support import world_templates

LIMIT_S: typing.Final = 60
SHOWN: typing.Final = re.compile(
    r"(\S+) shows its metrics on http://\S+:(\d+)/"
)


class WorkersTests(base.TestCase):
    """On RabbitMQ and PostgreSQL, with one file of metrics' options."""

    limit_s = 240

    def setUp(self) -> None:
        super().setUp()
        self.world = self.useFixture(world.World())
        self.first = ports.find_free()
        self.system = self.useFixture(
            running.Distributed(
                {
                    "engine": {"lease_ttl": 2, "scan_interval": 0.2},
                    "metrics": {
                        "port": self.first,
                        "ports": 100,
                        "database_interval": 1,
                    },
                },
                self.world.environment,
                workers=2,
                searchers=1,
            )
        ).system
        self.client = self.system.client

    def scrape(self, process: processes.Process) -> scraped.Scraped:
        """Return what a process shows, once it says where."""
        found = waiting.wait_for(
            lambda: SHOWN.findall(process.log.read_text()),
            f"{process.log.name} says where it shows its metrics",
            LIMIT_S,
        )
        return scraped.scrape(int(found[-1][1]))

    def test_each_process_has_a_port_of_its_own(self) -> None:
        found = [self.scrape(each) for each in self.system.members]

        self.assertEqual(
            ["orch-api", "orch-engine", "orch-engine", "orch-search"],
            [
                program
                for each in found
                for (program,) in each.all_of("orch_process_info", "program")
            ],
        )
        self.assertEqual(
            [False, True, True, False],
            ["orch_notifications_waiting" in each for each in found],
        )
        self.assertIn("orch_search_stacks_waiting", found[-1])

    def busy_first(self) -> list[processes.Process]:
        """Return the worker that runs the one operation, then the other."""

        def found() -> list[processes.Process]:
            first, second = self.system.engines
            return {
                (1.0, 0.0): [first, second],
                (0.0, 1.0): [second, first],
            }.get((self.running(first), self.running(second)), [])

        return waiting.wait_for(found, "one runs it", LIMIT_S)

    def running(self, process: processes.Process) -> float:
        return self.scrape(process).value("orch_operations_running")

    def lost(self, process: processes.Process) -> float:
        return self.scrape(process).value("orch_leases_lost_total")

    def test_a_lost_worker_is_counted_by_who_goes_on(self) -> None:
        self.world.order("s", "create", "b")
        stack = self.client.create("s", world_templates.chain())
        waiting.wait_for(
            lambda: (
                "b"
                in [
                    each.name
                    for each in self.world.calls("s")
                    if each.act == "create"
                ]
            ),
            "b is begun",
        )
        busy, other = self.busy_first()

        busy.kill()
        waiting.wait_for(
            lambda: self.running(other) == 1,
            "the other one has taken it over",
            LIMIT_S,
        )
        self.world.release("s")
        self.client.wait(stack, "CREATE_COMPLETE", timeout_s=LIMIT_S)
        waiting.wait_for(
            lambda: "orch_operations_ended_total" in self.scrape(other),
            "its end is counted",
        )

        found = self.scrape(other)
        # On a slow machine it loses what it runs, and takes it up again.
        self.assertGreaterEqual(found.value("orch_leases_taken_over_total"), 1)
        taken = found.all_of("orch_operations_taken_total", "action", "turn")
        self.assertGreaterEqual(taken["CREATE", "again"], 1)
        self.assertEqual(
            {("CREATE", "complete"): 1.0},
            found.all_of("orch_operations_ended_total", "action", "outcome"),
        )

    def test_a_worker_that_stood_still_has_lost_its_lease(self) -> None:
        self.world.order("s", "create", "b")
        stack = self.client.create("s", world_templates.chain())
        busy, other = self.busy_first()
        lost = self.lost(busy)

        busy.freeze()
        waiting.wait_for(
            lambda: self.running(other) == 1,
            "the other one has taken it over",
            LIMIT_S,
        )
        busy.thaw()

        waiting.wait_for(
            lambda: self.lost(busy) > lost,
            "it knows what it has lost",
            LIMIT_S,
        )
        self.world.release("s")
        self.client.wait(stack, "CREATE_COMPLETE", timeout_s=LIMIT_S)
