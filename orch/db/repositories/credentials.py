"""Credentials: what logs in to the cloud for a stack.

Moments are compared by the database's clock, which all workers share.
"""

import sqlalchemy as sa

from orch import ids
from orch.db import changes
from orch.db import functions
from orch.db import rows
from orch.db.models import stacks
from orch.model import credential
from orch.model import states

_TABLE = stacks.CREDENTIALS
_C = _TABLE.c
_STACKS = stacks.STACKS.c
_OPERATIONS = stacks.OPERATIONS.c
_ROWS = rows.Rows(credential.Credential, _TABLE)

_ACTIVE = credential.State.ACTIVE
_STALE = credential.State.STALE


insert = _ROWS.insert
forget = _ROWS.delete
update = _ROWS.update


def find_active(
    conn: sa.Connection, stack_id: ids.StackId
) -> credential.Credential | None:
    """Return what a stack logs in with: that of its tree."""
    of_stack = sa.select(_STACKS.root_id).where(_STACKS.id == stack_id)
    return _ROWS.first(
        conn.execute(
            _ROWS.select().where(
                _C.root_id == of_stack.scalar_subquery(), _C.state == _ACTIVE
            )
        )
    )


def activate(
    conn: sa.Connection,
    credential_id: str,
    root_id: ids.StackId,
) -> bool:
    """Let a tree log in with this one, and no more with what it had.

    :returns: whether it could: an unused one may have expired
    """
    now = functions.read_clock(conn)
    found = conn.execute(
        sa.update(_TABLE)
        .where(
            _C.id == credential_id,
            _C.root_id == root_id,
            _C.state != _STALE,
        )
        .values(state=_ACTIVE)
    ).rowcount
    if not found:
        return False
    conn.execute(
        sa.update(_TABLE)
        .where(
            _C.root_id == root_id,
            _C.state == _ACTIVE,
            _C.id != credential_id,
        )
        .values(state=_STALE, stale_at=now, due_at=now)
    )
    changes.note_tree(conn, root_id)
    return True


def withdraw(conn: sa.Connection, credential_id: str) -> None:
    """Let nothing log in any more with one that no tree has got.

    No operation began with it, so it waits for none.
    """
    conn.execute(
        sa.update(_TABLE)
        .where(_C.id == credential_id, _C.state == credential.State.PENDING)
        .values(state=_STALE, due_at=functions.read_clock(conn))
    )


def retire(conn: sa.Connection, unused_s: float) -> None:
    """Let nothing log in any more with what no stack needs.

    That is what stacks had that are gone, and what was asked for so long
    ago that its request must have failed.
    """
    now = functions.read_clock(conn)
    alive = (
        sa.select(_STACKS.id)
        .where(_STACKS.id == _C.root_id, _STACKS.deleted_at.is_(None))
        .exists()
    )
    is_unused = sa.and_(
        _C.state == credential.State.PENDING,
        _C.created_at < now - unused_s,
    )
    is_left = sa.and_(_C.state == _ACTIVE, ~alive)
    conn.execute(
        sa.update(_TABLE)
        .where(sa.or_(is_unused, is_left))
        .values(state=_STALE, stale_at=now, due_at=now)
    )


def claim(
    conn: sa.Connection, limit: int, pause_s: float
) -> list[credential.Credential]:
    """Claim credentials to revoke, and return them.

    One that was replaced is left alone while an operation runs that began
    with it.

    :param pause_s: for so long no other worker gets them
    """
    now = functions.read_clock(conn)
    in_use = (
        sa.select(_OPERATIONS.id)
        .join(stacks.STACKS, _STACKS.id == _OPERATIONS.stack_id)
        .where(
            _STACKS.root_id == _C.root_id,
            _OPERATIONS.state.in_(states.OPEN_STATES),
            _OPERATIONS.created_at < _C.stale_at,
            _STACKS.deleted_at.is_(None),
        )
        .exists()
    )
    found = _ROWS.all(
        conn.execute(
            _ROWS.select()
            .where(_C.state == _STALE, _C.due_at <= now, ~in_use)
            .order_by(_C.due_at)
            .limit(limit)
        )
    )
    return [
        each
        for each in found
        if conn.execute(
            sa.update(_TABLE)
            .where(_C.id == each.id, _C.due_at == each.due_at)
            .values(due_at=now + pause_s)
        ).rowcount
    ]


def postpone(conn: sa.Connection, credential_id: str, pause_s: float) -> None:
    """Look at a credential again later; it could not be revoked."""
    due_at = functions.now() + pause_s
    update(conn, credential_id, due_at=due_at, tries=_C.tries + 1)


def list_sealed(
    conn: sa.Connection, after: str, limit: int
) -> list[credential.Credential]:
    """Return credentials in the order of their ids.

    :param after: the id of the last one of the page before
    """
    return _ROWS.all(
        conn.execute(
            _ROWS.select()
            .where(_C.id > after, _C.sealed != "")
            .order_by(_C.id)
            .limit(limit)
        )
    )


def replace_sealed(
    conn: sa.Connection, credential_id: str, before: str, sealed: str
) -> None:
    """Keep what logs in sealed by another key, unless it has changed."""
    conn.execute(
        sa.update(_TABLE)
        .where(_C.id == credential_id, _C.sealed == before)
        .values(sealed=sealed)
    )
