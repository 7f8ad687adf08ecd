"""Operations: what was asked for. Who runs them is in ``leases``."""

import collections.abc
import dataclasses
import typing

import sqlalchemy as sa

from orch import clock
from orch import ids
from orch.db import changes
from orch.db import errors as db_errors
from orch.db import functions
from orch.db import rows
from orch.db.models import stacks
from orch.db.repositories import lifecycle
from orch.model import lease
from orch.model import operation
from orch.model import states

_TABLE = stacks.OPERATIONS
_WAITING = states.OperationState.WAITING
_RUNNING = states.OperationState.RUNNING
_BLOCKED = states.OperationState.BLOCKED
_FAILED = states.OperationState.FAILED
_SUPERSEDED = states.OperationState.SUPERSEDED
_ROWS = rows.Rows(
    operation.Operation,
    _TABLE,
    _TABLE.c.created_at,
    _TABLE.c.id,
    noun="Operation",
)


insert_many = _ROWS.insert_many
get = _ROWS.get
find = _ROWS.find


def insert(
    conn: sa.Connection,
    value: operation.Operation,
    timeout_s: float | None = None,
) -> None:
    """Store a new operation; one of the same id stays as it is.

    :param timeout_s: seconds from now, by the database's clock, until its
        deadline, which then replaces the value's own
    """
    if timeout_s is not None:
        deadline_at = clock.Timestamp(functions.read_clock(conn) + timeout_s)
        value = dataclasses.replace(value, deadline_at=deadline_at)
    rows.insert(conn, _TABLE, [_ROWS.values(value)])


def begun(
    value: operation.Operation,
    now: clock.Timestamp,
    timeout_s: float,
    taken: lease.Taken | None = None,
) -> operation.Operation:
    """Return a new operation as it is to be stored.

    :param now: the moment by the database's clock
    :param timeout_s: seconds from then until its deadline
    :param taken: who runs it at once, instead of a worker that claims it;
        only for the first operation of a stack
    """
    deadline_at = clock.Timestamp(now + timeout_s)
    value = dataclasses.replace(value, deadline_at=deadline_at)
    if taken is None:
        return value
    return dataclasses.replace(
        value,
        state=states.check_move(value.state, _RUNNING),
        owner=taken.worker_id,
        fence=value.fence + 1,
        lease_expires_at=clock.Timestamp(now + taken.ttl_s),
        started_at=now,
    )


def lock(
    conn: sa.Connection, operation_id: ids.OperationId
) -> operation.Operation:
    """Return the operation, locked until the transaction ends.

    :raises orch.errors.NotFound: none has that id
    """
    conn.execute(
        sa.select(_TABLE.c.id)
        .where(_TABLE.c.id == operation_id)
        .with_for_update()
    )
    return get(conn, operation_id)


def list_(
    conn: sa.Connection, stack_id: ids.StackId
) -> list[operation.Operation]:
    """Return the operations of the stack, the oldest first."""
    return _ROWS.find_by(conn, stack_id=stack_id)


def list_since(
    conn: sa.Connection, stack_id: ids.StackId, since: clock.Timestamp
) -> list[operation.Operation]:
    """Return those that were made then or later, the oldest first."""
    return _ROWS.find_all(
        conn, _TABLE.c.stack_id == stack_id, _TABLE.c.created_at >= since
    )


def find_newest(
    conn: sa.Connection,
    stack_id: ids.StackId,
    actions: collections.abc.Collection[states.Action],
    in_states: collections.abc.Collection[states.OperationState] | None = None,
) -> operation.Operation | None:
    """Return the newest of these actions.

    :param in_states: only those in one of them; ``None`` for any
    """
    conditions = [_TABLE.c.stack_id == stack_id, _TABLE.c.action.in_(actions)]
    if in_states is not None:
        conditions.append(_TABLE.c.state.in_(in_states))
    found = conn.execute(
        _ROWS.select()
        .where(*conditions)
        .order_by(_TABLE.c.created_at.desc(), _TABLE.c.id.desc())
        .limit(1)
    )
    return next(iter(_ROWS.all(found)), None)


