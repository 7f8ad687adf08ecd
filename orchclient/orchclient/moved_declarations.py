"""Moves declarations of resources from one template to another.

A moved declaration stays as it was written, except for what it reads of its
old stack: parameters and ids of resources that stay become their values.
"""

import collections.abc
import dataclasses
import json
import typing

from orchclient import errors

Json = dict[str, object]
Map = collections.abc.Mapping[str, object]
Names = collections.abc.Mapping[str, str]
"""Names of resources: in the source, to in the target."""

_HIDDEN: typing.Final = "******"
_PSEUDO: typing.Final = ("OS::", "AWS::")
_VERSION: typing.Final = "heat_template_version"
_ATTRIBUTES: typing.Final = ("get_attr", "Fn::GetAtt")
_BOUND: typing.Final = (
    "if",
    "Fn::If",
    "Fn::FindInMap",
    "resource_facade",
    "Fn::ResourceFacade",
)
"""Functions that read what only their own template and stack have."""


@dataclasses.dataclass(frozen=True, slots=True)
class Keys:
    """The keys of a template of one format."""

    resources: str = "resources"
    outputs: str = "outputs"
    parameters: str = "parameters"
    type: str = "type"
    properties: str = "properties"
    depends_on: str = "depends_on"
    condition: str = "condition"


_CFN: typing.Final = Keys(
    *("Resources", "Outputs", "Parameters"),
    *("Type", "Properties", "DependsOn", "Condition"),
)


@dataclasses.dataclass(frozen=True, slots=True)
class Source:
    """The stack that resources leave.

    :ivar template: as it is before the move
    :ivar parameters: values as the service shows them, texts; also the
        pseudo parameters
    :ivar physical_ids: of its resources, by name
    """

    name: str
    template: Map
    parameters: Map
    physical_ids: collections.abc.Mapping[str, str]


def keys_of(template: Map) -> Keys:
    """Return the keys of the format in which a template is written."""
    return Keys() if _VERSION in template else _CFN


def section_of(template: Map, name: str) -> Json:
    """Return a section of a template; an empty one where there is none."""
    found = template.get(name)
    return typing.cast(Json, found) if isinstance(found, dict) else {}


def without_resources(source: Source, names: Names) -> Json:
    """Return the template of the source without the resources that move.

    :raises orchclient.errors.PackagingError: what stays reads one of them
    """
    keys = keys_of(source.template)
    declared = section_of(source.template, keys.resources)
    for name in names:
        if name not in declared:
            raise errors.PackagingError(
                source.name, f"The template does not declare {name}."
            )
    staying = {key: each for key, each in declared.items() if key not in names}
    outputs = section_of(source.template, keys.outputs)
    for what, section in (("Resource", staying), ("Output", outputs)):
        for name, each in section.items():
            needed = sorted(_resources_read(each, keys) & set(names))
            if needed:
                raise errors.PackagingError(
                    source.name,
                    f"{what} {name} reads {', '.join(needed)}, which would go:"
                    " move it too, or give templates in which it does not.",
                )
    return {**source.template, keys.resources: staying}


def with_resources(
    source: Source, target: Map, names: Names, target_name: str
) -> Json:
    """Return a template with the resources that move to it.

    :raises orchclient.errors.PackagingError: a declaration cannot be written
        there
    """
    keys = keys_of(target)
    if keys != keys_of(source.template):
        raise errors.PackagingError(
            target_name,
            "The templates of the two stacks are of different formats; give"
            " the templates of the move.",
        )
    section = section_of(target, keys.resources)
    declared = section_of(source.template, keys.resources)
    writer = _Writer(source, keys, names)
    for name, new_name in names.items():
        if new_name in section:
            raise errors.PackagingError(
                target_name,
                f"The template declares {new_name} already; move under"
                " another name.",
            )
        section = {**section, new_name: writer.declare(name, declared[name])}
    return {**target, keys.resources: section}


