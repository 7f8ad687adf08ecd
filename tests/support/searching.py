"""An index and a source in memory, for what the search service does."""

import collections.abc
import dataclasses
import itertools
import threading

from orch import clock
from orch import errors
from orch.search import document
from orch.search.index import port
from orch.search.query import matching
from orch.search.sources import port as sources


class Clock:
    """A clock that a test turns."""

    def __init__(self) -> None:
        self.moment = 1_700_000_000.0

    def now(self) -> clock.Timestamp:
        return clock.Timestamp(self.moment)

    def monotonic(self) -> float:
        return self.moment

    def pass_(self, seconds: float) -> None:
        self.moment += seconds


class Index:
    """Keeps documents in memory; finds them by the reference matcher.

    :ivar is_away: raise what an index raises that cannot be reached
    :ivar is_unsearchable: raise it in searches alone
    :ivar puts: ids of the stacks of each :meth:`put`
    """

    def __init__(self) -> None:
        self.is_away = False
        self.is_unsearchable = False
        self.puts: list[list[str]] = []
        self.prepared = 0
        self.names: dict[str, str] = {"name": "text"}
        self.searches: list[port.Query] = []
        self._lock = threading.RLock()
        self._empty()

    def _empty(self) -> None:
        self.stacks: dict[str, document.StackDocuments] = {}
        self.texts: dict[str, str] = {}

    def _reach(self) -> None:
        if self.is_away:
            raise errors.Unavailable("the index is away")

    def prepare(self) -> None:
        self._reach()
        self.prepared += 1

    def put(
        self, changes: collections.abc.Sequence[document.StackDocuments]
    ) -> int:
        self._reach()
        self.puts.append([each.stack_id for each in changes])
        count = 0
        for each in changes:
            known = self.stacks.get(each.stack_id)
            if known is None or (known.version, known.read_at) < (
                each.version,
                each.read_at,
            ):
                self.stacks[each.stack_id] = each
                count += 1
        return count

    def documents(self) -> list[document.Document]:
        """Return all that is there, by id."""
        found = itertools.chain.from_iterable(
            each.documents for each in self.stacks.values()
        )
        return sorted(found, key=lambda each: each.id)

    def search(self, query: port.Query) -> port.Found:
        self._reach()
        if self.is_unsearchable:
            raise errors.Unavailable("the index is being filled")
        self.searches.append(query)
        fitting = [
            each
            for each in self.documents()
            if (not query.kinds or each.kind in query.kinds)
            and (
                query.scope.project_ids is None
                or each.project_id in query.scope.project_ids
            )
            and matching.is_match(query.node, each, query.scope.is_admin)
        ]
        first = int(query.after) if query.after else query.offset
        last = first + query.limit
        hits = [
            port.Hit(each, 1.0, str(number))
            for number, each in enumerate(fitting[first:last], first + 1)
        ]
        return port.Found(
            total=len(fitting),
            hits=tuple(hits),
            facets={each.field: (("some", 1),) for each in query.facets},
            statistics={
                each: port.Statistics(0, None, None, 0.0)
                for each in query.statistics
            },
        )

    def fields(
        self, scope: port.Scope, kinds: frozenset[str]
    ) -> dict[str, str]:
        self._reach()
        return dict(self.names)

    def fields_of(
        self, scope: port.Scope, types: collections.abc.Collection[str]
    ) -> dict[str, dict[str, str]]:
        self._reach()
        return {each: dict(self.names) for each in types}

    def forget_versions(self) -> None:
        self._reach()
        self.stacks = {
            name: dataclasses.replace(each, version=-1)
            for name, each in self.stacks.items()
        }

    def load(self, name: str) -> str | None:
        self._reach()
        return self.texts.get(name)

    def save(self, name: str, value: str | None) -> None:
        self._reach()
        if value is None:
            self.texts.pop(name, None)
        else:
            self.texts[name] = value

    def stack_ids(
        self, after: str, limit: int
    ) -> list[tuple[str, clock.Timestamp]]:
        self._reach()
        found = sorted(
            (each.stack_id, each.read_at)
            for each in self.stacks.values()
            if each.documents and each.stack_id > after
        )
        return found[:limit]

    def forget_history(self, before: clock.Timestamp) -> int:
        self._reach()
        return 0

    def clear(self) -> None:
        self._reach()
        self._empty()

    def counts(self) -> port.Counts:
        self._reach()
        stacks = [each for each in self.stacks.values() if each.documents]
        return port.Counts(len(stacks), len(self.documents()), 0, 0)

    def close(self) -> None:
        """Keep all: nothing is open."""


class SavedStore:
    """Keeps texts in memory.

    :ivar before_write: called before the next text is written
    """

    def __init__(self) -> None:
        self.texts: dict[str, port.StoredText] = {}
        self.before_write: list[collections.abc.Callable[[], object]] = []

    def read(self, key: str) -> port.StoredText | None:
        return self.texts.get(key)

    def write(self, key: str, text: str, version: int) -> bool:
        while self.before_write:
            self.before_write.pop()()
        found = self.texts.get(key)
        if version != (found.version if found else 0):
            return False
        self.texts[key] = port.StoredText(text, version + 1)
        return True

    def close(self) -> None:
        """Keep all: nothing is open."""


