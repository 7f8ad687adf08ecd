"""What the search service reads, and what it is asked."""

import typing

Scalar: typing.TypeAlias = str | int | float | bool


class DocumentFacts(typing.TypedDict):
    """The facts of a document: of a stack, a resource or an orphan.

    As ``orch.search.document.Document``; nothing that is hidden is in it.
    """

    id: str
    kind: str
    stack_id: str
    root_id: str
    project_id: str
    path: str
    name: str
    type: str
    action: str
    status: str
    reason: str
    description: str
    created_at: float | None
    updated_at: float | None
    physical_id: str
    owner: str
    tags: list[str]
    drift: str
    is_hidden: bool
    fields: dict[str, list[Scalar]]
    texts: dict[str, str]
    admin: dict[str, list[Scalar]]


class StackDocumentsFacts(typing.TypedDict):
    """All that there is of one stack, without its inner stacks.

    ``version``: number of its newest event; ``documents``: none once it is
    gone; ``redacted``: names of what users may not see of it, gone or not, by
    which an index knows that it hides more than before; ``next``: what to
    give as ``after`` to :meth:`document.resources` for the rest of its
    resources; null where these are all; ``digests``: of what each of the
    documents was made of, in their order, empty for the stack; ``unchanged``:
    given digests whose documents are still right, and are not sent.
    """

    stack_id: str
    version: int
    read_at: float
    documents: list[DocumentFacts]
    digests: list[str]
    unchanged: list[str]
    redacted: list[str]
    next: str | None


class ChangedStackFacts(typing.TypedDict):
    """A stack that has changed.

    ``version``: number of its newest event, 0 where it is purged;
    ``is_in_progress``: an operation of it is, so that more changes follow.
    """

    stack_id: str
    version: int
    is_in_progress: bool


class ChangesFacts(typing.TypedDict):
    """What has changed since a position of the change feed.

    ``stacks``: each once, gone ones too; ``position``: to ask with the next
    time; ``is_complete``: false where the position is of another database, or
    so old that changes after it are forgotten: then there are no stacks, and
    all of them have to be read; ``has_more``: whether to ask again at once.
    """

    position: str
    stacks: list[ChangedStackFacts]
    is_complete: bool
    has_more: bool


class ResourceDocumentsFacts(typing.TypedDict):
    """Some more resources of a stack; it may have changed since.

    ``digests`` and ``unchanged``: as in :class:`StackDocumentsFacts`.
    """

    version: int
    documents: list[DocumentFacts]
    digests: list[str]
    unchanged: list[str]
    next: str | None


class UnlistedFacts(typing.TypedDict):
    """A resource type that no worker could list."""

    type: str
    reason: str


class OrphansRest(typing.TypedDict):
    """Where the orphans of a project go on.

    ``types``: of which there are more, in their order; ``past``: the physical
    id that those of the first one come after, empty for all of them.
    """

    types: list[str]
    past: str


class OrphansFacts(typing.TypedDict):
    """The orphans of a project.

    ``project_id``: empty where the worker that answers does not observe:
    another one may; ``unlisted_types``: types that could not be listed; what
    is known of their resources stays; ``rest``: what to ask for next of the
    same project; null where these are all.
    """

    project_id: str
    read_at: float
    documents: list[DocumentFacts]
    unlisted_types: list[UnlistedFacts]
    rest: OrphansRest | None


class SearchScope(typing.TypedDict):
    """Who asks, as the API has found out.

    ``project_ids``: null for all; ``is_admin``: sees what is for
    administrators.
    """

    project_ids: list[str] | None
    is_admin: bool


class FacetRequest(typing.TypedDict):
    """Counts of the most frequent values of a field."""

    field: str
    size: int


class AggregationRequest(typing.TypedDict, total=False):
    """What is counted of the hits, and of those of each bucket again.

    ``kind``: ``terms``, ``date_histogram``, ``stats`` or ``cardinality``;
    ``field``: of that; ``size``: values at most, of terms; ``interval``: of a
    histogram, as :mod:`orch.search.query.intervals` has them; ``min_count``:
    documents that a bucket of a histogram has at least; ``children``: what is
    counted in each bucket, by name.
    """

    kind: str
    field: str
    size: int
    interval: str
    min_count: int
    children: dict[str, "AggregationRequest"]


class SortRequest(typing.TypedDict):
    """An order of hits; ``field``: ``score`` for how well they fit."""

    field: str
    descending: bool


class SearchRequest(typing.TypedDict, total=False):
    """What is searched for; one of ``q`` and ``query``, or neither for all.

    ``q``: text in the language of queries; ``query``: a map in that of
    Searchlight; ``kinds``: stack, resource, orphan; none for all; ``as_of``:
    seconds since 1970; ``highlight``: fragments of what fits are wanted;
    ``with_texts``: long texts, such as templates, are wanted with the hits,
    whose ``texts`` are empty without it.
    """

    q: str
    query: dict[str, object]
    kinds: list[str]
    sort: list[SortRequest]
    limit: int
    cursor: str
    offset: int
    facets: list[FacetRequest]
    statistics: list[str]
    aggregations: dict[str, AggregationRequest]
    as_of: float
    highlight: bool
    with_texts: bool