class _Writer:
    """Writes declarations for another stack."""

    def __init__(self, source: Source, keys: Keys, names: Names) -> None:
        self._source = source
        self._keys = keys
        self._names = names
        self._resource = ""

    def declare(self, name: str, declared: object) -> Json:
        """Return the declaration of a resource in the other template."""
        self._resource = name
        if not isinstance(declared, dict):
            raise self._refuse("has no declaration that can be read")
        if self._keys.condition in declared:
            raise self._refuse("depends on a condition")
        found = {key: self._value(each) for key, each in declared.items()}
        needed = declared.get(self._keys.depends_on)
        listed = [needed] if isinstance(needed, str) else needed or []
        moving = [self._names[each] for each in listed if each in self._names]
        found.pop(self._keys.depends_on, None)
        return {
            **found,
            **({self._keys.depends_on: moving} if moving else {}),
        }

    def _value(self, value: object) -> object:
        if isinstance(value, list):
            return [self._value(each) for each in value]
        if not isinstance(value, dict):
            return value
        if len(value) == 1:
            [(key, argument)] = value.items()
            if key in _BOUND:
                raise self._refuse(f"uses {key}")
            if key == "get_param":
                return self._parameter(argument)
            if key == "get_resource" or (
                key == "Ref" and argument in self._resources
            ):
                return self._reference(key, argument)
            if key == "Ref":
                return self._parameter(argument)
            if key in _ATTRIBUTES:
                return {key: self._attribute(key, argument)}
        return {key: self._value(each) for key, each in value.items()}

    @property
    def _resources(self) -> Json:
        return section_of(self._source.template, self._keys.resources)

    def _reference(self, key: str, argument: object) -> object:
        """Return the reference to a resource; the id of one that stays."""
        name = str(argument)
        if name in self._names:
            return {key: self._names[name]}
        found = self._source.physical_ids.get(name)
        if not found:
            raise self._refuse(f"refers to {name}, which has no id")
        return found

    def _attribute(self, key: str, argument: object) -> object:
        if isinstance(argument, str):
            name, dot, rest = argument.partition(".")
            if name in self._names:
                return self._names[name] + dot + rest
        elif isinstance(argument, list) and argument:
            name = str(argument[0])
            if name in self._names:
                return [self._names[name], *map(self._value, argument[1:])]
        raise self._refuse(f"reads an attribute ({key}) of one that stays")

    def _parameter(self, argument: object) -> object:
        name, *path = argument if isinstance(argument, list) else [argument]
        value = self._typed(str(name))
        for step in path:
            if not isinstance(step, str | int):
                raise self._refuse("reads a part of a parameter by a function")
            value = _part(value, step)
        return value

    def _typed(self, name: str) -> object:
        """Return the value of a parameter, of the type that it has."""
        text = self._source.parameters.get(name)
        if not isinstance(text, str):
            raise self._refuse(f"reads {name}, which is not known")
        if _HIDDEN in text:
            raise self._refuse(f"has the hidden value of parameter {name}")
        if name.startswith(_PSEUDO):
            return text
        declared = section_of(
            section_of(self._source.template, self._keys.parameters), name
        )
        kind = str(declared.get(self._keys.type)).lower()
        if kind == "string":
            return text
        if kind == "commadelimitedlist":
            kind = "comma_delimited_list"
        if kind == "comma_delimited_list" and not text.startswith("["):
            return text.split(",") if text else []
        try:
            return json.loads(text)
        except ValueError:
            # Booleans are shown as Python writes them.
            return text

    def _refuse(self, why: str) -> errors.PackagingError:
        return errors.PackagingError(
            self._source.name,
            f"Resource {self._resource} {why}: give the templates of the"
            " move.",
        )


def _part(value: object, step: str | int) -> object:
    """Return a part of a value; an empty text where there is none."""
    try:
        if isinstance(value, dict):
            return value[str(step)]
        return typing.cast(list[object], value)[int(step)]
    except (KeyError, IndexError, TypeError, ValueError):
        return ""


def _resources_read(value: object, keys: Keys) -> set[str]:
    """Return all names that a part of a template may read as resources."""
    if isinstance(value, list):
        return set().union(*(_resources_read(each, keys) for each in value))
    if not isinstance(value, dict):
        return set()
    found = set().union(
        *(_resources_read(each, keys) for each in value.values())
    )
    for key, argument in value.items():
        if key in ("get_resource", "Ref", keys.depends_on, *_ATTRIBUTES):
            first = argument if isinstance(argument, list) else [argument]
            known = first if key == keys.depends_on else first[:1]
            found.update(str(each).partition(".")[0] for each in known)
    return found
