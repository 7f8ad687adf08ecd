"""``Test::World::Thing``: a thing in a world that Orch does not own.

The world is an SQLite file named by the variable ``ORCH_TEST_WORLD``. It
forbids nothing: a second thing with the same token, a thing that refers to
one that is not there, and a thing that goes while another refers to it are
rows that a test finds. Workers started with this directory on ``PYTHONPATH``
load the types by their entry points, without an installation.
"""

import collections.abc
import json
import sqlite3
import time

import orch_test_orders as orders

from orch import errors
from orch.plugin import call_context
from orch.plugin import resource
from orch.plugin import schema

VARIABLE = orders.VARIABLE
UNPLANNABLE = "cannot be planned"
"""A label to which no update can be planned."""
opened = orders.opened


def _number(name: str, text: str) -> schema.Property:
    return schema.Property(
        name,
        schema.Type.NUMBER,
        text,
        default=0,
        on_update=schema.OnUpdate.MODIFY,
    )


def _list(name: str, text: str, on_update: schema.OnUpdate) -> schema.Property:
    return schema.Property(
        name, schema.Type.LIST, text, default=[], on_update=on_update
    )


class WorldResource(resource.Resource):
    """A row of the world.

    Every call is written down before it does anything, with the process
    that made it. What may go wrong is ordered (``orch_test_orders``).
    """

    type_name = "Test::World::Thing"
    # The worker itself writes the row.
    has_late_effects = False
    can_snapshot = True
    properties = (
        schema.Property(
            "value", schema.Type.STRING, "What it holds.", default=""
        ),
        schema.Property(
            "label",
            schema.Type.STRING,
            "What it is called; changed in place.",
            default="",
            on_update=schema.OnUpdate.MODIFY,
        ),
        _list("refs", "Ids it refers to.", schema.OnUpdate.MODIFY),
        _list("bound", "Ids it is bound to.", schema.OnUpdate.REPLACE),
        _list("reads", "What it read of others.", schema.OnUpdate.MODIFY),
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
        schema.Attribute("label", schema.Type.STRING, "What it is called."),
    )

    def create(self, context: call_context.Context) -> call_context.PhysicalId:
        """Write the row, unless this creation is one of those that fail."""
        calls = self._begin("create", context)
        if calls <= int(self._seconds(context, "fail_times")):
            return self._fail(str(context.properties["failure"]))
        time.sleep(self._seconds(context, "delay_before_s"))
        with opened() as world:
            made = _insert(world, context, self.type_name)
        time.sleep(self._seconds(context, "delay_after_s"))
        self._obey("create", orders.AFTER, context)
        return f"thing-{made}"

    def is_created(
        self, context: call_context.Context
    ) -> call_context.Pending | None:
        """Answer once ``ready_after_s`` went by."""
        return self._until("create", context, "ready_after_s")

    def find(
        self, context: call_context.Context
    ) -> call_context.PhysicalId | None:
        """Look the row up by its token."""
        self._begin("find", context)
        with opened() as world:
            row = world.execute(
                "SELECT id FROM things WHERE token = ?", (context.token,)
            ).fetchone()
        return f"thing-{row[0]}" if row else None

    def update(
        self,
        context: call_context.Context,
        before: collections.abc.Mapping[str, object],
        changed: collections.abc.Collection[str],
    ) -> None:
        """Write what can be changed in place."""
        self._begin("update", context)
        with opened() as world:
            world.execute(
                "UPDATE things SET label = ?, refs = ?, reads = ?"
                " WHERE id = ?",
                (*_changeable(context), _key(context)),
            )
            orders.note(world, "updated", context)
            _check_refers(world, context)
        self._obey("update", orders.AFTER, context)

    def is_updated(
        self, context: call_context.Context
    ) -> call_context.Pending | None:
        """Answer unless it is held."""
        return self._held("update", context)

    def needs_replacement(
        self,
        before: collections.abc.Mapping[str, object],
        after: collections.abc.Mapping[str, object],
        changed: collections.abc.Collection[str],
    ) -> bool:
        """Answer as the schema does, but for a label that breaks us."""
        if after.get("label") == UNPLANNABLE:
            raise errors.Permanent("nobody can tell what this label needs")
        return super().needs_replacement(before, after, changed)

    def suspend(self, context: call_context.Context) -> None:
        """Put the row to rest."""
        self._rest("suspend", context, 1)

    def is_suspended(
        self, context: call_context.Context
    ) -> call_context.Pending | None:
        """Answer unless it is held."""
        return self._held("suspend", context)

    def resume(self, context: call_context.Context) -> None:
        """Wake the row."""
        self._rest("resume", context, 0)

    def is_resumed(
        self, context: call_context.Context
    ) -> call_context.Pending | None:
        """Answer unless it is held."""
        return self._held("resume", context)

    def check(
        self, context: call_context.Context
    ) -> call_context.Pending | None:
        """Look whether the row is there."""
        self._begin("check", context)
        with opened() as world:
            if _find(world, context, "id") is None:
                raise errors.Permanent("the thing is not there any more")
        return self._held("check", context)

    def snapshot(
        self, context: call_context.Context, snapshot_id: str
    ) -> collections.abc.Mapping[str, object]:
        """Keep the label of the row."""
        self._begin("snapshot", context)
        with opened() as world:
            world.execute(
                "INSERT OR IGNORE INTO snapshots"
                " (id, token, stack, name, type, label)"
                " VALUES (?, ?, ?, ?, ?, ?)",
                (
                    *(snapshot_id, context.token, context.stack_name),
                    *(context.name, self.type_name),
                    _find(world, context, "label"),
                ),
            )
            kept = world.execute(
                "SELECT label FROM snapshots WHERE id = ? AND token = ?",
                (snapshot_id, context.token),
            ).fetchone()
        self._obey("snapshot", orders.AFTER, context)
        return {"id": snapshot_id, "label": kept[0]}

    def find_snapshot(
        self, context: call_context.Context, snapshot_id: str
    ) -> collections.abc.Mapping[str, object] | None:
        """Look for what was kept."""
        self._begin("find_snapshot", context)
        with opened() as world:
            kept = world.execute(
                "SELECT label FROM snapshots WHERE id = ? AND token = ?",
                (snapshot_id, context.token),
            ).fetchone()
        return {"id": snapshot_id, "label": kept[0]} if kept else None

    def is_snapshotted(
        self,
        context: call_context.Context,
        kept: collections.abc.Mapping[str, object],
    ) -> call_context.Pending | None:
        """Answer unless it is held."""
        return self._held("snapshot", context)

    def delete_snapshot(
        self,
        context: call_context.Context,
        kept: collections.abc.Mapping[str, object],
    ) -> None:
        """Forget what was kept."""
        self._begin("delete_snapshot", context)
        with opened() as world:
            world.execute(
                "DELETE FROM snapshots WHERE id = ? AND token = ?",
                (kept["id"], context.token),
            )

    def restored_properties(
        self,
        properties: collections.abc.Mapping[str, object],
        kept: collections.abc.Mapping[str, object],
    ) -> collections.abc.Mapping[str, object]:
        """Return the properties with the label of that time."""
        return {**properties, "label": kept["label"]}

    def delete(self, context: call_context.Context) -> None:
        """Remove the row."""
        self._begin("delete", context)
        with opened() as world:
            _check_free(world, context)
            world.execute("DELETE FROM things WHERE id = ?", (_key(context),))
            orders.note(world, "removed", context)
        self._obey("delete", orders.AFTER, context)

    def is_deleted(
        self, context: call_context.Context
    ) -> call_context.Pending | None:
        """Answer once ``gone_after_s`` went by."""
        return self._until("delete", context, "gone_after_s")

    def read_attributes(
        self,
        context: call_context.Context,
        names: collections.abc.Collection[str],
    ) -> collections.abc.Mapping[str, object]:
        """Return what the row holds."""
        with opened() as world:
            row = world.execute(
                "SELECT value, label FROM things WHERE id = ?",
                (_key(context),),
            ).fetchone()
        return {"value": row[0], "label": row[1]} if row else {}

    def get_reality(
        self, context: call_context.Context
    ) -> collections.abc.Mapping[str, object]:
        """Return what the row holds; another kind of row is none."""
        with opened() as world:
            row = world.execute(
                "SELECT value, label, type FROM things WHERE id = ?",
                (_key(context),),
            ).fetchone()
        if row is None:
            raise errors.Permanent("the thing is not there any more")
        if row[2] != self.type_name:
            raise errors.Permanent(f"the thing is of type {row[2]}")
        return {"value": row[0], "label": row[1]}

    def is_alive(self) -> bool:
        """Answer whether the worker that calls is to be served."""
        return True

    @staticmethod
    def _seconds(context: call_context.Context, name: str) -> float:
        given = context.properties.get(name) or 0
        assert isinstance(given, int | float)
        return float(given)

    def _until(
        self, act: str, context: call_context.Context, name: str
    ) -> call_context.Pending | None:
        left = context.started_at + self._seconds(context, name) - time.time()
        if left > 0:
            return call_context.Pending(after_s=left)
        return self._held(act, context)

    def _held(
        self, act: str, context: call_context.Context
    ) -> call_context.Pending | None:
        if orders.is_held(act, context):
            return call_context.Pending(after_s=0.02)
        self._obey(act, orders.WATCH, context)
        return call_context.DONE

    def _rest(
        self, act: str, context: call_context.Context, rests: int
    ) -> None:
        self._begin(act, context)
        with opened() as world:
            world.execute(
                "UPDATE things SET rests = ? WHERE id = ?",
                (rests, _key(context)),
            )
        self._obey(act, orders.AFTER, context)

    def _begin(self, act: str, context: call_context.Context) -> int:
        """Write the call down; return how often it was made so far."""
        if not self.is_alive():
            raise orders.Gone(act)
        with opened() as world:
            orders.note(world, act, context)
            calls = _count(world, "calls", context, f"AND act = '{act}'")
        self._obey(act, orders.BEFORE, context)
        return calls

    def _obey(
        self, act: str, moment: str, context: call_context.Context
    ) -> None:
        orders.obey(act, moment, context, self.is_alive)

    @staticmethod
    def _fail(how: str) -> str:
        if how == "rubbish":
            return object()  # type: ignore[return-value]
        raise orders.KINDS[how]("the world refuses this thing")


