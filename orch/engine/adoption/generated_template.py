"""Write a template of existing physical resources, as a person would."""

import collections.abc
import dataclasses
import re
import typing

from orch import errors
from orch.graph import graph
from orch.plugin import resource

_VERSION: typing.Final = "2021-04-16"
_FREE: typing.Final = re.compile(r"[^A-Za-z0-9_.-]+")
_MAX_NAME_CHARACTERS: typing.Final = 200
_SIGNIFICANT: typing.Final = 6
"""Characters from which on a text is an id, and not equal to one by chance."""


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class PhysicalResource:
    """A physical resource for which a template is written.

    :ivar name: of the resource that it becomes
    :ivar reference: what ``get_resource`` will return for it
    :ivar properties: as the service shows them
    """

    name: str
    plugin: resource.Resource
    physical_id: str
    reference: str
    properties: collections.abc.Mapping[str, object]
    data: collections.abc.Mapping[str, object]


def choose_names(
    wanted: collections.abc.Iterable[tuple[str, str, bool]],
) -> list[str]:
    """Return a unique name for each resource.

    :param wanted: name, or nothing; type; and whether the name is to stay as
        it is
    :raises orch.errors.Invalid: the same name is given twice
    """
    listed = list(wanted)
    given_names = [name for name, _, is_named in listed if is_named and name]
    twice = sorted(
        {name for name in given_names if given_names.count(name) > 1}
    )
    if twice:
        raise errors.Invalid(
            f"Several resources are called {', '.join(twice)[:300]}: give"
            " each a name of its own."
        )
    taken = set(given_names)
    found = []
    for name, type_name, is_named in listed:
        if not (is_named and name):
            name = _free_name(
                name or type_name.rsplit("::", 1)[-1].lower(), taken
            )
            taken.add(name)
        found.append(name)
    return found


def write_template(
    physical_resources: collections.abc.Sequence[PhysicalResource],
) -> dict[str, object]:
    """Return a template that declares the physical resources as they are.

    Properties with their default value are omitted. A property that is the id
    of another of the physical resources refers to it, so that they are
    ordered.
    """
    writer = _Writer(physical_resources)
    resources = {
        each.name: writer.resource(each) for each in physical_resources
    }
    found: dict[str, object] = {"heat_template_version": _VERSION}
    if writer.parameters:
        found["parameters"] = writer.parameters
    return {**found, "resources": resources}


class _Writer:
    def __init__(
        self, physical_resources: collections.abc.Iterable[PhysicalResource]
    ) -> None:
        self.parameters: dict[str, object] = {}
        self._order = graph.Graph[str]()
        self._by_id: dict[str, str] = {}
        for each in physical_resources:
            self._order.add(each.name)
            if each.reference == each.physical_id:
                self._by_id[each.physical_id] = each.name

    def resource(
        self, physical_resource: PhysicalResource
    ) -> dict[str, object]:
        """Return the declaration of a physical resource."""
        properties = {
            name: self._property(physical_resource, name, value)
            for name, value in physical_resource.properties.items()
            if not _is_default(physical_resource.plugin, name, value)
        }
        found: dict[str, object] = {"type": physical_resource.plugin.type_name}
        return {**found, "properties": properties} if properties else found

    def _property(
        self, physical_resource: PhysicalResource, name: str, value: object
    ) -> object:
        if not _looks_like_function(value):
            return self._referring(physical_resource.name, value)
        # A map of one key would be taken for a function; a parameter's
        # value is never looked into.
        parameter = _free_name(
            f"{physical_resource.name}_{name}", set(self.parameters)
        )
        self.parameters[parameter] = {"type": "json", "default": value}
        return {"get_param": parameter}

    def _referring(self, name: str, value: object) -> object:
        if isinstance(value, dict):
            return {
                key: self._referring(name, each) for key, each in value.items()
            }
        if isinstance(value, list):
            return [self._referring(name, each) for each in value]
        if isinstance(value, str) and self._may_refer(name, value):
            return {"get_resource": self._by_id[value]}
        return value

    def _may_refer(self, name: str, value: str) -> bool:
        """Whether a text is the id of a resource that may come first."""
        other = self._by_id.get(value)
        if other is None or len(value) < _SIGNIFICANT:
            return False
        if other == name or self._needs(other, name):
            return False
        self._order.connect(name, other)
        return True

    def _needs(self, name: str, wanted: str) -> bool:
        """Whether a resource refers to another, directly or not."""
        left, visited = [name], {name}
        while left:
            for each in self._order.requires(left.pop()):
                if each == wanted:
                    return True
                if each not in visited:
                    visited.add(each)
                    left.append(each)
        return False


def _is_default(plugin: resource.Resource, name: str, value: object) -> bool:
    known = plugin.schemas.get(name)
    if value is None:
        return known is None or known.default is None
    return known is not None and known.default == value


def _looks_like_function(value: object) -> bool:
    if isinstance(value, dict):
        return len(value) == 1 or any(
            map(_looks_like_function, value.values())
        )
    return isinstance(value, list) and any(map(_looks_like_function, value))


def _free_name(wanted: str, taken: collections.abc.Collection[str]) -> str:
    """Return a valid name that is not taken."""
    base = _FREE.sub("_", wanted).strip("_")[:_MAX_NAME_CHARACTERS] or "thing"
    name, number = base, 2
    while name in taken:
        name = f"{base}_{number}"
        number += 1
    return name
