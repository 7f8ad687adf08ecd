"""Requests to OpenSearch, and what their failures mean to us."""

import collections.abc
import dataclasses
import functools
import json
import typing

import opensearchpy
from oslo_log import log

from orch import errors

_LOG = log.getLogger(__name__)

CONFLICT: typing.Final = 409
_MISSING: typing.Final = 404
_BAD_REQUEST: typing.Final = 400
_BUSY: typing.Final = 429
_FORBIDDEN: typing.Final = (401, 403)
_FAULT: typing.Final = 500
_MAX_BULK_BYTES: typing.Final = 8_000_000
_IDS_BATCH: typing.Final = 1000

Row: typing.TypeAlias = dict[str, typing.Any]
Answer: typing.TypeAlias = dict[str, typing.Any]
_T = typing.TypeVar("_T")


@dataclasses.dataclass(frozen=True, slots=True)
class StoredRow:
    """A row as OpenSearch stores it.

    :ivar condition: holds as long as the row is not written
    """

    row: Row
    condition: dict[str, int]


@dataclasses.dataclass(frozen=True, slots=True)
class Act:
    """One action of a bulk request: write or delete a row.

    :ivar verb: ``index``, ``create`` or ``delete``
    :ivar options: conditions and versions
    """

    verb: str
    index: str
    id: str
    row: Row | None = None
    options: collections.abc.Mapping[str, object] = dataclasses.field(
        default_factory=dict
    )

    def lines(self) -> bytes:
        """Return the action as lines of a bulk request."""
        target = {"_index": self.index, "_id": self.id, **self.options}
        found = json.dumps({self.verb: target}) + "\n"
        if self.row is not None:
            found += json.dumps(self.row) + "\n"
        return found.encode("ascii")


class Wire:
    """Sends requests to OpenSearch.

    Every method raises :class:`orch.errors.Unavailable` where it gives no
    answer, is busy, or has lost the index.
    """

    def __init__(self, client: opensearchpy.OpenSearch) -> None:
        self._client = client

    def _ask(self, ask: collections.abc.Callable[[], _T]) -> _T:
        try:
            return ask()
        except opensearchpy.exceptions.ConnectionError as e:
            raise errors.Unavailable(
                "The search index cannot be reached. Try again later."
            ) from e
        except opensearchpy.exceptions.TransportError as e:
            raise _meant(e) from e

    def make(self, name: str, body: Row) -> None:
        """Create an index behind an alias, if it does not exist."""
        target = {**body, "aliases": {name: {}}}

        def ask() -> None:
            try:
                self._client.indices.create(
                    index=_index_name(name), body=target
                )
            except opensearchpy.exceptions.RequestError as e:
                if e.error != "resource_already_exists_exception":
                    raise

        if self.format_of(name) is None:
            self._ask(ask)

    def remove(self, name: str) -> None:
        """Delete an index with its content."""
        self._ask(
            lambda: self._client.indices.delete(
                index=_index_name(name), ignore=[_MISSING]
            )
        )

    def format_of(self, name: str) -> int | None:
        """Return the format of an index; ``None`` if it does not exist.

        0 where the index says none.
        """
        found = self._ask(
            lambda: self._client.indices.get_mapping(
                index=name, ignore=[_MISSING]
            )
        )
        for each in found.values():
            if isinstance(each, dict) and "mappings" in each:
                return int(each["mappings"].get("_meta", {}).get("format", 0))
        return None

    def refresh(self, name: str) -> None:
        """Make all written rows visible to searches."""
        self._ask(lambda: self._client.indices.refresh(index=name))

    def search(self, name: str, body: Row) -> Answer:
        """Return the answer to a search."""
        found: Answer = self._ask(
            lambda: self._client.search(index=name, body=body)
        )
        if found.get("timed_out") or found["_shards"]["failed"]:
            raise errors.Unavailable(
                "A part of the search index gives no answer. Try again later."
            )
        return found

    def many(
        self, name: str, ids: collections.abc.Iterable[str]
    ) -> dict[str, StoredRow]:
        """Return existing rows by their ids, as they are now."""
        found = {}
        for some in _batches(sorted(set(ids)), _IDS_BATCH):
            answer = self._ask(
                functools.partial(
                    self._client.mget, index=name, body={"ids": some}
                )
            )
            for each in answer["docs"]:
                if each.get("found"):
                    condition = {
                        "if_seq_no": each["_seq_no"],
                        "if_primary_term": each["_primary_term"],
                    }
                    found[each["_id"]] = StoredRow(each["_source"], condition)
                elif "error" in each:
                    raise _lost()
        return found

    def bulk(self, acts: collections.abc.Sequence[Act]) -> list[Answer]:
        """Run a bulk request; return the result of each action, in order.

        Conflicts, and rows to delete that are not there, are answers. A row
        that is refused is left out, and logged.
        """
        answers: list[Answer] = []
        for some in _portions(act.lines() for act in acts):
            answer = self._ask(
                functools.partial(
                    self._client.bulk,
                    body=some,
                    params={"require_alias": "true"},
                )
            )
            for each in answer["items"]:
                ((_, item),) = each.items()
                _check(item)
                answers.append(item)
        return answers

    def count(self, name: str, query: Row) -> int:
        """Count the rows that match."""
        found = self._ask(
            lambda: self._client.count(index=name, body={"query": query})
        )
        return int(found["count"])

    def delete_where(self, name: str, query: Row) -> int:
        """Delete the rows that match, and hide them from searches."""
        found = self._ask(
            lambda: self._client.delete_by_query(
                index=name,
                body={"query": query},
                params={"refresh": "true", "conflicts": "proceed"},
                request_timeout=600,
            )
        )
        return int(found["deleted"])

    def stored_bytes(self, names: collections.abc.Sequence[str]) -> int:
        """Return the size of indices on disk, without replicas."""
        found = self._ask(
            lambda: self._client.indices.stats(
                index=",".join(names), metric="store"
            )
        )
        return int(found["_all"]["primaries"]["store"]["size_in_bytes"])

    def close(self) -> None:
        """Close the connections."""
        self._client.close()