def find_open(
    conn: sa.Connection, stack_id: ids.StackId
) -> list[operation.Operation]:
    """Return those that wait or run, the oldest first."""
    return _ROWS.find_all(
        conn,
        _TABLE.c.stack_id == stack_id,
        _TABLE.c.state.in_(states.OPEN_STATES),
    )


def count_open(conn: sa.Connection) -> dict[states.OperationState, int]:
    """Return how many have not ended, by state; those without any are missing.

    All of it is in an index.
    """
    found = conn.execute(
        sa.select(_TABLE.c.state, sa.func.count())
        .where(_TABLE.c.state.in_(states.OPEN_STATES))
        .group_by(_TABLE.c.state)
    )
    return {state: int(number) for state, number in found}


def list_busy(
    conn: sa.Connection, stack_ids: collections.abc.Collection[ids.StackId]
) -> set[ids.StackId]:
    """Return those of the stacks that have an operation under way."""
    return set(
        conn.scalars(
            sa.select(_TABLE.c.stack_id).where(
                _TABLE.c.stack_id.in_(sorted(stack_ids)),
                _TABLE.c.state.in_(states.OPEN_STATES),
            )
        )
    )


def list_some(
    conn: sa.Connection,
    operation_ids: collections.abc.Collection[ids.OperationId],
) -> list[operation.Operation]:
    """Return those of the operations that there are, the oldest first."""
    return _ROWS.find_all(conn, _TABLE.c.id.in_(sorted(operation_ids)))


def update(
    conn: sa.Connection,
    operation_id: ids.OperationId,
    fence: int,
    **changed: object,
) -> None:
    """Set fields of an operation that runs under this fence.

    :raises orch.db.errors.LeaseLost: it does not, or not any more
    :raises ValueError: no operation goes on to that state from there
    """
    held = {"id": operation_id, "fence": fence, "state": _RUNNING}
    if "state" in changed:
        new = typing.cast(states.OperationState, changed["state"])
        states.check_move(_RUNNING, new)
    done = conn.execute(
        rows.setting(_TABLE, tuple(held), tuple(changed)),
        rows.parameters(held, changed),
    )
    if done.rowcount == 0:
        raise db_errors.lease_lost(operation_id)


def reopen(
    conn: sa.Connection,
    operation_id: ids.OperationId,
    attempt: int,
    options: collections.abc.Mapping[str, object],
    timeout_s: float | None = None,
    context: collections.abc.Mapping[str, object] | None = None,
    done: int = 0,
) -> bool:
    """Let a failed operation wait for a worker once more.

    One whose lease ran out counts as failed, unless it was cancelled: its
    worker can write nothing more. It may still make calls, so the expired
    lease stays: others observe it before they take it over (ADR 0028).

    Of two callers one wins. While another operation of the stack is open
    none does; a request for a new one must change or lock the row of the
    stack too, then the two cannot pass each other.

    :param attempt: the number of the new attempt; the operation must have
        made exactly one less
    :param options: those of the new attempt
    :param timeout_s: seconds until the new deadline; ``None`` for none
    :param context: who asks for the new attempt; ``None`` for who did before
    :param done: changes that earlier attempts have completed
    :returns: whether it waits for a worker now because of this call
    """
    mine, other = _TABLE.c, _TABLE.alias("other").c
    owner = sa.select(mine.stack_id).where(mine.id == operation_id)
    conn.execute(
        sa.select(stacks.STACKS.c.id)
        .where(stacks.STACKS.c.id == owner.scalar_subquery())
        .with_for_update()
    )
    is_alone = not conn.execute(
        sa.select(other.id)
        .where(
            other.stack_id == owner.scalar_subquery(),
            other.id != operation_id,
            other.state.in_(states.OPEN_STATES),
        )
        .limit(1)
    ).first()
    if not is_alone:
        return False
    before = get(conn, operation_id)
    columns: dict[str, object] = {
        "state": states.check_move(_FAILED, _WAITING),
        "lease_expires_at": None,
    }
    is_open: sa.ColumnElement[bool] = mine.state.in_((_FAILED, _SUPERSEDED))
    if before.state is _RUNNING:
        columns = {"fence": mine.fence + 1}
        is_open = _is_orphan()
    deadline = None if timeout_s is None else functions.now() + timeout_s
    changed = conn.execute(
        sa.update(_TABLE)
        .where(
            mine.id == operation_id,
            is_open,
            mine.attempt == attempt - 1,
        )
        .values(
            attempt=attempt,
            attempts=(*before.attempts, _ended(before)),
            options=options,
            owner=None,
            deadline_at=deadline,
            superseded_by=None,
            is_cancelled=False,
            next_try_at=None,
            done=done,
            reason="",
            failures=(),
            started_at=None,
            finished_at=None,
            **columns,
            **({} if context is None else {"context": context}),
        )
    )
    changes.note(conn, [before.stack_id])
    return changed.rowcount == 1


