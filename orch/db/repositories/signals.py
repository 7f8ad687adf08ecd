"""What signals have left with resources, and which no event tells of yet.

Also the resources whose sealed addresses open no more.

Their column has writers of its own, beside all other columns of the row: a
signal comes while a worker runs an operation and has the row in memory
and writes the rest of it.
"""

import collections.abc

import sqlalchemy as sa

from orch import clock
from orch import ids
from orch.db import rows
from orch.db.models import forwarding
from orch.db.models import stacks
from orch.model import resource
from orch.model import signal

_RESOURCES = stacks.RESOURCES
_UNREPORTED = forwarding.UNREPORTED_SIGNALS
_REVOKED = forwarding.REVOKED_ADDRESSES
_ROWS = rows.Rows(signal.UnreportedSignal, _UNREPORTED)
_KEYS = ("stack_id", "name", "id")
_PAGE = 1000

SignalData = collections.abc.Mapping[str, object]


def lock_data(
    conn: sa.Connection, row: resource.Resource
) -> SignalData | None:
    """Return what signals have left with a resource, and keep others out.

    The row is locked until the transaction ends.

    :returns: ``None`` when the row is not there any more
    """
    statement = sa.select(_RESOURCES.c.signals).where(
        *(_RESOURCES.c[name] == getattr(row, name) for name in _KEYS)
    )
    found = conn.execute(statement.with_for_update()).first()
    return None if found is None else found.signals


def save_data(
    conn: sa.Connection, row: resource.Resource, data: SignalData
) -> None:
    """Store what signals have left with a resource that is there."""
    conn.execute(
        rows.setting(_RESOURCES, _KEYS, ("signals",)),
        rows.parameters(
            {name: getattr(row, name) for name in _KEYS}, {"signals": data}
        ),
    )


def list_(
    conn: sa.Connection,
    stack_id: ids.StackId,
    resource_ids: collections.abc.Collection[ids.ResourceId],
) -> dict[ids.ResourceId, SignalData]:
    """Return what signals have left with these resources."""
    found: dict[ids.ResourceId, SignalData] = {}
    wanted = sorted(resource_ids)
    for start in range(0, len(wanted), _PAGE):
        chosen = conn.execute(
            sa.select(_RESOURCES.c.id, _RESOURCES.c.signals).where(
                _RESOURCES.c.stack_id == stack_id,
                _RESOURCES.c.id.in_(wanted[start : start + _PAGE]),
            )
        )
        found.update({row.id: row.signals for row in chosen})
    return found


def revoke(
    conn: sa.Connection, row: resource.Resource, now: clock.Timestamp
) -> None:
    """Let no address of the resource open any more; twice is as once."""
    values = {"stack_id": row.stack_id, "resource_id": row.id}
    rows.insert(conn, _REVOKED, [{**values, "revoked_at": now}])


def is_revoked(conn: sa.Connection, row: resource.Resource) -> bool:
    """Answer whether the addresses of the resource open no more."""
    found = conn.execute(
        sa.select(_REVOKED.c.resource_id).where(
            _REVOKED.c.stack_id == row.stack_id,
            _REVOKED.c.resource_id == row.id,
        )
    )
    return found.first() is not None


def save_unreported(
    conn: sa.Connection, value: signal.UnreportedSignal
) -> None:
    """Leave it to whoever numbers the stack's events to tell of a signal."""
    rows.insert(conn, _UNREPORTED, [_ROWS.values(value)])


def find_newest_unreported(
    conn: sa.Connection, stack_id: ids.StackId
) -> signal.UnreportedSignal | None:
    """Return what was deferred last of those that are not told yet."""
    return _ROWS.first(
        conn.execute(
            _ROWS.select()
            .where(_UNREPORTED.c.stack_id == stack_id)
            .order_by(_UNREPORTED.c.created_at.desc(), _UNREPORTED.c.id)
            .limit(1)
        )
    )


def take_unreported(
    conn: sa.Connection, stack_id: ids.StackId
) -> list[signal.UnreportedSignal]:
    """Return what is not told yet, the oldest first; it counts as told."""
    found = _ROWS.all(
        conn.execute(
            _ROWS.select()
            .where(_UNREPORTED.c.stack_id == stack_id)
            .order_by(_UNREPORTED.c.created_at, _UNREPORTED.c.id)
        )
    )
    for start in range(0, len(found), _PAGE):
        gone = [each.id for each in found[start : start + _PAGE]]
        conn.execute(
            sa.delete(_UNREPORTED).where(
                _UNREPORTED.c.stack_id == stack_id, _UNREPORTED.c.id.in_(gone)
            )
        )
    return found
