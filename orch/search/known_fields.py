"""Which fields somebody may search: asked where a query may have a slip."""

import functools

from orch.search.index import port


class KnownFields:
    """Answers whether there is a field; the index is asked once, if at all."""

    def __init__(self, index: port.Index, scope: port.Scope) -> None:
        """Ask nothing yet."""
        self._index = index
        self._scope = scope

    def has(self, name: str) -> bool:
        """Answer whether that is a field, or what one is called in its group.

        :raises orch.errors.Unavailable: the index cannot be reached
        """
        return name in self._names

    @functools.cached_property
    def _names(self) -> frozenset[str]:
        found = self._index.fields(self._scope, frozenset())
        return frozenset(found).union(
            each.rpartition(".")[2] for each in found
        )
