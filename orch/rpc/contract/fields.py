"""Reads the declared fields of facts."""

import dataclasses
import functools
import types
import typing

from orch.rpc.contract import rest

_Mark = typing.TypeVar("_Mark")
_NULL: typing.Final = type(None)
_OPTIONAL: typing.Final = (typing.NotRequired, typing.Required)


@dataclasses.dataclass(frozen=True)
class Declared:
    """The type of a value, apart from its marks.

    :ivar hint: a class, a generic such as ``list[str]``, or ``object``
    :ivar is_nullable: it may be null
    """

    hint: object
    marks: tuple[object, ...]
    is_nullable: bool

    def find(self, kind: type[_Mark]) -> _Mark | None:
        """Return the mark of a kind, the outermost of several."""
        found = [each for each in self.marks if isinstance(each, kind)]
        return found[-1] if found else None

    def has(self, mark: object) -> bool:
        """Answer whether it bears a mark."""
        return mark in self.marks

    @property
    def arguments(self) -> tuple[object, ...]:
        """The types of its items; a map has those of keys and values."""
        return typing.get_args(self.hint)

    @property
    def origin(self) -> object:
        """``list`` or ``dict`` for one with items, else its type."""
        return typing.get_origin(self.hint) or self.hint


@dataclasses.dataclass(frozen=True)
class Field:
    """A field of facts.

    :ivar is_required: all facts of the class have it
    """

    key: str
    declared: Declared
    is_required: bool

    @property
    def name(self) -> str:
        """Its name in REST."""
        mark = self.declared.find(rest.Name)
        return self.key if mark is None else mark.text


@functools.cache
def fields(facts: type) -> tuple[Field, ...]:
    """Return the fields of a typed dictionary, in their order."""
    required = typing.cast(typing.Any, facts).__required_keys__
    hints = typing.get_type_hints(facts, include_extras=True)
    return tuple(
        Field(key, declared(hint), key in required)
        for key, hint in hints.items()
    )


def declared(hint: object) -> Declared:
    """Return what a type hint declares."""
    marks: tuple[object, ...] = ()
    is_nullable = False
    while True:
        origin = typing.get_origin(hint)
        if origin in _OPTIONAL:
            hint = typing.get_args(hint)[0]
        elif origin is typing.Annotated:
            marks = (*hint.__metadata__, *marks)  # type: ignore[attr-defined]
            hint = typing.get_args(hint)[0]
        elif origin in (types.UnionType, typing.Union):
            others = [
                each for each in typing.get_args(hint) if each is not _NULL
            ]
            if len(others) > 1 or is_nullable:
                raise TypeError(f"{hint} is a union of more than null.")
            is_nullable = True
            hint = others[0]
        else:
            return Declared(hint, marks, is_nullable)


def is_facts(hint: object) -> typing.TypeGuard[type]:
    """Answer whether a type is a typed dictionary."""
    return typing.is_typeddict(hint)
