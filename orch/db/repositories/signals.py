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
from orch.db.repositories import resources
from orch.model import resource
from orch.model import signal

_RESOURCES = stacks.RESOURCES
_UNREPORTED = forwarding.UNREPORTED_SIGNALS
_REVOKED = forwarding.REVOKED_ADDRESSES
_ROWS = rows.Rows(
    signal.UnreportedSignal,
    _UNREPORTED,
    _UNREPORTED.c.created_at,
    _UNREPORTED.c.id,
)


SignalData = collections.abc.Mapping[str, object]


save_unreported = _ROWS.insert


def lock_data(
    conn: sa.Connection, row: resource.Resource
) -> SignalData | None:
    """Return what signals have left with a resource, and keep others out.

    The row is locked until the transaction ends.

    :returns: ``None`` when the row is not there any more
    """
    statement = sa.select(_RESOURCES.c.signals).where(
        *(_RESOURCES.c[name] == getattr(row, name) for name in resources.KEYS)
    )
    found = conn.execute(statement.with_for_update()).first()
    return None if found is None else found.signals


def save_data(
    conn: sa.Connection, row: resource.Resource, data: SignalData
) -> None:
    """Store what signals have left with a resource that is there."""
    resources.set_column(conn, "signals", [(row, data)])


def list_(
    conn: sa.Connection,
    stack_id: ids.StackId,
    resource_ids: collections.abc.Collection[ids.ResourceId],
) -> dict[ids.ResourceId, SignalData]:
    """Return what signals have left with these resources."""
    return resources.list_column(conn, "signals", stack_id, resource_ids)


def revoke(
    conn: sa.Connection, row: resource.Resource, now: clock.Timestamp
) -> None:
    """Let no address of the resource open any more; twice is as once."""
    values = {"stack_id": row.stack_id, "resource_id": row.id}
    rows.insert(conn, _REVOKED, [{**values, "revoked_at": now}])


def is_revoked(conn: sa.Connection, row: resource.Resource) -> bool:
    """Answer whether the addresses of the resource open no more."""
    return rows.has_any(
        conn,
        sa.select(_REVOKED.c.resource_id).where(
            _REVOKED.c.stack_id == row.stack_id,
            _REVOKED.c.resource_id == row.id,
        ),
    )


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
    found = _ROWS.find_by(conn, stack_id=stack_id)
    rows.delete_in(
        conn,
        _UNREPORTED.c.id,
        [each.id for each in found],
        _UNREPORTED.c.stack_id == stack_id,
    )
    return found
