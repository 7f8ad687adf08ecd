"""Calls of lifecycle plug-ins around requests without their own operation.

A release is allowed when a request with ``adopt_owned`` is accepted. It waits
for the operation of that request, which takes the physical resources or not.
"""

import typing

import sqlalchemy as sa

from orch import ids
from orch.db import functions
from orch.db import rows
from orch.db.models import lifecycle as lifecycle_tables
from orch.db.models import stacks
from orch.db.repositories import lifecycle
from orch.model import lifecycle as model
from orch.model import states

_RUNS = lifecycle_tables.LIFECYCLE_RUNS
_OPERATIONS = stacks.OPERATIONS
_STACKS = stacks.STACKS
_IS_PENDING_RELEASE: typing.Final = sa.and_(
    _RUNS.c.for_operation.is_not(None),
    _RUNS.c.stage == model.Stage.IN_PROGRESS,
)


def list_left(conn: sa.Connection, older_than_s: float) -> list[model.Run]:
    """Return those begun so long ago, and not ended.

    Releases that wait for an operation are not among them.
    """
    bound = functions.read_clock(conn) - older_than_s
    return lifecycle.list_by(
        conn,
        _RUNS.c.stage != model.Stage.CLOSED,
        _RUNS.c.began_at < bound,
        ~sa.exists().where(_OPERATIONS.c.id == _RUNS.c.operation_id),
        ~_IS_PENDING_RELEASE,
    )


def list_releases(
    conn: sa.Connection, operation_id: ids.OperationId
) -> list[model.Run]:
    """Return the releases that wait for an operation."""
    return lifecycle.list_by(
        conn, _RUNS.c.for_operation == operation_id, _IS_PENDING_RELEASE
    )


def list_ended_releases(conn: sa.Connection) -> list[model.Run]:
    """Return the releases whose operation has ended, or whose outcome is set.

    A superseded operation counts as ended once no other operation of its stack
    is open: until then it may continue.
    """
    other = _OPERATIONS.alias("other").c
    is_busy = sa.exists().where(
        other.stack_id == _OPERATIONS.c.stack_id,
        other.state.in_(states.OPEN_STATES),
    )
    state = _OPERATIONS.c.state
    may_take = sa.exists().where(
        _OPERATIONS.c.id == _RUNS.c.for_operation,
        state.in_(states.OPEN_STATES)
        | ((state == states.OperationState.SUPERSEDED) & is_busy),
    )
    return lifecycle.list_by(
        conn, _IS_PENDING_RELEASE, (_RUNS.c.outcome != "") | ~may_take
    )


def set_outcome(conn: sa.Connection, value: model.Run) -> None:
    """Store the outcome of a release, unless its post-ops are claimed."""
    conn.execute(
        sa.update(_RUNS)
        .where(*lifecycle.is_run(value), _IS_PENDING_RELEASE)
        .values(outcome=value.outcome, reason=value.reason)
    )


def note_released(
    conn: sa.Connection,
    source_id: ids.StackId,
    taker_id: ids.StackId,
    path: str,
) -> None:
    """Note in the releases of a tree that a physical resource was taken.

    Those of earlier attempts, whose outcome is set, stay as they are.

    :param source_id: the root of the tree that has lost it
    :param taker_id: the root of the tree whose operation has taken it
    :param path: of its resource in the tree that has lost it
    """
    tree = sa.select(_STACKS.c.id).where(_STACKS.c.root_id == taker_id)
    takes = sa.exists().where(
        _OPERATIONS.c.id == _RUNS.c.for_operation,
        _OPERATIONS.c.stack_id.in_(tree),
        _OPERATIONS.c.state.in_(states.OPEN_STATES),
    )
    for each in lifecycle.list_by(
        conn,
        _RUNS.c.stack_id == source_id,
        _RUNS.c.outcome == "",
        _IS_PENDING_RELEASE,
        takes,
    ):
        conn.execute(
            sa.update(_RUNS)
            .where(*lifecycle.is_run(each))
            .values(released_paths=(*each.released_paths, path))
        )


def claim(conn: sa.Connection, value: model.Run) -> model.Run | None:
    """Claim the post-ops of a request; of two callers one wins.

    :param value: as it was read
    :returns: it as it is now; ``None`` where another worker has claimed it
    """
    is_mine = rows.is_changed(
        conn,
        sa.update(_RUNS)
        .where(
            *lifecycle.is_run(value),
            _RUNS.c.stage == value.stage,
            _RUNS.c.began_at == value.began_at,
        )
        .values(began_at=functions.read_clock(conn)),
    )
    if not is_mine:
        return None
    # A retry may have set its outcome since it was read.
    (claimed,) = lifecycle.list_by(conn, *lifecycle.is_run(value))
    return claimed
