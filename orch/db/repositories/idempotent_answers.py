"""Answers to requests with an idempotency key, stored for a while."""

import collections.abc

import sqlalchemy as sa

from orch import errors
from orch.db import functions
from orch.db import rows
from orch.db.models import stacks
from orch.model import idempotent_answer

_TABLE = stacks.IDEMPOTENT_ANSWERS
_ROWS = rows.Rows(idempotent_answer.IdempotentAnswer, _TABLE)


find = _ROWS.find


class Repeated(errors.Conflict):
    """Another request with that key was first; nothing was written."""

    code = "orch.request.repeated"


def insert(
    conn: sa.Connection, value: idempotent_answer.IdempotentAnswer
) -> None:
    """Keep the answer; it may be kept already, by this very request.

    :raises Repeated: another request has the key
    """
    _ROWS.insert(conn, value)
    found = find(conn, value.project_id, value.key)
    if found is None or found.request_id != value.request_id:
        raise Repeated(
            f"Another request has the Idempotency-Key {value.key!r}."
        )


def forget_surplus(
    conn: sa.Connection, project_id: str, max_rows: int, limit: int
) -> int:
    """Remove answers of the project beyond a number, the oldest first.

    :param limit: how many at most
    :returns: how many
    """
    kept = (
        sa.select(_TABLE.c.created_at)
        .where(_TABLE.c.project_id == project_id)
        .order_by(_TABLE.c.created_at.desc())
        .offset(max_rows)
        .limit(1)
    )
    newest_surplus = conn.scalar(kept)
    if newest_surplus is None:
        return 0
    return _forget(
        conn,
        (
            _TABLE.c.project_id == project_id,
            _TABLE.c.created_at <= newest_surplus,
        ),
        limit,
    )


def forget_old(conn: sa.Connection, older_than_s: float, limit: int) -> int:
    """Remove answers that are older, of all projects.

    :param limit: how many at most; fewer done means that none is left
    :returns: how many
    """
    bound = functions.read_clock(conn) - older_than_s
    return _forget(conn, (_TABLE.c.created_at < bound,), limit)


def _forget(
    conn: sa.Connection,
    which: collections.abc.Iterable[sa.ColumnElement[bool]],
    limit: int,
) -> int:
    """Remove the oldest of some answers, each by its key.

    A range would lock, on MySQL, what others are about to insert.
    """
    doomed = conn.execute(
        sa.select(_TABLE.c.project_id, _TABLE.c.key)
        .where(*which)
        .order_by(_TABLE.c.created_at)
        .limit(limit)
    ).all()
    for project_id, key in doomed:
        _ROWS.delete(conn, project_id, key)
    return len(doomed)
