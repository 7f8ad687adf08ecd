"""Watches: which trees of stacks are looked at, when, and by whom.

A tree is enrolled when its watch says when it is due. A claim is a lease with
a fence: it runs out by itself when its worker dies.
All moments are the database's.
"""

import collections.abc

import sqlalchemy as sa

from orch import clock
from orch import ids
from orch.db import functions
from orch.db import rows
from orch.db.models import observations
from orch.db.models import stacks
from orch.db.repositories import drift_pauses
from orch.model import observation
from orch.model import states

_TABLE = observations.WATCHES
_OPERATIONS = stacks.OPERATIONS
_STACKS = stacks.STACKS.c
_RESOURCES = stacks.RESOURCES.c
_ROWS = rows.Rows(observation.Watch, _TABLE)

_AGE = (_TABLE.c.due_at, _TABLE.c.root_id)

# How many more watches a claim looks at than it wants: others take some of
# them away at the same time.
_SPARE = 16


find = _ROWS.find
delete_watch = _ROWS.delete


def list_missing(
    conn: sa.Connection, limit: int
) -> list[tuple[ids.StackId, str]]:
    """Return roots without a watch of their own.

    :returns: their ids, each with its project
    """
    found = conn.execute(
        sa.select(_STACKS.id, _STACKS.project_id)
        .outerjoin_from(stacks.STACKS, _TABLE, _TABLE.c.root_id == _STACKS.id)
        .where(
            _STACKS.parent_id.is_(None),
            _STACKS.deleted_at.is_(None),
            _TABLE.c.due_at.is_(None),
            _TABLE.c.claimed_by.is_(None),
        )
        .order_by(_STACKS.id)
        .limit(limit)
    )
    return [(ids.StackId(row.id), row.project_id) for row in found]


def enroll_watches(
    conn: sa.Connection,
    roots: collections.abc.Sequence[tuple[ids.StackId, str, clock.Timestamp]],
) -> None:
    """Add watches of roots that have none.

    :param roots: ids, each with its project and the moment when it is due,
        by the database's clock
    """
    for root_id, project_id, due_at in roots:
        _ROWS.insert(
            conn, observation.Watch(root_id=root_id, project_id=project_id)
        )
        conn.execute(
            sa.update(_TABLE)
            .where(
                _TABLE.c.root_id == root_id,
                _TABLE.c.due_at.is_(None),
                _TABLE.c.claimed_by.is_(None),
            )
            .values(due_at=due_at)
        )


def find_roots(
    conn: sa.Connection, physical_ids: collections.abc.Collection[str]
) -> dict[ids.StackId, str]:
    """Return the roots of live stacks that have things of these ids.

    :returns: their projects by id
    """
    return {
        root_id: project_id
        for batch in rows.batches(sorted(set(physical_ids)))
        for root_id, project_id in conn.execute(
            sa.select(_STACKS.root_id, _STACKS.project_id)
            .distinct()
            .join_from(
                stacks.RESOURCES,
                stacks.STACKS,
                _STACKS.id == _RESOURCES.stack_id,
            )
            .where(
                _RESOURCES.physical_id.in_(batch),
                _STACKS.deleted_at.is_(None),
            )
        )
    }


def request_observation(
    conn: sa.Connection, root_id: ids.StackId, project_id: str
) -> None:
    """Let any worker look at a tree now, also one that is not observed."""
    _ROWS.insert(
        conn, observation.Watch(root_id=root_id, project_id=project_id)
    )
    _ROWS.update(
        conn, root_id, requested_at=functions.now(), due_at=functions.now()
    )


def mark_dirty(
    conn: sa.Connection, root_ids: collections.abc.Collection[ids.StackId]
) -> int:
    """Let trees that are watched be looked at now.

    One that is being looked at is looked at once more.

    :returns: how many there are
    """
    if not root_ids:
        return 0
    return conn.execute(
        sa.update(_TABLE)
        .where(_TABLE.c.root_id.in_(sorted(root_ids)))
        .values(due_at=functions.now(), notified_at=functions.now())
    ).rowcount


