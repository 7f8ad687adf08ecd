"""What stands in the rows, read past all services.

A test that hurts the services asks the database how it went on, so that no
answer hangs on what is hurt.
"""

import collections.abc
import functools
import typing

import fixtures
import sqlalchemy as sa

from orch.db import engine
from orch.db.models import catalog
from orch.db.models import services
from orch.db.models import stacks
from orch.model import states
from tests.support import waiting

_OPERATIONS = stacks.OPERATIONS
_WRITTEN = ("stacks", "resources", "operations", "events", "outbox")

Row = dict[str, object]


class Records(fixtures.Fixture):
    """The rows of one database.

    :ivar database: the way to it
    """

    def __init__(self, url: str) -> None:
        super().__init__()
        self._url = url

    def _setUp(self) -> None:  # noqa: N802 - fixtures names it
        self.database = engine.Database(self._url)
        self.addCleanup(self.database.dispose)

    def read(self, statement: sa.Executable) -> list[Row]:
        """Return the rows that a query finds."""
        return self.database.query(
            lambda connection: [
                dict(row) for row in connection.execute(statement).mappings()
            ]
        )

    def change(self, statement: sa.Executable) -> None:
        """Run a statement that changes rows."""
        self.database.run(lambda connection: connection.execute(statement))

    def operations(self) -> list[Row]:
        """Return all operations, the oldest first."""
        columns = [each for each in _OPERATIONS.c if each.name != "context"]
        return self.read(
            sa.select(*columns).order_by(
                _OPERATIONS.c.created_at, _OPERATIONS.c.id
            )
        )

    def open(self) -> list[Row]:
        """Return the operations that have not come to their end."""
        return [
            each
            for each in self.operations()
            if each["state"] in states.OPEN_STATES
        ]

    def owners(self) -> set[str]:
        """Return the workers that run something.

        What a lost worker ran has none from its retry on, until it is
        claimed.
        """
        running = states.OperationState.RUNNING
        return {
            str(each["owner"])
            for each in self.open()
            if each["state"] == running and each["owner"] is not None
        }

    def hosts(self) -> dict[str, str]:
        """Return the host of each worker that ever reported."""
        rows = self.read(sa.select(services.SERVICES))
        return {str(each["id"]): str(each["host"]) for each in rows}

    def resources(self) -> list[Row]:
        """Return all resource rows by name."""
        table = stacks.RESOURCES
        return self.read(sa.select(table).order_by(table.c.name, table.c.id))

    def stack_states(self) -> dict[str, str]:
        """Return ``CREATE_COMPLETE`` and its like by the stack's id."""
        return {
            str(each["id"]): f"{each['action']}_{each['status']}"
            for each in self.read(sa.select(stacks.STACKS))
        }

    def everything(self) -> dict[str, set[tuple[object, ...]]]:
        """Return what operations write, to be compared later."""
        return {name: self._table(name) for name in _WRITTEN}

    def _table(self, name: str) -> set[tuple[object, ...]]:
        table = next(each for each in catalog.TABLES if each.name == name)
        rows = self.read(sa.select(table))
        return {tuple(str(value) for value in row.values()) for row in rows}

    def wait_until_idle(self, *, timeout_s: float) -> float:
        """Return once nothing is open, with the moment of the last end.

        :raises AssertionError: something is open still
        """
        wait_until(
            lambda: not self.open(),
            timeout_s=timeout_s,
            what=functools.partial(self._describe, "open still"),
        )
        ends = [each["finished_at"] for each in self.operations()]
        return max((typing.cast(float, end) for end in ends), default=0.0)

    def _describe(self, what: str) -> str:
        found = [
            {name: each[name] for name in ("id", "action", "state", "owner")}
            for each in self.open()
        ]
        return f"{what}: {found}, workers: {self.hosts()}"


def wait_until(
    is_true: collections.abc.Callable[[], object],
    *,
    timeout_s: float = 10.0,
    what: str | collections.abc.Callable[[], str] = "it did not happen",
) -> None:
    """Return once a question has been answered with something true.

    :raises AssertionError: not in that time; ``what`` is the text
    """
    pace = waiting.Pace()
    while not is_true():
        if pace.waited_s() > timeout_s:
            raise AssertionError(what() if callable(what) else what)
        pace.pause()
