"""The history of drift: an entry for each property, from look to end."""

import collections.abc

import sqlalchemy as sa

from orch import clock
from orch import ids
from orch.db import functions
from orch.db import rows
from orch.db.models import observations as tables
from orch.model import drift_history
from orch.model import observation

_TABLE = tables.DRIFT_HISTORY
_ORDER = (_TABLE.c.found_at.desc(), _TABLE.c.id.desc())
_ROWS = rows.Rows(drift_history.Entry, _TABLE, *_ORDER)

Ended = collections.abc.Mapping[tuple[ids.ResourceId, str], drift_history.End]
"""How drift has ended, by resource and name of property."""


insert_many = _ROWS.insert_many
find = _ROWS.find


def list_open(
    conn: sa.Connection, root_id: ids.StackId
) -> dict[ids.ResourceId, set[str]]:
    """Return the properties of a tree whose drift lasts, by resource."""
    found = conn.execute(
        sa.select(_TABLE.c.resource_id, _TABLE.c.property).where(
            _TABLE.c.root_id == root_id, _TABLE.c.ended_at.is_(None)
        )
    )
    known: dict[ids.ResourceId, set[str]] = {}
    for resource_id, name in found:
        known.setdefault(ids.ResourceId(resource_id), set()).add(name)
    return known


def end_many(
    conn: sa.Connection,
    root_id: ids.StackId,
    ended: Ended,
    now: clock.Timestamp,
) -> None:
    """End entries that last; a property without one has no effect."""
    if not ended:
        return
    keys = ("root_id", "resource_id", "property")
    conn.execute(
        rows.setting(_TABLE, keys, ("ended_by", "ended_at")).where(
            _TABLE.c.ended_at.is_(None)
        ),
        [
            rows.parameters(
                {
                    "root_id": root_id,
                    "resource_id": resource_id,
                    "property": name,
                },
                {"ended_by": how, "ended_at": now},
            )
            for (resource_id, name), how in sorted(ended.items())
        ],
    )


def set_expected(
    conn: sa.Connection,
    differences: collections.abc.Mapping[
        ids.ResourceId, collections.abc.Iterable[observation.Difference]
    ],
) -> None:
    """Set the expected values of entries that last, as a baseline changed.

    :param differences: what lasts, with redacted values, by resource
    """
    keys = ("resource_id", "property")
    changed = [
        rows.parameters(
            {"resource_id": resource_id, "property": each.property},
            {"expected": each.expected},
        )
        for resource_id, found in sorted(differences.items())
        for each in found
    ]
    if changed:
        conn.execute(
            rows.setting(_TABLE, keys, ("expected",)).where(
                _TABLE.c.ended_at.is_(None)
            ),
            changed,
        )


def end_all(
    conn: sa.Connection,
    root_id: ids.StackId,
    resource_ids: collections.abc.Collection[ids.ResourceId],
    now: clock.Timestamp,
) -> None:
    """End the entries of resources that do not exist any more.

    A physical resource that had vanished, and has another one in its place,
    was repaired.
    """
    how = sa.case(
        (_TABLE.c.property == "", drift_history.End.REPAIRED),
        else_=drift_history.End.UPDATED,
    )
    for page in rows.batches(sorted(resource_ids)):
        conn.execute(
            sa.update(_TABLE)
            .where(
                _TABLE.c.root_id == root_id,
                _TABLE.c.resource_id.in_(page),
                _TABLE.c.ended_at.is_(None),
            )
            .values(ended_by=how, ended_at=now)
        )


def reopen(
    conn: sa.Connection,
    resource_id: ids.ResourceId,
    accepted_at: clock.Timestamp,
) -> None:
    """Let the entries last again that an acceptance has ended."""
    conn.execute(
        sa.update(_TABLE)
        .where(
            _TABLE.c.resource_id == resource_id,
            _TABLE.c.ended_by == drift_history.End.ACCEPTED,
            _TABLE.c.ended_at == accepted_at,
        )
        .values(ended_by=None, ended_at=None)
    )


def list_page(
    conn: sa.Connection,
    stack_ids: collections.abc.Collection[ids.StackId],
    limit: int | None,
    after: drift_history.Entry | None,
) -> list[drift_history.Entry]:
    """Return entries of some stacks, the newest first.

    :param after: the entry after which the page begins
    """
    c = _TABLE.c
    wanted = _ROWS.select().where(c.stack_id.in_(sorted(stack_ids)))
    if after is not None:
        wanted = wanted.where(
            (c.found_at < after.found_at)
            | ((c.found_at == after.found_at) & (c.id < after.id))
        )
    return _ROWS.all(conn.execute(wanted.order_by(*_ORDER).limit(limit)))


def trim(conn: sa.Connection, root_id: ids.StackId, limit: int) -> None:
    """Remove the oldest ended entries of a tree that has more than a limit.

    Drift that lasts is never removed.
    """
    c = _TABLE.c
    newest = conn.execute(
        sa.select(c.found_at, c.id)
        .where(c.root_id == root_id)
        .order_by(*_ORDER)
        .offset(limit)
        .limit(1)
    ).first()
    if newest is not None:
        conn.execute(
            sa.delete(_TABLE).where(
                c.root_id == root_id,
                (c.found_at < newest.found_at)
                | ((c.found_at == newest.found_at) & (c.id <= newest.id)),
                c.ended_at.is_not(None),
            )
        )


def purge(conn: sa.Connection, older_than_s: float, limit: int) -> int:
    """Remove entries that ended so long ago.

    :param limit: how many at most; fewer done means none is left
    :returns: how many
    """
    bound = functions.read_clock(conn) - older_than_s
    old = conn.scalars(
        sa.select(_TABLE.c.id)
        .where(_TABLE.c.ended_at < bound)
        .order_by(_TABLE.c.ended_at)
        .limit(limit)
    ).all()
    rows.delete_in(conn, _TABLE.c.id, old)
    return len(old)
