"""Accepted drift: the baseline of before, until something newer replaces it.

The newest acceptance of a resource is undone first.
"""

import collections.abc
import typing

import sqlalchemy as sa

from orch import ids
from orch.db import rows
from orch.db.models import observations as tables
from orch.db.repositories import observations
from orch.db.repositories import resources
from orch.model import observation
from orch.model import resource

_TABLE = tables.DRIFT_ACCEPTANCES
_ROWS = rows.Rows(
    observation.Acceptance, _TABLE, _TABLE.c.accepted_at, _TABLE.c.id
)


MAX_ACCEPTANCES: typing.Final = 10
"""Acceptances of one resource that can be undone, one after the other."""


delete = _ROWS.delete


def accept(
    conn: sa.Connection,
    row: resource.Resource,
    acceptance: observation.Acceptance,
) -> None:
    """Set the baseline of a resource; save the one of before.

    The oldest of more than :data:`MAX_ACCEPTANCES` is deleted.
    """
    resources.set_baseline(conn, row, acceptance.baseline_after)
    _ROWS.insert(conn, acceptance)
    old = conn.scalars(
        sa.select(_TABLE.c.id)
        .where(
            _TABLE.c.root_id == acceptance.root_id,
            _TABLE.c.resource_id == row.id,
        )
        .order_by(_TABLE.c.accepted_at.desc(), _TABLE.c.id.desc())
        .offset(MAX_ACCEPTANCES)
        .limit(MAX_ACCEPTANCES)
    )
    rows.delete_in(conn, _TABLE.c.id, old)


def list_newest(
    conn: sa.Connection, root_id: ids.StackId
) -> dict[ids.ResourceId, observation.Acceptance]:
    """Return the newest acceptance of each resource of a tree."""
    return {
        each.resource_id: observations.with_differences(each)
        for each in _ROWS.find_by(conn, root_id=root_id)
    }


def delete_many(
    conn: sa.Connection,
    root_id: ids.StackId,
    resource_ids: collections.abc.Collection[ids.ResourceId],
) -> None:
    """Delete the acceptances of some resources of a tree."""
    rows.delete_in(
        conn,
        _TABLE.c.resource_id,
        sorted(resource_ids),
        _TABLE.c.root_id == root_id,
    )