class HitFacts(typing.TypedDict):
    """A document that was found.

    ``highlights``: by field, fragments with ``<em>`` around what fits, all
    else escaped as in HTML; ``cursor``: to go on after it.
    """

    document: DocumentFacts
    score: float
    highlights: dict[str, list[str]]
    cursor: str


class FacetValue(typing.TypedDict):
    """How many of what was found have a value."""

    value: str
    count: int


class StatisticsFacts(typing.TypedDict):
    """Of the numbers that a field has in what was found."""

    count: int
    min: float | None
    max: float | None
    sum: float
    avg: float | None


class BucketFacts(typing.TypedDict):
    """Documents that have a value, or a moment in an interval.

    ``key``: the value, or seconds since 1970, where the interval begins.
    """

    key: str | float
    count: int
    children: dict[str, "AggregationFacts"]


class AggregationFacts(typing.TypedDict, total=False):
    """One of these: buckets, statistics or a number of different values."""

    buckets: list[BucketFacts]
    statistics: StatisticsFacts
    value: int


class SearchFacts(typing.TypedDict):
    """What was found.

    ``took_ms``: in the index; ``next``: cursor of the last hit, null where
    there are no more; ``is_cut``: there are fewer hits than were asked for,
    as an answer has about 4 MB of them at most; the rest comes by ``next``.
    Hits behind the first ones of a costly query have no highlights.
    ``is_complete``: false while the index is filled for the first time, or
    again after it was lost, and for a moment before ``history_since``: there
    may be more than was found. ``history_since``: the earliest moment of which
    all is known; null before the first fill has ended, and if no moment was
    asked for.
    """

    total: int
    took_ms: int
    hits: list[HitFacts]
    facets: dict[str, list[FacetValue]]
    statistics: dict[str, StatisticsFacts]
    aggregations: dict[str, AggregationFacts]
    next: str | None
    is_cut: bool
    is_complete: bool
    history_since: float | None


class DifferencesRequest(typing.TypedDict, total=False):
    """What is compared between two moments.

    ``q``, ``query``, ``kinds``: as in :class:`SearchRequest`; ``as_of``: the
    earlier moment, seconds since 1970; ``as_of_other``: the later one, now
    where it is left out; ``cursor``: the ``next`` of the answer before.
    """

    q: str
    query: dict[str, object]
    kinds: list[str]
    as_of: float
    as_of_other: float
    cursor: str


class Difference(typing.TypedDict):
    """What is not the same at two moments, by path and id.

    ``change``: appeared, gone or changed; ``before``, ``after``: without
    texts, null where there was none; ``fields``: names of those that changed.
    """

    change: str
    before: DocumentFacts | None
    after: DocumentFacts | None
    fields: list[str]


class DifferencesFacts(typing.TypedDict):
    """Some of the differences, in the order of paths.

    ``next``: cursor, null at the end; there may be none before it;
    ``is_complete``, ``history_since``: as in :class:`SearchFacts`, of both
    moments.
    """

    differences: list[Difference]
    next: str | None
    is_complete: bool
    history_since: float | None


class SearchField(typing.TypedDict):
    """A field that can be searched; ``type``: text, number or moment."""

    name: str
    type: str


class FacetsRequest(typing.TypedDict):
    """What is asked about types.

    ``type``: of this alone; null for the most frequent ones; ``values``: of
    a field at most, 0 for none; ``has_fields``: fields are wanted.
    """

    type: str | None
    values: int
    has_fields: bool


class TypeFacets(typing.TypedDict):
    """What there is of a type.

    ``count``: documents that have it; ``fields``: by name, where they are
    wanted, the first ones where there are too many for an answer;
    ``options``: the most frequent values of fields that have few.
    """

    type: str
    count: int
    fields: list[SearchField]
    options: dict[str, list[FacetValue]]


class SearchPluginFacts(typing.TypedDict):
    """A kind of documents, as Searchlight lists its plug-ins."""

    kind: str
    type: str
    index: str


class UnlistedTypeFacts(typing.TypedDict):
    """A type of resource whose orphans are as they were before.

    ``reason``: why it could not be listed, of the last project; ``projects``:
    how many it was so with; ``at``: when it was so last.
    """

    type: str
    reason: str
    projects: int
    at: float


class SearchStatus(typing.TypedDict):
    """The state of the index.

    ``fill_progress``: the part of a fill that is done, 0 to 1; null where none
    is under way; ``filled_at``: when the last fill ended; ``orphans_at``: when
    the orphans of all projects had been looked for last; ``unlisted_types``:
    that could not be listed then, or since.
    """

    stacks: int
    documents: int
    pending: int
    text_bytes: int
    stored_bytes: int
    fill_progress: float | None
    filled_at: float | None
    orphans_at: float | None
    unlisted_types: list[UnlistedTypeFacts]
