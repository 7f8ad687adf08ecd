"""Finds the line of a template that declares a resource.

The service does not know the caller's files; a client that has just sent them
can read them.
"""

import collections.abc
import typing

import yaml

from orchclient import packaging

_RESOURCES: typing.Final = ("resources", "Resources")
_TYPE: typing.Final = ("type", "Type")
_PROPERTIES: typing.Final = ("properties", "Properties")
# What groups call the declaration of their members.
_MEMBERS: typing.Final = ("resource_def", "resource")


def find_declaration(
    package: packaging.Package, path: collections.abc.Sequence[str]
) -> tuple[str, int] | None:
    """Return place and line, from 1, of the declaration of a resource.

    :param path: names of resources from the root stack down
    :returns: where the deepest one is that can be found; ``None`` where
        none can
    """
    found: tuple[str, int] | None = None
    name, text = "", package.template
    left = list(path)
    while left and isinstance(text, str):
        pair = _pair(_composed(text), _RESOURCES, (left.pop(0),))
        if pair is None:
            break
        key, declared = pair
        found = package.places.get(name, name), key.start_mark.line + 1
        members = _pair(declared, _PROPERTIES, _MEMBERS)
        if members is not None:
            # The next name is that of a member, which no line declares.
            declared = members[1]
            left = left[1:]
        kind = _pair(declared, _TYPE)
        name = "" if kind is None else str(kind[1].value)
        if name not in package.files:
            break
        text = package.files[name]
    return found


def _composed(text: str) -> yaml.Node | None:
    try:
        return yaml.compose(text, yaml.CSafeLoader)
    except yaml.YAMLError:
        return None


def _pair(
    node: yaml.Node | None, *names: collections.abc.Sequence[str]
) -> tuple[yaml.Node, yaml.Node] | None:
    """Return key and value below maps of maps, each under one of the names."""
    found: tuple[yaml.Node, yaml.Node] | None = None
    for choice in names:
        if not isinstance(node, yaml.MappingNode):
            return None
        found = next(
            (
                (key, value)
                for key, value in node.value
                if getattr(key, "value", None) in choice
            ),
            None,
        )
        if found is None:
            return None
        node = found[1]
    return found