def bring_forward(
    conn: sa.Connection, root_id: ids.StackId, pause_s: float
) -> None:
    """Let a watched tree be looked at in so many seconds at the latest."""
    due_at = functions.now() + pause_s
    conn.execute(
        sa.update(_TABLE)
        .where(_TABLE.c.root_id == root_id, _TABLE.c.due_at > due_at)
        .values(due_at=due_at)
    )


def set_policy(
    conn: sa.Connection,
    root_id: ids.StackId,
    project_id: str,
    policy: observation.Values,
    set_by: observation.Values,
) -> None:
    """Set what is to be done about the drift of a tree, and who says so."""
    _ROWS.insert(
        conn, observation.Watch(root_id=root_id, project_id=project_id)
    )
    _ROWS.update(
        conn, root_id, policy=dict(policy), policy_set_by=dict(set_by)
    )


def claim(
    conn: sa.Connection,
    worker: ids.WorkerId,
    ttl_s: float,
    limit: int,
    *,
    project_id: str,
    is_requested: bool = False,
    ahead_s: float = 0.0,
) -> list[observation.Watch]:
    """Claim free watches of a project that are due, the longest due first.

    Those whose root has an operation in progress are left. Two workers never
    both take one; what another is just taking is passed over.

    :param is_requested: only those that were requested since they were
        last looked at
    :param ahead_s: also what is due within so many seconds
    :returns: them as they are now, under a fence one higher
    """
    wanted = [
        _is_free(ahead_s),
        ~_has_operation(),
        _TABLE.c.project_id == project_id,
    ]
    if is_requested:
        wanted.append(_is_requested())
    found: list[ids.StackId] = list(
        conn.scalars(
            sa.select(_TABLE.c.root_id)
            .where(*wanted)
            .order_by(*_AGE)
            .limit(limit + _SPARE)
        )
    )
    taken: list[ids.StackId] = []
    while found and len(taken) < limit:
        free_slots = limit - len(taken)
        batch, found = found[:free_slots], found[free_slots:]
        taken += _take(conn, worker, ttl_s, batch, wanted)
    if not taken:
        return []
    return _ROWS.all(
        conn.execute(
            _ROWS.select().where(_TABLE.c.root_id.in_(taken)).order_by(*_AGE)
        )
    )


def list_due_projects(
    conn: sa.Connection, limit: int, *, is_requested: bool = False
) -> list[str]:
    """Return projects with watches to take, the one longest due first.

    Those whose roots all have an operation under way are not among them, nor
    those for which the observer pauses.

    :param is_requested: only those with trees that a user requested, also
        while the observer pauses
    """
    wanted = (
        _is_requested()
        if is_requested
        else ~drift_pauses.is_paused(_TABLE.c.project_id)
    )
    found = (
        sa.select(_TABLE.c.project_id)
        .where(
            _is_free(),
            ~_has_operation(),
            wanted,
        )
        .group_by(_TABLE.c.project_id)
        .order_by(sa.func.min(_TABLE.c.due_at), _TABLE.c.project_id)
        .limit(limit)
    )
    return list(conn.scalars(found))


def renew_claims(
    conn: sa.Connection,
    worker: ids.WorkerId,
    ttl_s: float,
    root_ids: collections.abc.Collection[ids.StackId],
) -> set[ids.StackId]:
    """Hold the claims of these watches for another ``ttl_s``.

    :returns: those that the worker still has; it has lost the others
    """
    if not root_ids:
        return set()
    held = (
        _TABLE.c.root_id.in_(sorted(root_ids)),
        _TABLE.c.claimed_by == worker,
        _TABLE.c.claimed_until > functions.now(),
    )
    conn.execute(
        sa.update(_TABLE)
        .where(*held)
        .values(claimed_until=functions.now() + ttl_s)
    )
    return set(conn.scalars(sa.select(_TABLE.c.root_id).where(*held)))


def lock_claimed(conn: sa.Connection, watch: observation.Watch) -> bool:
    """Answer whether it is claimed under this fence still.

    If so it stays until the transaction ends.
    """
    claimed = sa.select(_TABLE.c.root_id).where(_is_claimed(watch))
    return rows.has_any(conn, claimed.with_for_update())


