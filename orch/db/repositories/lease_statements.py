"""Statements about leases.

To build one costs more than to run it, so most are built once; their
parameters begin with ``by_``.
"""

import functools

import sqlalchemy as sa

from orch import ids
from orch.db import functions
from orch.db import rows
from orch.db.models import stacks
from orch.db.repositories import plugin_settings
from orch.model import operation
from orch.model import states

_TABLE = stacks.OPERATIONS
ROWS = rows.Rows(operation.Operation, _TABLE)
_AGE = (_TABLE.c.created_at, _TABLE.c.id)
_WAITING = states.OperationState.WAITING
_RUNNING = states.OperationState.RUNNING
_BLOCKED = states.OperationState.BLOCKED
_IS_ONE_OF = _TABLE.c.id.in_(sa.bindparam("by_ids", expanding=True))
_IS_DEEP_ENOUGH = _TABLE.c.depth >= sa.bindparam(
    "by_depth", type_=sa.Integer()
)
# A worker with other plug-in settings than those in force takes nothing.
_HAS_SETTINGS = (
    sa.bindparam("by_settings", type_=sa.BigInteger())
    == plugin_settings.NUMBER
)
_UNTIL = functions.now() + sa.bindparam("by_ttl_s", type_=sa.Double())
_TAKING = sa.update(_TABLE).values(
    state=_RUNNING,
    owner=sa.bindparam("by_worker"),
    fence=_TABLE.c.fence + 1,
    lease_expires_at=_UNTIL,
    next_try_at=None,
    reason="",
    started_at=sa.func.coalesce(_TABLE.c.started_at, functions.now()),
)
GOES_ON = _TABLE.c.superseded_by.is_(None) & _TABLE.c.is_cancelled.is_(False)
"""The condition that no request has ended the operation."""


def runs_under(
    operation_id: ids.OperationId, fence: int
) -> sa.ColumnElement[bool]:
    """Return the condition that an operation runs under a fence."""
    return sa.and_(
        _TABLE.c.id == operation_id,
        _TABLE.c.fence == fence,
        _TABLE.c.state == _RUNNING,
    )


def _is_free(has_overdue: bool) -> sa.ColumnElement[bool]:
    """Return the condition that a worker can take an operation now.

    :param has_overdue: of those whose lease has expired only the named ones
        can, and those that were given back
    """
    mine, other = _TABLE.c, _TABLE.alias("other").c
    now = functions.now()
    is_older = (other.created_at < mine.created_at) | (
        (other.created_at == mine.created_at) & (other.id < mine.id)
    )
    is_running = (other.state == _RUNNING) & (other.lease_expires_at > now)
    is_open = other.state.in_(states.OPEN_STATES)
    blocked = sa.exists().where(
        other.stack_id == mine.stack_id,
        other.id != mine.id,
        is_running | (is_open & is_older),
    )
    is_orphan = (mine.state == _RUNNING) & (mine.lease_expires_at <= now)
    if has_overdue:
        is_orphan &= (mine.lease_expires_at <= 0) | mine.id.in_(
            sa.bindparam("by_overdue", expanding=True)
        )
    is_due = (mine.state == _BLOCKED) & (
        (mine.next_try_at <= now) | (mine.deadline_at <= now)
    )
    is_takable = (mine.state == _WAITING) | is_orphan | is_due
    return _HAS_SETTINGS & is_takable & ~blocked


@functools.cache
def touching(names: tuple[str, ...], is_going_on: bool) -> sa.Update:
    """Renew a lease and write columns, by id, fence and state.

    :param is_going_on: only where the operation was not told to end
    """
    statement = rows.setting(_TABLE, ("id", "fence", "state"), names).values(
        lease_expires_at=_UNTIL
    )
    return statement.where(GOES_ON) if is_going_on else statement


@functools.cache
def free_ids(has_ids: bool, has_overdue: bool) -> sa.Select[tuple[str]]:
    """Find operations that can be taken, the oldest first, without a lock."""
    free = sa.select(_TABLE.c.id).where(_is_free(has_overdue), _IS_DEEP_ENOUGH)
    if has_ids:
        free = free.where(_IS_ONE_OF)
    return free.order_by(*_AGE).limit(
        sa.bindparam("by_limit", type_=sa.Integer())
    )


@functools.cache
def superseded() -> sa.Select[tuple[str]]:
    """Find those that wait and that these operations have superseded."""
    newer = _TABLE.alias("newer")
    return (
        sa.select(_TABLE.c.id)
        .join(
            newer,
            (newer.c.stack_id == _TABLE.c.stack_id)
            & (newer.c.id == _TABLE.c.superseded_by),
        )
        .where(
            newer.c.id.in_(sa.bindparam("by_ids", expanding=True)),
            _TABLE.c.state == _WAITING,
        )
    )


@functools.cache
def locking(has_overdue: bool) -> sa.Select[tuple[str, bool, int, float]]:
    """Lock those of these that can be claimed and are not locked.

    Beside each id: whether a worker was lost with it, and its lease.
    """
    # One that was given back has a lease that ended long ago.
    was_lost = (_TABLE.c.state == _RUNNING) & (_TABLE.c.lease_expires_at > 0)
    return (
        sa.select(
            _TABLE.c.id,
            was_lost.label("was_lost"),
            _TABLE.c.fence,
            _TABLE.c.lease_expires_at,
        )
        .where(_IS_ONE_OF, _is_free(has_overdue), _IS_DEEP_ENOUGH)
        .order_by(*_AGE)
        .with_for_update(skip_locked=True, of=_TABLE)
    )


@functools.cache
def taking_locked() -> sa.Update:
    """Take these operations."""
    return _TAKING.where(_IS_ONE_OF)


@functools.cache
def taken() -> sa.Select[tuple[object, ...]]:
    """Read these operations, the oldest first."""
    return ROWS.select().where(_IS_ONE_OF).order_by(*_AGE)


@functools.cache
def taking_free(has_ids: bool, has_overdue: bool) -> sa.Executable:
    """Take and read those that can be taken, in one statement."""
    free = free_ids(has_ids, has_overdue)
    return _TAKING.where(_TABLE.c.id.in_(free)).returning(*ROWS.columns)


@functools.cache
def aging() -> sa.Select[tuple[str, int, float]]:
    """Find the leases that end within ``by_within_s``, or have ended."""
    until = functions.now() + sa.bindparam("by_within_s", type_=sa.Double())
    return sa.select(
        _TABLE.c.id, _TABLE.c.fence, _TABLE.c.lease_expires_at
    ).where(
        _TABLE.c.state == _RUNNING,
        _TABLE.c.lease_expires_at > 0,
        _TABLE.c.lease_expires_at <= until,
    )
