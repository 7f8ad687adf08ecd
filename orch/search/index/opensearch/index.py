"""The index in OpenSearch, or in a compatible server.

Three indices, whose names begin with that of the URL: documents, with what
they were before; stacks, with the version that is there; notes, which are
marks and texts. A stack is replaced in this order:

#. It is claimed: its row is written on the condition that no other process has
   written it since, and says that its documents are not whole.
#. Where it hides more than before, all that it was is forgotten.
#. Its documents are written with the number of the claim as their version, so
   that a slower one with an older claim is refused.
#. It is noted as whole. One that died before begins again with everything.

Nothing of that is found before the documents are refreshed, which happens
once for all of them, and only from here.
"""

import collections.abc
import dataclasses
import threading
import typing
import urllib.parse

import opensearchpy
from oslo_config import cfg

from orch import clock
from orch import errors
from orch.search import document as documents
from orch.search.index import aggregating
from orch.search.index import formats
from orch.search.index import port
from orch.search.index import replacement
from orch.search.index.opensearch import aggregations
from orch.search.index.opensearch import client as wire
from orch.search.index.opensearch import mapping as rows
from orch.search.index.opensearch import queries
from orch.search.index.opensearch import replace as replacing

_NAME: typing.Final = "orch-search"
_PORT: typing.Final = 9200
_ATTEMPTS: typing.Final = 20
_PAGE: typing.Final = 500
_HAVING_SOME: typing.Final = {"range": {"documents": {"gt": 0}}}


def from_url(url: str, conf: cfg.ConfigOpts) -> port.Index:
    """Return the index at ``opensearch://USER:PASSWORD@HOST:PORT/NAME``.

    Nothing is connected yet. ``opensearchs`` is with TLS; NAME, with which
    the names of the indices begin, is ``orch-search`` where it is left out.

    :raises orch.errors.Invalid: the URL names no host
    """
    client, name = connect(url, conf)
    return OpenSearchIndex(client, name)


def connect(
    url: str, conf: cfg.ConfigOpts
) -> tuple[opensearchpy.OpenSearch, str]:
    """Return a client, and with what the names of indices begin.

    :raises orch.errors.Invalid: the URL names no host
    """
    parts = urllib.parse.urlsplit(url)
    try:
        number = parts.port or _PORT
    except ValueError as e:
        raise _no_host() from e
    if not parts.hostname:
        raise _no_host()
    account = None
    if parts.username:
        account = (
            urllib.parse.unquote(parts.username),
            urllib.parse.unquote(parts.password or ""),
        )
    client = opensearchpy.OpenSearch(
        hosts=[{"host": parts.hostname, "port": number}],
        http_auth=account,
        use_ssl=parts.scheme == "opensearchs",
        verify_certs=True,
        timeout=30,
        max_retries=0,
        pool_maxsize=conf.search.threads + 4,
    )
    return client, parts.path.strip("/") or _NAME


def _no_host() -> errors.Invalid:
    return errors.Invalid(
        "[search] connection names no host. It is opensearch://HOST:PORT, or"
        " opensearchs://HOST:PORT with TLS."
    )


