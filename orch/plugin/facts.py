"""Read the schema of a resource type from its facts, plain JSON values.

The words are those of ``GET /resource_types/{type}``, so that an answer of
Heat can be put in a file unchanged. A false or empty value may be omitted. A
type has

``properties``
    by name: ``type``, ``required``, ``default``, ``update_allowed``,
    ``immutable``, ``constraints``, ``description`` and ``schema``, the parts
    of a list or map (``*`` for all of them); further ``former_names``, which
    old templates use for it, ``unit``, ``hidden`` and ``sensitive``; and
    ``wire``, which other readers of the data use
``attributes``
    by name: ``type``, ``description``, ``hidden``, ``sensitive``
``support_status``
    SUPPORTED, DEPRECATED, UNSUPPORTED or HIDDEN
``withdrawn``
    of a type without a plug-in: why no service has it any more, and what to
    use
``update_policy``
    what a resource's update policy may hold, as ``properties``
``members``
    which properties of a group say what its members are, each by its name
    in :class:`orch.plugin.members.Members`
``name``, ``description``
    of the class; the last part of the type's name, and the description of the
    class that it derives from, by default
``can_snapshot``, ``shows_any_attribute``, ``accepts_any_property``,
``is_local``, ``is_variant``
    as :class:`orch.plugin.traits.Traits` has them
"""

import collections.abc
import dataclasses
import typing

from orch import errors
from orch.plugin import members as members_
from orch.plugin import schema

Facts = collections.abc.Mapping[str, object]
Value = typing.TypeVar("Value")

_PROPERTY: typing.Final = frozenset(
    {
        "type",
        "required",
        "default",
        "update_allowed",
        "immutable",
        "constraints",
        "description",
        "schema",
        "former_names",
        "unit",
        "hidden",
        "sensitive",
        "wire",
    }
)
_ATTRIBUTE: typing.Final = frozenset(
    {"type", "description", "hidden", "sensitive"}
)
_ALL: typing.Final = "*"
_STATUSES: typing.Final = ("SUPPORTED", "DEPRECATED", "UNSUPPORTED", "HIDDEN")


class BadFacts(errors.Invalid):
    """The facts of a type do not have the required form."""

    code = "orch.plugin.bad_facts"


def read_traits(
    found: Facts, others: collections.abc.Set[str] = frozenset()
) -> dict[str, object]:
    """Return the declarations of a type that its facts have, by name.

    :param others: names of facts that other readers use
    :raises BadFacts: they have another form
    """
    check_names(found, _TRAITS.keys() | {"name", "description"} | others)
    return {
        name: read(found, name)
        for name, read in _TRAITS.items()
        if name in found
    }


def read_properties(found: object) -> tuple[schema.Property, ...]:
    """Return properties from their facts, by name.

    :raises BadFacts: they have another form
    """
    return tuple(
        _property(name, check_mapping(one))
        for name, one in check_mapping(found).items()
    )


def read_attributes(found: object) -> tuple[schema.Attribute, ...]:
    """Return attributes from their facts, by name.

    :raises BadFacts: they have another form
    """
    return tuple(
        _attribute(name, check_mapping(one))
        for name, one in check_mapping(found).items()
    )


def read_members(found: object) -> members_.Members:
    """Return which properties of a group define its members.

    :raises BadFacts: it has another form
    """
    checked = check_mapping(found)
    names = [one.name for one in dataclasses.fields(members_.Members)]
    check_names(checked, set(names))
    return members_.Members(
        **{name: read_text(checked, name) for name in names}
    )


def check_mapping(found: object) -> Facts:
    """Return a value if it is a map.

    :raises BadFacts: it is not
    """
    if not isinstance(found, dict):
        raise BadFacts(f"{found!r} is no map"[:200])
    return found


def check_names(found: Facts, allowed: collections.abc.Set[str]) -> None:
    """Raise BadFacts if a fact has an unknown name.

    :raises BadFacts: there is one
    """
    unknown = sorted(found.keys() - allowed)
    if unknown:
        raise BadFacts(
            f"unknown: {', '.join(unknown)}; there may be"
            f" {', '.join(sorted(allowed))}"
        )


def read_text(found: Facts, name: str) -> str:
    """Return a text; empty where it is missing.

    :raises BadFacts: it is none
    """
    return _read(found, name, str, "text") or ""


def read_flag(found: Facts, name: str) -> bool:
    """Return a boolean; false where it is missing.

    :raises BadFacts: it is none
    """
    return _read(found, name, bool, "boolean") or False


def _read(
    found: Facts, name: str, kind: type[Value], noun: str
) -> Value | None:
    """Return a fact of a type; ``None`` where it is missing.

    :raises BadFacts: it has another type
    """
    value = found.get(name)
    if value is None or isinstance(value, kind):
        return value
    raise BadFacts(f"{name} is no {noun}: {value!r}"[:200])


