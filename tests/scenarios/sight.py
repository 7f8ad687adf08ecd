"""One stack in the world: what can be seen of it, past all services."""

import collections.abc
import time
import typing

import sqlalchemy as sa

from orch.db.models import stacks
from tests.chaos import records
from tests.scenarios import model
from tests.scenarios import script
from tests.scenarios import shapes
from tests.support import rest
from tests.support import waiting
from tests.support import world

PATIENCE_S = 60.0
_OUTER = frozenset(
    {
        *("create", "find", "update", "delete", "suspend", "resume"),
        *("check", "snapshot", "delete_snapshot"),
    }
)


class System(typing.Protocol):
    """What a stage needs of Orch.

    :ivar world: what the things stand in
    :ivar client: speaks to the API
    :ivar records: the rows
    """

    world: world.World
    client: rest.Client
    records: records.Records

    def kill(self) -> None:
        """Kill -9 what works on the stacks now; others go on."""


class WrongError(AssertionError):
    """The world or the rows are not as they must be."""


class Sight:
    """A stack, what was asked of it so far, and the world around it.

    :ivar stack: ``None`` until it was asked for
    """

    def __init__(self, system: System, name: str) -> None:
        self.system = system
        self.world = system.world
        self.name = name
        self.stack: rest.Stack | None = None
        # What each operation but the rollbacks was to bring about.
        self._requested: list[model.Request] = []
        # Things that somebody took away, and after how many operations.
        self._taken: dict[str, int] = {}
        # Whether it was at rest when it was adopted.
        self._came_at_rest: bool | None = False
        # Names that a retry was to leave out.
        self._tried: set[str] = set()
        # The number of the last call before the last request.
        self._mark = 0

    def status(self) -> str:
        """Return the status of the stack as the API tells it."""
        assert self.stack is not None
        limit = time.monotonic() + PATIENCE_S
        while True:
            try:
                shown = self.system.client.show(self.stack)
                return str(shown["stack_status"])
            except rest.RefusedError as refused:
                # A worker died with the question; somebody else answers.
                if refused.status < 500 or time.monotonic() > limit:
                    raise
            time.sleep(0.2)

    def stored_status(self) -> tuple[str, str]:
        """Return the action and its status, past all services."""
        assert self.stack is not None
        table = stacks.STACKS
        found = self.system.records.read(
            sa.select(table.c.action, table.c.status).where(
                table.c.id == self.stack.id
            )
        )
        return str(found[0]["action"]), str(found[0]["status"])

    def reason(self) -> str:
        """Return why the stack has its status."""
        assert self.stack is not None
        shown = self.system.client.show(self.stack)
        return str(shown["stack_status_reason"])

    def resources(self) -> dict[str, str]:
        """Return the statuses of its resources by name."""
        assert self.stack is not None
        shown = self.system.client.resources(self.stack)
        return {
            name: str(each["resource_status"]) for name, each in shown.items()
        }

    def settle(self) -> str:
        """Return the status once nothing is under way.

        :raises WrongError: it does not end
        """
        pace = waiting.Pace()
        while True:
            # The rows first: the services have enough to do with the stack.
            if not self._is_open():
                status = self.status()
                if not status.endswith("IN_PROGRESS"):
                    return status
            if pace.waited_s() > PATIENCE_S:
                raise WrongError(
                    f"{self.status()} does not end: {self._ran()}"
                )
            pace.pause()

    def await_act(self, act: script.Act) -> None:
        """Return once an act was called since the last request.

        Where it is held, once it is there.

        :raises WrongError: it is not called in time
        """
        wanted = {act.act}
        if act.moment:
            wanted = {f"held-{act.act}-{act.moment}"}
        pace = waiting.Pace()
        while not any(
            each.name == act.name and each.act in wanted
            for each in self.world.calls(self.name, self._mark)
        ):
            if pace.waited_s() > PATIENCE_S:
                raise WrongError(
                    f"{act} is not called; {self.status()}, {self._history()}"
                )
            pace.pause()

    def await_hold(self, name: str, breakpoint_: str) -> None:
        """Return once an operation waits, and waits at that breakpoint.

        :raises WrongError: it does not in time
        """
        pace = waiting.Pace()
        wanted = f"{breakpoint_} of {name}"
        while True:
            if any(wanted in each for each in self._waits()):
                return
            if pace.waited_s() > PATIENCE_S:
                raise WrongError(
                    f"nothing waits at {wanted}; {self._history()}"
                )
            pace.pause()

    def _waits(self) -> list[str]:
        """Return what the blocked operations of the stack wait for."""
        assert self.stack is not None
        table = stacks.OPERATIONS
        found = self.system.records.read(
            sa.select(table.c.reason).where(
                table.c.stack_id == self.stack.id, table.c.state == "BLOCKED"
            )
        )
        return [str(each["reason"]) for each in found]

    def stored_names(self) -> list[str]:
        """Return the names of the things that a snapshot of is left."""
        return sorted(
            each.name
            for snapshot_id in self.world.snapshots(self.name)
            for each in self.world.stored_resources(snapshot_id)
        )

    def calls(self, name: str) -> list[str]:
        """Return the calls that were made for one thing."""
        return [
            each.act
            for each in self.world.calls(self.name)
            if each.name == name and each.act in _OUTER
        ]

    def snapshots(self, status: str = "") -> list[str]:
        """Return the ids of the snapshots, the oldest first.

        :param status: only those that have it
        """
        assert self.stack is not None
        table = stacks.SNAPSHOTS
        found = self.system.records.read(
            sa.select(table.c.id, table.c.status)
            .where(table.c.stack_id == self.stack.id)
            .order_by(table.c.created_at, table.c.id)
        )
        return [
            str(each["id"])
            for each in found
            if not status or each["status"] == status
        ]

    def unfinished(self) -> list[str]:
        """Return the names of what is not complete, or is no more."""
        return sorted(
            {
                str(row["name"])
                for row in self._rows()
                if row["status"] != "COMPLETE"
            }
        )

    def expected_state(self) -> model.ExpectedState:
        """Return what the stack must have come to."""
        now = model.expected_state(
            self._ran(), self._requested, self._came_at_rest
        )
        so_far = len(now.targets)
        now.skipped |= {
            name for name, when in self._taken.items() if when == so_far
        }
        return now

    def desired_shape(self) -> shapes.Shape | None:
        """Return what must stand now; ``None`` when that is not sure."""
        return self.expected_state().shape

    def _find(self) -> rest.Stack | None:
        table = stacks.STACKS
        found = self.system.records.read(
            sa.select(table.c.id).where(
                table.c.name == self.name, table.c.deleted_at.is_(None)
            )
        )
        return rest.Stack(self.name, str(found[0]["id"])) if found else None

    def _count(self) -> int:
        """Return how many requests were accepted."""
        if self.stack is None:
            self.stack = self._find()
        if self.stack is None:
            return 0
        return sum(each.action != "ROLLBACK" for each in self._ran())

    def _rows(self) -> list[records.Row]:
        assert self.stack is not None
        table = stacks.RESOURCES
        return self.system.records.read(
            sa.select(table)
            .where(table.c.stack_id == self.stack.id)
            .order_by(table.c.name, table.c.id)
        )

    def _orphaned(self, state: str = "") -> set[str]:
        """Return the tokens of what was to be left behind, by request.

        :param state: only what operations in that state were told
        """
        names = {each.token: each.name for each in self.world.calls(self.name)}
        found = {
            token
            for each in self._ran()
            for token in each.orphaned
            if not state or each.state == state
        }
        self._wrong(
            "orphaned by nobody",
            {names[each] for each in found if each in names} - self._tried,
        )
        return found

    def _is_open(self) -> bool:
        return any(
            each.state in ("WAITING", "RUNNING", "BLOCKED")
            for each in self._ran()
        )

    def _ran(self) -> list[model.Ran]:
        assert self.stack is not None
        table = stacks.OPERATIONS
        found = self.system.records.read(
            sa.select(
                table.c.id,
                table.c.action,
                table.c.state,
                table.c.options,
                table.c.superseded_by,
            )
            .where(table.c.stack_id == self.stack.id)
            .order_by(table.c.created_at, table.c.id)
        )
        return [
            model.Ran(
                str(each["id"]),
                str(each["action"]),
                str(each["state"]),
                frozenset(names_of(each["options"], "skip")),
                frozenset(names_of(each["options"], "orphan")),
                frozenset(names_of(each["options"], "orphaned_ids")),
            )
            for each in _in_order(found)
        ]

    def _same(self, what: str, expected: object, found: object) -> None:
        if expected != found:
            raise WrongError(
                f"{what}:\n  expected {expected}\n  found    {found}\n"
                f"{self._history()}"
            )

    def _wrong(
        self, what: str, found: collections.abc.Collection[object]
    ) -> None:
        if found:
            raise WrongError(f"{what}: {found}\n{self._history()}")

    def _history(self) -> str:
        """Return what happened, for whoever reads a failure."""
        calls = [
            f"{each.act} {each.name} {each.token[:8]}"
            for each in self.world.calls(self.name)
        ]
        rows = [
            f"{row['name']} {str(row['id'])[:8]} {row['action']}"
            f"_{row['status']} {row['physical_id']} {row['replaced_by']}"
            for row in self._rows()
        ]
        ran = [f"{each.action}_{each.state}" for each in self._ran()]
        wanted = [str(each) for each in self.expected_state().targets]
        parts = [f"{self.status()}: {ran}", *wanted, *calls, "rows:", *rows]
        return "\n  ".join(parts)


def names_of(options: object, key: str) -> list[str]:
    """Return names that are among the options of a request or operation."""
    assert isinstance(options, dict)
    return [str(each) for each in options.get(key) or ()]


def _in_order(found: list[records.Row]) -> list[records.Row]:
    """Return operations as they were accepted.

    Each bears the moment at which it was asked for; another one may have
    been accepted between that and its own acceptance, which ended it.
    """
    places = {each["id"]: place for place, each in enumerate(found)}
    return sorted(
        found,
        key=lambda each: min(
            places[each["id"]] + 0.0,
            places.get(each["superseded_by"], len(found)) - 0.5,
        ),
    )
