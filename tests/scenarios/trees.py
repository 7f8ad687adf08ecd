"""A stack with stacks in it: what must stand at all levels, and what does.

Every thing of a tree has a name of its own, so that the world shows it as
one heap; the rows are looked at level by level.
"""

import collections.abc
import dataclasses

import sqlalchemy as sa

from orch.db.models import stacks
from tests.chaos import records
from tests.scenarios import leavings
from tests.scenarios import model
from tests.scenarios import shapes
from tests.scenarios import sight
from tests.scenarios import stage
from tests.support import rest
from tests.support import world

_OPEN = ("WAITING", "RUNNING", "BLOCKED")


def flat(shape: shapes.Shape) -> dict[str, shapes.ResourceShape]:
    """Return the things of all levels, each as if it stood alone."""
    firsts = {
        name: _first(name, each) for name, each in shape.items() if each.inside
    }
    found: dict[str, shapes.ResourceShape] = {}
    for name, thing in shape.items():
        if thing.inside:
            found |= flat(_taken_in(thing))
            continue
        found[name] = dataclasses.replace(
            thing,
            refs=tuple(firsts.get(each, each) for each in thing.refs),
            fixed_refs=tuple(
                firsts.get(each, each) for each in thing.fixed_refs
            ),
            reads=tuple(firsts.get(each, each) for each in thing.reads),
            after=(),
        )
    return found


def names_in(shape: shapes.Shape, name: str) -> set[str]:
    """Return a name, and those of all things in it if it is a stack."""
    thing = shape.get(name)
    inside = thing.inside if thing else {}
    return {name}.union(*(names_in(inside, each) for each in inside))


def _first(name: str, thing: shapes.ResourceShape) -> str:
    while thing.inside:
        name, thing = next(iter(thing.inside.items()))
    return name


def _taken_in(thing: shapes.ResourceShape) -> dict[str, shapes.ResourceShape]:
    """Return what is inside, with the labels that it has from outside."""
    return {
        name: dataclasses.replace(each, label=thing.look)
        if each.label == shapes.OUTER
        else each
        for name, each in thing.inside.items()
    }


def _with_policies(shape: shapes.Shape) -> dict[str, shapes.ResourceShape]:
    """Return the things of all levels, with every policy that may count.

    What goes with its stack has the stack's; what the stack no longer
    declares has its own.
    """
    found = flat(shape)
    for thing in shape.values():
        if not thing.inside:
            continue
        for inner, each in _with_policies(thing.inside).items():
            both = each.policy
            if thing.policy == "Retain":
                both = f"{both} Retain"
            found[inner] = dataclasses.replace(found[inner], policy=both)
    return found


class World:
    """The world as one tree of stacks sees it."""

    def __init__(self, place: world.World) -> None:
        self._place = place

    def __getattr__(self, name: str) -> object:
        return getattr(self._place, name)

    def physical_resources(self, stack: str) -> list[world.PhysicalResource]:
        """Return the things of all levels that exist."""
        return self._place.resources_of_tree(stack)

    def calls(self, stack: str, after: int = 0) -> list[world.Call]:
        """Return the calls for things of all levels, oldest first."""
        return [
            each
            for each in self._place.calls(after=after)
            if each.stack == stack or each.stack.startswith(f"{stack}-")
        ]

    def snapshots(self, stack: str) -> list[str]:
        """Return the ids of the snapshots of which anything is kept."""
        return self._place.snapshots_of_tree(stack)

    def remove(self, stack: str, name: str) -> None:
        """Take things away, at whatever level."""
        for each in {one.stack for one in self.calls(stack)}:
            self._place.remove(each, name)


