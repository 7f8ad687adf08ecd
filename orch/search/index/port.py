"""The port of the index, whichever database stores it.

One contract test (``tests/contract/search``) plays all of this against each
of them.
"""

import collections.abc
import dataclasses
import typing

from orch import clock
from orch import errors
from orch.search import document
from orch.search.index import formats
from orch.search.query import intervals
from orch.search.query import nodes


@dataclasses.dataclass(frozen=True, slots=True)
class Scope:
    """What a caller may find.

    :ivar project_ids: of these projects alone; ``None`` for all
    :ivar is_admin: sees and searches fields that are for administrators, and
        what is hidden
    """

    project_ids: frozenset[str] | None
    is_admin: bool = False


@dataclasses.dataclass(frozen=True, slots=True)
class Facet:
    """Counts of the most frequent values of a field.

    :ivar size: how many values at most
    """

    field: str
    size: int = 10


@dataclasses.dataclass(frozen=True, slots=True)
class Sort:
    """An order; documents without the field come last.

    :ivar field: ``score`` for how well they fit, best first
    """

    field: str
    is_descending: bool = False


TERMS: typing.Final = "terms"
HISTOGRAM: typing.Final = "date_histogram"
STATISTICS: typing.Final = "stats"
CARDINALITY: typing.Final = "cardinality"


Grid: typing.TypeAlias = tuple[str, intervals.Interval | None]
"""What decides where the buckets of a histogram begin."""


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Aggregation:
    """What is counted of documents, and of those of each bucket again.

    :ivar kind: :data:`TERMS` has a bucket for each of the most frequent
        values, :data:`HISTOGRAM` one for each interval of time;
        :data:`CARDINALITY` counts different values
    :ivar place: in the request, for errors
    :ivar size: values at most, of terms
    :ivar interval: of a histogram
    :ivar min_count: documents that a bucket of a histogram has at least
    :ivar children: what is counted of the documents of a bucket, by name
    """

    kind: str
    field: str
    place: str
    size: int = 10
    interval: intervals.Interval | None = None
    min_count: int = 0
    children: "Aggregations" = dataclasses.field(default_factory=dict)

    @property
    def grid(self) -> Grid:
        """Return the grid of a histogram."""
        return self.field, self.interval


Aggregations: typing.TypeAlias = collections.abc.Mapping[str, Aggregation]


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """A query of an index.

    :ivar kinds: only these; empty for all
    :ivar sort: the first one counts most; empty for the score, and for the
        newest first where nothing has one. What is equal comes by id.
    :ivar after: go on after the hit with this cursor
    :ivar offset: leave out so many hits, where there is no cursor
    :ivar statistics: fields of numbers whose least, greatest, sum, mean and
        count are wanted
    :ivar as_of: how it was at that moment; ``None`` for now
    """

    node: nodes.Node
    scope: Scope
    kinds: frozenset[str] = frozenset()
    sort: tuple[Sort, ...] = ()
    limit: int = 20
    after: str | None = None
    offset: int = 0
    facets: tuple[Facet, ...] = ()
    statistics: tuple[str, ...] = ()
    aggregations: Aggregations = dataclasses.field(default_factory=dict)
    as_of: clock.Timestamp | None = None


@dataclasses.dataclass(frozen=True, slots=True)
class Hit:
    """A document that was found.

    :ivar document: without what the scope may not see
    :ivar cursor: to go on after it, with the same query
    """

    document: document.Document
    score: float
    cursor: str


@dataclasses.dataclass(frozen=True, slots=True)
class Statistics:
    """Statistics of a numeric field over all hits."""

    count: int
    least: float | None
    greatest: float | None
    total: float

    @property
    def mean(self) -> float | None:
        """Return the mean; ``None`` without values."""
        return self.total / self.count if self.count else None


class Extent(typing.NamedTuple):
    """The least and the greatest number of a field in all hits."""

    least: float
    greatest: float


@dataclasses.dataclass(frozen=True, slots=True)
class Bucket:
    """Documents that have a value, or a moment in an interval.

    :ivar key: the value, or where the interval begins
    """

    key: str | clock.Timestamp
    count: int
    children: "Aggregated"


Aggregated: typing.TypeAlias = collections.abc.Mapping[
    str, tuple[Bucket, ...] | Statistics | int
]
"""Of aggregations, by their names: buckets, the terms with the most documents
first and intervals in their order, statistics, or a number of values."""


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """The result of a query.

    :ivar total: how many documents fit
    :ivar facets: by field, value and count, the most frequent first, then by
        value
    """

    total: int
    hits: tuple[Hit, ...]
    facets: collections.abc.Mapping[str, tuple[tuple[str, int], ...]]
    statistics: collections.abc.Mapping[str, Statistics]
    aggregations: Aggregated = dataclasses.field(default_factory=dict)


