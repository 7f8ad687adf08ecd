"""``kill -9`` amid moves: a thing is in one of two stacks, and untouched."""

import functools
import json
import random
import threading
import time
import typing

import requests

from tests.chaos import base
from tests.chaos import templates
from tests.functional import databases
from tests.support import move_bodies
from tests.support import processes
from tests.support import rest
from tests.support import soak
from tests.support import waiting

ROUNDS = soak.rounds(6, 60)
_MOST_ROUNDS = max(60, 3 * ROUNDS)
_FIRST_S = 0.25
_FASTER = 0.7
_SLOWER = 1.4
_LEAST_S, _MOST_S = 0.005, 5.0
"""Beyond these, all kills come too early or too late for good."""
_SEED = 20261121
OPTIONS = base.options(engine={"lease_ttl": 0.5, "scan_interval": 0.1})
_THING = "Test::World::Thing"
_INNER = templates.flat("i", 2)
_TOUCHING = frozenset(
    {"create", "made", "update", "updated", "delete", "removed"}
)


class MoveTestCase(base.ChaosTestCase):
    """Two things go from stack to stack, and back again."""

    limit_s = soak.rounds(300, 3600)
    has_child = False
    """A stack in the stack moves as well."""
    max_delay_s = _FIRST_S
    """A kill comes so long after the request at the latest."""

    def prepare(self) -> None:
        """Begin with the system that was started, and with the seed."""
        self.client = self.system.client
        self.random = random.Random(_SEED)

    def begin(self) -> None:
        """Make the stacks on the system that was started."""
        self.prepare()
        wanted = templates.flat("t", 3)
        self.moving = tuple(templates.names("t", 3)[:2])
        if self.has_child:
            wanted["resources"]["inner"] = {
                "type": "OS::Heat::Stack",
                "properties": {"template": json.dumps(_INNER)},
            }
            self.moving = (*self.moving, "inner")
        self.stacks = (
            self.create("s", wanted).stack,
            self.create("r", templates.flat("u", 1)).stack,
        )
        for each in self.stacks:
            self.client.wait(each, "CREATE_COMPLETE")

    def kill(self) -> typing.Callable[[], None]:
        """Kill a process; return what starts it again."""
        raise NotImplementedError

    def ids(self, stack: rest.Stack) -> dict[str, object]:
        rows = self.client.resources(stack)
        return {n: row["physical_resource_id"] for n, row in rows.items()}

    def move_amid(self, source: rest.Stack, target: rest.Stack) -> None:
        """Move, kill at a point of time that the seed gives, and restart."""
        body = move_bodies.written(
            self.system.endpoint, source, target.id, list(self.moving)
        )
        ask = functools.partial(
            self.client.ask, "POST", f"{source.path}/move", body
        )
        asking = threading.Thread(target=_quietly, args=(ask,))
        asking.start()
        time.sleep(self.random.uniform(0, self.max_delay_s))
        restart = self.kill()
        asking.join(30)
        restart()

    def wait_whole(self) -> None:
        """Wait until neither stack has anything under way."""
        for each in (*self.roots(), *self.stacks):
            pace = waiting.Pace()
            while True:
                status = str(self.client.show(each)["stack_status"])
                if status.endswith("_COMPLETE"):
                    break
                self.assertLess(pace.waited_s(), 30, status)
                pace.pause()

    def roots(self) -> list[rest.Stack]:
        """Return the outermost stacks."""
        return list(self.stacks)

    def touched(self) -> list[tuple[str, str]]:
        return [
            (each.act, each.name)
            for each in self.world.calls()
            if each.act in _TOUCHING
        ]

    def resource_names(self, stack: rest.Stack) -> list[str]:
        """Return the names of the things in a stack, at any depth."""
        found = self.client.get(
            f"{stack.path}/resources?nested_depth=2", "resources"
        )
        return sorted(
            str(each["resource_name"])
            for each in typing.cast(list[rest.Json], found)
            if each["resource_type"] == _THING
        )

    def play(self, rounds: int) -> None:
        """Move again and again; each time all has moved, or nothing."""
        self.begin()
        before = self.touched()
        all_ids = [self.ids(each) for each in self.stacks]
        wanted = {n: i for found in all_ids for n, i in found.items()}
        went, number = 0, 0
        source, target = self.stacks
        while number < rounds or went in (0, number):
            number += 1
            self.assertLess(number, _MOST_ROUNDS, "all went, or none")
            self.move_amid(source, target)
            self.wait_whole()

            left, come = self.ids(source), self.ids(target)
            self.assertEqual(wanted, {**left, **come}, number)
            self.assertEqual(set(), set(left) & set(come), number)
            have_gone = {name in come for name in self.moving}
            self.assertEqual(1, len(have_gone), number)
            # However fast the machine is: kills come too early and too late.
            self.max_delay_s *= _FASTER if have_gone == {True} else _SLOWER
            if not _LEAST_S < self.max_delay_s < _MOST_S:
                self.max_delay_s = _FIRST_S
            if have_gone == {True}:
                went += 1
                source, target = target, source

        self.assertEqual(before, self.touched())
        if self.moving[0] not in self.ids(source):
            source, target = target, source
        self.end(source, target)

    def end(self, source: rest.Stack, target: rest.Stack) -> None:
        """Delete the stack that has what moves; the other one stands."""
        self.client.delete(source)
        self.client.wait(source, "DELETE_COMPLETE")
        self.assertEqual(
            self.resource_names(target), sorted(self.world.names())
        )


class EmbeddedTests(MoveTestCase):
    def kill(self) -> typing.Callable[[], None]:
        self.system.server.kill()
        return self.system.start

    def test_a_g7_at_seeded_points_all_moves_or_nothing(self) -> None:
        self.embed(OPTIONS)

        self.play(ROUNDS)


class NestedTests(EmbeddedTests):
    has_child = True


class DistributedTests(MoveTestCase):
    """One of two workers dies, often the one that moves."""

    def kill(self) -> typing.Callable[[], None]:
        victim = self.random.choice(self.system.engines)
        victim.kill()
        return lambda: self.restart(victim)

    def restart(self, victim: processes.Process) -> None:
        before = set(self.records.hosts())
        victim.start()
        victim.wait_until(lambda: bool(set(self.records.hosts()) - before))

    def test_a_g7_on_postgresql_all_moves_or_nothing(self) -> None:
        self.distribute(OPTIONS)

        self.play(ROUNDS)

    def test_a_g7_on_mariadb_all_moves_or_nothing(self) -> None:
        self.distribute(OPTIONS, database=databases.MariaDB)

        self.play(ROUNDS // 2)


def _quietly(ask: typing.Callable[[], object]) -> None:
    try:
        ask()
    except (requests.RequestException, rest.RefusedError):
        return
