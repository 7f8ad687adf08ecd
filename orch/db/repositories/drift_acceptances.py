"""Accepted drift: the baseline of before, until something newer replaces it.

The newest acceptance of a resource is undone first.
"""

import collections.abc
import dataclasses
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
_ROWS = rows.Rows(observation.Acceptance, _TABLE)

MAX_ACCEPTANCES: typing.Final = 10
"""Acceptances of one resource that can be undone, one after the other."""


def accept(
    conn: sa.Connection,
    row: resource.Resource,
    acceptance: observation.Acceptance,
) -> None:
    """Set the baseline of a resource; save the one of before.

    The oldest of more than :data:`MAX_ACCEPTANCES` is deleted.
    """
    resources.set_baseline(conn, row, acceptance.baseline_after)
    values = _ROWS.values(acceptance)
    values["differences"] = [
        dataclasses.asdict(each) for each in acceptance.differences
    ]
    rows.insert(conn, _TABLE, [values])
    old = conn.scalars(
        sa.select(_TABLE.c.id)
        .where(
            _TABLE.c.root_id == acceptance.root_id,
            _TABLE.c.resource_id == row.id,
        )
        .order_by(_TABLE.c.accepted_at.desc(), _TABLE.c.id.desc())
        .offset(MAX_ACCEPTANCES)
        .limit(MAX_ACCEPTANCES)
    ).all()
    if old:
        conn.execute(sa.delete(_TABLE).where(_TABLE.c.id.in_(old)))


def list_newest(
    conn: sa.Connection, root_id: ids.StackId
) -> dict[ids.ResourceId, observation.Acceptance]:
    """Return the newest acceptance of each resource of a tree."""
    found = _ROWS.all(
        conn.execute(
            _ROWS.by("root_id").order_by(_TABLE.c.accepted_at, _TABLE.c.id),
            {"key_root_id": root_id},
        )
    )
    return {
        each.resource_id: dataclasses.replace(
            each,
            differences=observations.differences_of(
                typing.cast(list[dict[str, typing.Any]], each.differences)
            ),
        )
        for each in found
    }


def delete(conn: sa.Connection, acceptance_id: str) -> None:
    """Delete an acceptance."""
    conn.execute(sa.delete(_TABLE).where(_TABLE.c.id == acceptance_id))


def delete_many(
    conn: sa.Connection,
    root_id: ids.StackId,
    resource_ids: collections.abc.Collection[ids.ResourceId],
) -> None:
    """Delete the acceptances of some resources of a tree."""
    if resource_ids:
        conn.execute(
            sa.delete(_TABLE).where(
                _TABLE.c.root_id == root_id,
                _TABLE.c.resource_id.in_(sorted(resource_ids)),
            )
        )
