"""The change feed: stacks in the order in which their changes are seen.

A record gets its number before its transaction is committed, so numbers of
records are no order to follow. :func:`advance` moves committed records to
positions, one caller at a time: a record that is committed late gets a late
position, and a reader that is past any position has missed nothing.
"""

import collections.abc
import dataclasses
import typing

import sqlalchemy as sa

from orch import ids
from orch.db import rows
from orch.db.models import change_feed
from orch.db.models import stacks
from orch.model import states

_RECORDS: typing.Final = change_feed.CHANGE_RECORDS.c
_CHANGED: typing.Final = change_feed.CHANGED_STACKS.c
_FEED: typing.Final = change_feed.CHANGE_FEED.c
_STACKS: typing.Final = stacks.STACKS.c
_ID: typing.Final = 1
_BATCH: typing.Final = 1_000
"""Records that get positions in one transaction."""


@dataclasses.dataclass(frozen=True, slots=True)
class Feed:
    """The state of the feed.

    :ivar feed_id: of this database; another one has other positions
    :ivar position: of the newest change
    :ivar complete_from: a reader behind this position has missed changes
    :ivar has_records: whether there are changes without a position yet
    """

    feed_id: str
    position: int
    complete_from: int
    has_records: bool


@dataclasses.dataclass(frozen=True, slots=True)
class Change:
    """The newest change of a stack.

    :ivar is_in_progress: an operation of the stack is in progress, so that
        more changes follow
    """

    stack_id: ids.StackId
    position: int
    is_in_progress: bool


def find(conn: sa.Connection) -> Feed | None:
    """Return the state of the feed; ``None`` before its first change."""
    found = conn.execute(
        sa.select(
            _FEED.feed_id,
            _FEED.position,
            _FEED.complete_from,
            sa.exists(sa.select(_RECORDS.number)).label("has_records"),
        )
    ).first()
    return None if found is None else Feed(*found)


def list_after(conn: sa.Connection, position: int, limit: int) -> list[Change]:
    """Return the changes after a position, the oldest first."""
    status = sa.func.coalesce(_STACKS.status, "")
    is_live = _STACKS.deleted_at.is_(None)
    found = conn.execute(
        sa.select(
            _CHANGED.stack_id,
            _CHANGED.position,
            sa.and_(status == states.Status.IN_PROGRESS, is_live),
        )
        .select_from(
            change_feed.CHANGED_STACKS.outerjoin(
                stacks.STACKS, _STACKS.id == _CHANGED.stack_id
            )
        )
        .where(_CHANGED.position > position)
        .order_by(_CHANGED.position)
        .limit(limit)
    )
    return [
        Change(ids.StackId(stack_id), number, bool(is_in_progress))
        for stack_id, number, is_in_progress in found
    ]


def advance(conn: sa.Connection) -> bool:
    """Give committed records positions, some of them if there are many.

    Callers exclude each other by a lock on the row of the feed. A transaction
    that writes records does not wait for it.

    :returns: whether there may be more records
    """
    position = _lock(conn)
    records = conn.execute(
        sa.select(_RECORDS.number, _RECORDS.stack_id, _RECORDS.is_tree)
        .order_by(_RECORDS.number)
        .limit(_BATCH)
    ).all()
    if not records:
        return False
    trees = {each.stack_id for each in records if each.is_tree}
    stack_ids = {each.stack_id for each in records}
    if trees:
        stack_ids.update(
            conn.scalars(
                sa.select(_STACKS.id).where(
                    _STACKS.root_id.in_(sorted(trees)),
                    _STACKS.deleted_at.is_(None),
                )
            )
        )
    changed: list[rows.Row] = [
        {"stack_id": each, "position": number}
        for number, each in enumerate(sorted(stack_ids), position + 1)
    ]
    rows.save(conn, change_feed.CHANGED_STACKS, changed, ("position",))
    conn.execute(
        sa.delete(change_feed.CHANGE_RECORDS).where(
            _RECORDS.number.in_([each.number for each in records])
        )
    )
    conn.execute(
        sa.update(change_feed.CHANGE_FEED).values(
            position=position + len(changed)
        )
    )
    return len(records) == _BATCH


def forget(
    conn: sa.Connection, stack_ids: collections.abc.Collection[ids.StackId]
) -> None:
    """Forget the changes of purged stacks.

    A reader that has not seen one of them has to read all stacks again.
    """
    while advance(conn):
        continue
    newest = conn.scalar(
        sa.select(sa.func.max(_CHANGED.position)).where(
            _CHANGED.stack_id.in_(stack_ids)
        )
    )
    if newest is None:
        return
    conn.execute(
        sa.delete(change_feed.CHANGED_STACKS).where(
            _CHANGED.stack_id.in_(stack_ids)
        )
    )
    conn.execute(
        sa.update(change_feed.CHANGE_FEED)
        .where(_FEED.complete_from < newest)
        .values(complete_from=newest)
    )


def _lock(conn: sa.Connection) -> int:
    """Return the position of the feed, held until the transaction ends."""
    wanted = sa.select(_FEED.position).with_for_update()
    found = conn.scalar(wanted)
    if found is None:
        row: rows.Row = {
            "id": _ID,
            "feed_id": ids.new(),
            "position": 0,
            "complete_from": 0,
        }
        rows.insert(conn, change_feed.CHANGE_FEED, [row])
        found = conn.scalars(wanted).one()
    return int(found)