def _ended(before: operation.Operation) -> operation.Attempt:
    """Return an attempt that is over, or whose worker is dead."""
    attempt = before.this_attempt()
    if before.state is _RUNNING:
        attempt["state"] = _FAILED.value
        attempt["reason"] = "Its worker was lost."
    return attempt


def set_options(
    conn: sa.Connection,
    operation_id: ids.OperationId,
    options: collections.abc.Mapping[str, object],
) -> None:
    """Change the options of an operation that no worker runs yet."""
    conn.execute(
        sa.update(_TABLE)
        .where(_TABLE.c.id == operation_id, _TABLE.c.state == _WAITING)
        .values(options=options)
    )


def supersede(
    conn: sa.Connection, stack_id: ids.StackId, by: ids.OperationId
) -> int:
    """Let a newer operation end all others of the stack.

    Those that wait, or are blocked, end here. Where lifecycle plug-ins wait
    for their post-ops, or stacks are stored for these, a worker takes them up
    and ends them. Those that run learn it at their next tick and end by
    themselves. One statement decides, because an operation may pass from the
    one to the other at any moment.

    :returns: how many are or will be ended
    """
    is_running = _TABLE.c.state == _RUNNING
    is_watched = lifecycle.exists_open(_TABLE.c.id)
    told = conn.execute(
        sa.update(_TABLE)
        .where(
            _TABLE.c.stack_id == stack_id,
            _TABLE.c.id != by,
            _TABLE.c.state.in_(states.OPEN_STATES),
        )
        .ordered_values(
            # The state last: MySQL goes from the left and would see what it
            # has just assigned.
            (_TABLE.c.superseded_by, by),
            (_TABLE.c.next_try_at, None),
            (
                _TABLE.c.finished_at,
                sa.case(
                    (is_running | is_watched, None), else_=functions.now()
                ),
            ),
            (
                _TABLE.c.state,
                sa.case(
                    (is_running, _TABLE.c.state),
                    (is_watched, _WAITING),
                    else_=_SUPERSEDED,
                ),
            ),
        )
    )
    return told.rowcount


def cancel(conn: sa.Connection, operation_id: ids.OperationId) -> bool:
    """Ask an operation to end where it stands.

    One that runs learns it at its next tick. One that waits, or that is
    blocked, is ended by the worker that takes it up: at once.

    :returns: whether it was open, and nothing newer had ended it
    """
    mine = (_TABLE.c.id == operation_id, _TABLE.c.superseded_by.is_(None))
    asked = conn.execute(
        sa.update(_TABLE)
        .where(*mine, _TABLE.c.state.in_(states.OPEN_STATES))
        .values(is_cancelled=True)
    )
    conn.execute(
        sa.update(_TABLE)
        .where(*mine, _TABLE.c.state == _BLOCKED)
        .values(state=states.check_move(_BLOCKED, _WAITING), next_try_at=None)
    )
    return asked.rowcount == 1


def _is_orphan() -> sa.ColumnElement[bool]:
    """Return the condition that an operation has lost its worker.

    Without an owner it waits for another one already.
    """
    return (
        (_TABLE.c.state == _RUNNING)
        & _TABLE.c.owner.is_not(None)
        & (_TABLE.c.lease_expires_at <= functions.now())
        & _TABLE.c.is_cancelled.is_(False)
    )