class StaleBaseError(errors.OrchError):
    """An index has other documents of a stack than its ``base`` says."""

    code = "orch.search.stale_base"

    def __init__(self, stack_id: str) -> None:
        """Name the stack."""
        super().__init__(f"The stack {stack_id} has to be read as a whole.")


@dataclasses.dataclass(frozen=True, slots=True)
class Counts:
    """Counts of documents and stacks in an index.

    :ivar text_bytes: of the documents that are current, as they were given
    :ivar stored_bytes: that the index takes on disk, all of it
    """

    stacks: int
    documents: int
    text_bytes: int
    stored_bytes: int


class Index(typing.Protocol):
    """Stores documents; safe for several threads and processes.

    Every method raises :class:`orch.errors.Unavailable` where what keeps the
    index cannot be reached; nothing was changed then.
    """

    def index_state(self) -> formats.IndexState:
        """Return the state of the index; change nothing."""

    def prepare(self) -> None:
        """Create missing tables; drop an index of an older format.

        After that it is empty or whole.

        :raises orch.search.index.formats.NewerFormat: a newer release has
            made it; nothing of it was changed
        """

    def start(self) -> None:
        """Begin to make ready, in the background, what searches need.

        Without it the first search begins that.
        """

    def put(
        self, changes: collections.abc.Sequence[document.StackDocuments]
    ) -> int:
        """Replace all documents of these stacks, at once or not at all.

        What is older than what is there, by version and then by ``read_at``,
        is left out. What does not differ is not written. Of what is
        replaced the former state is kept for queries of an earlier moment,
        unless it may show what is hidden now: where ``redacted`` names more
        than what the index holds of a stack, all former states of the stack
        are forgotten in the same step, and what is replaced is not kept
        either. What is gone has such names, too, and they are kept for as
        long as its former states are.

        Documents that are ``unchanged`` remain. They are right only where
        the stack is there in the version, and as of the moment, of ``base``.

        :returns: how many of the stacks were newer than what was there
        :raises StaleBaseError: a stack is there, and not as its ``base`` says
        """

    def search(self, query: Query) -> Found:
        """Return the hits of a query.

        :raises orch.errors.Invalid: the cursor is none of this query, or an
            aggregation would have too many buckets
        """

    def fields(
        self, scope: Scope, kinds: frozenset[str]
    ) -> collections.abc.Mapping[str, str]:
        """Return the names of all fields in a scope.

        :returns: ``text``, ``number`` or ``moment``, by name
        """

    def fields_of(
        self, scope: Scope, types: collections.abc.Collection[str]
    ) -> collections.abc.Mapping[str, collections.abc.Mapping[str, str]]:
        """Return the names of all fields of each type.

        :returns: by type, what its documents have of fields; of one that
            no caller may find, none
        """

    def load(self, name: str) -> str | None:
        """Return the text that :meth:`save` last stored under a name."""

    def save(self, name: str, value: str | None) -> None:
        """Save a short text durably under a name, or remove it."""

    def stack_ids(
        self, after: str, limit: int
    ) -> list[tuple[str, clock.Timestamp]]:
        """Return stacks with documents, and when each was read.

        :param after: only ids that sort after it; empty for the first
        """

    def forget_versions(self) -> None:
        """Let the next documents of stacks replace any version.

        Of two that come after it the newer one wins, as ever.
        """

    def forget_history(self, before: clock.Timestamp) -> int:
        """Delete former states replaced before a time.

        :returns: how many documents
        """

    def clear(self) -> None:
        """Delete all documents and texts."""

    def counts(self) -> Counts:
        """Count documents and stacks."""

    def close(self) -> None:
        """Close the connections."""


class StoredText(typing.NamedTuple):
    """A text of a :class:`SavedStore`.

    :ivar version: grows with each :meth:`SavedStore.write`, from 1
    """

    text: str
    version: int


class SavedStore(typing.Protocol):
    """Stores texts that cannot be read again; safe for several processes.

    No change of format, rebuild or loss of the index deletes them. Every
    method raises :class:`orch.errors.Unavailable` where what stores them
    cannot be reached; nothing was changed then.
    """

    def read(self, key: str) -> StoredText | None:
        """Return the text that was last written under a key."""

    def write(self, key: str, text: str, version: int) -> bool:
        """Write a text, unless another was written since a version.

        :param key: 200 characters of ASCII at most
        :param version: of the text that was read; 0 where there was none
        :returns: whether it was written
        """

    def close(self) -> None:
        """Close the connections."""


def check_searchable(index: Index) -> None:
    """Check that this process can search the index now, and read a hit.

    :raises orch.errors.Unavailable: it cannot, or not yet
    """
    index.search(
        Query(node=nodes.All(), scope=Scope(None, is_admin=True), limit=1)
    )
