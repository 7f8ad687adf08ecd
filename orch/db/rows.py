"""Between the rows of a table and the values of the model.

Statements for many rows cost one statement at the server for a thousand rows;
each database writes them in its own way. On PostgreSQL the rows go as one JSON
document: to us that is a tenth of the work of as many parameters, to the
server it is no more. On MySQL PyMySQL puts the rows behind one ``VALUES``;
SQLite runs one prepared statement in our own process.
"""

import collections.abc
import dataclasses
import functools
import operator
import typing

import orjson
import sqlalchemy as sa
from sqlalchemy.dialects import mysql
from sqlalchemy.dialects import postgresql
from sqlalchemy.dialects import sqlite

from orch.db import encryption
from orch.db import types

if typing.TYPE_CHECKING:
    import _typeshed

Value = typing.TypeVar("Value", bound="_typeshed.DataclassInstance")


class Rows(typing.Generic[Value]):
    """Translates one table's rows; columns are called as the fields are."""

    def __init__(self, model: type[Value], table: sa.Table) -> None:
        """Read and write the fields of ``model`` in ``table``."""
        self._model = model
        self._names = tuple(field.name for field in dataclasses.fields(model))
        self._get = operator.attrgetter(*self._names)
        self.columns = tuple(table.c[name] for name in self._names)
        self._select = sa.select(*self.columns)
        self._table = table
        self._by: dict[tuple[str, ...], sa.Select[tuple[object, ...]]] = {}

    def select(self) -> sa.Select[tuple[object, ...]]:
        """Return a select of all fields, to be narrowed."""
        return self._select

    def by(self, *names: str) -> sa.Select[tuple[object, ...]]:
        """Return a select by equality with these columns, built once.

        Its parameters are called ``key_`` and the column's name.
        """
        if names not in self._by:
            self._by[names] = self._select.where(*_keys(self._table, names))
        return self._by[names]

    def all(self, result: sa.Result[tuple[object, ...]]) -> list[Value]:
        """Return the values that the rows stand for, in their order."""
        names, model = self._names, self._model
        make: collections.abc.Callable[..., Value] = model
        return [
            make(**dict(zip(names, row, strict=False))) for row in result.all()
        ]

    def first(self, result: sa.Result[tuple[object, ...]]) -> Value | None:
        """Return the value of the first row, or ``None`` without one."""
        found = self.all(result)
        return found[0] if found else None

    def values(self, value: Value) -> dict[str, object]:
        """Return the row of a value, column by column."""
        return dict(zip(self._names, self._get(value), strict=True))


@functools.cache
def setting(
    table: sa.Table, keys: tuple[str, ...], names: tuple[str, ...]
) -> sa.Update:
    """Return an update of the rows that have these keys, built once.

    Building a statement costs more than running it. Its parameters are
    called ``key_`` and ``new_`` and the column's name: :func:`parameters`.
    """
    return (
        sa.update(table)
        .where(*_keys(table, keys))
        .values(
            {
                name: sa.bindparam(f"new_{name}", type_=table.c[name].type)
                for name in names
            }
        )
    )


def parameters(
    keys: collections.abc.Mapping[str, object],
    values: collections.abc.Mapping[str, object],
) -> dict[str, object]:
    """Return the parameters of :func:`setting`."""
    return {
        **{f"key_{name}": value for name, value in keys.items()},
        **{f"new_{name}": value for name, value in values.items()},
    }


def _keys(
    table: sa.Table, names: collections.abc.Iterable[str]
) -> list[sa.ColumnElement[bool]]:
    return [
        table.c[name] == sa.bindparam(f"key_{name}", type_=table.c[name].type)
        for name in names
    ]


Row = dict[str, object]
_PAGE = 1000

# Statements that are kept ready: there is one a table and a set of columns,
# and one engine in a process.
_CACHED_STATEMENTS = 64

_Convert = collections.abc.Callable[[object], object]


def insert(
    conn: sa.Connection, table: sa.Table, rows: collections.abc.Sequence[Row]
) -> None:
    """Store new rows, all with the same columns, in their order.

    A row whose key is there already stays as it is: a unit of work may run
    again although it was committed, when the answer to its commit was lost.
    """
    if not rows:
        return
    if conn.dialect.name == "postgresql":
        _send_documents(conn, table, rows, ())
    else:
        _send_rows(conn, insert_absent(conn.dialect.name, table), rows)


def save(
    conn: sa.Connection,
    table: sa.Table,
    rows: collections.abc.Sequence[Row],
    names: tuple[str, ...],
) -> None:
    """Store rows; of those whose key is there already update some columns.

    :param names: the columns that an existing row takes from the new one
    """
    if not rows:
        return
    if conn.dialect.name == "postgresql":
        _send_documents(conn, table, rows, names)
    else:
        _send_rows(conn, upsert(conn.dialect.name, table, names), rows)


@functools.cache
def insert_absent(dialect: str, table: sa.Table) -> sa.Insert:
    """Return an insert that leaves rows alone whose key is there already.

    A key is the primary one or any other that is unique.
    """
    if dialect == "mysql":
        # Not IGNORE, which lets values pass that do not fit.
        key = next(iter(table.primary_key.columns))
        return mysql.insert(table).on_duplicate_key_update({key.name: key})
    if dialect == "postgresql":
        return postgresql.insert(table).on_conflict_do_nothing()
    return sqlite.insert(table).on_conflict_do_nothing()


