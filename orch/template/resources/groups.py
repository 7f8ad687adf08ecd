"""The members of groups: resources that a resource defines.

A group makes a stack of its members. One member of each type is enough to
see what is wrong with their definition.
"""

import collections
import collections.abc
import dataclasses
import typing

from orch.model import marked
from orch.plugin import members as members_
from orch.template import errors
from orch.template import problems
from orch.template import source as source_
from orch.template.language import versions
from orch.template.text import document as document_

_VERSION: typing.Final = "2015-04-30"
_FIRST: typing.Final = "0"
_RESOURCES: typing.Final = "resources"

Values = collections.abc.Mapping[str, object]


@dataclasses.dataclass(frozen=True)
class Group:
    """The template that a group makes of its members.

    :ivar origins: where in the properties of the group a part of it was
        written, longer paths first
    :ivar counts: how many members each resource in it stands for
    :ivar is_numbered: the members differ, by a number in their definition
    """

    source: source_.Source
    origins: tuple[tuple[errors.Path, errors.Path], ...]
    counts: collections.abc.Mapping[str, int]
    is_numbered: bool = False

    def origin(self, path: errors.Path) -> errors.Path:
        """Return where a part of the template was written."""
        for made, written in self.origins:
            if path[: len(made)] == made:
                return (*written, *path[len(made) :])
        return ()

    def made_of(self, sensitive: marked.Paths) -> marked.Paths:
        """Return the paths in the template of what is at these paths.

        :param sensitive: paths in the properties of the group
        """
        return tuple(
            (*made, *path)
            for made, written in self.origins
            for path in marked.below(sensitive, *written)
        )


def expand_group(members: members_.Members, values: Values) -> Group | None:
    """Return the template of a group with one member of each type.

    :param values: properties of the group, as far as they are known
    :returns: ``None`` when it has no members, or none that are known
    """
    if members.count and values.get(members.count) == 0:
        return None
    if members.member_type:
        return _group(
            {_FIRST: {"type": members.member_type}},
            [],
            {_FIRST: members.smallest_size(values)},
        )
    if members.definition:
        return _of_definition(members, values.get(members.definition), values)
    return _of_types(members, values)


def group_faults(
    members: members_.Members, values: Values, path: errors.Path
) -> collections.abc.Iterator[problems.Fault]:
    """Return what is wrong with how many members a group has.

    :param values: properties of the group, as far as they are known
    :param path: of the properties
    """
    found = members.find_size_fault(values)
    if found is not None:
        yield problems.Fault((*path, found.name), found.text)


def _of_definition(
    members: members_.Members, definition: object, values: Values
) -> Group | None:
    if not isinstance(definition, dict):
        return None
    member = {
        key: value for key, value in definition.items() if value is not None
    }
    if not isinstance(member.get("type"), str):
        return None
    index = values.get(members.index)
    is_numbered = False
    if isinstance(index, str) and index and "properties" in member:
        first = members_.with_number(member["properties"], index, _FIRST)
        is_numbered = first != member["properties"]
        member["properties"] = first
    place: errors.Path = (_RESOURCES, _FIRST)
    return dataclasses.replace(
        _group(
            {_FIRST: member},
            [(place, (members.definition,))],
            {_FIRST: members.smallest_size(values)},
        ),
        is_numbered=is_numbered,
    )


def _of_types(members: members_.Members, values: Values) -> Group | None:
    types = values.get(members.types)
    if not isinstance(types, list):
        return None
    properties = values.get(members.properties)
    resources: dict[str, object] = {}
    origins: list[tuple[errors.Path, errors.Path]] = []
    names: dict[str, str] = {}
    counts: collections.Counter[str] = collections.Counter()
    for place, type_name in enumerate(types):
        if not isinstance(type_name, str):
            continue
        name = names.setdefault(type_name, str(place))
        counts[name] += 1
        if counts[name] > 1:
            continue
        resources[name] = {"type": type_name}
        if isinstance(properties, dict):
            resources[name] = {"type": type_name, "properties": properties}
        path: errors.Path = (_RESOURCES, name)
        origins.append(((*path, "properties"), (members.properties,)))
        origins.append(((*path, "type"), (members.types, place)))
        origins.append((path, (members.types, place)))
    return _group(resources, origins, counts) if resources else None


def _group(
    resources: dict[str, object],
    origins: collections.abc.Iterable[tuple[errors.Path, errors.Path]],
    counts: collections.abc.Mapping[str, int],
) -> Group:
    root = {"heat_template_version": _VERSION, _RESOURCES: resources}
    source = source_.Source(
        document_.Document(root), versions.get_version(root), schemas={}
    )
    return Group(source, tuple(origins), counts)