def _read_status(found: Facts, name: str) -> str:
    status = read_text(found, name)
    if status not in _STATUSES:
        raise BadFacts(
            f"{status} is no {name}; there are {', '.join(_STATUSES)}"
        )
    return status


def _property(name: str, found: Facts) -> schema.Property:
    check_names(found, _PROPERTY)
    below = check_mapping(found.get("schema") or {})
    return schema.Property(
        name,
        _type(found),
        read_text(found, "description"),
        required=read_flag(found, "required"),
        default=found.get("default"),
        on_update=_on_update(found),
        constraints=tuple(map(_constraint, _list(found, "constraints"))),
        items=_property(_ALL, check_mapping(below[_ALL]))
        if _ALL in below
        else None,
        fields=() if _ALL in below else read_properties(below),
        unit=read_text(found, "unit"),
        former_names=tuple(map(str, _list(found, "former_names"))),
        is_hidden=read_flag(found, "hidden"),
        is_sensitive=read_flag(found, "sensitive"),
    )


def _attribute(name: str, found: Facts) -> schema.Attribute:
    check_names(found, _ATTRIBUTE)
    return schema.Attribute(
        name,
        _type(found) if "type" in found else None,
        read_text(found, "description"),
        is_hidden=read_flag(found, "hidden"),
        is_sensitive=read_flag(found, "sensitive"),
    )


def _type(found: Facts) -> schema.Type:
    name = found.get("type")
    try:
        return schema.Type(str(name))
    except ValueError:
        raise BadFacts(f"{name} is no type of values") from None


def _on_update(found: Facts) -> schema.OnUpdate:
    if read_flag(found, "immutable"):
        return schema.OnUpdate.REFUSE
    if read_flag(found, "update_allowed"):
        return schema.OnUpdate.MODIFY
    return schema.OnUpdate.REPLACE


def _list(found: Facts, name: str) -> list[object]:
    if not found.get(name):
        return []
    return _read(found, name, list, "list") or []


def _constraint(written: object) -> schema.Constraint:
    found = check_mapping(written)
    kinds = [kind for kind in found if kind != "description"]
    if len(kinds) != 1 or kinds[0] not in _CONSTRAINTS:
        raise BadFacts(
            f"a constraint has one of {', '.join(_CONSTRAINTS)}, and may have"
            f" a description: {written!r}"[:300]
        )
    make = _CONSTRAINTS[kinds[0]]
    return make(found[kinds[0]], read_text(found, "description"))


def _number(found: Facts, name: str) -> float | None:
    if isinstance(found.get(name), int):
        return _size(found, name)
    return _read(found, name, float, "number")


def _size(found: Facts, name: str) -> int | None:
    return _read(found, name, int, "whole number")


def _range(written: object, description: str) -> schema.Constraint:
    bounds = check_mapping(written)
    return schema.Range(
        minimum=_number(bounds, "min"),
        maximum=_number(bounds, "max"),
        description=description,
    )


def _length(written: object, description: str) -> schema.Constraint:
    bounds = check_mapping(written)
    return schema.Length(
        minimum=_size(bounds, "min"),
        maximum=_size(bounds, "max"),
        description=description,
    )


def _modulo(written: object, description: str) -> schema.Constraint:
    parts = check_mapping(written)
    step = _number(parts, "step")
    if not step:
        raise BadFacts(f"a modulo needs a step: {written!r}"[:200])
    return schema.Modulo(
        step=step,
        offset=_number(parts, "offset") or 0,
        description=description,
    )


def _allowed_values(written: object, description: str) -> schema.Constraint:
    if not isinstance(written, list):
        raise BadFacts(f"allowed_values is no list: {written!r}"[:200])
    return schema.AllowedValues(values=tuple(written), description=description)


_CONSTRAINTS: collections.abc.Mapping[
    str, collections.abc.Callable[[object, str], schema.Constraint]
] = {
    "range": _range,
    "length": _length,
    "modulo": _modulo,
    "allowed_values": _allowed_values,
    "allowed_pattern": lambda written, text: schema.AllowedPattern(
        pattern=str(written), description=text
    ),
    "custom_constraint": lambda written, text: schema.CustomConstraint(
        name=str(written), description=text
    ),
}

_TRAITS: collections.abc.Mapping[
    str, collections.abc.Callable[[Facts, str], object]
] = {
    "properties": lambda found, name: read_properties(found[name]),
    "attributes": lambda found, name: read_attributes(found[name]),
    "update_policy": lambda found, name: read_properties(found[name]),
    "members": lambda found, name: read_members(found[name]),
    "support_status": _read_status,
    "withdrawn": read_text,
    "can_snapshot": read_flag,
    "shows_any_attribute": read_flag,
    "accepts_any_property": read_flag,
    "is_local": read_flag,
    "is_variant": read_flag,
}