@functools.cache
def upsert(dialect: str, table: sa.Table, names: tuple[str, ...]) -> sa.Insert:
    """Return an insert that updates rows whose primary key is there already.

    :param names: the columns that an existing row takes from the new one
    """
    if dialect == "mysql":
        # Not SQLAlchemy's "inserted": what it writes for MySQL 8 PyMySQL
        # would send row by row.
        return mysql.insert(table).on_duplicate_key_update(
            {name: sa.literal_column(f"VALUES(`{name}`)") for name in names}
        )
    if dialect == "postgresql":
        return _updating(postgresql.insert(table), table, names)
    return _updating(sqlite.insert(table), table, names)


def _send_rows(
    conn: sa.Connection,
    statement: sa.Insert,
    rows: collections.abc.Sequence[Row],
) -> None:
    """Run the statement once a row.

    SQLite's driver gets tuples: SQLAlchemy's own way from a row to parameters
    costs as much again as SQLite does.
    """
    if conn.dialect.name != "sqlite":
        conn.execute(statement, rows)
        return
    text, names, converters = _prepared(
        statement, conn.dialect, tuple(rows[0])
    )
    take = operator.itemgetter(*names)
    parameters: list[tuple[object, ...]] = []
    for row in rows:
        values = list(take(row))
        for place, convert in converters:
            values[place] = convert(values[place])
        parameters.append(tuple(values))
    conn.exec_driver_sql(text, parameters)


@functools.lru_cache(maxsize=_CACHED_STATEMENTS)
def _prepared(
    statement: sa.Insert, dialect: sa.Dialect, columns: tuple[str, ...]
) -> tuple[str, tuple[str, ...], tuple[tuple[int, _Convert], ...]]:
    """Return the text, the columns in its order, and how values go in."""
    compiled = statement.compile(dialect=dialect, column_keys=list(columns))
    assert compiled.positiontup is not None
    names = tuple(compiled.positiontup)
    converters = []
    for place, name in enumerate(names):
        kind = statement.table.c[name].type
        convert = kind.dialect_impl(dialect).bind_processor(dialect)
        if convert is not None:
            converters.append((place, convert))
    return str(compiled), names, tuple(converters)


def _send_documents(
    conn: sa.Connection,
    table: sa.Table,
    rows: collections.abc.Sequence[Row],
    names: tuple[str, ...],
) -> None:
    statement = _from_document(table, tuple(rows[0]), names)
    documents = [each for each in _named(table, types.Json) if each in rows[0]]
    texts = [each for each in _named(table, types.FreeText) if each in rows[0]]
    for start in range(0, len(rows), _PAGE):
        page = [dict(row) for row in rows[start : start + _PAGE]]
        for row in page:
            for name in documents:
                row[name] = _document(conn.dialect, table.c[name], row[name])
            for name in texts:
                text = row[name]
                if isinstance(text, str):
                    row[name] = types.storable(text)
        conn.execute(statement, {"rows": orjson.dumps(page).decode()})


def _document(
    dialect: sa.Dialect, column: sa.Column[object], value: object
) -> str:
    """Return the text of a JSON column, sealed where it is to be."""
    if isinstance(column.type, types.MarkedJson):
        value = column.type.document(value)
    text = types.dump(value)
    if isinstance(column.type, types.SealedJson):
        return encryption.cipher_of(dialect).seal(text)
    return text


@functools.cache
def _from_document(
    table: sa.Table, columns: tuple[str, ...], names: tuple[str, ...]
) -> sa.Insert:
    """Return an insert of the rows in one JSON document."""
    document = sa.cast(sa.bindparam("rows", type_=sa.Text()), postgresql.JSON)
    source = sa.func.json_to_recordset(document).table_valued(
        *(sa.column(name, _in_document(table.c[name])) for name in columns)
    )
    rows = source.render_derived(name="source", with_types=True)
    statement = postgresql.insert(table).from_select(
        columns, sa.select(*rows.c)
    )
    if not names:
        return statement.on_conflict_do_nothing()
    return _updating(statement, table, names)


def _updating(
    statement: postgresql.Insert | sqlite.Insert,
    table: sa.Table,
    names: tuple[str, ...],
) -> sa.Insert:
    """Return the insert with what PostgreSQL and SQLite say alike."""
    return statement.on_conflict_do_update(
        index_elements=list(table.primary_key.columns),
        set_={name: statement.excluded[name] for name in names},
    )


def _in_document(
    column: sa.Column[object],
) -> sa.types.TypeEngine[object]:
    """Return the type to read a column as; its bound stays the table's."""
    kind = column.type
    if isinstance(kind, sa.types.TypeDecorator | sa.String):
        return typing.cast(sa.types.TypeEngine[object], sa.Text())
    return kind


@functools.cache
def _named(
    table: sa.Table, kind: type[sa.types.TypeEngine[object]]
) -> tuple[str, ...]:
    return tuple(c.name for c in table.columns if isinstance(c.type, kind))