class Source:
    """Tells of stacks that a test makes.

    :ivar is_away: raise what a source raises that cannot be asked
    :ivar broken: ids of stacks that cannot be read
    :ivar is_silent: know nothing of any stack
    :ivar redacted: what is not to be seen of stacks, by their ids
    :ivar reads: what was asked for
    :ivar requested_projects: projects whose orphans were looked for
    :ivar listed_to: the last project before nobody looks; ``None`` for no end
    :ivar after_read: called once what was asked for is read
    :ivar feed_id: of the database
    :ivar feed: ids of stacks, in the order of their changes
    :ivar changing: ids of stacks whose operations are in progress
    :ivar announced: versions that the feed tells instead of those read
    :ivar needs_changes: to read stacks that have changed
    :ivar complete_from: changes before are forgotten
    :ivar watches: how many watch it now
    :ivar confirmed: positions that were confirmed
    """

    def __init__(self, clock_: Clock) -> None:
        self.is_away = False
        self.broken: set[str] = set()
        self.is_silent = False
        self.redacted: dict[str, frozenset[str]] = {}
        self.reads: list[list[str]] = []
        self.after_read: collections.abc.Callable[[], object] = _nothing
        self.requested_projects: list[str] = []
        self.strays: list[document.Orphans] = []
        self.listed_to: str | None = None
        self.feed_id = "feed"
        self.feed: list[str] = []
        self.changing: set[str] = set()
        self.announced: dict[str, int] = {}
        self.needs_changes = False
        self.complete_from = 0
        self.watches = 0
        self.confirmed: list[str] = []
        self._clock = clock_
        self._stacks: dict[str, tuple[int, document.Document | None]] = {}

    def change(self, stack_id: str, **values: object) -> int:
        """Make or change a stack; return its version."""
        self.feed.append(stack_id)
        version, known = self._stacks.get(stack_id, (0, None))
        told: dict[str, object] = {
            "id": f"stack/{stack_id}",
            "kind": document.STACK,
            "stack_id": stack_id,
            "root_id": stack_id,
            "project_id": "p1",
            "path": stack_id,
            "name": stack_id,
            "type": "OS::Heat::Stack",
            "action": "CREATE",
            "status": "COMPLETE",
        }
        if known is not None:
            told = dict(known.facts())
        self._stacks[stack_id] = (
            version + 1,
            document.Document(**(told | values)),  # type: ignore[arg-type]
        )
        return version + 1

    def look(self, stack_id: str, **values: object) -> None:
        """Change what is known of a stack, at the same version."""
        version = self.change(stack_id, **values)
        self._stacks[stack_id] = (version - 1, self._stacks[stack_id][1])

    def delete(self, stack_id: str) -> int:
        """Delete a stack; return its version."""
        self.feed.append(stack_id)
        version, _ = self._stacks[stack_id]
        self._stacks[stack_id] = (version + 1, None)
        return version + 1

    def purge(self, stack_id: str) -> None:
        """Forget that a stack was ever there."""
        del self._stacks[stack_id]

    def _reach(self) -> None:
        if self.is_away:
            raise errors.Unavailable("nobody answers")

    def list_stacks(self, after: str, limit: int) -> list[str]:
        self._reach()
        found = sorted(
            each
            for each, (_, kept) in self._stacks.items()
            if kept is not None and each > after
        )
        return found[:limit]

    def read(
        self, stack_ids: collections.abc.Sequence[str]
    ) -> list[document.StackDocuments]:
        self._reach()
        self.reads.append(list(stack_ids))
        if self.broken & set(stack_ids):
            raise errors.OrchError("The engine failed unexpectedly.")
        self._clock.pass_(0.001)
        found = [self._document(each) for each in stack_ids]
        self.after_read()
        return [] if self.is_silent else found

    def _document(self, stack_id: str) -> document.StackDocuments:
        version, kept = self._stacks.get(stack_id, (0, None))
        return document.StackDocuments(
            stack_id=stack_id,
            version=version,
            read_at=self._clock.now(),
            documents=() if kept is None else (kept,),
            redacted=self.redacted.get(stack_id, frozenset()),
        )

    def orphans(
        self, after: str
    ) -> collections.abc.Iterator[document.Orphans]:
        self._reach()
        for each in self.strays:
            if self.listed_to is not None and each.project_id > self.listed_to:
                break
            if each.project_id > after:
                self.requested_projects.append(each.project_id)
                yield each
        if self.listed_to is not None:
            raise sources.Unobserved("nobody looks")

    def watch(self, wake: collections.abc.Callable[[], None]) -> sources.Watch:
        self.watches += 1
        return _Watch(self)

    def confirm(self, position: str) -> None:
        self.confirmed.append(position)

    def changes(self, position: str, limit: int) -> sources.Changes:
        self._reach()
        feed_id, _, number = position.rpartition(".")
        begin, end = int(number or 0), len(self.feed)
        if feed_id != self.feed_id or not self.complete_from <= begin <= end:
            return sources.Changes(f"{self.feed_id}.{end}", is_complete=False)
        some = self.feed[begin : begin + limit]
        return sources.Changes(
            position=f"{self.feed_id}.{begin + len(some)}",
            changed=self._versions(set(some) - self.changing),
            changing=self._versions(set(some) & self.changing),
            has_more=len(some) == limit,
            is_needed=self.needs_changes,
        )

    def _versions(self, stack_ids: set[str]) -> dict[str, int]:
        return {
            each: self.announced.get(
                each, self._stacks.get(each, (0, None))[0]
            )
            for each in sorted(stack_ids)
        }


class _Watch:
    """Watches a source."""

    def __init__(self, source: Source) -> None:
        self._source = source

    def stop(self, grace_s: float) -> bool:
        self._source.watches -= 1
        return True


def _nothing() -> None:
    """Do nothing."""
