"""Sets properties of resources in the text of a template.

All else of the text stays as it is written: comments, order, notation. JSON
is taken for the YAML that it is.
"""

import collections.abc
import json
import typing

import yaml

from orch import errors
from orch import redacted
from orch.model import marked
from orch.template.language import formats
from orch.template.language import versions

_Map = dict[str, object]

_FUNCTIONS: typing.Final = frozenset(
    name
    for version in versions.VERSIONS
    for name in (*version.functions, *version.conditions)
)
"""Names of functions, of all versions of the language."""
_LAST_ESCAPED: typing.Final = 0xFFFF
_SURROGATES: typing.Final = range(0xD800, 0xE000)


class CannotSet(errors.Invalid):
    """A value cannot be set in the text; the message says why."""

    code = "orch.template.cannot_set"


class _Loader(yaml.SafeLoader):
    """Reads no moments out of plain texts, as templates are read."""


_Loader.yaml_implicit_resolvers = {
    first: [pair for pair in known if not pair[0].endswith(":timestamp")]
    for first, known in yaml.SafeLoader.yaml_implicit_resolvers.items()
}


class Rewriting:
    """One text, changed value by value."""

    def __init__(self, text: str, format_: formats.Format) -> None:
        """Begin with a text that is a template.

        :raises yaml.YAMLError: it is no YAML
        """
        self.text = text
        self._keys = format_

    def set(
        self,
        resource: str,
        name: str,
        value: object,
        names: collections.abc.Container[str],
    ) -> None:
        """Let a property of a resource have a value, whatever it had.

        A value comes from elsewhere: nothing in it may become a function.

        :param names: of all properties that the resource has; where others
            stand in the text, they are a function
        :raises CannotSet: why it cannot; the text is as it was
        """
        _check_value(value)
        root = _compose(self.text)
        section = _get(root, self._keys.resources)
        declared = None if section is None else _get(section, resource)
        if not isinstance(declared, yaml.MappingNode):
            raise CannotSet("the template does not declare the resource")
        key = self._keys.resource.properties
        properties = _get(declared, key)
        if properties is None:
            after = _inserted(self.text, declared, key, {name: value})
        elif not _is_plain(properties, names):
            raise CannotSet("a function gives all properties at once")
        else:
            _check_alone(root, properties)
            assert isinstance(properties, yaml.MappingNode)
            after = self._with(root, properties, name, value)
        self._check(after, resource, name, value)
        self.text = after

    def redact(
        self, root: collections.abc.Mapping[str, object], paths: marked.Paths
    ) -> None:
        """Let the text have ``******`` for what is at the paths.

        Where it is written in a way that is not known, it becomes JSON.

        :param root: what the text says
        """
        if not paths:
            return
        wanted = marked.redact(root, paths)
        after = self.text
        try:
            node = _compose(self.text)
            found = {_find(self.text, node, path) for path in paths}
            for start, end in sorted(found, reverse=True):
                after = f"{after[:start]}{_plain(redacted.TEXT)}{after[end:]}"
            is_right = _load(after) == wanted
        except (CannotSet, yaml.YAMLError, TypeError, ValueError):
            is_right = False
        self.text = (
            after
            if is_right
            else json.dumps(wanted, indent=2, ensure_ascii=False)
        )

    def _with(
        self,
        root: yaml.Node,
        properties: yaml.MappingNode,
        name: str,
        value: object,
    ) -> str:
        """Return the text with a property of a map set."""
        old = _get(properties, name)
        if old is None:
            return _inserted(self.text, properties, name, value)
        _check_alone(root, old)
        return _replaced(self.text, properties, old, value)

    def _check(
        self, after: str, resource: str, name: str, value: object
    ) -> None:
        """Return only if the new text differs in the value alone.

        :raises CannotSet: it does not
        """
        searched = _load(self.text)
        declared = typing.cast(
            _Map, typing.cast(_Map, searched[self._keys.resources])[resource]
        )
        key = self._keys.resource.properties
        given = declared.get(key)
        properties = dict(given) if isinstance(given, dict) else {}
        properties[name] = value
        if _is_function(properties):
            raise CannotSet("a function has the name of the property")
        declared[key] = properties
        try:
            is_right = _load(after) == searched
        except (yaml.YAMLError, TypeError, ValueError):
            is_right = False
        if not is_right:
            raise CannotSet("its text is written in a way that is not known")


def _check_value(value: object) -> None:
    """Return only if no version of the language reads a function in a value.

    :raises CannotSet: a map in it is written as one
    """
    left = [value]
    while left:
        part = left.pop()
        if _is_function(part):
            raise CannotSet("its value would be read as a function")
        if isinstance(part, collections.abc.Mapping):
            left.extend(part.values())
        elif isinstance(part, list | tuple):
            left.extend(part)


def _is_function(value: object) -> bool:
    """Answer whether a template may not hold a map as plain data."""
    if not isinstance(value, collections.abc.Mapping) or len(value) != 1:
        return False
    (name,) = value
    return name in _FUNCTIONS or str(name).startswith("Fn::")


def _compose(text: str) -> yaml.Node:
    found = yaml.compose(text, Loader=_Loader)
    if found is None:
        raise CannotSet("the template is empty")
    return found


