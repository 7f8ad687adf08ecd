"""Leases: who may run an operation, or has a duty of its own.

All moments are the database's. An operation's lease stands in its row; the
duties that one worker at a time has are named leases.
"""

import collections.abc

import sqlalchemy as sa

from orch import ids
from orch.db import bulk
from orch.db import errors
from orch.db import functions
from orch.db import rows
from orch.db.models import operations
from orch.db.models import services
from orch.model import lease
from orch.model import operation
from orch.model import states

_TABLE = operations.OPERATIONS
_ROWS = rows.Rows(operation.Operation, _TABLE)
_NAMED = services.LEASES
_WAITING = states.OperationState.WAITING
_RUNNING = states.OperationState.RUNNING

# How many more operations a claim looks at than it wants: others take some
# of them away at the same time.
_SPARE = 16


def claim(
    conn: sa.Connection,
    worker: ids.WorkerId,
    ttl_s: float,
    limit: int,
    operation_id: ids.OperationId | None = None,
) -> list[operation.Operation]:
    """Take operations that nobody runs, the oldest first.

    One that waits, or whose lease ran out. Of a stack only the oldest open
    one can be taken, and none while another of the stack runs. Two workers
    never both take one; what another is just taking is passed over.

    :param operation_id: take this one or none
    :returns: them as they are now: running, under a fence one higher
    """
    if conn.dialect.name == "sqlite":
        return _claim_at_once(conn, worker, ttl_s, limit, operation_id)
    taken: list[operation.Operation] = []
    candidates = [operation_id] if operation_id else _list_free(conn, limit)
    while candidates and len(taken) < limit:
        room = limit - len(taken)
        batch, candidates = candidates[:room], candidates[room:]
        taken += _claim_locked(conn, worker, ttl_s, batch)
    return taken


def renew(
    conn: sa.Connection,
    worker: ids.WorkerId,
    ttl_s: float,
    operation_ids: collections.abc.Collection[ids.OperationId],
) -> set[ids.OperationId]:
    """Hold the leases of these operations for another ``ttl_s``.

    :returns: those that the worker still runs; it has lost the others
    """
    if not operation_ids:
        return set()
    held = (
        _TABLE.c.id.in_(sorted(operation_ids)),
        _TABLE.c.owner == worker,
        _TABLE.c.state == _RUNNING,
    )
    conn.execute(
        sa.update(_TABLE)
        .where(*held)
        .values(lease_expires_at=functions.now() + ttl_s)
    )
    return set(conn.scalars(sa.select(_TABLE.c.id).where(*held)))


def touch(
    conn: sa.Connection,
    operation_id: ids.OperationId,
    fence: int,
    ttl_s: float,
    **progress: object,
) -> ids.OperationId | None:
    """Hold the lease for another ``ttl_s`` and write the progress.

    The first statement of every tick: its row lock also keeps the operation
    from being taken before the tick is committed.

    :param progress: columns of the operation, ``done`` for example
    :returns: the newer operation that this one has to make room for
    :raises orch.db.errors.LeaseLost: it does not run under this fence
    """
    mine = (
        _TABLE.c.id == operation_id,
        _TABLE.c.fence == fence,
        _TABLE.c.state == _RUNNING,
    )
    renewed = sa.update(_TABLE).values(
        lease_expires_at=functions.now() + ttl_s, **progress
    )
    done = conn.execute(renewed.where(*mine, _TABLE.c.superseded_by.is_(None)))
    if done.rowcount == 1:
        return None
    if conn.execute(renewed.where(*mine)).rowcount == 0:
        raise errors.LeaseLost(
            f"operation {operation_id} runs under another fence"
        )
    newer = conn.execute(
        sa.select(_TABLE.c.superseded_by).where(_TABLE.c.id == operation_id)
    ).scalar_one()
    return ids.OperationId(newer)


def release(
    conn: sa.Connection, operation_id: ids.OperationId, fence: int
) -> bool:
    """Let another worker take the operation at once.

    :returns: whether it ran under this fence
    """
    done = conn.execute(
        sa.update(_TABLE)
        .where(
            _TABLE.c.id == operation_id,
            _TABLE.c.fence == fence,
            _TABLE.c.state == _RUNNING,
        )
        .values(lease_expires_at=0.0)
    )
    return done.rowcount == 1


def is_held(conn: sa.Connection, operation_id: ids.OperationId) -> bool:
    """Answer whether a worker runs the operation under a live lease."""
    found = conn.execute(
        sa.select(_TABLE.c.id).where(
            _TABLE.c.id == operation_id,
            _TABLE.c.state == _RUNNING,
            _TABLE.c.lease_expires_at > functions.now(),
        )
    )
    return found.first() is not None


