"""A world outside of Orch's rows, to prove that things are made once.

The resource types that act on it, ``Test::World::Thing`` and ``Other``, and
their properties are in ``tests/support/plugin``.
"""

import contextlib
import dataclasses
import itertools
import json
import os
import pathlib
import sqlite3

import fixtures

PLUGIN = pathlib.Path(__file__).with_name("plugin")
_VARIABLE = "ORCH_TEST_WORLD"
_TABLES = """
PRAGMA journal_mode = WAL;
CREATE TABLE IF NOT EXISTS things (
    id INTEGER PRIMARY KEY AUTOINCREMENT, token TEXT, stack TEXT, name TEXT,
    type TEXT, value TEXT, label TEXT, refs TEXT, bound TEXT, reads TEXT,
    rests INTEGER NOT NULL DEFAULT 0, made_at REAL);
CREATE TABLE IF NOT EXISTS calls (
    number INTEGER PRIMARY KEY AUTOINCREMENT, act TEXT, token TEXT,
    stack TEXT, name TEXT, pid INTEGER);
CREATE TABLE IF NOT EXISTS orders (
    number INTEGER PRIMARY KEY AUTOINCREMENT, act TEXT, moment TEXT,
    stack TEXT, name TEXT, how TEXT, times INTEGER, token TEXT);
CREATE TABLE IF NOT EXISTS snapshots (
    id TEXT, token TEXT, stack TEXT, name TEXT, type TEXT, label TEXT,
    PRIMARY KEY (id, token));
"""
_FOR_EVER = 1_000_000_000


@dataclasses.dataclass(frozen=True)
class Call:
    """One call of the plug-in, or what came of it.

    :ivar act: ``create``, ``find``, ``update``, ``delete`` and so on;
        ``made``, ``updated``, ``removed`` where a row was written;
        ``double`` where it was not the only one; ``dangling`` where it
        refers to nothing; ``torn-from-NAME/TOKEN`` where that thing still
        referred to what was removed; ``held-ACT-MOMENT`` where it waits
    """

    act: str
    token: str
    name: str
    pid: int
    number: int = 0
    stack: str = ""


@dataclasses.dataclass(frozen=True)
class PhysicalResource:
    """A thing that stands.

    :ivar id: as Orch knows it, ``thing-7``
    :ivar type: as templates name it
    :ivar refs: ids that it refers to; ``fixed_refs`` likewise
    :ivar reads: values that it read of others
    """

    id: str
    token: str
    name: str
    value: str
    label: str
    refs: tuple[str, ...]
    fixed_refs: tuple[str, ...]
    reads: tuple[object, ...]
    rests: bool
    type: str


@dataclasses.dataclass(frozen=True)
class StoredResource:
    """What is kept of one thing in a snapshot."""

    token: str
    name: str
    type: str
    label: str


