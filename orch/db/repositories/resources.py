"""Resources: the incarnations of a stack's declared resources."""

import collections.abc
import typing

import sqlalchemy as sa

from orch import ids
from orch.db import changes
from orch.db import rows as row_values
from orch.db.models import stacks
from orch.model import resource
from orch.model import states

_TABLE = stacks.RESOURCES
_ORDER = (_TABLE.c.name, _TABLE.c.created_at, _TABLE.c.id)
_ROWS = row_values.Rows(resource.Resource, _TABLE, *_ORDER)
_SUMMARIES = row_values.Rows(resource.ResourceSummary, _TABLE, *_ORDER)
_FIXED = {
    *("id", "stack_id", "name", "created_at"),
    "external_id",
    "hooks",
    "signals",
    "taken_from",
}
_CHANGING = (
    *(c.name for c in _ROWS.columns if c.name not in _FIXED),
    "has_secrets",
)
IS_GONE: typing.Final = (_TABLE.c.action == states.Action.DELETE) & (
    _TABLE.c.status == states.Status.COMPLETE
)
KEYS: typing.Final = ("stack_id", "name", "id")
"""The primary key of resources."""
_ADOPTING = (states.Action.INIT, states.Action.CREATE, states.Action.ADOPT)
_FIRST_UNADOPTED = (
    sa.select(_TABLE.c.id)
    .where(
        _TABLE.c.stack_id == sa.bindparam("stack"),
        _TABLE.c.adopted_by.is_not(None),
        _TABLE.c.action.in_(_ADOPTING),
        sa.or_(
            _TABLE.c.status != states.Status.COMPLETE,
            _TABLE.c.action == states.Action.INIT,
        ),
    )
    .limit(1)
)


def save_many(
    conn: sa.Connection, values: collections.abc.Sequence[resource.Resource]
) -> None:
    """Store resources as they are now, about a thousand with a statement.

    New ones are inserted; of others everything is updated that can change:
    all but the ids, the name, ``created_at``, the breakpoints
    (``repositories.breakpoints``), what signals have left
    (``repositories.signals``) and ``taken_from``. No two of the values may be
    the same resource.
    """
    rows = [
        {**_ROWS.values(each), "has_secrets": each.has_secrets}
        for each in values
    ]
    row_values.save(conn, _TABLE, rows, _CHANGING)
    changes.note(conn, [each.stack_id for each in values])


def list_(
    conn: sa.Connection, stack_id: ids.StackId
) -> list[resource.Resource]:
    """Return all incarnations of all resources of the stack, by name."""
    return _ROWS.find_by(conn, stack_id=stack_id)


def list_summaries(
    conn: sa.Connection, stack_id: ids.StackId
) -> list[resource.ResourceSummary]:
    """Return what lists show of the rows that :func:`list_` returns.

    No document of a row is read, decrypted or parsed.
    """
    return _SUMMARIES.find_by(conn, stack_id=stack_id)


def list_of_stacks(
    conn: sa.Connection, stack_ids: collections.abc.Collection[ids.StackId]
) -> list[resource.Resource]:
    """Return all incarnations of all resources of some stacks, by name."""
    return _ROWS.find_in(conn, _TABLE.c.stack_id, stack_ids)


def list_failed_checks(
    conn: sa.Connection, stack_ids: collections.abc.Collection[ids.StackId]
) -> list[resource.Resource]:
    """Return those of some stacks whose last action was a failed check."""
    return _ROWS.find_in(
        conn,
        _TABLE.c.stack_id,
        stack_ids,
        _TABLE.c.action == states.Action.CHECK,
        _TABLE.c.status == states.Status.FAILED,
    )


def set_baseline(
    conn: sa.Connection,
    row: resource.Resource,
    baseline: collections.abc.Mapping[str, object] | None,
) -> None:
    """Set what the properties of a resource are compared with."""
    set_column(conn, "baseline", [(row, baseline)])


def set_column(
    conn: sa.Connection,
    name: str,
    values: collections.abc.Collection[tuple[resource.Resource, object]],
) -> None:
    """Set a column that has writers of its own, in rows that there are."""
    if values:
        conn.execute(
            row_values.setting(_TABLE, KEYS, (name,)),
            [
                row_values.parameters(
                    {key: getattr(row, key) for key in KEYS}, {name: value}
                )
                for row, value in values
            ],
        )


