"""Which fields somebody may search: asked where a query may have a slip."""

from orch.search.index import port
from orch.search.query import nodes


class KnownFields:
    """Answers whether there is a field; the index is asked once for each."""

    def __init__(self, index: port.Index, scope: port.Scope) -> None:
        """Ask nothing yet."""
        self._index = index
        self._scope = scope
        self._found: dict[str, bool] = {}

    def has(self, name: str) -> bool:
        """Answer whether that is a field, or what one is called in its group.

        What is looked for is one that has it: to list all fields takes the
        longer the more there are.

        :raises orch.errors.Unavailable: the index cannot be reached
        """
        if name not in self._found:
            found = self._index.search(
                port.Query(node=nodes.Exists(name), scope=self._scope, limit=0)
            )
            self._found[name] = found.total > 0
        return self._found[name]
