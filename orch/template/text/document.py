"""A template or environment as text: reading it, and finding places in it."""

import collections.abc
import dataclasses
import typing

import yaml

from orch import json_depth
from orch.template import errors
from orch.template import inputs
from orch.template.text import yaml_reader


@dataclasses.dataclass(frozen=True)
class Place:
    """A line and column, from 1."""

    line: int
    column: int


NOWHERE = Place(0, 0)


class Document:
    """A document of a user as an object, with the place of each part.

    :ivar root: the object; shared, never changed
    :ivar file: name of the file; empty for the template of the stack
    """

    def __init__(
        self,
        root: collections.abc.Mapping[str, object],
        text: str = "",
        file: str = "",
    ) -> None:
        self.root = root
        self.file = file
        self._text = text
        self._node: yaml.Node | None = None

    @property
    def size(self) -> int:
        """How many characters it has; 0 when it came as an object."""
        return len(self._text)

    @property
    def has_lines(self) -> bool:
        """Whether a line tells a place; programs write all in one line."""
        return "\n" in self._text.strip()

    def locate(self, path: errors.Path) -> Place:
        """Return where that part begins, or the nearest part around it.

        The text is read a second time on the first call: only for errors.
        """
        if not self._text:
            return NOWHERE
        if self._node is None:
            self._node = yaml_reader.compose_nodes(self._text)
        if self._node is None:
            return NOWHERE
        node: yaml.Node = self._node
        mark = node.start_mark
        for step in path:
            found = _step(node, step)
            if found is None:
                break
            mark, node = found
        return Place(mark.line + 1, mark.column + 1)

    def find(self, path: errors.Path) -> object:
        """Return that part of the object; ``None`` where there is none."""
        value: object = self.root
        for step in path:
            if isinstance(value, dict) and step in value:
                value = value[step]
            elif isinstance(value, list) and step in range(len(value)):
                assert isinstance(step, int)
                value = value[step]
            else:
                return None
        return value


EMPTY: typing.Final = Document({})
"""Stands where nothing could be read."""


@dataclasses.dataclass(frozen=True, slots=True)
class Origin:
    """Where a value was written: a part of a document."""

    document: Document
    path: errors.Path


def _step(
    node: yaml.Node, step: str | int
) -> tuple[yaml.Mark, yaml.Node] | None:
    """Return where a part of a node begins, and the part."""
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            if key.value == step:
                return key.start_mark, value
    if isinstance(node, yaml.SequenceNode) and isinstance(step, int):
        for place, value in enumerate(node.value):
            if place == step:
                return value.start_mark, value
    return None


def check_object(value: object, limits: inputs.Limits) -> None:
    """Refuse an object that is nested too deep.

    :raises orch.template.errors.TooLarge: it is
    """
    try:
        json_depth.check_depth(value, limits.depth)
    except json_depth.TooDeepError as error:
        raise errors.TooLarge(str(error)) from None


def check_size(text: str, limits: inputs.Limits) -> None:
    """Refuse a text that is too long.

    :raises orch.template.errors.TooLarge: it is
    """
    size = len(text)
    if size * 4 > limits.template_size >= 0:
        size = len(text.encode("utf-8", "surrogatepass"))
        if size > limits.template_size:
            raise errors.TooLarge(
                f"Request limit exceeded: Template size ({size} bytes)"
                " exceeds maximum allowed size"
                f" ({limits.template_size} bytes)."
            )
