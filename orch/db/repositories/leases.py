"""Leases: who may run an operation.

All moments are the database's. An operation's lease stands in its row; the
duties that one worker at a time has are in ``named_leases``.
"""

import collections.abc
import operator
import typing

import sqlalchemy as sa

from orch import ids
from orch.db import changes
from orch.db import errors
from orch.db import functions
from orch.db import rows
from orch.db.models import stacks
from orch.db.repositories import lease_statements as statements
from orch.model import operation
from orch.model import states

_TABLE = stacks.OPERATIONS
_WAITING = states.OperationState.WAITING
_RUNNING = states.OperationState.RUNNING
_BLOCKED = states.OperationState.BLOCKED
OnOrphan = collections.abc.Callable[[ids.OperationId], None]
"""Hears of operations whose worker has let the lease run out."""
# How many more operations a claim looks at than it wants: others take some
# of them away at the same time.
_SPARE = 16
_Terms = collections.abc.Mapping[str, object]
"""Parameters that all statements of a claim have."""
_AGE = operator.attrgetter("created_at", "id")


class AgingLease(typing.NamedTuple):
    """A lease that was not renewed for a while, as it was read."""

    operation_id: ids.OperationId
    fence: int
    expires_at: float


Overdue = collections.abc.Set[AgingLease]
"""Leases that were not renewed for so long that their workers are dead."""


def list_aging(conn: sa.Connection, within_s: float) -> list[AgingLease]:
    """Return the leases that have expired, or expire within so many seconds.

    One that was given back is none of them.
    """
    found = conn.execute(statements.aging(), {"by_within_s": within_s})
    return [
        AgingLease(ids.OperationId(each.id), each.fence, each.lease_expires_at)
        for each in found
    ]


def _do_nothing(orphan: ids.OperationId) -> None:
    """Let it be."""


def claim(
    conn: sa.Connection,
    worker: ids.WorkerId,
    ttl_s: float,
    limit: int,
    operation_id: ids.OperationId | None = None,
    least_depth: int = 0,
    on_orphan: OnOrphan = _do_nothing,
    overdue: Overdue | None = None,
    settings_number: int = 0,
) -> list[operation.Operation]:
    """Claim operations that no worker runs, the oldest first.

    One that waits, whose lease ran out, or that was blocked until now or
    until its time was over. Of a stack only the oldest open
    one can be taken, and none while another of the stack runs. Two workers
    never both take one; what another is just taking is passed over.

    :param operation_id: take this one or none
    :param least_depth: take only those of stacks at that depth or deeper
    :param on_orphan: called for each that a worker was lost with, as the
        transaction sees it; not on SQLite, which does not tell
    :param overdue: of the leases that have expired only these pass to the
        worker, and those that were given back; ``None`` for all
    :param settings_number: of the plug-in settings that the worker has; it
        takes nothing unless they are in force
    :returns: them as they are now: running, under a fence one higher
    """
    if operation_id:
        return claim_some(
            *(conn, worker, ttl_s, limit, [operation_id], least_depth),
            on_orphan,
            overdue,
            settings_number,
        )
    terms = {"by_depth": least_depth, "by_settings": settings_number}
    if conn.dialect.name == "sqlite":
        return _claim_at_once(conn, worker, ttl_s, limit, None, terms, overdue)
    taken: list[operation.Operation] = []
    candidates = _list_free(conn, limit, terms, overdue)
    while candidates and len(taken) < limit:
        free_slots = limit - len(taken)
        batch, candidates = candidates[:free_slots], candidates[free_slots:]
        taken += _claim_locked(
            conn, worker, ttl_s, batch, terms, on_orphan, overdue
        )
    return taken


