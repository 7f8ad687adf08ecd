"""Things whose world is looked at: one type lists, one is read one by one.

A call of ``observe`` is written down once, as ``list`` of the thing that it
names first; one of ``get_reality`` as ``read``.
"""

import collections.abc

import orch_test_orders as orders
import orch_test_world as worlds

from orch.plugin import call_context
from orch.plugin import reality


class Single(worlds.WorldResource):
    """A thing that is read by a call of its own."""

    type_name = "Test::World::Single"
    has_reality = True

    def get_reality(self, context: call_context.Context) -> reality.Reality:
        """Return what the row holds."""
        self._begin("read", context)
        with worlds.opened() as world:
            row = world.execute(
                "SELECT value, label FROM things WHERE id = ?",
                (_key(context),),
            ).fetchone()
        return _observed(row)


class Listed(Single):
    """A thing that is listed with all others of its type."""

    type_name = "Test::World::Listed"

    def observe(
        self, contexts: collections.abc.Sequence[call_context.Context]
    ) -> collections.abc.Sequence[reality.Answer]:
        """Return what all rows hold, by one question."""
        self._begin("list", contexts[0])
        with worlds.opened() as world:
            found = {
                str(key): (value, label)
                for key, value, label in world.execute(
                    "SELECT id, value, label FROM things"
                )
            }
            lies = orders.lies(world)
        self._obey("list", orders.AFTER, contexts[0])
        return [
            _listed(
                found.get(_key(each)), lies.get((each.stack_name, each.name))
            )
            for each in contexts
        ]


def _listed(row: tuple[str, str] | None, lie: str | None) -> reality.Answer:
    if lie == orders.UNLISTED:
        return reality.Vanished("the thing is not in the list")
    try:
        found = _observed(row)
    except reality.Vanished as error:
        return error
    return {**found, "label": "stale"} if lie == orders.STALE else found


def _observed(row: tuple[str, str] | None) -> dict[str, object]:
    if row is None:
        raise reality.Vanished("the thing is not there any more")
    return {"value": row[0], "label": row[1]}


def _key(context: call_context.Context) -> str:
    return (context.physical_id or "").removeprefix("thing-")
