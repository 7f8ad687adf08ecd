"""The rows of marks, and of short texts that are saved by name."""

import collections.abc

import orjson
import sqlalchemy as sa

from orch.db import rows as db_rows
from orch.search.index import port
from orch.search.index.shared import tables

_MARK = tables.MARKS.c
_TEXT = tables.TEXTS.c


def mark(
    connection: sa.Connection, marks: collections.abc.Sequence[port.Mark]
) -> None:
    """Store marks; of those of one stack the newer one, at the older place.

    Marks come from one process after another: the row of the state is
    locked meanwhile.
    """
    connection.execute(
        sa.update(tables.STATE).values(revision=tables.STATE.c.revision)
    )
    come: dict[str, port.Mark] = {}
    for each in marks:
        known = come.get(each.stack_id)
        come[each.stack_id] = port.newer_mark(known, each) if known else each
    held = {
        row.stack_id: (row.number, _of(row))
        for row in connection.execute(
            sa.select(tables.MARKS).where(_MARK.stack_id.in_(list(come)))
        )
    }
    last = connection.scalar(sa.select(sa.func.max(_MARK.number))) or 0
    rows: list[db_rows.Row] = []
    for stack_id, each in come.items():
        if stack_id in held:
            number, known = held[stack_id]
            each = port.newer_mark(known, each)
        else:
            last += 1
            number = last
        rows.append(
            {
                "stack_id": stack_id,
                "number": number,
                "version": each.version,
                "nonce": each.nonce,
                "thin": None
                if each.thin is None
                else orjson.dumps(each.thin).decode("utf-8"),
            }
        )
    db_rows.save(
        connection,
        tables.MARKS,
        rows,
        ("number", "version", "nonce", "thin"),
    )


def marked(connection: sa.Connection, limit: int) -> list[port.Mark]:
    """Return the oldest marks, the oldest first."""
    rows = connection.execute(
        sa.select(tables.MARKS).order_by(_MARK.number).limit(limit)
    )
    return [_of(row) for row in rows]


def _of(row: sa.Row[tuple[object, ...]]) -> port.Mark:
    thin = None if row.thin is None else orjson.loads(row.thin)
    return port.Mark(row.stack_id, row.version, thin, row.nonce)


def unmark(
    connection: sa.Connection, marks: collections.abc.Sequence[port.Mark]
) -> None:
    """Remove marks, unless a newer one of the stack exists."""
    if not marks:
        return
    connection.execute(
        sa.delete(tables.MARKS).where(
            _MARK.stack_id == sa.bindparam("stack"),
            _MARK.nonce == sa.bindparam("known"),
        ),
        [{"stack": each.stack_id, "known": each.nonce} for each in marks],
    )


def load(connection: sa.Connection, name: str) -> str | None:
    """Return the text that was saved last under a name."""
    found = connection.execute(
        sa.select(_TEXT.value).where(_TEXT.name == name)
    ).scalar()
    return None if found is None else str(found)


def save(connection: sa.Connection, name: str, value: str | None) -> None:
    """Save a short text under a name, or remove it."""
    if value is None:
        connection.execute(sa.delete(tables.TEXTS).where(_TEXT.name == name))
    else:
        db_rows.save(
            connection,
            tables.TEXTS,
            [{"name": name, "value": value}],
            ("value",),
        )