def claim_some(
    conn: sa.Connection,
    worker: ids.WorkerId,
    ttl_s: float,
    limit: int,
    operation_ids: collections.abc.Collection[ids.OperationId],
    least_depth: int = 0,
    on_orphan: OnOrphan = _do_nothing,
    overdue: Overdue | None = None,
    settings_number: int = 0,
) -> list[operation.Operation]:
    """Take those of these operations that can be taken, as :func:`claim`.

    Where one has to wait for others that it has superseded, and that no worker
    runs, those are taken in its place.

    :returns: them as they are now, the oldest first
    """
    candidates = list(dict.fromkeys(operation_ids))
    taker = (conn, worker, ttl_s)
    terms = {"by_depth": least_depth, "by_settings": settings_number}
    among = (terms, on_orphan, overdue)
    taken = _claim_named(*taker, limit, candidates, *among)
    missing = set(candidates) - {each.id for each in taken}
    free_slots = limit - len(taken)
    if not missing or free_slots <= 0:
        return taken
    named = {"by_ids": sorted(missing)}
    before: list[ids.OperationId] = list(
        conn.scalars(statements.superseded(), named)
    )
    taken += _claim_named(*taker, free_slots, before, *among)
    return sorted(taken, key=_AGE)


def _claim_named(
    conn: sa.Connection,
    worker: ids.WorkerId,
    ttl_s: float,
    limit: int,
    candidates: collections.abc.Sequence[ids.OperationId],
    terms: _Terms,
    on_orphan: OnOrphan,
    overdue: Overdue | None,
) -> list[operation.Operation]:
    if not candidates:
        return []
    if conn.dialect.name == "sqlite":
        return _claim_at_once(
            conn, worker, ttl_s, limit, candidates, terms, overdue
        )
    if len(candidates) > limit:
        # Which of them are free decides, not which were named first.
        free = _list_free(conn, limit, terms, overdue, candidates)
        candidates = free[:limit]
    return _claim_locked(
        conn, worker, ttl_s, candidates, terms, on_orphan, overdue
    )


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


def list_halted(
    conn: sa.Connection,
    operation_ids: collections.abc.Collection[ids.OperationId],
) -> list[ids.OperationId]:
    """Return those that were superseded or cancelled."""
    return list(
        conn.scalars(
            sa.select(_TABLE.c.id).where(
                _TABLE.c.id.in_(sorted(operation_ids)),
                sa.not_(statements.GOES_ON),
            )
        )
    )


def touch(
    conn: sa.Connection,
    operation_id: ids.OperationId,
    fence: int,
    ttl_s: float,
    **progress: object,
) -> operation.StopReason | None:
    """Hold the lease for another ``ttl_s`` and write the progress.

    The first statement of every tick: its row lock also keeps the operation
    from being taken before the tick is committed.

    :param progress: columns of the operation, ``done`` for example
    :returns: why the operation has to begin nothing more
    :raises orch.db.errors.LeaseLost: it does not run under this fence
    """
    values = {
        "key_id": operation_id,
        "key_fence": fence,
        "key_state": _RUNNING,
        "by_ttl_s": ttl_s,
        **{f"new_{name}": value for name, value in progress.items()},
    }
    names = tuple(progress)
    if conn.execute(statements.touching(names, True), values).rowcount == 1:
        return None
    if conn.execute(statements.touching(names, False), values).rowcount == 0:
        raise errors.lease_lost(operation_id)
    newer = conn.execute(
        sa.select(_TABLE.c.superseded_by).where(_TABLE.c.id == operation_id)
    ).scalar_one()
    if newer is None:
        return operation.StopReason.CANCELLED
    return operation.StopReason.SUPERSEDED


def release(
    conn: sa.Connection, operation_id: ids.OperationId, fence: int
) -> bool:
    """Let another worker take the operation at once.

    :returns: whether it ran under this fence
    """
    return rows.is_changed(
        conn,
        sa.update(_TABLE)
        .where(statements.runs_under(operation_id, fence))
        .values(lease_expires_at=0.0),
    )


def park(
    conn: sa.Connection,
    operation_id: ids.OperationId,
    fence: int,
    *,
    reason: str,
    pause_s: float | None,
    options: collections.abc.Mapping[str, object],
    stops_time: bool = False,
) -> None:
    """Give the worker back; the operation waits as a row.

    :param pause_s: seconds after which any worker may take it, by the
        database's clock; ``None`` when it waits for :func:`unpark`
    :param stops_time: it has no deadline while it waits
    :raises orch.db.errors.LeaseLost: it does not run under this fence
    """
    next_try_at = None if pause_s is None else functions.now() + pause_s
    done = conn.execute(
        sa.update(_TABLE)
        .where(statements.runs_under(operation_id, fence))
        .values(
            state=states.check_move(_RUNNING, _BLOCKED),
            owner=None,
            lease_expires_at=None,
            next_try_at=next_try_at,
            reason=reason,
            options=options,
            **({"deadline_at": None} if stops_time else {}),
        )
    )
    if done.rowcount == 0:
        raise errors.lease_lost(operation_id)


