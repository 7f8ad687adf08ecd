"""What tests of held and restricted resources share: one server, a stack."""

import itertools
import time
import typing

import fixtures

from tests import base
from tests.support import rest
from tests.support import running
from tests.support import systems
from tests.support import world

NUMBERS = itertools.count()

Json = dict[str, object]
Fixture = typing.TypeVar("Fixture", bound=fixtures.Fixture)


def options(**engine: object) -> systems.Options:
    """Return options of a worker that notices soon, and more of them."""
    return {"engine": {"lease_ttl": 2, "scan_interval": 0.2, **engine}}


def thing(*needed: str, **properties: object) -> Json:
    """Return the declaration of one thing of the world."""
    return {
        "type": "Test::World::Thing",
        "depends_on": list(needed),
        "properties": properties,
    }


def template(**things: Json) -> Json:
    return {"heat_template_version": "2021-04-16", "resources": things}


def hooks(**found: object) -> Json:
    """Return an environment with breakpoints at resources."""
    return _special("hooks", found)


def restricted(**found: object) -> Json:
    """Return an environment that forbids something of resources."""
    return _special("restricted_actions", found)


def _special(kind: str, found: dict[str, object]) -> Json:
    resources = {
        name.replace("_all", "*"): {kind: value}
        for name, value in found.items()
    }
    return {"resource_registry": {"resources": resources}}


class HoldingTestCase(base.TestCase):
    """A class has one server, a test one stack."""

    limit_s = 120
    options = options()

    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        cls.world = cls.use(world.World())
        cls.system = cls.use(
            running.Embedded(cls.options, cls.world.environment)
        ).system
        cls.client = cls.system.client

    @classmethod
    def use(cls, fixture: Fixture) -> Fixture:
        cls.addClassCleanup(fixture.cleanUp)
        fixture.setUp()
        return fixture

    def setUp(self) -> None:
        super().setUp()
        self.name = f"s{next(NUMBERS)}"

    def create(self, wanted: Json, environment: Json) -> rest.Stack:
        return self.client.create(self.name, wanted, environment=environment)

    def update(
        self, stack: rest.Stack, wanted: Json, environment: Json
    ) -> None:
        body = {"template": wanted, "environment": environment}
        self.client.ask("PUT", stack.path, body)

    def signal(self, stack: rest.Stack, name: str, body: object) -> None:
        path = f"{stack.path}/resources/{name}/signal"
        self.assertIsNone(self.client.ask("POST", path, body))

    def clear(self, stack: rest.Stack, name: str, hook: str) -> None:
        self.signal(stack, name, {"unset_hook": hook})

    def refused(
        self, stack: rest.Stack, name: str, body: object
    ) -> tuple[int, str]:
        """Return status and error type of a signal that must fail."""
        error = self.assertRaises(
            rest.RefusedError, self.signal, stack, name, body
        )
        answer = typing.cast(dict[str, dict[str, str]], error.body)
        return error.status, answer["error"]["type"]

    def operation(self, stack: rest.Stack) -> Json:
        found = self.client.get(f"{stack.path}/operations", "operations")
        return typing.cast(list[Json], found)[0]

    def wait_for_hold(self, stack: rest.Stack, *held: str) -> Json:
        """Return the operation once it waits until these are cleared.

        :param held: hook and resource, ``pre-create of a``
        """
        limit = time.monotonic() + 15
        while True:
            found = self.operation(stack)
            reason = str(found["reason"])
            if found["state"] == "BLOCKED" and all(
                f"Hook {each}" in reason for each in held
            ):
                return found
            self.assertLess(time.monotonic(), limit, found)
            time.sleep(0.02)

    def names(self) -> list[str]:
        return sorted(each.name for each in self.world.things(self.name))

    def story(self, stack: rest.Stack, name: str) -> list[tuple[object, ...]]:
        return [
            (each["resource_status"], each["resource_status_reason"])
            for each in self.client.events(stack)
            if each["resource_name"] == name
        ]
