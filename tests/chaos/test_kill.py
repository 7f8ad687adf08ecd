"""``kill -9`` of a worker at any moment: operations end by themselves.

The moments are drawn from a seed, so that a failure comes again.
"""

import random
import threading
import time
import typing

from tests.chaos import base
from tests.chaos import templates
from tests.functional import databases
from tests.support import processes
from tests.support import soak

_SEED = 20261120
_BUSY_S = 1.3
"""About as long as the workers are busy with one round of stacks."""


class KillTestCase(base.ChaosTestCase):
    """Rounds of: ask for stacks, kill, look; delete them, kill, look.

    :ivar points: kills, each of one worker at one moment
    """

    limit_s = soak.rounds(300, 3600)
    name = ""

    def setUp(self) -> None:
        super().setUp()
        self.random = random.Random(f"{_SEED}-{self.name}")
        self.points = 0
        self.latest_s = 0.0

    def play(self, rounds: int) -> None:
        """Play rounds and check each; then that the kills hit something."""
        for number in range(rounds):
            asked = self.create_some(number)
            self.check_after_kill()
            self.check_created(asked)
            for each in asked:
                self.system.client.delete(each.stack)
            self.check_after_kill()
            self.check_deleted(asked)
        taken_over = [
            each
            for each in self.records.operations()
            if typing.cast(int, each["fence"]) > 1
        ]
        # Most kills must have found work, else this shows nothing.
        self.assertGreaterEqual(len(taken_over), self.points // 2)
        self.assertLessEqual(self.latest_s, base.TAKEN_OVER_S)

    def create_some(self, number: int) -> list[base.AcceptedStack]:
        """Ask for a chain and a flat stack, twice."""
        delays = {
            "delay_before_s": 0.08,
            "delay_after_s": 0.08,
            "ready_after_s": 0.05,
            "gone_after_s": 0.2,
        }
        asked = []
        for place in range(4):
            name = f"s{number}-{place}"
            shape = templates.SHAPES[place % 2]
            asked.append(self.create(name, shape(name, 5, **delays)))
        return asked

    def check_after_kill(self) -> None:
        """Kill at some moment; check that all ends well and in time."""
        time.sleep(self.random.uniform(0.0, _BUSY_S))
        restart = self.kill_one()
        killed_at = time.time()
        self.points += 1
        ended_at = self.records.wait_until_idle(
            timeout_s=base.TAKEN_OVER_S + 5
        )
        self.latest_s = max(self.latest_s, ended_at - killed_at)
        restart.join()

    def kill_one(self) -> threading.Thread:
        """Kill a worker and start it again; the thread ends once it works."""
        raise NotImplementedError


class DistributedTestCase(KillTestCase):
    def kill_one(self) -> threading.Thread:
        hosts, engines = self.records.hosts(), self.system.engines
        at_work = {hosts.get(owner) for owner in self.records.owners()}
        busy = [each for each in engines if each.log.stem in at_work]
        victim = self.random.choice(busy or engines)
        victim.kill()
        restart = threading.Thread(target=self.restart, args=(victim,))
        restart.start()
        return restart

    def restart(self, victim: processes.Process) -> None:
        before = set(self.records.hosts())
        victim.start()
        victim.wait_until(lambda: bool(set(self.records.hosts()) - before))


class PostgresqlTests(DistributedTestCase):
    name = "postgresql"

    def test_every_operation_ends_by_itself_and_makes_nothing_twice(
        self,
    ) -> None:
        self.distribute()

        rounds = soak.rounds(4, 60)
        self.play(rounds)

        self.assertEqual(2 * rounds, self.points)


class MariadbTests(DistributedTestCase):
    name = "mariadb"

    def test_every_operation_ends_by_itself_and_makes_nothing_twice(
        self,
    ) -> None:
        self.distribute(database=databases.MariaDB)

        self.play(soak.rounds(2, 30))


class EmbeddedTests(KillTestCase):
    name = "embedded"

    def kill_one(self) -> threading.Thread:
        self.system.server.kill()
        restart = threading.Thread(target=self.system.start)
        restart.start()
        return restart

    def test_the_one_process_goes_on_with_what_was_running(self) -> None:
        self.embed()

        self.play(soak.rounds(2, 30))
