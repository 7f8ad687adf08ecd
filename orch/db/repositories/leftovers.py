"""Left-over physical resources: what stacks have left in place for good."""

import collections.abc

import sqlalchemy as sa

from orch import ids
from orch.db import pages
from orch.db import queries
from orch.db import rows
from orch.db.models import stacks as stack_tables
from orch.db.repositories import stacks
from orch.model import leftover
from orch.model import stack as stack_model

_TABLE = stack_tables.LEFTOVERS
_ROWS = rows.Rows(leftover.Leftover, _TABLE)

_NEWEST_FIRST = pages.Order((_TABLE.c.left_at, _TABLE.c.id), True)
_LEFT_AGAIN = (
    "physical_id",
    "attempt",
    "is_outcome_unknown",
    "cause",
    "reason",
    "data",
    "operation_id",
    "sweep_id",
)
"""What changes where the deletion that sweeps one leaves it once more."""


find = _ROWS.find
lock = _ROWS.lock
update = _ROWS.update
delete = _ROWS.delete


def save_many(
    conn: sa.Connection,
    stack: stack_model.Stack,
    departures: collections.abc.Sequence[leftover.Departure],
) -> None:
    """Store what a stack leaves in place, in the transaction that does so.

    One whose sweep was given up is no longer swept.
    """
    root = stacks.find(conn, stack.root_id) or stack
    above = stacks.list_names_above(conn, stack)
    values = [_leftover(stack, root, above, each) for each in departures]
    rows.save(
        conn, _TABLE, [_ROWS.values(each) for each in values], _LEFT_AGAIN
    )


def _leftover(
    stack: stack_model.Stack,
    root: stack_model.Stack,
    above: list[str],
    departure: leftover.Departure,
) -> leftover.Leftover:
    row = departure.row
    return leftover.Leftover(
        id=row.id,
        project_id=stack.project_id,
        stack_id=root.id,
        stack_name=root.name,
        holder_name=stack.name,
        path="/".join((*above, row.name)),
        name=row.name,
        type_name=row.type_name,
        mapped_type=row.mapped_type,
        physical_id=row.physical_id,
        id_scope=row.id_scope,
        attempt=row.attempt,
        is_outcome_unknown=row.is_outcome_unknown,
        cause=departure.cause,
        reason=departure.reason,
        properties=row.properties,
        attributes=row.attributes,
        data=row.data,
        metadata=row.metadata,
        created_at=row.created_at,
        left_at=departure.left_at,
        operation_id=departure.operation_id,
    )


def list_(
    conn: sa.Connection, query: queries.LeftoverQuery
) -> list[leftover.Leftover]:
    """Return those that the query asks for, the newest first."""
    statement = _ROWS.select().where(_TABLE.c.project_id == query.project_id)
    if query.stack is not None:
        statement = statement.where(
            sa.or_(
                _TABLE.c.stack_id == query.stack,
                _TABLE.c.stack_name == query.stack,
            )
        )
    if query.type_name is not None:
        statement = statement.where(_TABLE.c.type_name == query.type_name)
    if query.since is not None:
        statement = statement.where(_TABLE.c.left_at >= query.since)
    if query.marker is not None:
        marker = _TABLE.c.id == query.marker
        statement = _NEWEST_FIRST.after(conn, statement, marker)
    return _ROWS.all(
        conn.execute(
            statement.order_by(*_NEWEST_FIRST.by()).limit(query.limit)
        )
    )


def list_of_operation(
    conn: sa.Connection, operation_id: ids.OperationId
) -> list[leftover.Leftover]:
    """Return what an operation has left, by path."""
    return _ROWS.all(
        conn.execute(
            _ROWS.select()
            .where(_TABLE.c.operation_id == operation_id)
            .order_by(_TABLE.c.name, _TABLE.c.id)
        )
    )


def delete_swept(conn: sa.Connection, stack_id: ids.StackId) -> None:
    """Forget what went with a stack that is gone.

    That is what its deletion has swept, or the stack itself, which was a
    child stack that outlived its resource.
    """
    conn.execute(
        sa.delete(_TABLE).where(
            (_TABLE.c.sweep_id == stack_id) | (_TABLE.c.id == stack_id)
        )
    )


def delete_adopted(
    conn: sa.Connection,
    project_id: str,
    adopted: collections.abc.Iterable[leftover.Adopted],
) -> None:
    """Forget what stacks of the project have adopted."""
    wanted: dict[str, list[leftover.Adopted]] = {}
    for each in adopted:
        wanted.setdefault(each.physical_id, []).append(each)
    found = _ROWS.all(
        conn.execute(
            _ROWS.select().where(
                _TABLE.c.project_id == project_id,
                _TABLE.c.physical_id.in_(sorted(wanted)),
            )
        )
    )
    for left in found:
        if any(_is(left, each) for each in wanted[str(left.physical_id)]):
            delete(conn, left.id)


def _is(left: leftover.Leftover, adopted: leftover.Adopted) -> bool:
    """Whether they may be the same physical resource."""
    return left.plugin_type == adopted.plugin_type and (
        None in (left.id_scope, adopted.id_scope)
        or left.id_scope == adopted.id_scope
    )
