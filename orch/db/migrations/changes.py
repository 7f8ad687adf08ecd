"""Changes that the steps of the walk are made of."""

import typing

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import mysql

_Value = typing.TypeVar("_Value")

UUID: typing.Final = sa.String(36)
DIGEST: typing.Final = sa.String(64)
LABEL: typing.Final = sa.String(255)
WORD: typing.Final = sa.String(16)
NUMBER: typing.Final = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
MOMENT: sa.Double[float] = sa.Double()
TEXT: typing.Final = sa.Text().with_variant(mysql.LONGTEXT(), "mysql")
BLOB: typing.Final = sa.LargeBinary().with_variant(mysql.LONGBLOB(), "mysql")


def may(table: str, name: str, kind: sa.types.TypeEngine[_Value]) -> None:
    """Add a column that may be null, unless it is there already."""
    if not _has_column(table, name):
        op.add_column(table, sa.Column(name, kind, nullable=True))


def must(
    table: str,
    name: str,
    kind: sa.types.TypeEngine[_Value],
    default: object,
) -> None:
    """Add a column that older rows get a value in, and that has no default.

    MySQL gives no default to texts, and keeps a column whatever fails after
    it: one that is there already is completed.
    """
    may(table, name, kind)
    column = sa.column(name, kind)
    op.execute(sa.update(sa.table(table, column)).values({name: default}))
    with op.batch_alter_table(table) as batch:
        batch.alter_column(name, existing_type=kind, nullable=False)


def _has_column(table: str, name: str) -> bool:
    """Whether a table has a column of the name."""
    known = sa.inspect(op.get_bind()).get_columns(table)
    return any(each["name"] == name for each in known)


def create(
    name: str,
    *items: sa.schema.SchemaItem,
    keys: tuple[str, ...] = ("id",),
) -> None:
    """Make a table, unless it is there already.

    :param keys: columns of its primary key
    """
    if sa.inspect(op.get_bind()).has_table(name):
        return
    op.create_table(
        name,
        *items,
        sa.PrimaryKeyConstraint(*keys, name=f"pk_{name}"),
        mysql_engine="InnoDB",
        mysql_charset="utf8mb4",
        mysql_collate="utf8mb4_bin",
    )


def index(table: str, *columns: str) -> None:
    """Make an index, unless it is there already."""
    name = f"ix_{table}_{'_'.join(columns)}"
    known = sa.inspect(op.get_bind()).get_indexes(table)
    if all(each["name"] != name for each in known):
        op.create_index(name, table, list(columns))
