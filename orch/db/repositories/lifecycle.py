"""How far the lifecycle plug-ins of operations were called; their holds.

A worker writes under the lease of the operation. Whoever answers a hold
locks the row of the operation first, as the worker does.
"""

import collections.abc
import dataclasses
import typing

import sqlalchemy as sa

from orch import clock
from orch import ids
from orch.db import changes
from orch.db import functions
from orch.db import rows
from orch.db.models import lifecycle
from orch.db.models import stacks
from orch.model import lifecycle as model
from orch.model import states

_TABLE = lifecycle.LIFECYCLE_RUNS
_OPERATIONS = stacks.OPERATIONS
_STACKS = stacks.STACKS
_WAITING = states.OperationState.WAITING
_BLOCKED = states.OperationState.BLOCKED

_OF_HOLD: typing.Final = tuple(
    field.name for field in dataclasses.fields(model.Hold)
)
_OF_CALL: typing.Final = tuple(
    field.name for field in dataclasses.fields(model.Call)
)
_ADDED: typing.Final = {
    "is_passed_over": False,
    "enforcement": model.MANDATORY,
    "overridden_by": None,
    "override_reason": "",
}
"""Fields of a call that came later, and their defaults."""
_PLAIN: typing.Final = tuple(
    field.name
    for field in dataclasses.fields(model.Run)
    if field.name
    not in ("calls", "hold", "maybe", "has_before", "released_paths")
)
_KEYS: typing.Final = ("operation_id", "attempt", "verb")
_PROGRESS: typing.Final = (
    *(name for name in _PLAIN if name not in _KEYS),
    "calls",
)
_READ: typing.Final = (
    *(each for each in _TABLE.c if each.name != "tree_before"),
    _TABLE.c.tree_before.is_not(None).label("has_before"),
)
_IN_ORDER: typing.Final = sa.select(*_READ).order_by(
    _TABLE.c.attempt, _TABLE.c.began_at, _TABLE.c.verb
)
_OF_OPERATION: typing.Final = _IN_ORDER.where(
    _TABLE.c.operation_id == sa.bindparam("operation")
)
"""Built once: each look at a stack reads it."""
_IS_OPEN: typing.Final = sa.or_(
    _TABLE.c.stage != model.Stage.CLOSED, _TABLE.c.tree_before.is_not(None)
)


def find(
    conn: sa.Connection,
    operation_id: ids.OperationId,
    attempt: int | None = None,
) -> model.Run | None:
    """Return the calls around an attempt of an operation.

    :param attempt: ``None`` for the newest one
    :returns: ``None`` where no plug-in was to be called
    """
    found = [
        each
        for each in list_(conn, operation_id)
        if each.verb not in model.BESIDE and attempt in (None, each.attempt)
    ]
    return found[-1] if found else None


def list_(
    conn: sa.Connection, operation_id: ids.OperationId
) -> list[model.Run]:
    """Return the calls around all attempts of an operation, in order.

    Those around a request to cancel it stand beside those of the attempt.
    """
    return _all(conn.execute(_OF_OPERATION, {"operation": operation_id}))


def list_of_operations(
    conn: sa.Connection,
    operation_ids: collections.abc.Collection[ids.OperationId],
) -> list[model.Run]:
    """Return the calls around operations, of each in their order.

    Those around requests that have no operation of their own are left out.
    """
    found = list_by(conn, _TABLE.c.operation_id.in_(list(operation_ids)))
    return [each for each in found if each.verb not in model.BESIDE]


def list_of_stack(
    conn: sa.Connection, stack_id: ids.StackId
) -> list[model.Run]:
    """Return the calls around all operations of a stack."""
    return list_by(conn, _TABLE.c.stack_id == stack_id)


def list_held(conn: sa.Connection, root_id: ids.StackId) -> list[model.Run]:
    """Return those in a tree of stacks that are held, and not answered."""
    tree = sa.select(_STACKS.c.id).where(_STACKS.c.root_id == root_id)
    return list_by(
        conn,
        _TABLE.c.stack_id.in_(tree),
        _TABLE.c.stage == model.Stage.OPENING,
        _TABLE.c.hold_plugin.is_not(None),
        _TABLE.c.hold_answer.is_(None),
    )