def _index_name(alias: str) -> str:
    """Return the name of the index that an alias stands for.

    What is written goes to the alias alone, so that OpenSearch makes no index
    by itself where ours got lost.
    """
    return f"{alias}-1"


def _check(item: Answer) -> None:
    status = item["status"]
    if (status in (_BUSY, _MISSING) and "error" in item) or status >= _FAULT:
        raise _lost() if status == _MISSING else _busy()
    if status == _BAD_REQUEST:
        _LOG.warning(
            "The search index refuses %s: %s", item["_id"], item["error"]
        )


def _meant(error: opensearchpy.exceptions.TransportError) -> errors.OrchError:
    if error.status_code == _MISSING:
        return _lost()
    if error.status_code == _BAD_REQUEST:
        return errors.Invalid(
            f"The search index refuses the query: {error.error}."
        )
    if error.status_code in _FORBIDDEN:
        _LOG.error("The search index refuses us: %s", error)
    return _busy()


def _lost() -> errors.Unavailable:
    return errors.Unavailable(
        "The search index is not there. Fill it again with orch-manage."
    )


def _busy() -> errors.Unavailable:
    return errors.Unavailable(
        "The search index gives no answer now. Try again later."
    )


def _batches(
    found: collections.abc.Sequence[str], size: int
) -> collections.abc.Iterator[list[str]]:
    for at in range(0, len(found), size):
        yield list(found[at : at + size])


def _portions(
    lines: collections.abc.Iterable[bytes],
) -> collections.abc.Iterator[bytes]:
    """Return requests that are not too large; one act stays whole."""
    portion: list[bytes] = []
    size = 0
    for each in lines:
        if portion and size + len(each) > _MAX_BULK_BYTES:
            yield b"".join(portion)
            portion, size = [], 0
        portion.append(each)
        size += len(each)
    if portion:
        yield b"".join(portion)
