"""What lifecycle plug-ins have decided for resources, and go back from.

A value takes the place of an earlier one and keeps it, until an operation of
its stack is complete: then only the newest counts.
"""

import collections.abc
import dataclasses
import hashlib
import typing

import sqlalchemy as sa

from orch import ids
from orch.db import changes
from orch.db import rows
from orch.db.models import lifecycle
from orch.model import lifecycle as model
from orch.model import operation
from orch.model import stack

_TABLE = lifecycle.LIFECYCLE_DECISIONS
_ROWS = rows.Rows(
    model.Decision, _TABLE, _TABLE.c.path_digest, _TABLE.c.plugin
)
_REPLACED_COLUMNS: typing.Final = (
    "stack_id",
    "value",
    "operation_id",
    "attempt",
    "is_proven",
    "earlier",
)
"""Columns that a later value takes over, and an earlier one comes back in."""

Values = collections.abc.Mapping[str, object]
"""JSON values by path of a resource in the tree; empty for the root."""


def save(
    conn: sa.Connection,
    stack: stack.Stack,
    asked: operation.Operation,
    plugin: str,
    values: Values,
) -> None:
    """Keep what a plug-in has decided for an operation; once for each path.

    :param stack: whose operation it is
    """
    if not values:
        return
    known = {
        each.path: each
        for each in list_(conn, stack.root_id)
        if each.plugin == plugin
    }
    found = [
        model.Decision(
            root_id=stack.root_id,
            path=path,
            plugin=plugin,
            stack_id=stack.id,
            value=value,
            operation_id=asked.id,
            attempt=asked.attempt,
            earlier=_earlier(known.get(path), asked),
        )
        for path, value in values.items()
    ]
    _store(conn, found)


def list_(conn: sa.Connection, root_id: ids.StackId) -> list[model.Decision]:
    """Return what holds in a tree of stacks, by path and plug-in."""
    return _ROWS.find_by(conn, root_id=root_id)


def list_of_trees(
    conn: sa.Connection,
    root_ids: collections.abc.Collection[ids.StackId],
) -> list[model.Decision]:
    """Return what holds in several trees of stacks."""
    return _ROWS.find_all(conn, _TABLE.c.root_id.in_(list(root_ids)))


def list_for(
    conn: sa.Connection, root_id: ids.StackId, path: str
) -> list[model.Decision]:
    """Return what holds for one path in a tree of stacks."""
    return _ROWS.find_by(conn, root_id=root_id, path_digest=_digest(path))


def list_by_plugin(conn: sa.Connection, plugin: str) -> list[model.Decision]:
    """Return what a plug-in has decided, in all trees."""
    return _ROWS.find_by(conn, plugin=plugin)


def has_any(conn: sa.Connection) -> bool:
    """Answer whether anything is decided, in any tree."""
    return rows.has_any(conn, sa.select(_TABLE.c.root_id))


def prove(conn: sa.Connection, stack_id: ids.StackId) -> None:
    """Know that the stack is complete: nothing goes back behind that."""
    conn.execute(
        sa.update(_TABLE)
        .where(_TABLE.c.stack_id == stack_id, _TABLE.c.is_proven.is_(False))
        .values(is_proven=True, earlier={})
    )


def put_back(
    conn: sa.Connection,
    asked: operation.Operation,
    plugin: str | None = None,
) -> None:
    """Restore the values from before an attempt of an operation.

    :param plugin: whose values they are; ``None`` for all plug-ins
    """
    found = _ROWS.find_all(
        conn,
        _TABLE.c.operation_id == asked.id,
        _TABLE.c.attempt == asked.attempt,
        sa.true() if plugin is None else _TABLE.c.plugin == plugin,
    )
    _replace(conn, [(each, each.before) for each in found])


def undo(
    conn: sa.Connection,
    stack_id: ids.StackId,
    besides: ids.OperationId | None = None,
) -> None:
    """Let hold again what held when the stack was complete last.

    :param besides: what this operation has brought stays
    """
    found = [
        each
        for each in _ROWS.find_all(
            conn, _TABLE.c.stack_id == stack_id, _TABLE.c.is_proven.is_(False)
        )
        if each.operation_id != besides
    ]
    _replace(conn, [(each, _proven(each)) for each in found])


