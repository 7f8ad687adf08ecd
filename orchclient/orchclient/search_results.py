"""Results of searches: hits, facets, fields, and the state of the index."""

import collections.abc
import dataclasses
import typing

from orchclient import models
from orchclient import response_parser

STACK: typing.Final = "stack"
RESOURCE: typing.Final = "resource"
ORPHAN: typing.Final = "orphan"
KINDS: typing.Final = (STACK, RESOURCE, ORPHAN)

Scalars = tuple[object, ...]

Item = typing.TypeVar("Item")
Lines = collections.abc.Generator[response_parser.Json, None, str | None]
"""Yields the lines of an answer; returns why some may be missing."""


class Streamed(collections.abc.Iterator[Item]):
    """Hits or differences of an answer that is read as it comes.

    :ivar hint: why some may be missing; ``None`` before the end, and where
        all was searched
    """

    def __init__(
        self,
        lines: Lines,
        parse: collections.abc.Callable[[response_parser.Json], Item],
    ) -> None:
        self.hint: str | None = None
        self._lines = lines
        self._parse = parse

    def __next__(self) -> Item:
        """Return the next one."""
        try:
            line = next(self._lines)
        except StopIteration as end:
            self.hint = self.hint or end.value
            raise
        return self._parse(line)


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """A hit: a stack, a resource, or an orphan.

    :ivar path: names from the root stack down, with ``/`` between them
    :ivar fields: values by dotted names: ``properties.flavor``
    :ivar texts: long texts by name, where they were requested
    :ivar admin: fields for administrators only
    :ivar highlights: by field, fragments with ``<em>`` around what matches,
        all else escaped as in HTML
    :ivar body: the hit as the service returned it
    """

    id: str
    kind: str
    name: str
    path: str
    type: str
    project_id: str
    stack_id: str = ""
    root_id: str = ""
    physical_id: str = ""
    owner: str = ""
    action: str = ""
    state: str = ""
    reason: str = ""
    description: str = ""
    drift: str = ""
    tags: tuple[str, ...] = ()
    created_at: models.Moment | None = None
    updated_at: models.Moment | None = None
    score: float = 0.0
    cursor: str = ""
    fields: collections.abc.Mapping[str, Scalars] = dataclasses.field(
        default_factory=dict
    )
    texts: collections.abc.Mapping[str, str] = dataclasses.field(
        default_factory=dict
    )
    admin: collections.abc.Mapping[str, Scalars] = dataclasses.field(
        default_factory=dict
    )
    highlights: collections.abc.Mapping[str, tuple[str, ...]] = (
        dataclasses.field(default_factory=dict)
    )
    body: response_parser.Json = dataclasses.field(default_factory=dict)

    @classmethod
    def of(cls, body: response_parser.Json) -> "Hit":
        """Return the hit that a body describes."""
        highlights = response_parser.find_map(body, "highlights")
        return cls(
            id=response_parser.required_text(body, "id"),
            kind=response_parser.required_text(body, "kind"),
            name=response_parser.get_text(body, "name"),
            path=response_parser.get_text(body, "path"),
            type=response_parser.get_text(body, "type"),
            project_id=response_parser.get_text(body, "project_id"),
            stack_id=response_parser.get_text(body, "stack_id"),
            root_id=response_parser.get_text(body, "root_id"),
            physical_id=response_parser.get_text(body, "physical_id"),
            owner=response_parser.get_text(body, "owner"),
            action=response_parser.get_text(body, "action"),
            state=response_parser.get_text(body, "status"),
            reason=response_parser.get_text(body, "reason"),
            description=response_parser.get_text(body, "description"),
            drift=response_parser.get_text(body, "drift"),
            tags=response_parser.get_texts(body, "tags"),
            created_at=response_parser.find_time(body, "created_at"),
            updated_at=response_parser.find_time(body, "updated_at"),
            score=response_parser.get_number(body, "score"),
            cursor=response_parser.get_text(body, "cursor"),
            fields=_scalars(body, "fields"),
            texts={
                name: str(text)
                for name, text in response_parser.find_map(
                    body, "texts"
                ).items()
            },
            admin=_scalars(body, "admin"),
            highlights={
                name: response_parser.get_texts(highlights, name)
                for name in highlights
            },
            body=body,
        )

    @property
    def status(self) -> str:
        """Return action and state: ``CREATE_COMPLETE``; empty of orphans."""
        return f"{self.action}_{self.state}" if self.action else self.state


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """What is not the same at two moments.

    :ivar change: ``appeared``, ``gone`` or ``changed``
    :ivar before: at the earlier moment; ``None`` for what appeared
    :ivar after: at the later moment; ``None`` for what is gone
    :ivar fields: names of the fields that changed
    """

    change: str
    before: Hit | None
    after: Hit | None
    fields: tuple[str, ...] = ()

    @classmethod
    def of(cls, body: response_parser.Json) -> "Difference":
        """Return the difference that a body describes."""
        return cls(
            change=response_parser.required_text(body, "change"),
            before=_find_hit(body, "before"),
            after=_find_hit(body, "after"),
            fields=response_parser.get_texts(body, "fields"),
        )


@dataclasses.dataclass(frozen=True, slots=True)
class Value:
    """A value of a field, and the number of hits that have it."""

    value: str
    count: int


