"""Encrypted values that may hold a secret, as the database stores them.

Here they are never opened but to be sealed anew: see
:mod:`orch.db.encryption`.
"""

import collections.abc
import dataclasses
import functools
import typing

import sqlalchemy as sa

from orch.db import encryption
from orch.db import types
from orch.db.models import catalog

Key = tuple[object, ...]
Stored = str | bytes


@dataclasses.dataclass(frozen=True, slots=True)
class Page:
    """What was done to some rows of a table.

    :ivar last: key of the last row; ``None`` when there were none
    :ivar changed: how many rows stand in another way now
    :ivar missed: how many another transaction wrote meanwhile
    """

    last: Key | None
    changed: int
    missed: int


@functools.cache
def tables() -> tuple[sa.Table, ...]:
    """Return the tables that have such values."""
    return tuple(table for table in catalog.TABLES if _columns(table))


def renew(
    conn: sa.Connection, table: sa.Table, after: Key | None, limit: int
) -> Page:
    """Store values of some rows as they would be stored now.

    Those that stand so already are left alone, so that it can be done again
    at any time. A row that is written meanwhile keeps what that writer
    wrote.

    :param after: key of the row before the first one; ``None`` begins
    :param limit: rows that are looked at
    :raises orch.db.encryption.Unreadable: no key opens a value
    """
    cipher = encryption.cipher_of(conn.dialect)
    keys = list(table.primary_key.columns)
    columns = _columns(table)
    query = (
        sa.select(*keys, *(_raw(column) for column in columns))
        .order_by(*keys)
        .limit(limit)
    )
    if after is not None:
        # The first condition lets MySQL use the index.
        query = query.where(
            keys[0] >= after[0],
            sa.tuple_(*keys) > sa.tuple_(*after),
        )
    last, changed, missed = None, 0, 0
    for row in conn.execute(query).all():
        last = tuple(row[: len(keys)])
        stale = {
            column: value
            for column, value in zip(columns, row[len(keys) :], strict=True)
            if value is not None and not cipher.is_current(value)
        }
        if stale:
            is_ours = _replace(conn, table, last, stale, cipher)
            changed, missed = changed + is_ours, missed + (not is_ours)
    return Page(last, changed, missed)


def check(conn: sa.Connection) -> None:
    """Return only if our keys open what a change of keys begins with.

    That is the first row of each table: a list of keys that lacks the
    newest one is found, unless the change has just begun.

    :raises orch.db.encryption.Unreadable: no key opens a value
    """
    cipher = encryption.cipher_of(conn.dialect)
    for table in tables():
        first = (
            sa.select(*(_raw(column) for column in _columns(table)))
            .order_by(*table.primary_key.columns)
            .limit(1)
        )
        for row in conn.execute(first).all():
            for value in row:
                if isinstance(value, bytes):
                    cipher.open_bytes(value)
                elif value is not None:
                    cipher.open(value)


def _replace(
    conn: sa.Connection,
    table: sa.Table,
    key: Key,
    stale: collections.abc.Mapping[sa.Column[object], Stored],
    cipher: encryption.Cipher,
) -> bool:
    """Answer whether the values were still there, and are replaced."""
    keys = zip(table.primary_key.columns, key, strict=True)
    found = conn.execute(
        sa.update(table)
        .where(
            *(column == value for column, value in keys),
            *(_raw(column) == value for column, value in stale.items()),
        )
        .values(
            {
                column: sa.bindparam(
                    f"new_{column.name}",
                    _anew(value, cipher),
                    type_=_raw(column).type,
                )
                for column, value in stale.items()
            }
        )
    )
    return found.rowcount == 1


def _anew(stored: Stored, cipher: encryption.Cipher) -> Stored:
    if isinstance(stored, str):
        return cipher.seal(cipher.open(stored))
    return cipher.seal_bytes(cipher.open_bytes(stored))


def _columns(table: sa.Table) -> tuple[sa.Column[object], ...]:
    return tuple(
        column
        for column in table.columns
        if isinstance(column.type, types.SEALED)
    )


def _raw(column: sa.Column[object]) -> sa.ColumnElement[object]:
    """Return a column as it is stored."""
    is_blob = isinstance(column.type, types.SealedBlob)
    kind = types.blob() if is_blob else sa.Text()
    # Text or bytes; whoever reads it takes both.
    return sa.type_coerce(column, typing.cast(typing.Any, kind))
