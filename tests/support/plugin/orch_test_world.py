"""``Test::World::Thing``: a thing in a world that Orch does not own.

The world is an SQLite file named by the variable ``ORCH_TEST_WORLD``. It
forbids nothing: a second thing with the same token is a row that a test
finds. Workers started with this directory on ``PYTHONPATH`` load the type by
its entry point, without an installation.
"""

import collections.abc
import contextlib
import os
import sqlite3
import time

from orch import errors
from orch.plugin import resource
from orch.plugin import schema

VARIABLE = "ORCH_TEST_WORLD"


@contextlib.contextmanager
def opened() -> collections.abc.Iterator[sqlite3.Connection]:
    """Give a connection; what was written is committed at the end."""
    path = os.environ[VARIABLE]
    with contextlib.closing(sqlite3.connect(path, timeout=30)) as world:
        yield world
        world.commit()


def _number(name: str, text: str) -> schema.Property:
    return schema.Property(
        name,
        schema.Type.NUMBER,
        text,
        default=0,
        on_update=schema.OnUpdate.MODIFY,
    )


class Thing(resource.Resource):
    """A row of the world.

    Every call is written down before it does anything, with the process
    that made it.
    """

    type_name = "Test::World::Thing"
    properties = (
        schema.Property(
            "value", schema.Type.STRING, "What it holds.", default=""
        ),
        _number("delay_before_s", "Seconds before the row is written."),
        _number("delay_after_s", "Seconds from the row to the answer."),
        _number("ready_after_s", "Seconds until it is usable."),
        _number("gone_after_s", "Seconds until its deletion is complete."),
        _number("fail_times", "Creations that fail before one succeeds."),
        schema.Property(
            "failure",
            schema.Type.STRING,
            "How a creation fails.",
            default="transient",
            constraints=(
                schema.AllowedValues(
                    values=("transient", "permanent", "error", "rubbish")
                ),
            ),
        ),
    )
    attributes = (
        schema.Attribute("value", schema.Type.STRING, "What it holds."),
    )

    def create(self, context: resource.Context) -> resource.PhysicalId:
        """Write the row, unless this creation is one of those that fail."""
        calls = self._note("create", context)
        if calls <= int(self._seconds(context, "fail_times")):
            return self._fail(str(context.properties["failure"]))
        time.sleep(self._seconds(context, "delay_before_s"))
        with opened() as world:
            made = world.execute(
                "INSERT INTO things (token, name, value, made_at)"
                " VALUES (?, ?, ?, ?)",
                (
                    context.token,
                    context.name,
                    context.properties["value"],
                    time.time(),
                ),
            ).lastrowid
            self._write(world, "made", context)
            if self._count(world, "things", context) > 1:
                self._write(world, "double", context)
        time.sleep(self._seconds(context, "delay_after_s"))
        return f"thing-{made}"

    def is_created(self, context: resource.Context) -> resource.Pending | None:
        """Answer once ``ready_after_s`` went by."""
        return self._until(context, "ready_after_s")

    def find(self, context: resource.Context) -> resource.PhysicalId | None:
        """Look the row up by its token."""
        self._note("find", context)
        with opened() as world:
            row = world.execute(
                "SELECT id FROM things WHERE token = ?", (context.token,)
            ).fetchone()
        return f"thing-{row[0]}" if row else None

    def delete(self, context: resource.Context) -> None:
        """Remove the row."""
        self._note("delete", context)
        number = (context.physical_id or "").removeprefix("thing-")
        with opened() as world:
            world.execute("DELETE FROM things WHERE id = ?", (number,))

    def is_deleted(self, context: resource.Context) -> resource.Pending | None:
        """Answer once ``gone_after_s`` went by."""
        return self._until(context, "gone_after_s")

    def read_attributes(
        self,
        context: resource.Context,
        names: collections.abc.Collection[str],
    ) -> collections.abc.Mapping[str, object]:
        """Return what the row holds."""
        number = (context.physical_id or "").removeprefix("thing-")
        with opened() as world:
            row = world.execute(
                "SELECT value FROM things WHERE id = ?", (number,)
            ).fetchone()
        return {"value": row[0]} if row else {}

    @staticmethod
    def _seconds(context: resource.Context, name: str) -> float:
        given = context.properties.get(name) or 0
        assert isinstance(given, int | float)
        return float(given)

    def _until(
        self, context: resource.Context, name: str
    ) -> resource.Pending | None:
        left = context.started_at + self._seconds(context, name) - time.time()
        return resource.Pending(after_s=left) if left > 0 else resource.DONE

    def _note(self, act: str, context: resource.Context) -> int:
        """Write the call down; return how often it was made so far."""
        with opened() as world:
            self._write(world, act, context)
            return self._count(world, f"calls WHERE act = '{act}'", context)

    @staticmethod
    def _write(
        world: sqlite3.Connection, act: str, context: resource.Context
    ) -> None:
        world.execute(
            "INSERT INTO calls (act, token, name, pid, called_at)"
            " VALUES (?, ?, ?, ?, ?)",
            (act, context.token, context.name, os.getpid(), time.time()),
        )

    @staticmethod
    def _count(
        world: sqlite3.Connection, rows: str, context: resource.Context
    ) -> int:
        word = "AND" if "WHERE" in rows else "WHERE"
        row = world.execute(
            f"SELECT COUNT(*) FROM {rows} {word} token = ?", (context.token,)
        ).fetchone()
        return int(row[0])

    @staticmethod
    def _fail(how: str) -> str:
        if how == "transient":
            raise errors.Transient("the world is away for a moment")
        if how == "permanent":
            raise errors.Permanent("the world refuses this thing")
        if how == "error":
            raise ZeroDivisionError("a mistake in the plug-in")
        return object()  # type: ignore[return-value]