class Stage(stage.Stage):
    """A tree of stacks; what is asked of it is asked of its root."""

    def __init__(self, system: sight.System, name: str) -> None:
        super().__init__(system, name)
        self.world = World(system.world)  # type: ignore[assignment]
        self.left = leavings.Leavings(self.world, name)

    def expected_state(self) -> model.ExpectedState:
        """Return what must have come of all levels."""
        now = super().expected_state()
        raw = [*now.targets, now.desired]
        return dataclasses.replace(
            now,
            shape=None if now.shape is None else flat(now.shape),
            targets=[_with_policies(each) for each in now.targets],
            skipped=_inside(raw, now.skipped),
            unrested=_inside(raw, now.unrested),
        )

    def retry(self, options: rest.Json | None = None) -> None:
        """Ask that what failed goes on."""
        asked = options or {}
        orphaned = sight.names_of(asked, "orphan")
        named = {*orphaned, *sight.names_of(asked, "skip")}
        raw = super().expected_state()
        inside = _inside([*raw.targets, raw.desired], named)
        rows = [row for row in self._rows_of_root() if row["name"] in named]
        self._tried |= inside
        standing = {
            each.token
            for each in self.world.physical_resources(self.name)
            if each.name in inside
        }
        self._stood |= standing
        self.left.skip([*(str(row["id"]) for row in rows), *standing])
        self._ask("POST", "/actions", {"retry": asked})

    def unfinished(self) -> list[str]:
        """Return the names in the root of what is not complete."""
        return sorted(
            {
                str(row["name"])
                for row in self._rows_of_root()
                if row["status"] != "COMPLETE"
            }
        )

    def rests_anywhere(self) -> bool:
        """Answer whether a stack in it is at rest, whatever the root is."""
        return any(
            each["action"] == "SUSPEND" for each in self._tree().values()
        )

    def clear(self, name: str, breakpoint_: str) -> None:
        """Let what waits at a breakpoint go on, at whatever level."""
        self.await_hold(name, breakpoint_)
        held = self._tree()
        (found,) = [
            held[str(row["stack_id"])]
            for row in self._rows_of(held)
            if row["name"] == name
        ]
        path = f"/stacks/{found['name']}/{found['id']}"
        self.system.client.ask(
            "POST",
            f"{path}/resources/{name}/signal",
            {"unset_hook": breakpoint_},
        )

    def check(self) -> None:
        """Check everything that holds whenever nothing is under way."""
        super().check()
        self._check_levels()

    def _check_levels(self) -> None:
        """Check the states of all stacks, and what is counted in the root."""
        living = self._living()
        root = next(
            each for each in living.values() if each["parent_id"] is None
        )
        if root["deleted_at"] is None:
            counted = sum(
                int(str(each["resource_count"])) for each in living.values()
            )
            self._same("counted in the root", counted, root["tree_count"])
        now = super().expected_state()
        is_whole = root["status"] == "COMPLETE"
        if now.shape is None or now.skipped or not is_whole:
            return
        for each in self._tree().values():
            self._same(f"state of {each['name']}", "COMPLETE", each["status"])

    def _living(self) -> dict[str, records.Row]:
        """Return the root and all stacks in it that are not deleted."""
        assert self.stack is not None
        table = stacks.STACKS
        found = self.system.records.read(
            sa.select(table).where(table.c.root_id == self.stack.id)
        )
        return {
            str(each["id"]): each
            for each in found
            if each["deleted_at"] is None or each["parent_id"] is None
        }

    def _tree(self) -> dict[str, records.Row]:
        """Return the root, and the stacks that resources in it hold."""
        assert self.stack is not None
        living = self._living()
        found = {self.stack.id: living[self.stack.id]}
        ahead = [self.stack.id]
        while ahead:
            for row in self._rows_of([ahead.pop()]):
                key = str(row["id"])
                if key in living and not stage.is_gone(row):
                    found[key] = living[key]
                    ahead.append(key)
        return found

    def _rows(self) -> list[records.Row]:
        """Return the rows of all levels, without those that hold a stack."""
        held = self._tree()
        return [
            row for row in self._rows_of(held) if str(row["id"]) not in held
        ]

    def _rows_of_root(self) -> list[records.Row]:
        assert self.stack is not None
        return self._rows_of([self.stack.id])

    def _rows_of(
        self, holders: collections.abc.Iterable[str]
    ) -> list[records.Row]:
        table = stacks.RESOURCES
        return self.system.records.read(
            sa.select(table)
            .where(table.c.stack_id.in_(list(holders)))
            .order_by(table.c.name, table.c.id)
        )

    def _orphaned(self, state: str = "") -> set[str]:
        """Return the tokens of what was to be left behind, at all levels."""
        found = super()._orphaned(state)
        inner = set(found)
        while inner:
            rows = {str(row["id"]) for row in self._rows_of(inner)}
            inner = rows - found
            found |= inner
        return found

    def _is_open(self) -> bool:
        return bool(
            self._of_tree(
                stacks.OPERATIONS, stacks.OPERATIONS.c.state.in_(_OPEN)
            )
        )

    def _waits(self) -> list[str]:
        table = stacks.OPERATIONS
        found = self._of_tree(table, table.c.state == "BLOCKED")
        return [str(each["reason"]) for each in found]

    def _check_snapshots(self) -> None:
        kept = set(self.world.snapshots(self.name))
        known = {str(each["id"]) for each in self._of_tree(stacks.SNAPSHOTS)}
        self._wrong(
            "nobody's snapshots",
            kept - known - self.left.may_be_stored,
        )

    def _of_tree(
        self, table: sa.Table, *where: sa.ColumnElement[bool]
    ) -> list[records.Row]:
        """Return the rows of a table that belong to a stack of the tree."""
        assert self.stack is not None
        tree = sa.select(stacks.STACKS.c.id).where(
            stacks.STACKS.c.root_id == self.stack.id
        )
        return self.system.records.read(
            sa.select(table).where(table.c.stack_id.in_(tree), *where)
        )

    def _history(self) -> str:
        lines = [
            f"stack {each['name']} {each['action']}_{each['status']}"
            f" {each['status_reason']} {each['deleted_at'] or ''}"
            for each in self._living().values()
        ]
        rows = [
            f"{row['stack_id']} {row['name']} {row['action']}_{row['status']}"
            for row in self._rows_of(self._living())
        ]
        return "\n  ".join([super()._history(), *lines, "levels:", *rows])


def _inside(
    shapes_: collections.abc.Iterable[shapes.Shape],
    names: collections.abc.Iterable[str],
) -> frozenset[str]:
    names = set(names)
    found = set(names)
    for shape in shapes_:
        found = found.union(*(names_in(shape, each) for each in names))
    return frozenset(found)
