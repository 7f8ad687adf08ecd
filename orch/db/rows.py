"""Between the rows of a table and the values of the model."""

import collections.abc
import dataclasses
import functools
import operator
import typing

import sqlalchemy as sa

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