def list_column(
    conn: sa.Connection,
    name: str,
    stack_id: ids.StackId,
    resource_ids: collections.abc.Collection[ids.ResourceId],
) -> dict[ids.ResourceId, typing.Any]:
    """Return a column of some resources of a stack."""
    return {
        resource_id: value
        for batch in row_values.batches(sorted(resource_ids))
        for resource_id, value in conn.execute(
            sa.select(_TABLE.c.id, _TABLE.c[name]).where(
                _TABLE.c.stack_id == stack_id, _TABLE.c.id.in_(batch)
            )
        )
    }


def find(
    conn: sa.Connection,
    resource_id: ids.ResourceId,
    stack_id: ids.StackId | None = None,
) -> resource.Resource | None:
    """Return the incarnation of that id, if there is a row of it.

    :param stack_id: its stack, which makes it quick to find
    """
    statement = _ROWS.select().where(_TABLE.c.id == resource_id)
    if stack_id is not None:
        statement = statement.where(_TABLE.c.stack_id == stack_id)
    return _ROWS.first(conn.execute(statement))


def has_unadopted(conn: sa.Connection, stack_id: ids.StackId) -> bool:
    """Whether the adoption of a resource of the stack is not complete."""
    found = conn.execute(_FIRST_UNADOPTED, {"stack": stack_id})
    return found.first() is not None


def find_current(
    conn: sa.Connection, stack_id: ids.StackId, name: str
) -> resource.Resource | None:
    """Return the incarnation that stands for a name, or for a physical id.

    :param name: where both fit, the name counts
    """
    found = _ROWS.all(
        conn.execute(
            _ROWS.select().where(
                _TABLE.c.stack_id == stack_id,
                _TABLE.c.replaced_by.is_(None),
                (_TABLE.c.name == name) | (_TABLE.c.physical_id == name),
            )
        )
    )
    return max(
        (row for row in found if row.is_current),
        key=lambda row: (row.name == name, row.created_at),
        default=None,
    )


def list_physical(
    conn: sa.Connection, physical_id: str
) -> list[resource.Resource]:
    """Return the incarnations of all stacks that have a physical id."""
    return _ROWS.all(
        conn.execute(
            _ROWS.select()
            .where(_TABLE.c.physical_id == physical_id)
            .order_by(_TABLE.c.created_at.desc(), _TABLE.c.id)
        )
    )


def list_named(
    conn: sa.Connection, stack_id: ids.StackId, name: str
) -> list[resource.Resource]:
    """Return all incarnations of one name, the oldest first."""
    return _ROWS.find_by(conn, stack_id=stack_id, name=name)


def list_busy_types(conn: sa.Connection, stack_id: ids.StackId) -> set[str]:
    """Return the types of which a resource of the stack is in progress."""
    kind = sa.func.coalesce(_TABLE.c.mapped_type, _TABLE.c.type_name)
    return set(
        conn.scalars(
            sa.select(kind)
            .where(
                _TABLE.c.stack_id == stack_id,
                _TABLE.c.status == states.Status.IN_PROGRESS,
            )
            .distinct()
        )
    )


def count_by_status(
    conn: sa.Connection, stack_id: ids.StackId
) -> dict[str, int]:
    """Return how many resources of the stack have come to which status.

    :returns: by action and status, as in ``CREATE_COMPLETE``; what was
        replaced or is gone does not count
    """
    state = (_TABLE.c.action, _TABLE.c.status)
    found = conn.execute(
        sa.select(*state, sa.func.count())
        .where(_TABLE.c.stack_id == stack_id, _TABLE.c.replaced_by.is_(None))
        .group_by(*state)
        .order_by(*state)
    )
    return {
        f"{action}_{status}": count
        for action, status, count in found
        if (action, status) != (states.Action.DELETE, states.Status.COMPLETE)
    }


def delete_many(
    conn: sa.Connection,
    stack_id: ids.StackId,
    resource_ids: collections.abc.Collection[ids.ResourceId],
) -> int:
    """Forget resources of one stack.

    :returns: how many there were
    """
    changes.note(conn, [stack_id])
    return row_values.delete_in(
        conn,
        _TABLE.c.id,
        sorted(resource_ids),
        _TABLE.c.stack_id == stack_id,
    )


def delete_all(conn: sa.Connection, stack_id: ids.StackId) -> int:
    """Forget all resources of the stack.

    :returns: how many there were
    """
    return conn.execute(
        sa.delete(_TABLE).where(_TABLE.c.stack_id == stack_id)
    ).rowcount
