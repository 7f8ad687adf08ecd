"""One stack in the world: what is asked of it, and whether all is right."""

import collections.abc
import time
import typing

import sqlalchemy as sa

from orch.db.models import operations
from orch.db.models import resources
from orch.db.models import stacks
from tests.chaos import records
from tests.scenarios import model
from tests.scenarios import script
from tests.scenarios import shapes
from tests.support import rest
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


class Stage:
    """A stack, what was asked of it so far, and the world around it.

    :ivar left: names of things that are to stay behind
    """

    def __init__(
        self,
        system: System,
        name: str,
        left: collections.abc.Collection[str] = (),
    ) -> None:
        self.system = system
        self.world = system.world
        self.name = name
        self.left = sorted(left)
        self.stack: rest.Stack | None = None
        self.snapshots: list[tuple[str, shapes.Shape | None]] = []
        self._skipped: frozenset[str] = frozenset()
        self._asked: list[shapes.Shape | None] = []
        self._mark = 0

    # What is asked of Orch.

    def create(
        self, shape: shapes.Shape, options: rest.Json | None = None
    ) -> None:
        """Ask for the stack."""
        self._set_mark()
        body = {"template": shapes.template(shape), **(options or {})}
        body["stack_name"] = self.name

        def ask() -> None:
            self.system.client.ask("POST", "/stacks", body)

        self.stack = None
        self._asked.clear()
        self._insist(ask, shape)

    def update(
        self, shape: shapes.Shape, options: rest.Json | None = None
    ) -> None:
        """Ask that the stack becomes another."""
        body = {"template": shapes.template(shape), **(options or {})}
        self._insist(lambda: self._ask("PUT", "", body), shape)

    def delete(self) -> None:
        """Ask that the stack goes; a deletion under way is not asked anew."""
        before = self._count()
        self._again(lambda: self._ask("DELETE", ""), before)
        if self._count() > before:
            self._asked.append({})

    def act(self, action: str, options: rest.Json | None = None) -> None:
        """Ask for an action that changes nothing of what is declared."""
        self._insist(
            lambda: self._ask("POST", "/actions", {action: options or None}),
            None,
        )

    def retry(self, options: rest.Json | None = None) -> None:
        """Ask that what failed goes on."""
        self._ask("POST", "/actions", {"retry": options or {}})
        skipped = (options or {}).get("skip", ())
        assert isinstance(skipped, list | tuple)
        self._skipped = frozenset(skipped)

    def cancel(self, *, with_rollback: bool) -> None:
        """Ask that what is under way ends."""
        verb = "cancel_update" if with_rollback else "cancel_without_rollback"
        self._ask("POST", "/actions", {verb: None})

    def snapshot(self) -> None:
        """Ask for a snapshot."""
        shape = self.wanted()
        answer = self._ask("POST", "/snapshots", {"name": "s"})
        assert isinstance(answer, dict)
        self.snapshots.append((answer["id"], shape))
        self._asked.append(None)

    def restore(self) -> None:
        """Ask that the stack becomes what it was at the last snapshot."""
        snapshot_id, shape = self.snapshots[-1]
        self._ask("POST", f"/snapshots/{snapshot_id}/restore")
        self._asked.append(shape)

    def mark_unhealthy(self, name: str) -> None:
        """Say that a resource is not well."""
        body: rest.Json = {"mark_unhealthy": True}
        self._ask("PATCH", f"/resources/{name}", body)

    # What can be seen.

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
        limit = time.monotonic() + PATIENCE_S
        while True:
            status = self.status()
            if not status.endswith("IN_PROGRESS") and not self._is_open():
                return status
            if time.monotonic() > limit:
                raise WrongError(f"{status} does not end: {self._ran()}")
            time.sleep(0.02)

    def await_act(self, act: script.Act) -> None:
        """Return once an act was called since the last request.

        Where it is held, once it is there.

        :raises WrongError: it is not called in time
        """
        wanted = {act.act}
        if act.moment:
            wanted = {f"held-{act.act}-{act.moment}"}
        limit = time.monotonic() + PATIENCE_S
        while not any(
            each.name == act.name and each.act in wanted
            for each in self.world.calls(self.name, self._mark)
        ):
            if time.monotonic() > limit:
                raise WrongError(
                    f"{act} is not called; {self.status()}, {self._story()}"
                )
            time.sleep(0.01)

    def calls(self, name: str) -> list[str]:
        """Return the calls that were made for one thing."""
        return [
            each.act
            for each in self.world.calls(self.name)
            if each.name == name and each.act in _OUTER
        ]

    def wanted(self) -> shapes.Shape | None:
        """Return what must stand now; ``None`` when that is not sure."""
        return model.standing(self._ran(), self._asked)

    # Whether it is right.

    def check(self) -> None:
        """Check everything that holds whenever nothing is under way.

        :raises WrongError: what does not
        """
        self.check_history()
        things = self.world.things(self.name)
        rows = self._rows()
        owned = {str(row["id"]) for row in rows}
        self._wrong(
            "nobody's things",
            [
                each.name
                for each in things
                if each.token not in owned and each.name not in self.left
            ],
        )
        shape = self.wanted()
        if shape is not None:
            self._check_world(shape, things)
            self._check_rows(shape, things, rows)

    def check_history(self) -> None:
        """Check what may never have happened.

        :raises WrongError: what did
        """
        told = self.world.calls(self.name)
        made = [each.token for each in told if each.act == "made"]
        self._wrong("made twice", {x for x in made if made.count(x) > 1})
        left = {f"torn-from-{name}" for name in self.left}
        self._wrong(
            "torn or dangling",
            [
                (each.name, each.act)
                for each in told
                if each.act == "dangling"
                or (each.act.startswith("torn-") and each.act not in left)
            ],
        )

    def finish(self) -> None:
        """Delete the stack, and check that nothing is left of it.

        :raises WrongError: something is
        """
        self.world.forgive(self.name)
        self.settle()
        self.delete()
        if self.settle() != "DELETE_COMPLETE":
            self.retry()
            self.settle()
        self._same("status", "DELETE_COMPLETE", self.status())
        things = self.world.things(self.name)
        names = sorted(each.name for each in things)
        self._same("left in the world", self.left, names)
        self._same("rows", [], self._rows())
        self.check_history()

    def _check_world(
        self,
        shape: shapes.Shape,
        things: collections.abc.Sequence[world.Thing],
    ) -> None:
        tokens = {str(row["id"]) for row in self._rows()}
        ours = [
            each
            for each in things
            if each.name not in self.left or each.token in tokens
        ]
        self._same(
            "world",
            self._unskipped(shapes.expected(shape)),
            self._unskipped(shapes.seen(ours)),
        )

    def _unskipped(self, look: shapes.Look) -> shapes.Look:
        """Return what the last retry was not told to leave as it is."""
        return {
            name: each
            for name, each in look.items()
            if name not in self._skipped
        }

    def _check_rows(
        self,
        shape: shapes.Shape,
        things: collections.abc.Sequence[world.Thing],
        rows: collections.abc.Sequence[records.Row],
    ) -> None:
        ids = {each.token: each.id for each in things}
        self._same(
            "rows",
            [(name, True, None) for name in sorted(shape)],
            [
                (
                    row["name"],
                    row["physical_id"] == ids.get(str(row["id"])),
                    row["replaced_by"],
                )
                for row in rows
            ],
        )

    def _same(self, what: str, expected: object, found: object) -> None:
        if expected != found:
            raise WrongError(
                f"{what}:\n  expected {expected}\n  found    {found}\n"
                f"{self._story()}"
            )

    def _wrong(
        self, what: str, found: collections.abc.Collection[object]
    ) -> None:
        if found:
            raise WrongError(f"{what}: {found}\n{self._story()}")

    def _story(self) -> str:
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
        parts = [f"{self.status()}: {self._ran()}", *calls, "rows:", *rows]
        return "\n  ".join(parts)

    def _ask(
        self, method: str, path: str, body: rest.Json | None = None
    ) -> object:
        assert self.stack is not None
        self._set_mark()
        return self.system.client.ask(method, self.stack.path + path, body)

    def _set_mark(self) -> None:
        calls = self.world.calls(self.name)
        self._mark = calls[-1].number if calls else self._mark

    def _insist(
        self,
        ask: collections.abc.Callable[[], object],
        wish: shapes.Shape | None,
    ) -> None:
        """Ask until it is accepted, once."""
        self._again(ask, self._count())
        self._asked.append(wish)
        self._skipped = frozenset()

    def _again(
        self, ask: collections.abc.Callable[[], object], before: int
    ) -> None:
        """Ask again as long as the answer is that nobody answers.

        A worker may have died after it accepted and before it said so.
        """
        limit = time.monotonic() + PATIENCE_S
        while True:
            try:
                ask()
                break
            except rest.RefusedError as refused:
                if refused.status < 500 or time.monotonic() > limit:
                    raise
            if self._count() > before:
                break
        if self.stack is None:
            self.stack = self._find()

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
        table = resources.RESOURCES
        return self.system.records.read(
            sa.select(table)
            .where(table.c.stack_id == self.stack.id)
            .order_by(table.c.name, table.c.id)
        )

    def _is_open(self) -> bool:
        return any(
            each.state in ("WAITING", "RUNNING", "BLOCKED")
            for each in self._ran()
        )

    def _ran(self) -> list[model.Ran]:
        assert self.stack is not None
        table = operations.OPERATIONS
        found = self.system.records.read(
            sa.select(
                table.c.id,
                table.c.action,
                table.c.state,
                table.c.superseded_by,
            )
            .where(table.c.stack_id == self.stack.id)
            .order_by(table.c.created_at, table.c.id)
        )
        return [
            model.Ran(str(each["action"]), str(each["state"]))
            for each in _in_order(found)
        ]


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
