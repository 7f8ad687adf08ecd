"""The nodes of a query, which every index knows how to answer.

Names of fields are those of :class:`orch.search.document.Document` (``name``,
``path``, ``type``, ``kind``, ``action``, ``status``, ``reason``,
``description``, ``project_id``, ``stack_id``, ``root_id``, ``physical_id``,
``owner``, ``tags``, ``drift``, ``created_at``, ``updated_at``, ``texts.NAME``)
or those of its ``fields`` and ``admin``. A name without a dot that is none of
the former means each field whose dotted name ends with it: ``flavor`` is
``properties.flavor`` and ``attributes.flavor``. Text compares without case.
"""

import dataclasses
import typing

from orch import clock


@dataclasses.dataclass(frozen=True, slots=True)
class All:
    """Every document."""


@dataclasses.dataclass(frozen=True, slots=True)
class Words:
    """Words that are adjacent, in this order.

    :ivar words: as ``orch.search.tokenizer.split_words`` makes them; at least
        one
    :ivar is_prefix: the last one may go on
    :ivar field: where they stand; empty for anywhere
    """

    words: tuple[str, ...]
    is_prefix: bool = False
    field: str = ""


@dataclasses.dataclass(frozen=True, slots=True)
class Term:
    """The whole value of a field, or one of its values.

    In ``name``, ``path``, ``reason``, ``description``, ``owner`` and the texts
    words of the value, next to each other, do as well.
    """

    field: str
    value: str


@dataclasses.dataclass(frozen=True, slots=True)
class Pattern:
    """The whole value of a field, part of it left open.

    ``*`` stands for any text, with ``/`` in it too, ``?`` for one character.
    """

    field: str
    pattern: str


@dataclasses.dataclass(frozen=True, slots=True)
class Range:
    """A number or a time between two bounds; ``None`` for no bound."""

    field: str
    low: float | clock.Timestamp | None = None
    high: float | clock.Timestamp | None = None
    has_low: bool = True
    has_high: bool = True


@dataclasses.dataclass(frozen=True, slots=True)
class Exists:
    """The field has some value that is not empty."""

    field: str


@dataclasses.dataclass(frozen=True, slots=True)
class And:
    """All of the nodes; there are at least two."""

    nodes: tuple["Node", ...]


@dataclasses.dataclass(frozen=True, slots=True)
class Or:
    """At least one of the nodes; there are at least two."""

    nodes: tuple["Node", ...]


@dataclasses.dataclass(frozen=True, slots=True)
class Not:
    """Everything else."""

    node: "Node"


Node: typing.TypeAlias = (
    All | Words | Term | Pattern | Range | Exists | And | Or | Not
)
