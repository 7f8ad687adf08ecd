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

from orch import errors
from orch.db import encryption
from orch.db import types

if typing.TYPE_CHECKING:
    import _typeshed

Value = typing.TypeVar("Value", bound="_typeshed.DataclassInstance")
_Item = typing.TypeVar("_Item")
_PAGE = 1000


class Rows(typing.Generic[Value]):
    """Translates one table's rows; columns are called as the fields are."""

    def __init__(
        self,
        model: type[Value],
        table: sa.Table,
        *order: sa.ColumnElement[object],
        names: tuple[str, ...] = (),
        noun: str = "",
    ) -> None:
        """Read and write the fields of ``model`` in ``table``.

        :param order: of :meth:`find_all`, the first to the last
        :param names: of the fields that are read, where not all are
        :param noun: what errors call a row
        """
        self._model = model
        self._names = names or tuple(
            field.name for field in dataclasses.fields(model)
        )
        self._get = operator.attrgetter(*self._names)
        self.columns = tuple(table.c[name] for name in self._names)
        self._select = sa.select(*self.columns)
        self._table = table
        self._keys = tuple(column.name for column in table.primary_key)
        self._order = order
        self._noun = noun
        self._by: dict[tuple[str, ...], sa.Select[tuple[object, ...]]] = {}
        self._ordered: dict[tuple[str, ...], sa.Select[typing.Any]] = {}

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

    def value(self, row: collections.abc.Iterable[object]) -> Value:
        """Return the value that a row stands for."""
        make: collections.abc.Callable[..., Value] = self._model
        return make(**dict(zip(self._names, row, strict=False)))

    def all(self, result: sa.Result[tuple[object, ...]]) -> list[Value]:
        """Return the values that the rows stand for, in their order."""
        return list(map(self.value, result))

    def first(self, result: sa.Result[tuple[object, ...]]) -> Value | None:
        """Return the value of the first row, or ``None`` without one."""
        found = self.all(result)
        return found[0] if found else None

    def find(self, conn: sa.Connection, *key: str | int) -> Value | None:
        """Return the value of the row with this primary key, if there is one.

        :param key: a value for each column of the primary key
        """
        return self.first(
            conn.execute(self.by(*self._keys), self._parameters(key))
        )

    def lock(self, conn: sa.Connection, *key: str | int) -> Value | None:
        """Return the same, locked until the transaction ends."""
        statement = self.by(*self._keys).with_for_update()
        return self.first(conn.execute(statement, self._parameters(key)))

    def get(self, conn: sa.Connection, *key: str | int) -> Value:
        """Return the value of the row with this primary key.

        :raises orch.errors.NotFound: there is none
        """
        found = self.find(conn, *key)
        if found is None:
            raise self.missing(*key)
        return found

    def missing(self, *key: str | int) -> errors.NotFound:
        """Return the error for a row that does not exist."""
        return errors.NotFound(
            f"The {self._noun} ({key[-1]}) could not be found."
        )

    def find_all(
        self,
        conn: sa.Connection,
        *conditions: sa.ColumnElement[bool],
        limit: int | None = None,
    ) -> list[Value]:
        """Return the values of the rows that meet all conditions, in order.

        :param limit: how many at most; ``None`` for all
        """
        statement = self._select.where(*conditions).order_by(*self._order)
        return self.all(conn.execute(statement.limit(limit)))

    def find_by(self, conn: sa.Connection, **wanted: object) -> list[Value]:
        """Return the values of the rows with these columns, in order.

        Its statement is built once, as that of :meth:`by`.
        """
        names = tuple(wanted)
        if names not in self._ordered:
            self._ordered[names] = self.by(*names).order_by(*self._order)
        return self.all(
            conn.execute(self._ordered[names], parameters(wanted, {}))
        )

    def find_in(
        self,
        conn: sa.Connection,
        column: sa.ColumnElement[typing.Any],
        wanted: collections.abc.Collection[str],
        *conditions: sa.ColumnElement[bool],
    ) -> list[Value]:
        """Return the same for wanted values of a column, batch by batch."""
        return [
            each
            for batch in batches(sorted(wanted))
            for each in self.find_all(conn, column.in_(batch), *conditions)
        ]

    def count(
        self, conn: sa.Connection, *conditions: sa.ColumnElement[bool]
    ) -> int:
        """Return how many rows meet all conditions."""
        counted = sa.select(sa.func.count()).select_from(self._table)
        return int(conn.execute(counted.where(*conditions)).scalar_one())

    def insert(self, conn: sa.Connection, value: Value) -> None:
        """Store a new row; one with its key stays as it is."""
        self.insert_many(conn, [value])

    def insert_many(
        self, conn: sa.Connection, values: collections.abc.Iterable[Value]
    ) -> None:
        """Store new rows, in their order; those with a known key stay."""
        insert(conn, self._table, [self.values(each) for each in values])

    def update(
        self, conn: sa.Connection, *key: str | int, **changed: object
    ) -> bool:
        """Change columns of a row.

        :returns: whether there is one with this primary key
        """
        return is_changed(
            conn,
            sa.update(self._table).where(self._is_key(key)).values(changed),
        )

    def delete(self, conn: sa.Connection, *key: str | int) -> bool:
        """Delete a row.

        :returns: whether there was one with this primary key
        """
        return is_changed(
            conn, sa.delete(self._table).where(self._is_key(key))
        )

    def values(self, value: Value) -> dict[str, object]:
        """Return the row of a value, column by column."""
        return dict(zip(self._names, self._get(value), strict=True))

    def _parameters(self, key: tuple[str | int, ...]) -> dict[str, object]:
        return parameters(dict(zip(self._keys, key, strict=True)), {})

    def _is_key(self, key: tuple[str | int, ...]) -> sa.ColumnElement[bool]:
        columns = self._table.primary_key.columns
        pairs = zip(columns, key, strict=True)
        return sa.and_(*(column == value for column, value in pairs))


def has_any(
    conn: sa.Connection, statement: sa.Select[tuple[typing.Any, ...]]
) -> bool:
    """Whether a select finds a row."""
    return conn.execute(statement.limit(1)).first() is not None


def is_changed(conn: sa.Connection, statement: sa.Update | sa.Delete) -> bool:
    """Execute a statement for one row; whether there is that row."""
    return conn.execute(statement).rowcount == 1


def delete_in(
    conn: sa.Connection,
    column: sa.Column[typing.Any],
    gone: collections.abc.Iterable[str | int],
    *conditions: sa.ColumnElement[bool],
) -> int:
    """Delete rows that have one of the values and meet the conditions.

    :returns: how many there were
    """
    return sum(
        conn.execute(
            sa.delete(column.table).where(column.in_(batch), *conditions)
        ).rowcount
        for batch in batches(gone)
    )


def batches(
    values: collections.abc.Iterable[_Item],
) -> collections.abc.Iterator[list[_Item]]:
    """Yield values in lists that one statement can take."""
    listed = list(values)
    for start in range(0, len(listed), _PAGE):
        yield listed[start : start + _PAGE]


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
    parameters: list[tuple[object, ...]] = []
    for row in rows:
        values = [row[name] for name in names]
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
    for page in batches(map(dict, rows)):
        for row in page:
            for name in documents:
                column = table.c[name]
                # Nothing is NULL, as the other dialects store it.
                if row[name] is not None or not column.nullable:
                    row[name] = _document(conn.dialect, column, row[name])
            for name in texts:
                kind, text = table.c[name].type, row[name]
                if isinstance(kind, types.FreeText) and isinstance(text, str):
                    row[name] = kind.process_bind_param(text, conn.dialect)
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
