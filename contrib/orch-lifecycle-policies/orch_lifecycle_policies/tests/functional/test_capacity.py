"""Plug-ins that give out what is scarce, asked by many at one time."""

import typing

from tests import base
from tests.functional import databases
from tests.functional import lifecycle
from tests.support import lifecycle as plugins
from tests.support import rest
from tests.support import running
from tests.support import serving
from tests.support import waiting
from tests.support import world
from tests.support import world_templates

_ROOM = 3
_ASKING = 8
_RACKS: lifecycle.Json = {
    "rack-placement": {"racks": {"r1": {"Test::World::Placed": _ROOM}}}
}


def _one() -> lifecycle.Json:
    return world_templates.template(
        a={**world_templates.declare_resource(), "type": "Test::World::Placed"}
    )


class CapacityTestCase(base.TestCase):
    """One rack with room for some, and more that want it.

    :cvar database: of the workers; ``None`` for one process and SQLite
    """

    limit_s = 120
    database: typing.ClassVar[type | None] = None

    def setUp(self) -> None:
        super().setUp()
        self.world = self.useFixture(world.World())
        self.plugins = self.useFixture(plugins.Plugins(1, _RACKS))
        environment = {**self.world.environment, **self.plugins.environment}
        options = {
            **serving.options(call_threads=2 * _ASKING),
            **self.plugins.options,
        }
        kind = self.database
        found: running.Embedded | running.Distributed
        if kind is None:
            found = running.Embedded(options, environment)
        else:
            found = running.Distributed(options, environment, database=kind)
        self.system = self.useFixture(found).system
        self.client = self.system.client

    def create_together(self, count: int) -> list[rest.Stack]:
        """Return stacks that are all judged at one moment."""
        self.plugins.shut()
        found = [
            self.client.create(f"s{number}", _one()) for number in range(count)
        ]
        self.plugins.open()
        return found

    def ended(self, stacks: list[rest.Stack]) -> list[str]:
        """Return how the stacks have ended."""

        def status(stack: rest.Stack) -> str:
            shown = self.client.get(stack.path, "stack")
            return str(shown["stack_status"])

        waiting.wait_for(
            lambda: not any("PROGRESS" in status(each) for each in stacks),
            "all have ended",
        )
        return sorted(status(each) for each in stacks)


class TestEmbedded(CapacityTestCase):
    def test_l9_of_many_that_ask_at_once_as_many_are_placed_as_fit(
        self,
    ) -> None:
        stacks = self.create_together(_ASKING)

        found = self.ended(stacks)

        self.assertEqual(_ROOM, found.count("CREATE_COMPLETE"))
        self.assertEqual(_ASKING - _ROOM, found.count("CREATE_FAILED"))
        for each in stacks:
            self.client.delete(each)
            self.client.wait(each, "DELETE_COMPLETE")
        self.assertEqual(
            [],
            lifecycle.rows(self.system, "SELECT * FROM lifecycle_decisions"),
        )

    def test_l9_room_that_a_rollback_needs_is_not_given_away(self) -> None:
        stack = self.client.create("mover", _one())
        self.client.wait(stack, "CREATE_COMPLETE")
        self.plugins.order(1, "pre", "hold", text="wait", verb="update")
        changed = world_templates.template(
            a={
                **world_templates.declare_resource(value="2"),
                "type": "Test::World::Placed",
            }
        )
        self.client.ask("PUT", stack.path, {"template": changed})

        found = self.ended(self.create_together(_ROOM)[:_ROOM])

        self.assertEqual(_ROOM - 1, found.count("CREATE_COMPLETE"))


class TestPostgreSQL(CapacityTestCase):
    """Two workers on PostgreSQL."""

    database = databases.PostgreSQL

    def test_l9_two_workers_never_give_the_same_room_away(self) -> None:
        found = self.ended(self.create_together(_ASKING))

        self.assertEqual(_ROOM, found.count("CREATE_COMPLETE"))


class TestMariaDB(TestPostgreSQL):
    """Two workers on MariaDB."""

    database = databases.MariaDB
