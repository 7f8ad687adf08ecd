"""Saved searches in an index of OpenSearch of their own."""

from oslo_config import cfg

from orch import errors
from orch.search.index import port
from orch.search.index.opensearch import client as wire
from orch.search.index.opensearch import index
from orch.search.index.opensearch import mapping


def from_url(url: str, conf: cfg.ConfigOpts) -> port.SavedStore:
    """Return the store at the address of an index; not connected yet.

    :raises orch.errors.Invalid: the URL names no host
    """
    client, name = index.connect(url, conf)
    return OpenSearchStore(wire.Wire(client), f"{name}-saved")


class OpenSearchStore:
    """Rows of an index; it is created where it is missing."""

    def __init__(self, requests: wire.Wire, name: str) -> None:
        self._wire = requests
        self._name = name

    def read(self, key: str) -> port.StoredText | None:
        """Return the text that was last written under a key."""
        found = self._find(key)
        if found is None:
            return None
        return port.StoredText(found.row["text"], found.row["version"])

    def write(self, key: str, text: str, version: int) -> bool:
        """Write a text, unless another was written since a version."""
        found = self._find(key)
        if version != (0 if found is None else found.row["version"]):
            return False
        row = {"text": text, "version": version + 1}
        act = (
            wire.Act("create", self._name, key, row)
            if found is None
            else wire.Act("index", self._name, key, row, found.condition)
        )
        (answer,) = self._wire.bulk([act])
        if answer["status"] == wire.CONFLICT:
            return False
        if "error" in answer:
            raise errors.Unavailable(
                "The search index refuses saved searches. Nothing was changed."
            )
        return True

    def close(self) -> None:
        """Close the connections."""
        self._wire.close()

    def _find(self, key: str) -> wire.StoredRow | None:
        self._wire.make(self._name, mapping.saved_index())
        return self._wire.many(self._name, [key]).get(key)