@dataclasses.dataclass(frozen=True, slots=True)
class Statistics:
    """Statistics of the numbers of a field in the hits."""

    count: int
    least: float | None
    greatest: float | None
    total: float
    mean: float | None


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A page of hits.

    :ivar total: how many match, on all pages
    :ivar aggregations: by name, as the service returned them
    :ivar next: cursor for the next page; ``None`` on the last one
    :ivar hint: why there may be more hits; ``None`` where all was searched
    :ivar body: the response of the service
    """

    total: int
    took_ms: int
    hits: tuple[Hit, ...]
    facets: collections.abc.Mapping[str, tuple[Value, ...]]
    statistics: collections.abc.Mapping[str, Statistics]
    aggregations: response_parser.Json
    next: str | None
    hint: str | None
    body: response_parser.Json

    @classmethod
    def of(cls, answer: object) -> "Found":
        """Return the page that an answer describes."""
        body = response_parser.read_map(answer)
        facets = response_parser.find_map(body, "facets")
        numbers = response_parser.find_map(body, "statistics")
        return cls(
            total=response_parser.get_integer(body, "total"),
            took_ms=response_parser.get_integer(body, "took_ms"),
            hits=tuple(map(Hit.of, response_parser.get_maps(body, "hits"))),
            facets={
                field: tuple(
                    Value(
                        response_parser.get_text(each, "value"),
                        response_parser.get_integer(each, "count"),
                    )
                    for each in response_parser.get_maps(facets, field)
                )
                for field in facets
            },
            statistics={
                field: _statistics(response_parser.get_map(numbers, field))
                for field in numbers
            },
            aggregations=response_parser.find_map(body, "aggregations"),
            next=response_parser.find_text(body, "next"),
            hint=response_parser.find_text(body, "hint"),
            body=body,
        )


@dataclasses.dataclass(frozen=True, slots=True)
class Facet:
    """A field of a resource type, with values where it has few.

    :ivar type: ``string``, ``double`` or ``date``
    """

    resource_type: str
    name: str
    type: str
    options: tuple[Value, ...] = ()

    @classmethod
    def of(cls, resource_type: str, body: response_parser.Json) -> "Facet":
        """Return the field that a body describes."""
        return cls(
            resource_type,
            response_parser.required_text(body, "name"),
            response_parser.get_text(body, "type"),
            tuple(
                Value(
                    response_parser.get_text(each, "key"),
                    response_parser.get_integer(each, "doc_count"),
                )
                for each in response_parser.get_maps(body, "options")
            ),
        )


@dataclasses.dataclass(frozen=True, slots=True)
class Field:
    """A field that can be searched; ``text``, ``number`` or ``moment``."""

    name: str
    type: str


@dataclasses.dataclass(frozen=True, slots=True)
class Plugin:
    """A kind of documents that can be searched, and its type."""

    kind: str
    type: str
    index: str


@dataclasses.dataclass(frozen=True, slots=True)
class UnlistedType:
    """A resource type that could not be listed for orphans.

    :ivar reason: why, of the last project; its orphans are those of before
    :ivar projects: in how many it could not be listed
    :ivar at: when that happened last
    """

    type: str
    reason: str
    projects: int
    at: models.Moment


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Status:
    """The state of the index.

    :ivar pending: stacks that could not be read, and are tried again
    :ivar fill_progress: the part of a fill that is done, 0 to 1; ``None``
        where none is in progress
    :ivar orphans_at: when all projects had been searched for orphans
    :ivar unlisted_types: types that could not be listed then, or since
    """

    stacks: int
    documents: int
    pending: int
    text_bytes: int
    stored_bytes: int
    fill_progress: float | None
    filled_at: models.Moment | None
    orphans_at: models.Moment | None = None
    unlisted_types: tuple[UnlistedType, ...] = ()

    @classmethod
    def of(cls, body: response_parser.Json) -> "Status":
        """Return the state of the index that a body describes."""
        return cls(
            stacks=response_parser.get_integer(body, "stacks"),
            documents=response_parser.get_integer(body, "documents"),
            pending=response_parser.get_integer(body, "pending"),
            text_bytes=response_parser.get_integer(body, "text_bytes"),
            stored_bytes=response_parser.get_integer(body, "stored_bytes"),
            fill_progress=_find_number(body, "fill_progress"),
            filled_at=response_parser.find_time(body, "filled_at"),
            orphans_at=response_parser.find_time(body, "orphans_at"),
            unlisted_types=tuple(
                UnlistedType(
                    response_parser.get_text(each, "type"),
                    response_parser.get_text(each, "reason"),
                    response_parser.get_integer(each, "projects"),
                    response_parser.required_time(each, "at"),
                )
                for each in response_parser.get_maps(body, "unlisted_types")
            ),
        )


def _scalars(
    body: response_parser.Json, key: str
) -> collections.abc.Mapping[str, Scalars]:
    counts_by_name = response_parser.find_map(body, key)
    return {
        name: tuple(each) if isinstance(each, list) else (each,)
        for name, each in counts_by_name.items()
    }


def _statistics(body: response_parser.Json) -> Statistics:
    return Statistics(
        response_parser.get_integer(body, "count"),
        _find_number(body, "min"),
        _find_number(body, "max"),
        response_parser.get_number(body, "sum"),
        _find_number(body, "avg"),
    )


def _find_number(body: response_parser.Json, key: str) -> float | None:
    return (
        None
        if body.get(key) is None
        else response_parser.get_number(body, key)
    )


def _find_hit(body: response_parser.Json, name: str) -> Hit | None:
    found = body.get(name)
    return None if found is None else Hit.of(response_parser.read_map(found))