def _load(text: str) -> _Map:
    # A safe loader, with less in it than the one of yaml.safe_load.
    return typing.cast(_Map, yaml.load(text, _Loader))  # noqa: S506 - a safe one


def _get(node: yaml.Node, key: str) -> yaml.Node | None:
    if isinstance(node, yaml.MappingNode):
        for name, value in node.value:
            if isinstance(name, yaml.ScalarNode) and name.value == key:
                return typing.cast(yaml.Node, value)
    return None


def _find(text: str, node: yaml.Node, path: marked.Path) -> tuple[int, int]:
    """Return where the text of what is at a path begins and ends.

    :raises CannotSet: the path does not lead to a text, or not directly
    """
    for step in path:
        below = _get(node, str(step))
        if isinstance(node, yaml.SequenceNode) and isinstance(step, int):
            below = node.value[step]
        if below is None:
            raise CannotSet("its text is written in a way that is not known")
        node = below
    start, end = node.start_mark.index, node.end_mark.index
    while _is_block(node) and end > start and text[end - 1] in " \n\r\t":
        end -= 1
    return start, end


def _is_plain(
    properties: yaml.Node, names: collections.abc.Container[str]
) -> bool:
    """Answer whether properties are written one by one."""
    return isinstance(properties, yaml.MappingNode) and all(
        isinstance(key, yaml.ScalarNode) and key.value in names
        for key, _ in properties.value
    )


def _check_alone(root: yaml.Node, searched: yaml.Node) -> None:
    """Return only if a node stands once in the text.

    :raises CannotSet: other places point to it
    """
    if _count(root, searched) > 1:
        raise CannotSet("other places of the template share its text")


def _count(node: yaml.Node, searched: yaml.Node) -> int:
    found = int(node is searched)
    if isinstance(node, yaml.MappingNode):
        return found + sum(
            _count(key, searched) + _count(value, searched)
            for key, value in node.value
        )
    if isinstance(node, yaml.SequenceNode):
        return found + sum(_count(each, searched) for each in node.value)
    return found


def _replaced(
    text: str, around: yaml.MappingNode, old: yaml.Node, value: object
) -> str:
    start, end = old.start_mark.index, old.end_mark.index
    if not around.flow_style:
        # What comes behind a value in block notation belongs to it.
        while end > start and text[end - 1] in " \n\r\t":
            end -= 1
        if isinstance(value, str) and _is_block(old) and _fits_block(value):
            column = around.value[0][0].start_mark.column
            return text[:start] + _block(value, column) + text[end:]
    if text[start - 1 : start] == "\n" or start == end:
        start, end = _value_place(text, around, old)
    lead = "" if text[start - 1 : start] in (" ", "\t", "\n") else " "
    return text[:start] + lead + _plain(value) + text[end:]


def _value_place(
    text: str, around: yaml.MappingNode, old: yaml.Node
) -> tuple[int, int]:
    """Return where an empty value stands: behind the colon of its key."""
    for key, value in around.value:
        if value is old:
            place = text.index(":", key.end_mark.index) + 1
            return place, max(place, old.end_mark.index)
    raise CannotSet("its text is written in a way that is not known")


def _inserted(
    text: str, into: yaml.MappingNode, name: str, value: object
) -> str:
    """Return the text with a key before the others of a map."""
    key = json.dumps(name) if into.flow_style else _key(name)
    if into.flow_style:
        place = into.start_mark.index + 1
        comma = ", " if into.value else ""
        return f"{text[:place]}{key}: {_plain(value)}{comma}{text[place:]}"
    first = into.value[0][0].start_mark
    pad = " " * first.column
    return (
        f"{text[: first.index]}{key}: {_plain(value)}\n{pad}"
        f"{text[first.index :]}"
    )


def _key(name: str) -> str:
    is_plain = name.replace("_", "a").replace("-", "a").isalnum()
    return name if is_plain and not name[0].isdigit() else json.dumps(name)


def _is_block(node: yaml.Node) -> bool:
    return isinstance(node, yaml.ScalarNode) and node.style in ("|", ">")


def _fits_block(value: str) -> bool:
    """Answer whether a text can stand line by line."""
    return (
        "\n" in value
        and all(each.isprintable() for each in value.split("\n"))
        and not value.startswith((" ", "\n"))
        and not value.endswith("\n\n")
    )


def _block(value: str, column: int) -> str:
    """Return a text line by line, as deep as its key and two more."""
    keep = "" if value.endswith("\n") else "-"
    pad = " " * (column + 2)
    lines = value.removesuffix("\n").split("\n")
    return "\n".join(
        [f"|{keep}", *(pad + each if each else "" for each in lines)]
    )


def _plain(value: object) -> str:
    """Return a value as JSON that is YAML too.

    YAML breaks lines where JSON does not, at U+2028 for one.
    """
    return "".join(
        each
        if each.isprintable() or not _is_escapable(each)
        else f"\\u{ord(each):04x}"
        for each in json.dumps(value, ensure_ascii=False)
    )


def _is_escapable(character: str) -> bool:
    """Answer whether JSON and YAML mean the same by its escape."""
    code = ord(character)
    return code <= _LAST_ESCAPED and code not in _SURROGATES