def transfer(
    conn: sa.Connection,
    found: collections.abc.Iterable[model.Decision],
    old: str,
    stack: stack.Stack,
    new: str,
) -> None:
    """Let what was decided for a resource, and below it, hold elsewhere.

    :param found: what holds in the tree that it leaves
    :param old: the path that it had there
    :param stack: the stack that it has come to
    :param new: the path that it has there
    """
    moved = [
        each
        for each in found
        if each.path == old or each.path.startswith(f"{old}/")
    ]
    _drop(conn, moved)
    _store(
        conn,
        [
            dataclasses.replace(
                each,
                root_id=stack.root_id,
                path=new + each.path.removeprefix(old),
                stack_id=stack.id,
                is_proven=True,
                earlier={},
            )
            for each in moved
        ],
    )


def release(
    conn: sa.Connection, stack: stack.Stack, path: str, name: str
) -> None:
    """Forget what was decided for a resource, and below it.

    :param path: of the stack in its tree
    :param name: of the resource
    """
    gone = f"{path}/{name}" if path else name
    _drop(
        conn,
        [
            each
            for each in list_(conn, stack.root_id)
            if each.path == gone or each.path.startswith(f"{gone}/")
        ],
    )


def release_all(conn: sa.Connection, stack: stack.Stack) -> None:
    """Forget what was decided for a stack that is gone.

    With the outermost one that is all; of an inner one what its own
    operations have brought.
    """
    if stack.id == stack.root_id:
        condition = _TABLE.c.root_id == stack.id
    else:
        condition = _TABLE.c.stack_id == stack.id
    conn.execute(sa.delete(_TABLE).where(condition))
    changes.note_tree(conn, stack.root_id)


def _earlier(
    known: model.Decision | None, asked: operation.Operation
) -> dict[str, object]:
    """Return what a new value keeps of the one in its place."""
    if known is None:
        return {}
    if (known.operation_id, known.attempt) == (asked.id, asked.attempt):
        return known.earlier
    # Behind it only the newest one counts that was complete; without this
    # each failure would be kept within the next one.
    base = None if known.is_proven else _proven(known)
    return {
        **_replaced_values(known),
        "earlier": {} if base is None else _replaced_values(base),
    }


def _replaced_values(each: model.Decision) -> dict[str, object]:
    return {name: getattr(each, name) for name in _REPLACED_COLUMNS}


def _proven(each: model.Decision) -> model.Decision | None:
    found: model.Decision | None = each
    while found is not None and not found.is_proven:
        found = found.before
    return found


def _replace(
    conn: sa.Connection,
    wanted: collections.abc.Sequence[
        tuple[model.Decision, model.Decision | None]
    ],
) -> None:
    _store(conn, [found for _, found in wanted if found is not None])
    _drop(conn, [each for each, found in wanted if found is None])


def _store(
    conn: sa.Connection, found: collections.abc.Collection[model.Decision]
) -> None:
    for root_id in {each.root_id for each in found}:
        changes.note_tree(conn, root_id)
    rows.save(
        conn,
        _TABLE,
        [
            {**_ROWS.values(each), "path_digest": _digest(each.path)}
            for each in found
        ],
        _REPLACED_COLUMNS,
    )


def _drop(
    conn: sa.Connection, gone: collections.abc.Sequence[model.Decision]
) -> None:
    by_plugin: dict[tuple[ids.StackId, str], list[str]] = {}
    for each in gone:
        key = (each.root_id, each.plugin)
        by_plugin.setdefault(key, []).append(_digest(each.path))
    for (root_id, plugin), digests in by_plugin.items():
        changes.note_tree(conn, root_id)
        rows.delete_in(
            conn,
            _TABLE.c.path_digest,
            digests,
            _TABLE.c.root_id == root_id,
            _TABLE.c.plugin == plugin,
        )


def _digest(path: str) -> str:
    return hashlib.sha256(path.encode()).hexdigest()