class Other(WorldResource):
    """A thing of another type, for templates in which a type changes."""

    type_name = "Test::World::Other"


def _insert(
    world: sqlite3.Connection, context: call_context.Context, type_name: str
) -> int:
    made = world.execute(
        "INSERT INTO things (token, stack, name, type, value, label, refs,"
        " reads, bound, made_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            *(context.token, context.stack_name, context.name, type_name),
            context.properties["value"],
            *_changeable(context),
            json.dumps(context.properties["bound"]),
            time.time(),
        ),
    ).lastrowid
    orders.note(world, "made", context)
    if _count(world, "things", context) > 1:
        orders.note(world, "double", context)
    _check_refers(world, context)
    assert made is not None
    return made


def _changeable(context: call_context.Context) -> tuple[object, ...]:
    given = context.properties
    lists = (json.dumps(given["refs"]), json.dumps(given["reads"]))
    return (given["label"], *lists)


def _check_refers(
    world: sqlite3.Connection, context: call_context.Context
) -> None:
    """Note each reference to a thing that is not there."""
    for name in ("refs", "bound"):
        given = context.properties[name]
        assert isinstance(given, list)
        for each in given:
            key = str(each).removeprefix("thing-")
            if not world.execute(
                "SELECT 1 FROM things WHERE id = ?", (key,)
            ).fetchone():
                orders.note(world, "dangling", context)


def _check_free(
    world: sqlite3.Connection, context: call_context.Context
) -> None:
    """Note that another thing which stands refers to this one."""
    mine = json.dumps(context.physical_id)
    for name, token in world.execute(
        "SELECT name, token FROM things WHERE stack = ? AND token != ?"
        " AND (instr(refs, ?) OR instr(bound, ?))",
        (context.stack_name, context.token, mine, mine),
    ).fetchall():
        orders.note(world, f"torn-from-{name}/{token}", context)


def _find(
    world: sqlite3.Connection, context: call_context.Context, column: str
) -> object:
    row = world.execute(
        f"SELECT {column} FROM things WHERE id = ?", (_key(context),)
    ).fetchone()
    return row[0] if row else None


def _key(context: call_context.Context) -> str:
    return (context.physical_id or "").removeprefix("thing-")


def _count(
    world: sqlite3.Connection,
    table: str,
    context: call_context.Context,
    more: str = "",
) -> int:
    row = world.execute(
        f"SELECT COUNT(*) FROM {table} WHERE token = ? {more}",
        (context.token,),
    ).fetchone()
    return int(row[0])
