"""Marks on fields of facts, which say how REST shows them.

A field that bears none is shown under its own name, as it is. Marks stand in
``typing.Annotated``; ``orch.api.views.facts`` makes bodies by them, and
``orch.api.response_schemas.facts`` schemas.
"""

import dataclasses
import typing


@dataclasses.dataclass(frozen=True, slots=True)
class Name:
    """The field has another name in REST."""

    text: str


@dataclasses.dataclass(frozen=True, slots=True)
class Default:
    """What REST shows where the facts have no such field."""

    value: object


@dataclasses.dataclass(frozen=True, slots=True)
class ForNull:
    """What REST shows in place of null."""

    value: object


@dataclasses.dataclass(frozen=True, slots=True)
class Words:
    """All texts that the field may have."""

    texts: tuple[str, ...]


@dataclasses.dataclass(frozen=True, slots=True)
class Keys:
    """The keys of a map, all of which it has."""

    texts: tuple[str, ...]


@dataclasses.dataclass(frozen=True, slots=True)
class Bounds:
    """The range of a number."""

    minimum: int
    maximum: int | None = None


@dataclasses.dataclass(frozen=True, slots=True)
class Stack:
    """An identity, shown as members of the body around it.

    :ivar name: of the member with the name of the stack
    :ivar id: of the member with its id; empty for none
    :ivar rel: of the link to the stack; empty for none
    """

    name: str = "stack_name"
    id: str = ""
    rel: str = ""


class _Hidden:
    """The field is not shown."""


class _Inline:
    """The fields of the value are members of the body around it."""


class _Time:
    """Seconds since 1970 UTC, shown as a text of ISO 8601."""


HIDDEN: typing.Final = _Hidden()
INLINE: typing.Final = _Inline()
TIME: typing.Final = _Time()

Time: typing.TypeAlias = typing.Annotated[float, TIME]
"""Seconds since 1970 UTC."""
Count: typing.TypeAlias = typing.Annotated[int, Bounds(0)]
Percent: typing.TypeAlias = typing.Annotated[int, Bounds(0, 100)]
Seconds: typing.TypeAlias = typing.Annotated[float, Bounds(0)]
PhysicalId: typing.TypeAlias = typing.Annotated[
    str | None, Name("physical_resource_id"), ForNull("")
]
ResourceName: typing.TypeAlias = typing.Annotated[str, Name("resource_name")]
ResourceType: typing.TypeAlias = typing.Annotated[str, Name("resource_type")]
OptionalText: typing.TypeAlias = typing.Annotated[str | None, Default(None)]
OptionalTime: typing.TypeAlias = typing.Annotated[Time | None, Default(None)]
