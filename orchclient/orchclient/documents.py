"""Finds the references of templates and environments, and renames them.

Documents are read as trees of marked nodes, not as values: so a name is
replaced in its place, and all lines remain where they are.
"""

import collections.abc
import dataclasses
import json
import re
import typing

import yaml

from orchclient import errors
from orchclient import file_loader

_GET_FILE: typing.Final = "get_file"
_TYPE: typing.Final = "type"
_CFN_TYPE: typing.Final = "Type"
_REGISTRY: typing.Final = "resource_registry"
_RESOURCES: typing.Final = "resources"
_BASE_URL: typing.Final = "base_url"
_NOT_TYPES: typing.Final = ("hooks", "restricted_actions", _BASE_URL)
_TEMPLATE_ENDINGS: typing.Final = (".yaml", ".template")
_VERSIONS: typing.Final = (
    "heat_template_version",
    "HeatTemplateFormatVersion",
    "AWSTemplateFormatVersion",
)
_BEFORE_SCALAR: typing.Final = re.compile(r"(?:[&!]\S*\s+)*")


@dataclasses.dataclass(frozen=True, slots=True)
class Reference:
    """A place in a text that names another document.

    :ivar start: where the name is in the text, in characters
    :ivar base: what the name is relative to; ``None``: the document
    :ivar is_template: else it may be any file
    """

    name: str
    start: int
    end: int
    is_template: bool
    base: str | None = None


References = list[Reference]
Finder = collections.abc.Callable[[str, str], References]
Pairs = collections.abc.Iterator[tuple[str, yaml.Node]]


def is_template(text: str) -> bool:
    """Whether a text says that it is a template."""
    if not any(version in text for version in _VERSIONS):
        return False
    try:
        root = _composed(text)
    except yaml.YAMLError:
        return False
    return any(key in _VERSIONS for key, _ in _pairs(root))


def template_references(text: str, place: str) -> References:
    """Return the references of a template.

    :param place: of the text, for messages
    :raises orchclient.errors.PackagingError: it is no YAML
    """
    found: References = []
    for key, value in _all_pairs(_root(text, place)):
        if not isinstance(value, yaml.ScalarNode) or not value.value:
            continue
        if key == _GET_FILE:
            found.append(_reference(value, is_template=False))
        elif key in (_TYPE, _CFN_TYPE) and _is_template_name(value.value):
            found.append(_reference(value, is_template=True))
    return found


def environment_references(text: str, place: str) -> References:
    """Return the references of an environment's resource registry.

    :param place: of the text, for messages
    :raises orchclient.errors.PackagingError: it is no YAML
    """
    registry = dict(_pairs(_root(text, place))).get(_REGISTRY)
    return [] if registry is None else _registered(registry, place, None)


def rename_references(
    text: str, names: collections.abc.Mapping[Reference, str]
) -> str:
    """Rename references in a text.

    A name that is as it was is not touched.
    """
    parts: list[str] = []
    rest = 0
    for each in sorted(names, key=lambda reference: reference.start):
        if names[each] == each.name:
            continue
        old = text[each.start : each.end]
        before = _BEFORE_SCALAR.match(old)
        kept = before.group() if before else ""
        lines = "\n" * old.count("\n")
        parts += [text[rest : each.start], kept, json.dumps(names[each])]
        parts.append(lines)
        rest = each.end
    parts.append(text[rest:])
    return "".join(parts)


def _registered(
    section: yaml.Node, place: str, base: str | None
) -> References:
    pairs = dict(_pairs(section))
    given = pairs.get(_BASE_URL)
    if isinstance(given, yaml.ScalarNode) and given.value:
        # A directory, with or without a slash at its end.
        base = file_loader.join_place(place, given.value.rstrip("/") + "/-")
    found: References = []
    for key, value in pairs.items():
        if isinstance(value, yaml.MappingNode):
            found += _registered(value, place, base)
        elif (
            isinstance(value, yaml.ScalarNode)
            and key not in (*_NOT_TYPES, _RESOURCES)
            and _is_template_name(value.value)
        ):
            found.append(_reference(value, is_template=True, base=base))
    return found


def _is_template_name(name: str) -> bool:
    return name.endswith(_TEMPLATE_ENDINGS)


def _reference(
    node: yaml.ScalarNode, *, is_template: bool, base: str | None = None
) -> Reference:
    return Reference(
        name=node.value,
        start=node.start_mark.index,
        end=node.end_mark.index,
        is_template=is_template,
        base=base,
    )


def _root(text: str, place: str) -> yaml.Node | None:
    try:
        return _composed(text)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        where = f", line {mark.line + 1}" if mark is not None else ""
        raise errors.PackagingError(
            place, f"This is no YAML: {error.problem}{where}."
        ) from error
    except (yaml.YAMLError, RecursionError) as error:
        raise errors.PackagingError(
            place, f"This is no YAML: {error}."
        ) from error


def _composed(text: str) -> yaml.Node | None:
    return yaml.compose(text, Loader=yaml.SafeLoader)


def _all_pairs(root: yaml.Node | None) -> Pairs:
    """Return the pairs of all maps, each once, aliases followed."""
    seen: set[int] = set()
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if node is None or id(node) in seen:
            continue
        seen.add(id(node))
        if isinstance(node, yaml.MappingNode):
            yield from _pairs(node)
            waiting += [value for _, value in _pairs(node)]
        elif isinstance(node, yaml.SequenceNode):
            waiting += node.value


def _pairs(node: yaml.Node | None) -> Pairs:
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            if isinstance(key, yaml.ScalarNode):
                yield key.value, value