def acquire_named(
    conn: sa.Connection, name: str, owner: ids.WorkerId, ttl_s: float
) -> lease.Lease | None:
    """Take or renew the lease of a duty.

    The fence grows when it passes to another owner.

    :returns: ``None`` while another owner holds it
    """
    until = functions.now() + ttl_s
    mine = _NAMED.c.owner == owner
    done = conn.execute(
        sa.update(_NAMED)
        .where(
            _NAMED.c.name == name,
            mine | (_NAMED.c.expires_at <= functions.now()),
        )
        .ordered_values(
            # The fence first: MySQL goes from the left and would see the
            # owner that it has just assigned.
            (_NAMED.c.fence, _NAMED.c.fence + sa.case((mine, 0), else_=1)),
            (_NAMED.c.owner, owner),
            (_NAMED.c.expires_at, until),
        )
    )
    if done.rowcount == 0:
        values = {"name": name, "owner": owner, "fence": 1}
        conn.execute(
            bulk.insert_absent(conn.dialect.name, _NAMED).values(
                expires_at=until, **values
            )
        )
    row = conn.execute(sa.select(_NAMED).where(_NAMED.c.name == name)).one()
    if row.owner != owner:
        return None
    return lease.Lease(row.name, row.owner, row.fence, row.expires_at)


def release_named(conn: sa.Connection, name: str, owner: ids.WorkerId) -> bool:
    """Let another take the duty at once.

    :returns: whether the owner held it
    """
    done = conn.execute(
        sa.update(_NAMED)
        .where(_NAMED.c.name == name, _NAMED.c.owner == owner)
        .values(expires_at=0.0)
    )
    return done.rowcount == 1


def _is_free() -> sa.ColumnElement[bool]:
    """Return the condition that an operation can be taken now."""
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
    return ((mine.state == _WAITING) | is_orphan) & ~blocked


def _list_free(conn: sa.Connection, limit: int) -> list[ids.OperationId]:
    return list(
        conn.scalars(
            sa.select(_TABLE.c.id)
            .where(_is_free())
            .order_by(_TABLE.c.created_at, _TABLE.c.id)
            .limit(limit + _SPARE)
        )
    )


def _claim_locked(
    conn: sa.Connection,
    worker: ids.WorkerId,
    ttl_s: float,
    candidates: collections.abc.Sequence[ids.OperationId],
) -> list[operation.Operation]:
    """Take those that no other transaction is at.

    They are looked for without a lock before: InnoDB locks all rows that it
    sorts, not only the ones that a limit lets through.
    """
    locked = list(
        conn.scalars(
            sa.select(_TABLE.c.id)
            .where(_TABLE.c.id.in_(candidates), _is_free())
            .with_for_update(skip_locked=True)
        )
    )
    if not locked:
        return []
    mine = _TABLE.c.id.in_(locked)
    taking = _taking(worker, ttl_s).where(mine)
    if conn.dialect.update_returning:
        taken = conn.execute(taking.returning(*_ROWS.columns))
    else:
        conn.execute(taking)
        taken = conn.execute(_ROWS.select().where(mine))
    return _oldest_first(_ROWS.all(taken))


def _claim_at_once(
    conn: sa.Connection,
    worker: ids.WorkerId,
    ttl_s: float,
    limit: int,
    operation_id: ids.OperationId | None,
) -> list[operation.Operation]:
    free = sa.select(_TABLE.c.id).where(_is_free())
    if operation_id:
        free = free.where(_TABLE.c.id == operation_id)
    free = free.order_by(_TABLE.c.created_at, _TABLE.c.id).limit(limit)
    found = _ROWS.all(
        conn.execute(
            _taking(worker, ttl_s)
            .where(_TABLE.c.id.in_(free))
            .returning(*_ROWS.columns)
        )
    )
    return _oldest_first(found)


def _oldest_first(
    taken: list[operation.Operation],
) -> list[operation.Operation]:
    return sorted(taken, key=lambda each: (each.created_at, each.id))


def _taking(worker: ids.WorkerId, ttl_s: float) -> sa.Update:
    now = functions.now()
    return sa.update(_TABLE).values(
        state=_RUNNING,
        owner=worker,
        fence=_TABLE.c.fence + 1,
        lease_expires_at=now + ttl_s,
        started_at=sa.func.coalesce(_TABLE.c.started_at, now),
    )
