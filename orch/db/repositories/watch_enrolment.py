"""Which trees of stacks the observer has to look at by itself.

A tree is enrolled when its watch says when it is due. What each watch then
does is in ``watches``.
"""

import collections.abc

import sqlalchemy as sa

from orch import clock
from orch import ids
from orch.db import rows
from orch.db.models import observations
from orch.db.models import stacks
from orch.model import observation

_WATCHES = observations.WATCHES
_ROWS = rows.Rows(observation.Watch, _WATCHES)
_STACKS = stacks.STACKS.c
_RESOURCES = stacks.RESOURCES.c
_LIVE = (_STACKS.parent_id.is_(None), _STACKS.deleted_at.is_(None))


def list_missing(
    conn: sa.Connection, limit: int
) -> list[tuple[ids.StackId, str]]:
    """Return roots without a watch of their own.

    :returns: their ids, each with its project
    """
    found = conn.execute(
        sa.select(_STACKS.id, _STACKS.project_id)
        .outerjoin_from(
            stacks.STACKS, _WATCHES, _WATCHES.c.root_id == _STACKS.id
        )
        .where(
            *_LIVE,
            _WATCHES.c.due_at.is_(None),
            _WATCHES.c.claimed_by.is_(None),
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
            sa.update(_WATCHES)
            .where(
                _WATCHES.c.root_id == root_id,
                _WATCHES.c.due_at.is_(None),
                _WATCHES.c.claimed_by.is_(None),
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