class World(fixtures.Fixture):
    """An empty world, in a file that goes after the test.

    :ivar environment: for the processes that shall act on it
    """

    environment: dict[str, str]

    def _setUp(self) -> None:  # noqa: N802 - fixtures names it
        directory = pathlib.Path(self.useFixture(fixtures.TempDir()).path)
        self._path = directory / "world.sqlite"
        with contextlib.closing(sqlite3.connect(self._path)) as world:
            world.executescript(_TABLES)
        python_path = os.environ.get("PYTHONPATH", "")
        self.environment = {
            _VARIABLE: str(self._path),
            "PYTHONPATH": f"{PLUGIN}{os.pathsep}{python_path}".rstrip(
                os.pathsep
            ),
        }

    def names(self) -> list[str]:
        """Return the names of the things that exist, sorted."""
        rows = self._select("SELECT name FROM things ORDER BY name")
        return [str(name) for (name,) in rows]

    def resources_of_tree(self, stack: str) -> list[PhysicalResource]:
        """Return the things of a stack and of the stacks below it."""
        return self._select_resources(stack, f"{stack}-%")

    def physical_resources(self, stack: str) -> list[PhysicalResource]:
        """Return the things of one stack that exist, the oldest first."""
        return self._select_resources(stack, stack)

    def _select_resources(
        self, stack: str, like: str
    ) -> list[PhysicalResource]:
        rows = self._select(
            "SELECT id, token, name, value, label, refs, bound, reads, rests,"
            " type FROM things WHERE stack = ? OR stack LIKE ? ORDER BY id",
            stack,
            like,
        )
        return [
            PhysicalResource(
                f"thing-{row[0]}",
                *(str(each) for each in row[1:5]),
                *(tuple(json.loads(str(each))) for each in row[5:8]),
                bool(row[8]),
                str(row[9]),
            )
            for row in rows
        ]

    def doubles(self) -> list[str]:
        """Return the tokens for which two things existed at one time."""
        rows = self._select("SELECT token FROM calls WHERE act = 'double'")
        return [str(token) for (token,) in rows]

    def find_maker(self, tree: str, name: str) -> str:
        """Return the stack in a tree that has made the resource of a name.

        :param tree: the root stack
        """
        (found,) = (
            each.stack
            for each in self.calls()
            if each.act == "made"
            and each.name == name
            and f"{each.stack}-".startswith(f"{tree}-")
        )
        return found

    def calls(self, stack: str | None = None, after: int = 0) -> list[Call]:
        """Return the calls, oldest first.

        :param stack: only those of this stack
        :param after: only those with a greater number
        """
        rows = self._select(
            "SELECT act, token, name, pid, number, stack"
            " FROM calls WHERE number > ? AND stack = coalesce(?, stack)"
            " ORDER BY number",
            after,
            stack,
        )
        return [Call(*row) for row in rows]

    def snapshots(self, stack: str | None = None) -> list[str]:
        """Return the ids of the snapshots of which anything is kept.

        :param stack: only those of this stack
        """
        rows = self._select(
            "SELECT DISTINCT id FROM snapshots"
            " WHERE stack = coalesce(?, stack) ORDER BY id",
            stack,
        )
        return [str(each) for (each,) in rows]

    def snapshots_of_tree(self, root: str) -> list[str]:
        """Return those of a stack and of all stacks in it."""
        rows = self._select(
            "SELECT DISTINCT id FROM snapshots"
            " WHERE stack = ? OR substr(stack, 1, ?) = ? ORDER BY id",
            *(root, len(root) + 1, f"{root}-"),
        )
        return [str(each) for (each,) in rows]

    def stored_resources(self, snapshot_id: str) -> list[StoredResource]:
        """Return what is kept in one snapshot, by name."""
        rows = self._select(
            "SELECT token, name, type, label FROM snapshots WHERE id = ?"
            " ORDER BY name",
            snapshot_id,
        )
        return [StoredResource(*(str(each) for each in row)) for row in rows]

    def order(
        self,
        stack: str,
        act: str,
        *names: str,
        how: str = "hold",
        moment: str = "watch",
        times: int = _FOR_EVER,
        token: str | None = None,
    ) -> None:
        """Let the next calls of an act stay under way, or fail.

        :param names: of resources; it holds for all of them at once
        :param how: ``hold``, or what error: ``transient``, ``outage``,
            ``busy``, ``quota``, ``permanent``, ``error``, ``vanished``;
            of ``tell``, after the list was read: ``unlisted``, ``stale``
        :param moment: ``before`` it does anything, ``after`` it did and
            before it answers, or at the ``watch`` of what it began
        :param times: how often
        :param token: of the only resource that it is for, of those that
            had or will have the name
        """
        rows = [
            (act, moment, stack, name, how, times, token) for name in names
        ]
        places = ", ".join(["(?, ?, ?, ?, ?, ?, ?)"] * len(rows))
        self._write(
            "INSERT INTO orders (act, moment, stack, name, how, times, token)"
            f" VALUES {places}",
            *itertools.chain.from_iterable(rows),
        )

    def release(self, stack: str, name: str | None = None) -> None:
        """Let everything go on that is held, or one thing."""
        self._write(
            "DELETE FROM orders WHERE how = 'hold' AND stack = ?"
            " AND name = coalesce(?, name)",
            stack,
            name,
        )

    def forgive(self, stack: str) -> None:
        """Let nothing fail and nothing be held any more."""
        self._write("DELETE FROM orders WHERE stack = ?", stack)

    def remove(self, stack: str, *names: str) -> None:
        """Take things away behind Orch's back, all of them at once."""
        places = ", ".join("?" * len(names))
        self._write(
            f"DELETE FROM things WHERE stack = ? AND name IN ({places})",
            stack,
            *names,
        )

    def relabel(self, stack: str, name: str, label: str) -> None:
        """Change things behind Orch's back."""
        self._write(
            "UPDATE things SET label = ? WHERE stack = ? AND name = ?",
            label,
            stack,
            name,
        )

    def revalue(self, stack: str, name: str, value: str) -> None:
        """Change, behind Orch's back, what nothing changes in place."""
        self._write(
            "UPDATE things SET value = ? WHERE stack = ? AND name = ?",
            value,
            stack,
            name,
        )

    def _select(
        self, statement: str, *values: object
    ) -> list[tuple[object, ...]]:
        with contextlib.closing(sqlite3.connect(self._path)) as world:
            return world.execute(statement, values).fetchall()

    def _write(self, statement: str, *values: object) -> None:
        with contextlib.closing(
            sqlite3.connect(self._path, timeout=30)
        ) as world:
            world.execute("PRAGMA synchronous = OFF")
            world.execute(statement, values)
            world.commit()
