"""Event sinks of stored environments, and the position of each."""

import collections.abc

import sqlalchemy as sa

from orch import clock
from orch import ids
from orch.db import functions
from orch.db import rows as db_rows
from orch.db.models import events
from orch.db.models import stacks
from orch.model import event
from orch.model import event_sink

_SINKS = events.EVENT_SINKS
_STATES = events.EVENT_SINK_STATES
_CURSORS = events.EVENT_SINK_CURSORS
_EVENTS = events.EVENTS
_OPERATIONS = stacks.OPERATIONS
_STACKS = stacks.STACKS
_EVENT_ROWS = db_rows.Rows(event.Event, _EVENTS)


def save_sinks(
    conn: sa.Connection,
    environment_hash: str,
    declared: collections.abc.Iterable[event_sink.Declared],
) -> None:
    """Store which sinks an environment names; what is there stays."""
    now = functions.read_clock(conn)
    found: dict[str, db_rows.Row] = {}
    for each in declared:
        key = event_sink.key_of(each)
        found[key] = {
            "environment_hash": environment_hash,
            "sink_key": key,
            "declared": dict(each),
            "stored_at": now,
        }
    db_rows.insert(conn, _SINKS, list(found.values()))


def has_any(conn: sa.Connection) -> bool:
    """Answer whether any environment names a sink."""
    return db_rows.has_any(conn, sa.select(_SINKS.c.sink_key))


def list_due(
    conn: sa.Connection, limit: int, of_project: int
) -> list[event_sink.EventSink]:
    """Return sinks that have something to be told and are not held back.

    The first one of each project comes first, then the second ones, and so
    on. Of one project those come first that no process has seen, and then
    those that wait longest. A stack that went before its environment was
    known to name a sink has none.

    :param limit: how many at most
    :param of_project: how many of one project at most
    """
    root = _STACKS.alias("root")
    is_new = sa.and_(
        _STATES.c.root_id.is_(None),
        sa.or_(
            root.c.deleted_at.is_(None),
            root.c.deleted_at >= _SINKS.c.stored_at,
        ),
    )
    is_due = sa.and_(
        sa.not_(_STATES.c.is_over),
        sa.or_(
            _STATES.c.next_at.is_(None), _STATES.c.next_at <= functions.now()
        ),
        _has_undelivered(root.c.id, _SINKS.c.sink_key),
    )
    waits_since = sa.func.coalesce(_STATES.c.next_at, 0.0)
    listed = (
        sa.select(
            root.c.id,
            _SINKS.c.sink_key,
            root.c.project_id,
            _SINKS.c.declared,
            _STATES.c.since,
            _STATES.c.attempts,
            waits_since.label("waits_since"),
            sa.func.row_number()
            .over(
                partition_by=root.c.project_id,
                order_by=(waits_since, root.c.id, _SINKS.c.sink_key),
            )
            .label("place"),
        )
        .select_from(
            _SINKS.join(
                root,
                sa.and_(
                    root.c.environment_hash == _SINKS.c.environment_hash,
                    root.c.parent_id.is_(None),
                ),
            ).outerjoin(
                _STATES,
                sa.and_(
                    _STATES.c.root_id == root.c.id,
                    _STATES.c.sink_key == _SINKS.c.sink_key,
                ),
            )
        )
        .where(sa.or_(is_new, is_due))
        .subquery()
    )
    found = conn.execute(
        sa.select(
            listed.c.id,
            listed.c.sink_key,
            listed.c.project_id,
            listed.c.declared,
            listed.c.since,
            listed.c.attempts,
        )
        .where(listed.c.place <= of_project)
        .order_by(listed.c.place, listed.c.waits_since, listed.c.id)
        .limit(limit)
    )
    return [
        event_sink.EventSink(
            root_id=root_id,
            sink_key=key,
            project_id=project_id,
            declared=declared,
            since=since,
            attempts=attempts or 0,
        )
        for root_id, key, project_id, declared, since, attempts in found
    ]


def start_sink(
    conn: sa.Connection, value: event_sink.EventSink
) -> event_sink.EventSink:
    """Let a sink hear of what happens from when it was asked for.

    What was told of each stack that stands is known from then on; a stack
    that comes later is told from its first event.

    :returns: the sink with that moment
    """
    since = _declared_at(conn, value)
    db_rows.insert(
        conn,
        _STATES,
        [
            {
                "root_id": value.root_id,
                "sink_key": value.sink_key,
                "since": since,
                "attempts": 0,
                "next_at": None,
                "problem": "",
                "is_over": False,
            }
        ],
    )
    before = sa.func.max(_EVENTS.c.sequence)
    found = conn.execute(
        sa.select(_EVENTS.c.stack_id, before)
        .join(_STACKS, _STACKS.c.id == _EVENTS.c.stack_id)
        .where(
            _STACKS.c.root_id == value.root_id, _EVENTS.c.created_at < since
        )
        .group_by(_EVENTS.c.stack_id)
    )
    db_rows.insert(
        conn, _CURSORS, [_cursor(value, each, last) for each, last in found]
    )
    return event_sink.EventSink(
        root_id=value.root_id,
        sink_key=value.sink_key,
        project_id=value.project_id,
        declared=value.declared,
        since=since,
    )