def list_held_of_project(
    conn: sa.Connection, project_id: str | None
) -> list[model.Run]:
    """Return those of a project that wait for an answer, by their age.

    :param project_id: ``None`` for those of all projects
    """
    waits = sa.exists().where(
        _OPERATIONS.c.id == _TABLE.c.operation_id,
        _OPERATIONS.c.state == _BLOCKED,
    )
    of_project = _TABLE.c.project_id == project_id
    found = list_by(
        conn,
        _TABLE.c.stage == model.Stage.OPENING,
        sa.true() if project_id is None else of_project,
        _TABLE.c.hold_plugin.is_not(None),
        _TABLE.c.hold_answer.is_(None),
        waits,
    )
    return sorted(
        found, key=lambda run: run.hold.requested_at if run.hold else 0.0
    )


def list_approved(
    conn: sa.Connection,
    root_id: ids.StackId,
    plugin: str,
    since: clock.Timestamp,
) -> list[model.Run]:
    """Return those in a tree whose holds by a plug-in were approved.

    :param since: requested then or later, by the database's clock
    """
    tree = sa.select(_STACKS.c.id).where(_STACKS.c.root_id == root_id)
    return list_by(
        conn,
        _TABLE.c.stack_id.in_(tree),
        _TABLE.c.hold_plugin == plugin,
        _TABLE.c.hold_answer == model.APPROVED,
        _TABLE.c.hold_requested_at >= since,
    )


def list_of_attempt(
    conn: sa.Connection, operation_id: ids.OperationId, attempt: int
) -> list[model.Run]:
    """Return the open runs of an operation, and all of one attempt.

    The run of an attempt may be closed before its operation has ended: a
    worker that takes over then must not begin it anew. A move that is closed
    is over. Runs that store the stacks before an operation count as open.
    """
    return list_by(
        conn,
        _TABLE.c.operation_id == operation_id,
        sa.or_(
            _IS_OPEN,
            sa.and_(_TABLE.c.attempt == attempt, _TABLE.c.verb != model.MOVE),
        ),
    )


def has_open(conn: sa.Connection) -> bool:
    """Whether calls have not ended, or earlier stacks are stored."""
    return rows.has_any(conn, sa.select(_TABLE.c.operation_id).where(_IS_OPEN))


def exists_open(
    operation_id: sa.ColumnElement[ids.OperationId],
) -> sa.ColumnElement[bool]:
    """Return the condition that :func:`has_open` is true of an operation.

    :param operation_id: a column of another table
    """
    return sa.exists().where(_TABLE.c.operation_id == operation_id, _IS_OPEN)


def forget(conn: sa.Connection, value: model.Run) -> None:
    """Remove calls around what was never done."""
    conn.execute(sa.delete(_TABLE).where(*is_run(value)))
    changes.note(conn, [value.stack_id])


def save(
    conn: sa.Connection, value: model.Run, before: bytes | None = None
) -> None:
    """Store how far the calls are; what is stored of a hold stays.

    :param before: the stacks before the operation, stored until
        :func:`drop_before`; ``None`` to store none now
    """
    row: rows.Row = {
        **{name: getattr(value, name) for name in _PLAIN},
        "calls": [_stored_call(each) for each in value.calls],
    }
    rows.save(conn, _TABLE, [row], _PROGRESS)
    if before is not None:
        conn.execute(
            sa.update(_TABLE).where(*is_run(value)).values(tree_before=before)
        )
    changes.note(conn, [value.stack_id])


def find_before(conn: sa.Connection, value: model.Run) -> bytes | None:
    """Return the stacks before the operation, if they are stored."""
    found: bytes | None = conn.scalar(
        sa.select(_TABLE.c.tree_before).where(*is_run(value))
    )
    return found


def drop_before(conn: sa.Connection, operation_id: ids.OperationId) -> None:
    """Drop the stacks before an operation; no post-op is called any more."""
    conn.execute(
        sa.update(_TABLE)
        .where(
            _TABLE.c.operation_id == operation_id,
            _TABLE.c.tree_before.is_not(None),
        )
        .values(tree_before=None)
    )


def save_hold(conn: sa.Connection, value: model.Run, hold: model.Hold) -> None:
    """Store a hold that begins, in the place of an earlier one."""
    conn.execute(
        sa.update(_TABLE)
        .where(*is_run(value))
        .values({f"hold_{name}": getattr(hold, name) for name in _OF_HOLD})
    )


