"""``kill -9`` amid adoptions and abandonments: no thing is touched."""

import random
import threading
import time
import typing

import requests

from tests.chaos import base
from tests.chaos import records
from tests.chaos import templates
from tests.support import rest
from tests.support import soak

_ROUNDS = soak.rounds(5, 60)
_FAILED_ROUNDS = soak.rounds(2, 15)
_HELD = "t-3"
_THINGS = 6
_LONGEST_S = 0.5
_SEED = 20261121
_OPTIONS = base.options(engine={"lease_ttl": 0.5, "scan_interval": 0.1})
_TOUCHING = frozenset(
    {"create", "made", "update", "updated", "delete", "removed"}
)


class AdoptionTestCase(base.ChaosTestCase):
    """A chain of things that goes from stack to stack."""

    limit_s = soak.rounds(300, 3600)
    environment: typing.ClassVar[rest.Json] = {}

    def setUp(self) -> None:
        super().setUp()
        self.embed(_OPTIONS)
        self.client = self.system.client
        shape = templates.chain("t", _THINGS)
        self.stack = self.create(
            "s", shape, environment=self.environment
        ).stack
        self.client.wait(self.stack, "CREATE_COMPLETE")
        self.ids = self.found_ids()
        self.random = random.Random(_SEED)

    def found_ids(self) -> dict[str, object]:
        rows = self.client.resources(self.stack)
        return {n: row["physical_resource_id"] for n, row in rows.items()}

    def amid(self, ask: typing.Callable[[], object]) -> None:
        """Ask, kill at a point of time that the seed gives, and restart."""
        asking = threading.Thread(target=_quietly, args=(ask,))
        asking.start()
        time.sleep(self.random.uniform(0, _LONGEST_S))
        self.system.server.kill()
        asking.join(30)
        self.system.start()

    def abandon(self) -> rest.Json:
        path = f"{self.stack.path}/abandon"
        found = self.client.ask("DELETE", path)
        return typing.cast(rest.Json, found)

    def adopt(self, document: rest.Json) -> None:
        request = {"stack_name": "s", "adopt_stack_data": document}
        self.client.ask("POST", "/stacks", request)

    def find(self) -> rest.Stack | None:
        try:
            shown = self.client.get("/stacks/s", "stack")
        except rest.RefusedError as refused:
            if refused.status != requests.codes.not_found:
                raise
            return None
        return rest.Stack("s", str(typing.cast(rest.Json, shown)["id"]))

    def touched(self) -> list[tuple[str, str]]:
        return [
            (each.act, each.name)
            for each in self.world.calls("s")
            if each.act in _TOUCHING
        ]

    def find_or_adopt(self, document: rest.Json) -> None:
        """Take the stack that was adopted, or adopt it now."""
        if self.find() is None:
            self.adopt(document)
        adopted = self.find()
        assert adopted is not None
        self.stack = adopted
        self.client.wait(self.stack, "ADOPT_COMPLETE")


class AdoptionTests(AdoptionTestCase):
    def test_at_seeded_points_no_thing_is_touched(self) -> None:
        before = self.touched()
        for number in range(_ROUNDS):
            self.amid(self.abandon)
            document = self.abandon()
            self.client.wait(self.stack, "DELETE_COMPLETE")
            entries = typing.cast(dict[str, rest.Json], document["resources"])
            self.assertEqual(
                self.ids,
                {name: each["resource_id"] for name, each in entries.items()},
                number,
            )

            self.amid(lambda kept=document: self.adopt(kept))
            self.find_or_adopt(document)
            self.assertEqual(self.ids, self.found_ids(), number)
            self.check_notified(number)

        self.assertEqual(before, self.touched())
        self.assertEqual(_THINGS, len(self.world.physical_resources("s")))

    def check_notified(self, number: int) -> None:
        """Check that each beginning and each end was told once."""
        records.wait_until(
            lambda: len(self.client.events(self.stack)) >= 2 * _THINGS + 2,
            what="the events",
        )
        asked = base.AcceptedStack(self.stack, tuple(self.ids))
        self.check_events(asked, ["s", *asked.resource_names], "ADOPT")


class FailedTests(AdoptionTestCase):
    """Each abandonment fails once, and goes on."""

    environment: typing.ClassVar[rest.Json] = {
        "resource_registry": {"resources": {_HELD: {"hooks": "pre-delete"}}}
    }

    def cancel(self) -> None:
        path = f"{self.stack.path}/actions"
        self.client.ask("POST", path, {"cancel_without_rollback": None})

    def clear(self) -> None:
        path = f"{self.stack.path}/resources/{_HELD}/signal"
        self.client.ask("POST", path, {"unset_hook": "pre-delete"})

    def wait_state(self, wanted: str) -> None:
        """Wait until the newest operation of the stack is in a state."""
        path = f"{self.stack.path}/operations"

        def is_there() -> bool:
            found = self.client.get(path, "operations")
            newest = typing.cast(list[rest.Json], found)[0]
            return newest["state"] == wanted

        records.wait_until(is_there, what=wanted)

    def test_a_failed_abandonment_goes_on_at_seeded_points(self) -> None:
        before = self.touched()
        for number in range(_FAILED_ROUNDS):
            self.amid(self.abandon)
            document = self.abandon()
            self.wait_state("BLOCKED")
            self.amid(self.cancel)
            _quietly(self.cancel)
            self.client.wait(self.stack, "DELETE_FAILED")
            self.assertEqual(
                _THINGS, len(self.world.physical_resources("s")), number
            )

            self.amid(self.abandon)
            self.assertEqual(document, self.abandon(), number)
            self.wait_state("BLOCKED")
            self.amid(self.clear)
            _quietly(self.clear)
            self.client.wait(self.stack, "DELETE_COMPLETE")
            self.find_or_adopt(document)
            self.assertEqual(self.ids, self.found_ids(), number)

        self.assertEqual(before, self.touched())


def _quietly(ask: typing.Callable[[], object]) -> None:
    try:
        ask()
    except (requests.RequestException, rest.RefusedError):
        return