def list_undelivered(
    conn: sa.Connection,
    value: event_sink.EventSink,
    max_stacks: int,
    max_events: int,
) -> list[event_sink.UndeliveredEvents]:
    """Return what a sink was not told yet, stack by stack.

    Nothing once the stack's environment does not name the sink any more.

    :param max_stacks: how many stacks of the tree at most
    :param max_events: how many events of each
    """
    news = conn.execute(
        sa.select(_STACKS.c.id, sa.func.coalesce(_CURSORS.c.sequence, 0))
        .select_from(
            _STACKS.outerjoin(
                _CURSORS, _is_cursor(value.root_id, value.sink_key)
            )
        )
        .where(
            _STACKS.c.root_id == value.root_id,
            _is_undelivered(),
            _is_named(value),
        )
        .order_by(_STACKS.c.depth, _STACKS.c.created_at, _STACKS.c.id)
        .limit(max_stacks)
    ).all()
    return [
        event_sink.UndeliveredEvents(
            stack_id,
            tuple(
                _EVENT_ROWS.all(
                    conn.execute(
                        _EVENT_ROWS.select()
                        .where(
                            _EVENTS.c.stack_id == stack_id,
                            _EVENTS.c.sequence > delivered,
                            # As of this statement: an update may have come.
                            _is_named(value),
                        )
                        .order_by(_EVENTS.c.sequence)
                        .limit(max_events)
                    )
                )
            ),
        )
        for stack_id, delivered in news
    ]


def record_delivered(
    conn: sa.Connection,
    value: event_sink.EventSink,
    delivered: collections.abc.Mapping[ids.StackId, int],
) -> None:
    """Store that a sink needs not be told events up to these numbers.

    Where more is known to be told already, that stays: a worker may come
    late that has lost its duty.
    """
    rows = [_cursor(value, *each) for each in sorted(delivered.items())]
    db_rows.insert(conn, _CURSORS, rows)
    for row in rows:
        conn.execute(
            sa.update(_CURSORS)
            .where(
                _CURSORS.c.root_id == row["root_id"],
                _CURSORS.c.sink_key == row["sink_key"],
                _CURSORS.c.stack_id == row["stack_id"],
                _CURSORS.c.sequence < row["sequence"],
            )
            .values(sequence=row["sequence"])
        )


def update_state(
    conn: sa.Connection, value: event_sink.EventSink, **changed: object
) -> None:
    """Change columns of what is known of a sink; one that is gone stays so."""
    conn.execute(
        sa.update(_STATES)
        .where(
            _STATES.c.root_id == value.root_id,
            _STATES.c.sink_key == value.sink_key,
        )
        .values(changed)
    )


def _has_undelivered(
    root_id: sa.ColumnElement[str], sink_key: sa.ColumnElement[str]
) -> sa.ColumnElement[bool]:
    return sa.exists(
        sa.select(1)
        .select_from(
            _STACKS.outerjoin(_CURSORS, _is_cursor(root_id, sink_key))
        )
        .where(_STACKS.c.root_id == root_id, _is_undelivered())
    )


def _is_named(value: event_sink.EventSink) -> sa.ColumnElement[bool]:
    root = _STACKS.alias("root")
    return sa.exists(
        sa.select(1).where(
            root.c.id == value.root_id,
            _SINKS.c.environment_hash == root.c.environment_hash,
            _SINKS.c.sink_key == value.sink_key,
        )
    )


def _is_cursor(root_id: object, sink_key: object) -> sa.ColumnElement[bool]:
    return sa.and_(
        _CURSORS.c.root_id == root_id,
        _CURSORS.c.sink_key == sink_key,
        _CURSORS.c.stack_id == _STACKS.c.id,
    )


def _is_undelivered() -> sa.ColumnElement[bool]:
    return sa.exists(
        sa.select(1).where(
            _EVENTS.c.stack_id == _STACKS.c.id,
            _EVENTS.c.sequence > sa.func.coalesce(_CURSORS.c.sequence, 0),
        )
    )


def _declared_at(
    conn: sa.Connection, value: event_sink.EventSink
) -> clock.Timestamp:
    """Return when the tree got the sink that it has had since."""
    named = set(
        conn.scalars(
            sa.select(_SINKS.c.environment_hash).where(
                _SINKS.c.sink_key == value.sink_key
            )
        )
    )
    since = functions.read_clock(conn)
    for environment_hash, created_at in conn.execute(
        sa.select(_OPERATIONS.c.environment_hash, _OPERATIONS.c.created_at)
        .where(
            _OPERATIONS.c.stack_id == value.root_id,
            _OPERATIONS.c.environment_hash.is_not(None),
        )
        .order_by(_OPERATIONS.c.created_at.desc())
    ):
        if environment_hash not in named:
            break
        since = clock.Timestamp(created_at)
    return since


def _cursor(
    value: event_sink.EventSink, stack_id: ids.StackId, sequence: int
) -> db_rows.Row:
    return {
        "root_id": value.root_id,
        "sink_key": value.sink_key,
        "stack_id": stack_id,
        "sequence": sequence,
    }
