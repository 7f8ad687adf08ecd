"""Schemas of properties and attributes; only their declarations.

``orch.template.resources.properties`` coerces and validates values by them;
the API shows them to users. The vocabulary is Heat's: ``GET
/resource_types/{t}``.
"""

import collections.abc
import dataclasses
import enum


class Type(enum.StrEnum):
    """Type of a property or attribute value."""

    STRING = "string"
    INTEGER = "integer"
    NUMBER = "number"
    BOOLEAN = "boolean"
    MAP = "map"
    LIST = "list"
    ANY = "any"


class OnUpdate(enum.Enum):
    """The effect of a changed property on the resource."""

    REPLACE = "replace"
    MODIFY = "modify"
    REFUSE = "refuse"


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Constraint:
    """Base of all constraints; ``description`` replaces the built text."""

    description: str = ""


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Range(Constraint):
    """A number between two bounds, both allowed."""

    minimum: float | None = None
    maximum: float | None = None


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Length(Constraint):
    """A string, list or map of between so many elements."""

    minimum: int | None = None
    maximum: int | None = None


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Modulo(Constraint):
    """A number that leaves ``offset`` when divided by ``step``."""

    step: float
    offset: float = 0


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class AllowedValues(Constraint):
    """One of these values; for a list, each element is one of them."""

    values: tuple[object, ...]


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class AllowedPattern(Constraint):
    """A string that this regular expression matches as a whole."""

    pattern: str


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class CustomConstraint(Constraint):
    """A value that a named check of the cloud accepts (``nova.flavor``)."""

    name: str


@dataclasses.dataclass(frozen=True, slots=True)
class Property:
    """One property that a resource of a type takes.

    :ivar default: value when none is given; ``None`` for no default
    :ivar unit: what a number counts, for the documentation
    :ivar items: schema of a list's elements, or of all values of a map
    :ivar fields: schemas of a map's keys, by name
    :ivar former_names: its names in old templates; never shown
    :ivar is_hidden: still taken from old templates, never shown
    :ivar is_sensitive: its values are secrets, whatever template gives them
    :ivar is_parameter: it is a parameter of a template, so that a
        text will do for a list or map, and a list for a map
    """

    name: str
    type: Type
    description: str = ""
    _: dataclasses.KW_ONLY
    required: bool = False
    default: object = None
    on_update: OnUpdate = OnUpdate.REPLACE
    constraints: tuple[Constraint, ...] = ()
    unit: str = ""
    items: "Property | None" = None
    fields: tuple["Property", ...] = ()
    former_names: tuple[str, ...] = ()
    is_hidden: bool = False
    is_sensitive: bool = False
    is_parameter: bool = False

    @property
    def has_sensitive(self) -> bool:
        """Whether its values, or parts of them at any depth, are secrets."""
        below = (*self.fields, *((self.items,) if self.items else ()))
        return self.is_sensitive or any(each.has_sensitive for each in below)


@dataclasses.dataclass(frozen=True, slots=True)
class Attribute:
    """One attribute that a resource of a type shows.

    :ivar type: ``None`` where the resource type does not declare it
    :ivar is_hidden: old templates may read it, never shown
    :ivar is_sensitive: its values are secrets
    """

    name: str
    type: Type | None = None
    description: str = ""
    _: dataclasses.KW_ONLY
    is_hidden: bool = False
    is_sensitive: bool = False


Properties = collections.abc.Sequence[Property]
Attributes = collections.abc.Sequence[Attribute]
