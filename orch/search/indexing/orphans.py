"""Updates orphans: physical resources that belong to no stack."""

import collections.abc
import dataclasses
import typing

from orch import clock
from orch.search import document
from orch.search.index import port
from orch.search.indexing import orphan_scan_state
from orch.search.query import nodes
from orch.search.sources import port as sources

PREFIX: typing.Final = "orphans/"
LAST_LISTED_AT: typing.Final = "orphan.seen_at"
"""When an orphan was listed last, where its type could not be listed since."""

_PAGE: typing.Final = 500
_TERMS_BATCH: typing.Final = 50
_TICK_S: typing.Final = 0.001
_ALL: typing.Final = port.Scope(None, is_admin=True)


def is_orphans_id(stack_id: str) -> bool:
    """Whether an id is that of a project's orphans, not of a stack."""
    return stack_id.startswith(PREFIX)


def update_orphans(
    index: port.Index,
    source: sources.Source,
    clock_: clock.Clock,
    unobserved_limit_s: float,
) -> collections.abc.Iterator[None]:
    """Store current orphans, then remove all others.

    After each project it is the caller's turn to go on, or to leave the rest
    to whoever comes next: how far it is stands in the index. Nothing counts
    how often orphans change: which are right only the moment of reading
    tells.

    While no worker observes all stays as it is: the only one that does
    may be about to start again. Where it is so for long, all are forgotten.

    :param unobserved_limit_s: seconds without an observation for that
    :raises orch.errors.Unavailable: source or index cannot be reached, or
        no worker observes
    """
    try:
        yield from _scan(index, source, clock_)
    except sources.Unobserved:
        now = clock_.now()
        if (
            now
            < orphan_scan_state.note_unobserved(index, now)
            + unobserved_limit_s
        ):
            raise
        _end(index, orphan_scan_state.OrphanScan(), clock_)


def _scan(
    index: port.Index, source: sources.Source, clock_: clock.Clock
) -> collections.abc.Iterator[None]:
    scan = orphan_scan_state.load_scan(index)
    former = _Former(index)
    for each in source.orphans(scan.after):
        orphan_scan_state.note_observed(index)
        index.put(
            [
                document.StackDocuments(
                    stack_id=_id(each.project_id),
                    version=0,
                    read_at=each.read_at,
                    documents=(
                        *each.documents,
                        *former.find_still_existing(each),
                    ),
                )
            ]
        )
        scan = scan.past(each)
        orphan_scan_state.save(index, scan)
        yield
    orphan_scan_state.note_observed(index)
    _end(index, scan, clock_)


def _end(
    index: port.Index, scan: orphan_scan_state.OrphanScan, clock_: clock.Clock
) -> None:
    _forget_others(index, scan, clock_)
    orphan_scan_state.finish_scan(index, scan, clock_.now())


def _id(project_id: str) -> str:
    return f"{PREFIX}{project_id}"


def _forget_others(
    index: port.Index, scan: orphan_scan_state.OrphanScan, clock_: clock.Clock
) -> None:
    """Forget the orphans of projects that the round has not come by.

    Those were read before it began: both moments are of the source's clock.
    """
    begun_at = scan.begun_at
    for stack_id, read_at in _projects(index):
        if begun_at is None:
            gone_at = max(clock_.now(), read_at + _TICK_S)
        elif read_at < begun_at:
            gone_at = begun_at
        else:
            continue
        index.put(
            [
                document.StackDocuments(
                    stack_id=stack_id,
                    version=0,
                    read_at=clock.Timestamp(gone_at),
                )
            ]
        )


def _projects(
    index: port.Index,
) -> collections.abc.Iterator[tuple[str, clock.Timestamp]]:
    """Go through the projects that have orphans, with when they were read."""
    after = PREFIX
    while page := index.stack_ids(after, _PAGE):
        yield from (each for each in page if is_orphans_id(each[0]))
        after = page[-1][0]


class _Former:
    """What the index has of types that cannot be listed now."""

    def __init__(self, index: port.Index) -> None:
        """Read nothing yet."""
        self._index = index
        self._read_at: dict[str, clock.Timestamp] | None = None

    def find_still_existing(
        self, found: document.Orphans
    ) -> list[document.Document]:
        """Return the former orphans that stand, with when they were seen.

        One that a stack has taken since is none any more.
        """
        if not found.unlisted_types:
            return []
        listed = {each.id for each in found.documents}
        former = [
            self._aged(each, found.read_at)
            for each in self._orphans(found.project_id)
            if each.type in found.unlisted_types and each.id not in listed
        ]
        taken = self._taken([each.physical_id for each in former])
        return [each for each in former if each.physical_id not in taken]

    def _aged(
        self, orphan: document.Document, now: clock.Timestamp
    ) -> document.Document:
        """Return it with when it was listed last: its project was read then.

        That is known until the project is read again, so of each failure in a
        row the first one tells.
        """
        if LAST_LISTED_AT in orphan.fields:
            return orphan
        if self._read_at is None:
            self._read_at = dict(_projects(self._index))
        listed_at = self._read_at.get(_id(orphan.project_id), now)
        return dataclasses.replace(
            orphan,
            fields={
                **orphan.fields,
                LAST_LISTED_AT: (clock.isoformat(listed_at),),
            },
        )

    def _orphans(
        self, project_id: str
    ) -> collections.abc.Iterator[document.Document]:
        scope = port.Scope(frozenset({project_id}), is_admin=True)
        return self._all(
            port.Query(
                node=nodes.All(),
                scope=scope,
                kinds=frozenset({document.ORPHAN}),
                sort=(port.Sort("physical_id"),),
                limit=_PAGE,
            )
        )

    def _taken(self, physical_ids: list[str]) -> set[str]:
        """Return those of the physical ids that a resource has."""
        found: set[str] = set()
        for start in range(0, len(physical_ids), _TERMS_BATCH):
            terms = [
                nodes.Term("physical_id", each)
                for each in physical_ids[start : start + _TERMS_BATCH]
            ]
            query = port.Query(
                node=terms[0] if len(terms) == 1 else nodes.Or(tuple(terms)),
                scope=_ALL,
                kinds=frozenset({document.RESOURCE}),
                sort=(port.Sort("physical_id"),),
                limit=_PAGE,
            )
            found.update(each.physical_id for each in self._all(query))
        return found

    def _all(
        self, query: port.Query
    ) -> collections.abc.Iterator[document.Document]:
        """Go through all that fits, page by page."""
        after: str | None = None
        while True:
            hits = self._index.search(
                dataclasses.replace(query, after=after)
            ).hits
            yield from (each.document for each in hits)
            if len(hits) < query.limit:
                return
            after = hits[-1].cursor
