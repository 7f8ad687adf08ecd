"""``kill -9`` amid moves: a thing is in one of two stacks, and untouched."""

import random
import threading
import time
import typing

import requests

from tests.chaos import base
from tests.chaos import templates
from tests.support import rest

_ROUNDS = 20
_LONGEST_S = 0.25
_SEED = 20261121
_OPTIONS = base.options(engine={"lease_ttl": 0.5, "scan_interval": 0.1})
_TOUCHING = frozenset(
    {"create", "made", "update", "updated", "delete", "removed"}
)


class MoveTests(base.ChaosTestCase):
    """Two things go from stack to stack, and back again."""

    limit_s = 300

    def setUp(self) -> None:
        super().setUp()
        self.embed(_OPTIONS)
        self.client = self.system.client
        self.random = random.Random(_SEED)
        self.stacks = (
            self.create("s", templates.flat("t", 3)).stack,
            self.create("r", templates.flat("u", 1)).stack,
        )
        for each in self.stacks:
            self.client.wait(each, "CREATE_COMPLETE")
        self.moving = tuple(templates.names("t", 3)[:2])

    def ids(self, stack: rest.Stack) -> dict[str, object]:
        rows = self.client.resources(stack)
        return {n: row["physical_resource_id"] for n, row in rows.items()}

    def move(self, source: rest.Stack, target: rest.Stack) -> None:
        body: rest.Json = {
            "target": target.name,
            "resources": list(self.moving),
        }
        self.client.ask("POST", f"{source.path}/move", body)

    def amid(self, ask: typing.Callable[[], object]) -> None:
        """Ask, kill at a point of time that the seed gives, and restart."""
        asking = threading.Thread(target=_quietly, args=(ask,))
        asking.start()
        time.sleep(self.random.uniform(0, _LONGEST_S))
        self.system.server.kill()
        asking.join(30)
        self.system.start()

    def wait_whole(self) -> None:
        """Wait until neither stack has anything under way."""
        for each in self.stacks:
            limit = time.monotonic() + 30
            while True:
                status = str(self.client.show(each)["stack_status"])
                if status.endswith("_COMPLETE"):
                    break
                self.assertLess(time.monotonic(), limit, status)
                time.sleep(0.05)

    def touched(self) -> list[tuple[str, str]]:
        return [
            (each.act, each.name)
            for name in ("s", "r")
            for each in self.world.calls(name)
            if each.act in _TOUCHING
        ]

    def test_a_g7_at_twenty_seeded_points_all_moves_or_nothing(self) -> None:
        before = self.touched()
        all_ids = [self.ids(each) for each in self.stacks]
        wanted = {n: i for found in all_ids for n, i in found.items()}
        went = 0
        source, target = self.stacks
        for number in range(_ROUNDS):
            self.amid(lambda a=source, b=target: self.move(a, b))
            self.wait_whole()

            left, come = self.ids(source), self.ids(target)
            self.assertEqual(wanted, {**left, **come}, number)
            self.assertEqual(set(), set(left) & set(come), number)
            have_gone = {name in come for name in self.moving}
            self.assertEqual(1, len(have_gone), number)
            if have_gone == {True}:
                went += 1
                source, target = target, source

        self.assertEqual(before, self.touched())
        self.assertGreater(went, 0)
        self.assertLess(went, _ROUNDS)
        if self.moving[0] not in self.ids(source):
            source, target = target, source
        self.client.delete(source)
        self.client.wait(source, "DELETE_COMPLETE")
        self.assertEqual(set(self.ids(target)), set(self.world.names()))


def _quietly(ask: typing.Callable[[], object]) -> None:
    try:
        ask()
    except (requests.RequestException, rest.RefusedError):
        return
