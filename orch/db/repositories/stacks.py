"""Stacks: one by id or name, and changes. Lists are in ``stack_lists``."""

import collections.abc
import typing

import sqlalchemy as sa

from orch import ids
from orch.db import changes
from orch.db import errors as db_errors
from orch.db import rows
from orch.db.models import stacks
from orch.model import stack

_TABLE = stacks.STACKS
_TAGS = stacks.STACK_TAGS
_ROWS = rows.Rows(stack.Stack, _TABLE, noun="Stack")


find = _ROWS.find
get = _ROWS.get


def insert(conn: sa.Connection, value: stack.Stack) -> None:
    """Store a new stack; one of the same id stays as it is.

    :raises orch.db.errors.NameTaken: a live root stack of the project has
        that name
    """
    values = _ROWS.values(value)
    is_named = value.parent_id is None and value.deleted_at is None
    values["live_name"] = value.name if is_named else None
    rows.insert(conn, _TABLE, [values])
    if is_named and find(conn, value.id) is None:
        raise db_errors.NameTaken(f"The Stack ({value.name}) already exists.")
    _insert_tags(conn, value.id, value.tags)
    changes.note(conn, [value.id])


def insert_unnamed(
    conn: sa.Connection, values: collections.abc.Collection[stack.Stack]
) -> None:
    """Store new stacks that are not found by their names, as child stacks.

    Those whose ids are there already stay as they are.
    """
    rows.insert(
        conn,
        _TABLE,
        [{**_ROWS.values(each), "live_name": None} for each in values],
    )
    changes.note(conn, [each.id for each in values])


def find_known(
    conn: sa.Connection, stack_ids: collections.abc.Iterable[ids.StackId]
) -> set[ids.StackId]:
    """Return those of the ids that stacks have, also deleted ones."""
    wanted = sa.select(_TABLE.c.id).where(_TABLE.c.id.in_(list(stack_ids)))
    return set(conn.scalars(wanted))


def list_some(
    conn: sa.Connection, stack_ids: collections.abc.Collection[ids.StackId]
) -> list[stack.Stack]:
    """Return those of the stacks that there are, also deleted ones."""
    return _ROWS.find_all(conn, _TABLE.c.id.in_(sorted(stack_ids)))


def list_children(
    conn: sa.Connection, parent_id: ids.StackId
) -> list[stack.Stack]:
    """Return the stacks that the resources of a stack hold."""
    return _ROWS.all(
        conn.execute(_ROWS.by("parent_id"), {"key_parent_id": parent_id})
    )


def list_tree(conn: sa.Connection, root_id: ids.StackId) -> list[stack.Stack]:
    """Return all stacks of a tree, those that are gone too."""
    return _ROWS.all(
        conn.execute(_ROWS.by("root_id"), {"key_root_id": root_id})
    )


def list_trees(
    conn: sa.Connection, root_ids: collections.abc.Collection[ids.StackId]
) -> list[stack.Stack]:
    """Return all stacks of some trees, those that are gone too."""
    return _ROWS.find_all(conn, _TABLE.c.root_id.in_(sorted(root_ids)))


def add_to_count(
    conn: sa.Connection, root_id: ids.StackId, more: int, limit: int = -1
) -> bool:
    """Add to the number of resources of a tree.

    :param more: negative where some go
    :param limit: how many there may be; -1 for any number
    :returns: false when they would be too many, then nothing was added
    """
    counted = sa.update(_TABLE).where(_TABLE.c.id == root_id)
    if more > 0 and limit >= 0:
        counted = counted.where(_TABLE.c.tree_count + more <= limit)
    return rows.is_changed(
        conn, counted.values(tree_count=_TABLE.c.tree_count + more)
    )


def find_live(
    conn: sa.Connection, project_id: str, name: str
) -> stack.Stack | None:
    """Return the project's live root stack of that name."""
    return _ROWS.first(
        conn.execute(
            _ROWS.by("project_id", "live_name"),
            {"key_project_id": project_id, "key_live_name": name},
        )
    )


def update(
    conn: sa.Connection, stack_id: ids.StackId, **changed: object
) -> None:
    """Set fields of the stack; with ``deleted_at`` its name becomes free.

    :raises orch.errors.NotFound: no stack has that id
    """
    values = dict(changed)
    if values.get("deleted_at") is not None:
        values["live_name"] = None
    done = conn.execute(
        rows.setting(_TABLE, ("id",), tuple(values)),
        rows.parameters({"id": stack_id}, values),
    )
    if done.rowcount == 0:
        raise _ROWS.missing(stack_id)
    if "tags" in changed:
        conn.execute(sa.delete(_TAGS).where(_TAGS.c.stack_id == stack_id))
        tags = typing.cast(tuple[str, ...], changed["tags"])
        _insert_tags(conn, stack_id, tags)
    changes.note(conn, [stack_id])


def list_names_above(conn: sa.Connection, value: stack.Stack) -> list[str]:
    """Return the resources that hold the stack, from its root down."""
    names: list[str] = []
    place: stack.Stack | None = value
    while place is not None and place.parent_id is not None:
        names.append(place.parent_resource or "")
        place = find(conn, place.parent_id)
    return names[::-1]


def lock(conn: sa.Connection, stack_id: ids.StackId) -> stack.Stack:
    """Return the stack; no other transaction changes it before this ends.

    :raises orch.errors.NotFound: no stack has that id
    """
    found = _ROWS.lock(conn, stack_id)
    if found is None:
        raise _ROWS.missing(stack_id)
    return found


def _insert_tags(
    conn: sa.Connection, stack_id: ids.StackId, tags: tuple[str, ...]
) -> None:
    tagged: list[rows.Row] = [
        {"stack_id": stack_id, "tag": t} for t in dict.fromkeys(tags)
    ]
    rows.insert(conn, _TAGS, tagged)
