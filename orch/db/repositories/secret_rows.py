"""Rows of the resources that have anything sensitive, and its texts.

Nothing here looks at whose the stacks are.
"""

import collections.abc
import hashlib
import threading
import typing

import cachetools
import sqlalchemy as sa

from orch import ids
from orch.db import rows
from orch.db import types
from orch.db.models import stacks
from orch.db.repositories import resources
from orch.model import resource

_RESOURCES = stacks.RESOURCES.c
_STACKS = stacks.STACKS.c
_ROWS: typing.Final = rows.Rows(
    resource.Resource,
    stacks.RESOURCES,
    names=(
        *("id", "stack_id", "name", "type_name", "mapped_type"),
        *("action", "status", "status_reason", "physical_id"),
        *("created_at", "updated_at", "properties", "desired_properties"),
        *("attributes", "metadata", "data"),
    ),
)
_STORED: typing.Final = tuple(
    sa.type_coerce(column, sa.Text())
    if isinstance(column.type, types.Json)
    else column
    for column in _ROWS.columns
)
"""The columns of the rows, their documents as they are stored."""
_KEY: typing.Final = tuple(
    place
    for place, column in enumerate(_ROWS.columns)
    if isinstance(column.type, types.Json)
    or column.name in {"type_name", "mapped_type"}
)
"""The places of the columns that the texts of a row depend on."""
_MAX_CACHED_CHARACTERS: typing.Final = 8_000_000


def list_in_trees(
    conn: sa.Connection, root_ids: collections.abc.Collection[ids.StackId]
) -> list[resource.Resource]:
    """Return the resources of trees that have anything sensitive.

    With their values alone. Those that are gone are left out.
    """
    return _ROWS.find_all(conn, *_has_secrets(root_ids))


def read_texts(
    conn: sa.Connection, root_id: ids.StackId, *, is_plain: bool = False
) -> frozenset[str]:
    """Return the texts of what is sensitive in the resources of a tree.

    Each reason that is stored needs them, and a tree may have thousands of
    rows: one whose stored documents are cached is not decrypted and parsed.

    :param is_plain: as ``Resource.secret_texts`` has it
    """
    found = conn.execute(sa.select(*_STORED).where(*_has_secrets([root_id])))
    return frozenset().union(
        *(_texts_of(conn.dialect, row, is_plain=is_plain) for row in found)
    )


def _has_secrets(
    root_ids: collections.abc.Collection[ids.StackId],
) -> tuple[sa.ColumnElement[bool], ...]:
    of_tree = sa.select(_STACKS.id).where(
        _STACKS.root_id.in_(sorted(root_ids))
    )
    return (
        _RESOURCES.stack_id.in_(of_tree),
        _RESOURCES.has_secrets,
        ~resources.IS_GONE,
    )


def _texts_of(
    dialect: sa.Dialect, row: sa.Row[tuple[object, ...]], *, is_plain: bool
) -> frozenset[str]:
    stored = "\0".join(str(row[place]) for place in _KEY)
    key = (
        is_plain,
        hashlib.sha256(stored.encode("utf-8", "surrogatepass")).digest(),
    )
    with _LOCK:
        found = _CACHE.get(key)
    if found is None:
        found = _load(dialect, row).secret_texts(is_plain=is_plain)
        with _LOCK:
            if _size(found) <= _CACHE.maxsize:
                _CACHE[key] = found
    return found


def _load(
    dialect: sa.Dialect, row: sa.Row[tuple[object, ...]]
) -> resource.Resource:
    """Return the resource of a row with documents as they are stored."""
    values: list[object] = list(row)
    for place, column in enumerate(_ROWS.columns):
        if isinstance(column.type, types.Json):
            read = column.type.result_processor(dialect, None)
            values[place] = read(typing.cast(str | None, values[place]))
    return _ROWS.value(values)


def _size(texts: frozenset[str]) -> int:
    return _KEY_CHARACTERS + sum(map(len, texts))


_KEY_CHARACTERS: typing.Final = 100
_LOCK: typing.Final = threading.Lock()
_CACHE: typing.Final[
    cachetools.LRUCache[tuple[bool, bytes], frozenset[str]]
] = cachetools.LRUCache(_MAX_CACHED_CHARACTERS, _size)
"""Texts of rows by what is stored of them: they cannot be outdated."""