def lock(
    conn: sa.Connection, root_id: ids.StackId, project_id: str
) -> observation.Watch:
    """Return the watch of a tree, which is made where there is none.

    No scan writes observations of the tree before the transaction ends.
    """
    _ROWS.insert(
        conn, observation.Watch(root_id=root_id, project_id=project_id)
    )
    found = _ROWS.lock(conn, root_id)
    assert found is not None
    return found


def set_observed(conn: sa.Connection, root_id: ids.StackId) -> None:
    """Note that all of a tree was read by now.

    A user's request that is not served yet stays: it may be newer.
    """
    is_served = sa.or_(
        _TABLE.c.requested_at.is_(None),
        _TABLE.c.requested_at < _TABLE.c.observed_at,
    )
    conn.execute(
        sa.update(_TABLE)
        .where(_TABLE.c.root_id == root_id, is_served)
        .values(observed_at=functions.now())
    )


def release_claim(
    conn: sa.Connection,
    watch: observation.Watch,
    *,
    observed_at: clock.Timestamp | None,
    due_at: clock.Timestamp | None,
) -> bool:
    """Give a claim back.

    What was asked for or marked since the tree was read stays due.

    :param observed_at: when the reading of the tree began; ``None``: it was
        not read
    :param due_at: when it is observed again, by the database's clock; ``None``
        for at the next request
    :returns: whether it was claimed under this fence; else nothing changed
    """
    # One that was taken ahead of its time is due later by itself.
    is_newer = (_TABLE.c.due_at != watch.due_at) & (
        _TABLE.c.due_at
        >= (watch.due_at if observed_at is None else observed_at)
    )
    values: dict[str, object] = {
        "due_at": sa.case((is_newer, _TABLE.c.due_at), else_=due_at),
        "claimed_by": None,
        "claimed_until": None,
    }
    if observed_at is not None:
        values["observed_at"] = observed_at
    return rows.is_changed(
        conn, sa.update(_TABLE).where(_is_claimed(watch)).values(values)
    )


def in_progress(watch: observation.Watch, now: float) -> bool:
    """Answer whether a tree is observed, or its observation requested.

    :param now: by the database's clock
    """
    if watch.claimed_until is not None and watch.claimed_until > now:
        return True
    return watch.requested_at is not None and (
        watch.observed_at is None or watch.requested_at > watch.observed_at
    )


def _take(
    conn: sa.Connection,
    worker: ids.WorkerId,
    ttl_s: float,
    candidates: collections.abc.Sequence[ids.StackId],
    wanted: collections.abc.Sequence[sa.ColumnElement[bool]],
) -> list[ids.StackId]:
    locked = list(
        conn.scalars(
            sa.select(_TABLE.c.root_id)
            .where(_TABLE.c.root_id.in_(candidates), *wanted)
            .with_for_update(skip_locked=True, of=_TABLE)
        )
    )
    if locked:
        conn.execute(
            sa.update(_TABLE)
            .where(_TABLE.c.root_id.in_(locked))
            .values(
                claimed_by=worker,
                claimed_until=functions.now() + ttl_s,
                fence=_TABLE.c.fence + 1,
            )
        )
    return locked


def _is_free(ahead_s: float = 0.0) -> sa.ColumnElement[bool]:
    # A subquery is asked once: PostgreSQL finds nothing in an index by a
    # clock that goes on while it looks.
    now = sa.select(functions.now()).scalar_subquery()
    until = now + ahead_s if ahead_s else now
    return (_TABLE.c.due_at <= until) & (
        _TABLE.c.claimed_until.is_(None) | (_TABLE.c.claimed_until <= now)
    )


def _is_requested() -> sa.ColumnElement[bool]:
    return _TABLE.c.requested_at.is_not(None) & (
        _TABLE.c.observed_at.is_(None)
        | (_TABLE.c.requested_at >= _TABLE.c.observed_at)
    )


def _has_operation() -> sa.ColumnElement[bool]:
    return sa.exists().where(
        _OPERATIONS.c.stack_id == _TABLE.c.root_id,
        _OPERATIONS.c.state.in_(states.OPEN_STATES),
    )


def _is_claimed(watch: observation.Watch) -> sa.ColumnElement[bool]:
    return sa.and_(
        _TABLE.c.root_id == watch.root_id,
        _TABLE.c.claimed_by == watch.claimed_by,
        _TABLE.c.fence == watch.fence,
    )