def expire(
    conn: sa.Connection,
    value: model.Run,
    hold: model.Hold,
    now: clock.Timestamp,
) -> model.Hold:
    """Let an open hold count as rejected; its time is over."""
    expired = dataclasses.replace(hold, answer=model.EXPIRED, answered_at=now)
    save_hold(conn, value, expired)
    return expired


def find_hold(conn: sa.Connection, value: model.Run) -> model.Hold | None:
    """Return the newest hold of an attempt, as it is now."""
    found = conn.execute(sa.select(*_READ).where(*is_run(value))).mappings()
    row = found.first()
    return None if row is None else _hold(row)


def answer_hold(
    conn: sa.Connection,
    operation_id: ids.OperationId,
    answer: str,
    by: str | None,
    text: str = "",
) -> bool:
    """Answer the open hold of an operation; any worker may take it then.

    Of two callers one wins. The time that the operation had left when it
    was held begins to run again.

    :param answer: ``APPROVED``, ``REJECTED`` or ``EXPIRED``
    :param by: who answers, as people know them
    :returns: whether it was held, and this is the answer
    """
    conn.execute(
        sa.select(_OPERATIONS.c.id)
        .where(_OPERATIONS.c.id == operation_id)
        .with_for_update()
    )
    held = find(conn, operation_id)
    if held is None or held.hold is None or not held.hold.is_open:
        return False
    now = functions.read_clock(conn)
    if answer != model.EXPIRED and held.hold.deadline_at <= now:
        return False
    done = conn.execute(
        sa.update(_TABLE)
        .where(*is_run(held), _TABLE.c.hold_answer.is_(None))
        .values(
            hold_answer=answer,
            hold_answered_by=by,
            hold_answered_at=now,
            hold_answer_text=text,
        )
    )
    if done.rowcount == 0:
        return False
    release_hold(conn, operation_id, held.hold, now)
    return True


def release_hold(
    conn: sa.Connection,
    operation_id: ids.OperationId,
    hold: model.Hold,
    now: clock.Timestamp,
) -> None:
    """Let any worker take an operation that was held; its time runs again."""
    left_s = hold.left_s
    conn.execute(
        sa.update(_OPERATIONS)
        .where(
            _OPERATIONS.c.id == operation_id, _OPERATIONS.c.state == _BLOCKED
        )
        .values(
            state=states.check_move(_BLOCKED, _WAITING),
            next_try_at=None,
            reason="",
            deadline_at=None if left_s is None else now + left_s,
        )
    )


def is_run(value: model.Run) -> tuple[sa.ColumnElement[bool], ...]:
    """Return the conditions that a row has the calls."""
    return tuple(_TABLE.c[name] == getattr(value, name) for name in _KEYS)


def list_by(
    conn: sa.Connection, *conditions: sa.ColumnElement[bool]
) -> list[model.Run]:
    """Return the calls that meet all conditions, in order."""
    return _all(conn.execute(_IN_ORDER.where(*conditions)))


def _all(result: sa.Result[tuple[typing.Any, ...]]) -> list[model.Run]:
    return [_run(row) for row in result.mappings()]


def _run(row: sa.RowMapping) -> model.Run:
    calls = typing.cast("list[dict[str, typing.Any]]", row["calls"])
    return model.Run(
        **{name: row[name] for name in _PLAIN},
        maybe=row["ahead"],
        has_before=bool(row["has_before"]),
        # Of no release, and of workers of earlier releases, it is empty.
        released_paths=row["released_paths"] or (),
        calls=tuple(
            model.Call(**{key: each[key] for key in each if key in _OF_CALL})
            for each in calls
        ),
        hold=_hold(row),
    )


def _stored_call(call: model.Call) -> dict[str, object]:
    """Return a call as stored; workers of earlier releases read most of them.

    They do not know the fields of :data:`_ADDED`.
    """
    values = {name: getattr(call, name) for name in _OF_CALL}
    for name, default in _ADDED.items():
        if values[name] == default:
            del values[name]
    return values


def _hold(row: sa.RowMapping) -> model.Hold | None:
    if row["hold_plugin"] is None:
        return None
    found = {name: row[f"hold_{name}"] for name in _OF_HOLD}
    # Workers of earlier releases leave these empty.
    for name in ("needs_other", "is_separate"):
        found[name] = bool(found[name])
    return model.Hold(**found)