def unpark(conn: sa.Connection, operation_id: ids.OperationId) -> bool:
    """Let any worker take a blocked operation at once.

    :returns: whether it was blocked
    """
    return rows.is_changed(
        conn,
        sa.update(_TABLE)
        .where(
            _TABLE.c.id == operation_id,
            _TABLE.c.state == _BLOCKED,
        )
        .values(
            state=states.check_move(_BLOCKED, _WAITING),
            next_try_at=None,
            reason="",
        ),
    )


def is_held(conn: sa.Connection, operation_id: ids.OperationId) -> bool:
    """Answer whether a worker runs the operation under a live lease."""
    return rows.has_any(
        conn,
        sa.select(_TABLE.c.id).where(
            _TABLE.c.id == operation_id,
            _TABLE.c.state == _RUNNING,
            _TABLE.c.lease_expires_at > functions.now(),
        ),
    )


def _list_free(
    conn: sa.Connection,
    limit: int,
    terms: _Terms,
    overdue: Overdue | None,
    among: collections.abc.Sequence[ids.OperationId] | None = None,
) -> list[ids.OperationId]:
    values: dict[str, object] = {
        **terms,
        **_named(overdue),
        "by_limit": limit + _SPARE,
    }
    if among is not None:
        values["by_ids"] = among
    statement = statements.free_ids(among is not None, overdue is not None)
    return list(conn.scalars(statement, values))


def _named(overdue: Overdue | None) -> _Terms:
    """Return the parameter of statements that name overdue leases."""
    if overdue is None:
        return {}
    return {"by_overdue": sorted({each.operation_id for each in overdue})}


def _claim_locked(
    conn: sa.Connection,
    worker: ids.WorkerId,
    ttl_s: float,
    candidates: collections.abc.Sequence[ids.OperationId],
    terms: _Terms,
    on_orphan: OnOrphan,
    overdue: Overdue | None,
) -> list[operation.Operation]:
    """Take those that no other transaction is at.

    They are looked for without a lock before: InnoDB locks all rows that it
    sorts, not only the ones that a limit lets through. A lease that was
    renewed meanwhile, whatever the database's clock says, is not taken.
    """
    wanted = {**terms, **_named(overdue), "by_ids": list(candidates)}
    found = [
        each
        for each in conn.execute(
            statements.locking(overdue is not None), wanted
        )
        if overdue is None
        or not each.was_lost
        or AgingLease(each.id, each.fence, each.lease_expires_at) in overdue
    ]
    locked = [ids.OperationId(each.id) for each in found]
    for each in found:
        if each.was_lost:
            on_orphan(ids.OperationId(each.id))
    if not locked:
        return []
    conn.execute(
        statements.taking_locked(),
        {"by_ids": locked, "by_worker": worker, "by_ttl_s": ttl_s},
    )
    taken = statements.ROWS.all(
        conn.execute(statements.taken(), {"by_ids": locked})
    )
    changes.note(conn, [each.stack_id for each in taken])
    return taken


def _claim_at_once(
    conn: sa.Connection,
    worker: ids.WorkerId,
    ttl_s: float,
    limit: int,
    candidates: collections.abc.Sequence[ids.OperationId] | None,
    terms: _Terms,
    overdue: Overdue | None,
) -> list[operation.Operation]:
    """Take those that can be taken, by one statement, on SQLite.

    A write has the database alone: what is compared before stays as it is.
    """
    if overdue:
        overdue = overdue & set(list_aging(conn, 0.0))
    values: dict[str, object] = {
        **terms,
        **_named(overdue),
        "by_worker": worker,
        "by_ttl_s": ttl_s,
        "by_limit": limit,
    }
    if candidates is not None:
        values["by_ids"] = candidates
    statement = statements.taking_free(
        candidates is not None, overdue is not None
    )
    found = statements.ROWS.all(conn.execute(statement, values))
    changes.note(conn, [each.stack_id for each in found])
    return sorted(found, key=_AGE)
