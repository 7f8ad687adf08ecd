"""The tables that all processes with one index share.

They hold what cannot be read again: former states, saved texts. What
each process searches is filled from them. No row is searched.
"""

import typing

import sqlalchemy as sa
from sqlalchemy.dialects import mysql
from sqlalchemy.dialects import postgresql

FORMAT: typing.Final = 1
"""Grows with each change of the tables, or of what is in them."""

_METADATA = sa.MetaData()

_ID = sa.String(255, collation="C").with_variant(
    mysql.VARCHAR(255, collation="utf8mb4_bin"), "mysql"
)
_TEXT = sa.Text().with_variant(mysql.LONGTEXT(), "mysql")
_BYTES = sa.LargeBinary().with_variant(mysql.LONGBLOB(), "mysql")
_DOUBLE: sa.Double[float] = sa.Double()


def _table(name: str, *parts: sa.Column[typing.Any]) -> sa.Table:
    return sa.Table(
        f"search_shared_{name}",
        _METADATA,
        *parts,
        mysql_engine="InnoDB",
        mysql_charset="utf8mb4",
        mysql_collate="utf8mb4_bin",
    )


STATE: typing.Final = _table(
    "state",
    sa.Column("id", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("format", sa.Integer, nullable=False),
    sa.Column("generation", sa.String(32), nullable=False),
    sa.Column("revision", sa.BigInteger, nullable=False),
    sa.Column("next_number", sa.BigInteger, nullable=False),
    sa.Column("refill_below", sa.BigInteger, nullable=False),
)
"""One row. Who writes documents locks it first, so that revisions are
committed in their order.

``generation`` changes when all is deleted; of what was deleted since a
revision below ``refill_below`` not all is known any more.
"""

TEXTS: typing.Final = _table(
    "texts",
    sa.Column("name", _ID, primary_key=True),
    sa.Column("value", _TEXT, nullable=False),
)

STACKS: typing.Final = _table(
    "stacks",
    sa.Column("stack_id", _ID, primary_key=True),
    sa.Column("version", sa.BigInteger, nullable=False),
    sa.Column("read_at", _DOUBLE, nullable=False),
    sa.Column("documents", sa.Integer, nullable=False),
    sa.Column("text_bytes", sa.BigInteger, nullable=False),
    sa.Column("redacted", _TEXT, nullable=False),
)

DOCUMENTS: typing.Final = _table(
    "documents",
    sa.Column("number", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("revision", sa.BigInteger, nullable=False, index=True),
    sa.Column("stack_id", _ID, nullable=False, index=True),
    sa.Column("id", _BYTES, nullable=False),
    sa.Column("digest", sa.LargeBinary(12), nullable=False),
    sa.Column("length", sa.Integer, nullable=False),
    sa.Column("valid_from", _DOUBLE, nullable=False),
    sa.Column("valid_to", _DOUBLE, index=True),
    sa.Column("body", _BYTES, nullable=False),
)
"""Each state of each document; ``revision`` of its last change.

``id`` is UTF-8: as a text PostgreSQL would not take all of them.
"""

DELETED: typing.Final = _table(
    "deleted",
    sa.Column("number", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("revision", sa.BigInteger, nullable=False, index=True),
)
"""Which states were deleted of late, for who has not followed yet."""

ALL: typing.Final = tuple(_METADATA.sorted_tables)


_POSTGRESQL_SIZE = sa.select(
    sum(
        (
            sa.func.pg_total_relation_size(
                sa.cast(each.name, postgresql.REGCLASS)
            )
            for each in ALL
        ),
        start=sa.literal(0),
    )
)
_MYSQL_SIZE = sa.text(
    "SELECT sum(data_length + index_length) FROM information_schema.tables"
    " WHERE table_schema = database() AND table_name IN :names"
).bindparams(
    sa.bindparam("names", [each.name for each in ALL], expanding=True)
)


def create_all(connection: sa.Connection) -> None:
    """Create the tables that are missing."""
    _METADATA.create_all(connection)


def stored_bytes(connection: sa.Connection) -> int:
    """Return how many bytes the tables take, as their server knows it.

    No row is read; MariaDB and MySQL estimate it.
    """
    size = (
        _POSTGRESQL_SIZE
        if connection.dialect.name == "postgresql"
        else _MYSQL_SIZE
    )
    return int(connection.scalar(size) or 0)


def drop_all(connection: sa.Connection) -> None:
    """Drop all tables."""
    _METADATA.drop_all(connection)
