"""What tests of lifecycle plug-ins share."""

import contextlib
import sqlite3
import typing

from tests.support import lifecycle
from tests.support import rest
from tests.support import running
from tests.support import serving
from tests.support import systems
from tests.support import waiting

PRES = [("pre", "1"), ("pre", "2"), ("pre", "3")]
POSTS = [("post", "3"), ("post", "2"), ("post", "1")]

Json = dict[str, typing.Any]


def rows(
    system: systems.System, statement: str, *values: object
) -> list[tuple[object, ...]]:
    """Return rows of the database of an embedded system."""
    path = system.directory / "state" / "orch.db"
    with contextlib.closing(sqlite3.connect(path, timeout=30)) as found:
        return found.execute(statement, values).fetchall()


def change(system: systems.System, statement: str) -> None:
    """Change the database of an embedded system."""
    path = system.directory / "state" / "orch.db"
    with contextlib.closing(sqlite3.connect(path, timeout=30)) as found:
        found.execute(statement)
        found.commit()


class LifecycleTestCase(serving.WorldTestCase):
    """The server has three recording plug-ins.

    :cvar count: how many of them
    :cvar each: further settings of each of them
    :cvar sections: settings of further plug-ins
    :cvar switches: further options of the group ``[lifecycle]``
    """

    count: typing.ClassVar[int] = 3
    each: typing.ClassVar[Json] = {}
    sections: typing.ClassVar[Json] = {}
    switches: typing.ClassVar[Json] = {}

    @classmethod
    def setUpClass(cls) -> None:
        cls.plugins = cls.use(
            lifecycle.Plugins(cls.count, cls.sections, **cls.each)
        )
        cls.options = {
            **cls.options,
            "lifecycle": {
                **cls.plugins.options["lifecycle"],
                **cls.switches,
            },
        }
        super().setUpClass()

    @classmethod
    def environment(cls) -> running.Environment:
        return {**cls.world.environment, **cls.plugins.environment}

    def setUp(self) -> None:
        super().setUp()
        self.addCleanup(self.plugins.forgive)

    def act(
        self, stack: rest.Stack, action: str, value: object = None
    ) -> None:
        self.client.ask("POST", f"{stack.path}/actions", {action: value})

    def update(self, stack: rest.Stack, wanted: Json, **body: object) -> None:
        self.client.ask("PUT", stack.path, {"template": wanted, **body})

    def reasons(self, stack: rest.Stack) -> list[str]:
        """Return what the events of the stack itself say, oldest first."""
        return [
            str(each["resource_status_reason"])
            for each in self.client.events(stack)
            if each["physical_resource_id"] == stack.id
        ]

    def wait_until_held(self, stack: rest.Stack) -> None:
        """Return once the newest operation of the stack is parked."""
        waiting.wait_for(
            lambda: self.operation(stack)["state"] == "BLOCKED",
            f"{stack.name} is held",
        )
