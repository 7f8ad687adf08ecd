"""Records which stacks a transaction has changed, for the change feed.

Repositories note stacks as they write; :class:`orch.db.engine.Database`
stores the notes as the last statement of the transaction, so that a change
and its record are committed together or not at all.
"""

import collections.abc
import typing

import sqlalchemy as sa

from orch import ids
from orch.db import rows
from orch.db.models import change_feed

_TABLE: typing.Final = change_feed.CHANGE_RECORDS
_KEY: typing.Final = "changed_stacks"


def begin(conn: sa.Connection) -> None:
    """Forget what an earlier transaction of the connection has noted."""
    conn.info[_KEY] = set()


def note(
    conn: sa.Connection, stack_ids: collections.abc.Iterable[ids.StackId]
) -> None:
    """Note that what a search shows of stacks may differ now."""
    _noted(conn).update((each, False) for each in stack_ids)


def note_tree(conn: sa.Connection, root_id: ids.StackId) -> None:
    """Note the same of all live stacks of a tree."""
    _noted(conn).add((root_id, True))


def store(conn: sa.Connection) -> bool:
    """Store what the transaction has noted.

    :returns: whether it has noted anything
    """
    noted = _noted(conn)
    rows.insert(
        conn,
        _TABLE,
        [
            {"stack_id": stack_id, "is_tree": is_tree}
            for stack_id, is_tree in sorted(noted)
        ],
    )
    has_changed = bool(noted)
    noted.clear()
    return has_changed


def _noted(conn: sa.Connection) -> set[tuple[ids.StackId, bool]]:
    noted: set[tuple[ids.StackId, bool]] = conn.info.setdefault(_KEY, set())
    return noted
