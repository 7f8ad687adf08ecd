"""What a search has found: hits, counts, fields, and how the index stands."""

import collections.abc
import dataclasses
import typing

from orchclient import reading
from orchclient import values

STACK: typing.Final = "stack"
RESOURCE: typing.Final = "resource"
ORPHAN: typing.Final = "orphan"
KINDS: typing.Final = (STACK, RESOURCE, ORPHAN)

Scalars = tuple[object, ...]


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """A stack, a resource, or a thing that no stack has.

    :ivar path: names from the outermost stack down, with ``/`` between them
    :ivar fields: values by dotted names: ``properties.flavor``
    :ivar texts: long texts by name, where they were asked for
    :ivar admin: fields that only administrators see
    :ivar highlights: by field, fragments with ``<em>`` around what fits, all
        else escaped as in HTML
    :ivar body: the hit as the service tells it
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
    created_at: values.Moment | None = None
    updated_at: values.Moment | None = None
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
    body: reading.Json = dataclasses.field(default_factory=dict)

    @classmethod
    def of(cls, body: reading.Json) -> "Hit":
        """Return the hit that a body describes."""
        highlights = reading.find_map(body, "highlights")
        return cls(
            id=reading.needed_text(body, "id"),
            kind=reading.needed_text(body, "kind"),
            name=reading.text(body, "name"),
            path=reading.text(body, "path"),
            type=reading.text(body, "type"),
            project_id=reading.text(body, "project_id"),
            stack_id=reading.text(body, "stack_id"),
            root_id=reading.text(body, "root_id"),
            physical_id=reading.text(body, "physical_id"),
            owner=reading.text(body, "owner"),
            action=reading.text(body, "action"),
            state=reading.text(body, "status"),
            reason=reading.text(body, "reason"),
            description=reading.text(body, "description"),
            drift=reading.text(body, "drift"),
            tags=reading.texts(body, "tags"),
            created_at=reading.find_moment(body, "created_at"),
            updated_at=reading.find_moment(body, "updated_at"),
            score=reading.number(body, "score"),
            cursor=reading.text(body, "cursor"),
            fields=_scalars(body, "fields"),
            texts={
                name: str(text)
                for name, text in reading.find_map(body, "texts").items()
            },
            admin=_scalars(body, "admin"),
            highlights={
                name: reading.texts(highlights, name) for name in highlights
            },
            body=body,
        )

    @property
    def status(self) -> str:
        """Return action and state: ``CREATE_COMPLETE``; empty of orphans."""
        return f"{self.action}_{self.state}" if self.action else self.state


@dataclasses.dataclass(frozen=True, slots=True)
class Value:
    """A value of a field, and how many of what was found have it."""

    value: str
    count: int


@dataclasses.dataclass(frozen=True, slots=True)
class Statistics:
    """Of the numbers that a field has in what was found."""

    count: int
    least: float | None
    greatest: float | None
    total: float
    mean: float | None


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A page of what was found.

    :ivar total: how many fit, on all pages
    :ivar next: cursor for the next page; ``None`` on the last one
    :ivar hint: why there may be more than was found; ``None`` where all was
        looked at
    :ivar body: the answer as the service tells it
    """

    total: int
    took_ms: int
    hits: tuple[Hit, ...]
    facets: collections.abc.Mapping[str, tuple[Value, ...]]
    statistics: collections.abc.Mapping[str, Statistics]
    next: str | None
    hint: str | None
    body: reading.Json

    @classmethod
    def of(cls, answer: object) -> "Found":
        """Return the page that an answer describes."""
        body = reading.mapping(answer)
        facets = reading.find_map(body, "facets")
        numbers = reading.find_map(body, "statistics")
        return cls(
            total=reading.integer(body, "total"),
            took_ms=reading.integer(body, "took_ms"),
            hits=tuple(map(Hit.of, reading.maps(body, "hits"))),
            facets={
                field: tuple(
                    Value(
                        reading.text(each, "value"),
                        reading.integer(each, "count"),
                    )
                    for each in reading.maps(facets, field)
                )
                for field in facets
            },
            statistics={
                field: _statistics(reading.inner(numbers, field))
                for field in numbers
            },
            next=reading.find_text(body, "next"),
            hint=reading.find_text(body, "hint"),
            body=body,
        )


@dataclasses.dataclass(frozen=True, slots=True)
class Facet:
    """A field of things of a type, with values where it has few.

    :ivar type: ``string``, ``double`` or ``date``
    """

    resource_type: str
    name: str
    type: str
    options: tuple[Value, ...] = ()

    @classmethod
    def of(cls, resource_type: str, body: reading.Json) -> "Facet":
        """Return the field that a body describes."""
        return cls(
            resource_type,
            reading.needed_text(body, "name"),
            reading.text(body, "type"),
            tuple(
                Value(
                    reading.text(each, "key"),
                    reading.integer(each, "doc_count"),
                )
                for each in reading.maps(body, "options")
            ),
        )


@dataclasses.dataclass(frozen=True, slots=True)
class Field:
    """A field that can be searched; ``text``, ``number`` or ``moment``."""

    name: str
    type: str


@dataclasses.dataclass(frozen=True, slots=True)
class Plugin:
    """A kind of what can be searched, and the type that it has."""

    kind: str
    type: str
    index: str


@dataclasses.dataclass(frozen=True, slots=True)
class UnlistedType:
    """A type of resource whose orphans are as they were before.

    :ivar reason: why it could not be listed, of the last project
    :ivar projects: how many it was so with
    :ivar at: when it was so last
    """

    type: str
    reason: str
    projects: int
    at: values.Moment


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Status:
    """How the index stands.

    :ivar marked: stacks that are read next
    :ivar filling: the part of a fill that is done, 0 to 1; ``None`` where
        none is under way
    :ivar orphans_at: when all projects had been looked through for orphans
    :ivar unlisted: types that could not be listed then, or since
    """

    stacks: int
    documents: int
    marked: int
    text_bytes: int
    stored_bytes: int
    filling: float | None
    filled_at: values.Moment | None
    orphans_at: values.Moment | None = None
    unlisted: tuple[UnlistedType, ...] = ()

    @classmethod
    def of(cls, body: reading.Json) -> "Status":
        """Return how the index stands, as a body tells."""
        return cls(
            stacks=reading.integer(body, "stacks"),
            documents=reading.integer(body, "documents"),
            marked=reading.integer(body, "marked"),
            text_bytes=reading.integer(body, "text_bytes"),
            stored_bytes=reading.integer(body, "stored_bytes"),
            filling=_find_number(body, "filling"),
            filled_at=reading.find_moment(body, "filled_at"),
            orphans_at=reading.find_moment(body, "orphans_at"),
            unlisted=tuple(
                UnlistedType(
                    reading.text(each, "type"),
                    reading.text(each, "reason"),
                    reading.integer(each, "projects"),
                    reading.moment(each, "at"),
                )
                for each in reading.maps(body, "unlisted")
            ),
        )


def _scalars(
    body: reading.Json, key: str
) -> collections.abc.Mapping[str, Scalars]:
    told = reading.find_map(body, key)
    return {
        name: tuple(each) if isinstance(each, list) else (each,)
        for name, each in told.items()
    }


def _statistics(body: reading.Json) -> Statistics:
    return Statistics(
        reading.integer(body, "count"),
        _find_number(body, "min"),
        _find_number(body, "max"),
        reading.number(body, "sum"),
        _find_number(body, "avg"),
    )


def _find_number(body: reading.Json, key: str) -> float | None:
    return None if body.get(key) is None else reading.number(body, key)
