"""Named leases: duties that one worker at a time has.

All moments are the database's.
"""

import sqlalchemy as sa

from orch import ids
from orch.db import functions
from orch.db import rows
from orch.db.models import services
from orch.model import lease

_NAMED = services.LEASES


def acquire(
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
            rows.insert_absent(conn.dialect.name, _NAMED).values(
                expires_at=until, **values
            )
        )
    row = conn.execute(sa.select(_NAMED).where(_NAMED.c.name == name)).one()
    if row.owner != owner:
        return None
    return lease.Lease(row.name, row.owner, row.fence, row.expires_at)


def release(conn: sa.Connection, name: str, owner: ids.WorkerId) -> bool:
    """Let another take the duty at once.

    :returns: whether the owner held it
    """
    return rows.is_changed(
        conn,
        sa.update(_NAMED)
        .where(_NAMED.c.name == name, _NAMED.c.owner == owner)
        .values(expires_at=0.0),
    )


def drop(conn: sa.Connection, name: str, owner: ids.WorkerId) -> None:
    """Release what the owner holds, and forget its name."""
    conn.execute(
        sa.delete(_NAMED).where(_NAMED.c.name == name, _NAMED.c.owner == owner)
    )


def list_held(conn: sa.Connection, prefix: str) -> dict[str, ids.WorkerId]:
    """Return what is held under names with this beginning, and by whom."""
    found = conn.execute(
        sa.select(_NAMED.c.name, _NAMED.c.owner).where(
            _NAMED.c.name.startswith(prefix, autoescape=True),
            _NAMED.c.expires_at > functions.now(),
        )
    )
    return {row.name: ids.WorkerId(row.owner) for row in found}


def forget(conn: sa.Connection, prefix: str, older_than_s: float) -> int:
    """Forget what is free under names with this beginning.

    :param older_than_s: for how long it has been free
    :returns: how many
    """
    return conn.execute(
        sa.delete(_NAMED).where(
            _NAMED.c.name.startswith(prefix, autoescape=True),
            _NAMED.c.expires_at <= functions.now() - older_than_s,
        )
    ).rowcount
