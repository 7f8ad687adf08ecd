"""Events: facts about stacks and their resources."""

import collections.abc
import contextlib

import sqlalchemy as sa

from orch import errors
from orch import ids
from orch.db import changes
from orch.db import pages
from orch.db import queries
from orch.db import rows
from orch.db.models import events
from orch.model import event
from orch.model import event_position

_TABLE = events.EVENTS
_ROWS = rows.Rows(event.Event, _TABLE)
_LISTED = sa.select(*(_TABLE.c[name] for name in event.ListedEvent._fields))
_NEWEST = _ROWS.by("stack_id").order_by(_TABLE.c.sequence.desc()).limit(1)

_SORTABLE = {
    "event_time": _TABLE.c.created_at,
    "resource_type": _TABLE.c.resource_type,
}
_FILTERS = {
    "resource_status": _TABLE.c.status,
    "resource_action": _TABLE.c.action,
    "resource_name": _TABLE.c.resource_name,
    "resource_type": _TABLE.c.resource_type,
}


def insert_many(
    conn: sa.Connection, values: collections.abc.Sequence[event.Event]
) -> None:
    """Store new events, about a thousand with a statement.

    Those whose number is there already stay as they are.
    """
    rows.insert(conn, _TABLE, [_ROWS.values(each) for each in values])
    changes.note(conn, [each.stack_id for each in values])


def list_(
    conn: sa.Connection,
    stack_ids: collections.abc.Sequence[ids.StackId],
    query: queries.EventQuery,
) -> list[event.ListedEvent]:
    """Return the events of these stacks that the query asks for.

    Those of one stack come in the order of their numbers where the query
    does not want another.
    """
    order = _order(len(stack_ids) == 1, query)
    statement = _LISTED.where(_TABLE.c.stack_id.in_(stack_ids))
    if query.resource_name is not None:
        statement = statement.where(
            _TABLE.c.resource_name == query.resource_name
        )
    for name, allowed in query.filters.items():
        if name in _FILTERS:
            statement = statement.where(_FILTERS[name].in_(allowed))
    if query.marker is not None:
        marker = _find_marker(stack_ids, query.marker)
        statement = order.after(conn, statement, marker)
    found = conn.execute(statement.order_by(*order.by()).limit(query.limit))
    return list(map(event.ListedEvent._make, found))


def list_after(
    conn: sa.Connection,
    stack_ids: collections.abc.Sequence[ids.StackId],
    seen: event_position.Position,
    limit: int,
) -> list[event.Event]:
    """Return the events of these stacks that were not seen, as they happened.

    Those of one stack come in the order of their numbers.

    :param limit: how many at most
    """
    known = seen.newest
    others = [each for each in stack_ids if each not in known]
    wanted = [
        sa.and_(_TABLE.c.stack_id == each, _TABLE.c.sequence > known[each][0])
        for each in stack_ids
        if each in known
    ]
    if others:
        wanted.append(
            sa.and_(
                _TABLE.c.stack_id.in_(others),
                sa.true()
                if seen.since is None
                else _TABLE.c.created_at > seen.since,
            )
        )
    order = (
        (_TABLE.c.sequence,)
        if len(stack_ids) == 1
        else (_TABLE.c.created_at, _TABLE.c.stack_id, _TABLE.c.sequence)
    )
    return _ROWS.all(
        conn.execute(
            _ROWS.select().where(sa.or_(*wanted)).order_by(*order).limit(limit)
        )
    )


def list_named(
    conn: sa.Connection,
    stack_ids: collections.abc.Sequence[ids.StackId],
    event_ids: collections.abc.Iterable[str],
) -> list[event.Event]:
    """Return those of these stacks' events that have an id, in its order."""
    found: list[event.Event] = []
    for each in event_ids:
        sequence = ids.find_sequence(each)
        for stack_id in stack_ids:
            if sequence is None or ids.event_id(stack_id, sequence) != each:
                continue
            with contextlib.suppress(errors.NotFound):
                found.append(get(conn, stack_id, sequence))
    return found


def find_newest(
    conn: sa.Connection, stack_id: ids.StackId
) -> event.Event | None:
    """Return the stack's event with the highest number."""
    return _ROWS.first(conn.execute(_NEWEST, {"key_stack_id": stack_id}))


def list_of_operation(
    conn: sa.Connection,
    stack_id: ids.StackId,
    operation_id: ids.OperationId,
) -> list[event.Event]:
    """Return what happened in an operation of the stack, in order."""
    return _ROWS.all(
        conn.execute(
            _ROWS.select()
            .where(
                _TABLE.c.stack_id == stack_id,
                _TABLE.c.operation_id == operation_id,
            )
            .order_by(_TABLE.c.sequence)
        )
    )


def get(
    conn: sa.Connection, stack_id: ids.StackId, sequence: int
) -> event.Event:
    """Return the stack's event of that number.

    :raises orch.errors.NotFound: it has none
    """
    found = _ROWS.first(
        conn.execute(
            _ROWS.select().where(
                _TABLE.c.stack_id == stack_id, _TABLE.c.sequence == sequence
            )
        )
    )
    if found is None:
        name = ids.event_id(stack_id, sequence)
        raise errors.NotFound(f"The Event ({name}) could not be found.")
    return found


def _order(is_one_stack: bool, query: queries.EventQuery) -> pages.Order:
    keys: list[sa.ColumnElement[object]] = [
        _SORTABLE[key] for key in query.sort_keys if key in _SORTABLE
    ]
    if not keys and not is_one_stack:
        keys.append(_TABLE.c.created_at)
    keys += [_TABLE.c.stack_id, _TABLE.c.sequence]
    return pages.Order(keys, query.sort_dir == "desc")


def _find_marker(
    stack_ids: collections.abc.Sequence[ids.StackId], marker: str
) -> sa.ColumnElement[bool]:
    """Return the condition that finds the event of that id."""
    sequence = ids.find_sequence(marker)
    for stack_id in stack_ids:
        if sequence is None:
            break
        if ids.event_id(stack_id, sequence) == marker:
            return (_TABLE.c.stack_id == stack_id) & (
                _TABLE.c.sequence == sequence
            )
    return sa.false()
