"""Looks up which fields the documents in a caller's scope have."""

import typing

from orch.search.index import port
from orch.search.query import nodes

MAX_CACHED_FIELDS: typing.Final = 10_000

FieldCache: typing.TypeAlias = set[tuple[port.Scope, str]]
"""Fields that were found, in which scope; one process keeps them."""


class KnownFields:
    """Checks whether fields exist, for one request.

    :ivar is_whole: what has no field now never has had one: not so while the
        index is filled, nor for an earlier moment
    """

    def __init__(
        self,
        index: port.Index,
        scope: port.Scope,
        cache: FieldCache,
        *,
        is_whole: bool,
    ) -> None:
        """Query nothing yet."""
        self.is_whole = is_whole
        self._index = index
        self._scope = scope
        self._cache = cache
        self._missing: set[str] = set()
        self._names: list[str] = []

    def has(self, name: str) -> bool:
        """Whether any document in the caller's scope has, or had, a field.

        The index is searched for one that has it, until there is one: to
        list all fields takes the longer the more there are.

        :raises orch.errors.Unavailable: the index cannot be reached
        """
        if (self._scope, name) in self._cache:
            return True
        if name in self._missing:
            return False
        found = self._index.search(
            port.Query(node=nodes.Exists(name), scope=self._scope, limit=0)
        )
        if not found.total:
            self._missing.add(name)
            return False
        if len(self._cache) >= MAX_CACHED_FIELDS:
            self._cache.clear()
        self._cache.add((self._scope, name))
        return True

    def list_names(self) -> list[str]:
        """Return all fields in the scope, and the last part of each.

        :raises orch.errors.Unavailable: the index cannot be reached
        """
        if not self._names:
            found = self._index.fields(self._scope, frozenset())
            last = {name.rpartition(".")[2] for name in found}
            self._names = [*found, *sorted(last.difference(found))]
        return self._names