class OpenSearchIndex:
    """An index in three indices of OpenSearch.

    :ivar name: with which their names begin
    """

    def __init__(self, client: opensearchpy.OpenSearch, name: str) -> None:
        self.name = name
        self._wire = wire.Wire(client)
        self._documents = f"{name}-documents"
        self._stacks = f"{name}-stacks"
        self._notes = f"{name}-notes"
        self._writing = threading.Lock()

    def prepare(self) -> None:
        """Create what is missing; drop an older format."""
        notes, stacks, found = self._formats()
        index_state = self._index_state((notes, stacks, found))
        index_state.check_not_newer()
        if index_state.is_ready:
            return
        is_beginning = found is None and {notes, stacks} <= {None, rows.FORMAT}
        if not is_beginning or (stacks and self._has_stacks()):
            self._remove()
        self._make()

    def index_state(self) -> formats.IndexState:
        """Return the state of the index; change nothing."""
        return self._index_state(self._formats())

    def _formats(self) -> tuple[int | None, int | None, int | None]:
        """Return the formats in the order of :meth:`_names`."""
        notes, stacks, found = (
            self._wire.format_of(each) for each in self._names()
        )
        return notes, stacks, found

    def _index_state(
        self, found: tuple[int | None, int | None, int | None]
    ) -> formats.IndexState:
        """Return one for all: the newest counts, then one that is missing."""
        known = [each for each in found if each is not None]
        newest = max(known, default=None)
        is_whole = len(known) == len(found)
        if newest is not None and newest <= rows.FORMAT:
            newest = min(known) if is_whole else None
        return formats.IndexState(
            f"OpenSearch, {self.name}", newest, rows.FORMAT
        )

    def _has_stacks(self) -> bool:
        """Return whether documents were there once."""
        self._wire.refresh(self._stacks)
        return self._wire.count(self._stacks, {"match_all": {}}) > 0

    def _names(self) -> tuple[str, str, str]:
        """Return the indices in the order in which they are made."""
        return self._notes, self._stacks, self._documents

    def _make(self) -> None:
        self._wire.make(self._notes, rows.notes_index())
        self._wire.make(self._stacks, rows.stacks_index())
        self._wire.make(self._documents, rows.documents_index())

    def _remove(self) -> None:
        for name in reversed(self._names()):
            self._wire.remove(name)

    def start(self) -> None:
        """Do nothing: searches need the cluster alone."""

    def put(
        self, changes: collections.abc.Sequence[documents.StackDocuments]
    ) -> int:
        """Replace all documents of these stacks.

        :returns: how many of the stacks were newer than what was there
        """
        latest = {
            each.stack_id: each for each in replacement.newest_changes(changes)
        }
        put = 0
        with self._writing:
            for _ in range(_ATTEMPTS):
                if not latest:
                    return put
                latest, count = self._put(latest)
                put += count
        raise errors.Unavailable(
            "Others write the same stacks to the search index all the time."
            " Try again later."
        )

    def _put(
        self, latest: dict[str, documents.StackDocuments]
    ) -> tuple[dict[str, documents.StackDocuments], int]:
        """Return what others have written meanwhile, and how many we have."""
        there = self._wire.many(self._stacks, latest)
        replacements = [
            replacing.Replacement(each, there.get(name))
            for name, each in latest.items()
            if replacing.is_newer(each, there.get(name))
        ]
        claims = self._wire.bulk(
            [each.claim(self._stacks) for each in replacements]
        )
        ours, left = [], {}
        for each, claim in zip(replacements, claims, strict=True):
            if claim["status"] == wire.CONFLICT:
                left[each.stack_id] = latest[each.stack_id]
            else:
                ours.append((each, claim))
        self._write(
            [(each, claim) for each, claim in ours if not each.is_same]
        )
        return left, len(ours)

    def _write(
        self, ours: list[tuple[replacing.Replacement, wire.Answer]]
    ) -> None:
        """Write documents of stacks that we have claimed, and show them."""
        if not ours:
            return
        there = self._wire.many(
            self._documents,
            (name for each, _ in ours for name in each.differing()),
        )
        self._forget_former([each for each, _ in ours if each.hides_more])
        self._wire.bulk(
            [
                act
                for each, claim in ours
                for act in each.acts(self._documents, claim, there)
            ]
        )
        self._wire.refresh(self._documents)
        self._wire.bulk(
            [each.ending(self._stacks, claim) for each, claim in ours]
        )

    def _forget_former(
        self, replacements: collections.abc.Sequence[replacing.Replacement]
    ) -> None:
        """Forget what stacks were that hide more from now on.

        Before that is seen, so that no search finds both; and again should we
        die before they are noted as whole.
        """
        if not replacements:
            return
        # One that died may have left some that are not seen yet.
        self._wire.refresh(self._documents)
        for start in range(0, len(replacements), _PAGE):
            some = replacements[start : start + _PAGE]
            stack_ids = [rows.clean_text(each.stack_id) for each in some]
            self._wire.delete_where(
                self._documents,
                {
                    "bool": {
                        "filter": [
                            {"terms": {"stack_id": stack_ids}},
                            {"exists": {"field": "valid_to"}},
                        ]
                    }
                },
            )

    def search(self, query: port.Query) -> port.Found:
        """Return the hits of a query.

        :raises orch.errors.Invalid: the cursor is none of this query, or the
            offset is too great
        """
        edges = aggregating.find_edges(
            query.aggregations, self._extents(query)
        )
        body = queries.request_of(query)
        counted = aggregations.request_of(
            query.aggregations, edges, query.scope.is_admin
        )
        if counted:
            body["aggs"] = body.get("aggs", {}) | counted
        answer = self._wire.search(self._documents, body)
        found = queries.found_in(query, answer)
        return dataclasses.replace(
            found,
            aggregations=aggregations.found_in(
                query.aggregations, edges, answer.get("aggregations", {})
            ),
        )

    def _extents(self, query: port.Query) -> dict[str, port.Extent | None]:
        """Return what the fields of histograms have, in all hits."""
        histograms = aggregating.list_histograms(query.aggregations)
        if not histograms:
            return {}
        fields = tuple(sorted({each.field for each in histograms}))
        extents = port.Query(
            node=query.node,
            scope=query.scope,
            kinds=query.kinds,
            limit=0,
            statistics=fields,
            as_of=query.as_of,
        )
        return {
            field: None
            if found.least is None or found.greatest is None
            else port.Extent(found.least, found.greatest)
            for field, found in self.search(extents).statistics.items()
        }

    def fields(
        self, scope: port.Scope, kinds: collections.abc.Set[str]
    ) -> collections.abc.Mapping[str, str]:
        """Return the names of all fields in a scope."""
        body = queries.fields_request(scope, kinds)
        answer = self._wire.search(self._documents, body)
        return queries.fields_in(answer["aggregations"])

    def fields_of(
        self, scope: port.Scope, types: collections.abc.Collection[str]
    ) -> collections.abc.Mapping[str, collections.abc.Mapping[str, str]]:
        """Return the names of all fields of each type."""
        names = list(dict.fromkeys(types))
        body = queries.fields_of_request(scope, names)
        counted = self._wire.search(self._documents, body)["aggregations"]
        return {
            each: queries.fields_in(counted[f"type{number}"])
            for number, each in enumerate(names)
        }

    def load(self, name: str) -> str | None:
        """Return the text that was last saved under a name."""
        found = self._wire.many(self._notes, [name])
        return next((str(each.row["text"]) for each in found.values()), None)

    def save(self, name: str, value: str | None) -> None:
        """Save a short text under a name, or remove it."""
        row = None if value is None else {"text": value}
        verb = "delete" if row is None else "index"
        self._wire.bulk([wire.Act(verb, self._notes, name, row)])

    def stack_ids(
        self, after: str, limit: int
    ) -> list[tuple[str, clock.Timestamp]]:
        """Return stacks with documents, and when each was read."""
        self._wire.refresh(self._stacks)
        return [
            (each["stack_id"], clock.Timestamp(each["read_at"]))
            for each in self._page(_HAVING_SOME, after, limit)
        ]

    def _page(
        self,
        query: collections.abc.Mapping[str, object],
        after: str,
        limit: int,
    ) -> list[wire.Row]:
        """Return ids of stacks, with when they were read, in their order."""
        body = {
            "query": query,
            "size": min(limit, queries.WINDOW),
            "sort": [{"stack_id": {"order": "asc"}}],
            "search_after": [after],
            "_source": ["stack_id", "read_at"],
        }
        found = self._wire.search(self._stacks, body)
        return [each["_source"] for each in found["hits"]["hits"]]

    def forget_versions(self) -> None:
        """Let the next documents replace any version."""
        after = ""
        self._wire.refresh(self._stacks)
        while page := self._page({"match_all": {}}, after, _PAGE):
            after = page[-1]["stack_id"]
            self._forget_versions([each["stack_id"] for each in page])

    def _forget_versions(
        self, stack_ids: collections.abc.Sequence[str]
    ) -> None:
        """Try again with those that others write meanwhile."""
        left = list(stack_ids)
        with self._writing:
            for _ in range(_ATTEMPTS):
                there = self._wire.many(self._stacks, left)
                acts = [
                    wire.Act(
                        "index",
                        self._stacks,
                        name,
                        {**stored.row, "version": -1},
                        stored.condition,
                    )
                    for name, stored in there.items()
                ]
                answers = self._wire.bulk(acts)
                left = [
                    each.id
                    for each, answer in zip(acts, answers, strict=True)
                    if answer["status"] == wire.CONFLICT
                ]
                if not left:
                    return
        raise errors.Unavailable(
            "Others write the same stacks to the search index all the time."
            " Try again later."
        )

    def forget_history(self, before: clock.Timestamp) -> int:
        """Delete former states replaced before a time."""
        return self._wire.delete_where(
            self._documents, {"range": {"valid_to": {"lte": before}}}
        )

    def clear(self) -> None:
        """Delete all documents and texts."""
        with self._writing:
            self._remove()
            self._make()

    def counts(self) -> port.Counts:
        """Count documents and stacks."""
        self._wire.refresh(self._stacks)
        sums = {
            each: {"sum": {"field": each}}
            for each in ("documents", "text_bytes")
        }
        body = {
            "size": 0,
            "query": _HAVING_SOME,
            "aggs": sums,
            "track_total_hits": True,
        }
        found = self._wire.search(self._stacks, body)
        summed = found["aggregations"]
        return port.Counts(
            stacks=found["hits"]["total"]["value"],
            documents=int(summed["documents"]["value"]),
            text_bytes=int(summed["text_bytes"]["value"]),
            stored_bytes=self._wire.stored_bytes(self._names()),
        )

    def close(self) -> None:
        """Close the connections."""
        self._wire.close()
