"""YAML and JSON text into plain values, in one pass over parser events.

The result is what the JSON of it would be: keys are strings, dates are
texts. Nothing here recurses while it reads, so that no text, however deep
or however often it repeats itself by aliases, can take the process down.
"""

import collections.abc
import dataclasses
import functools
import json
import math
import typing

import yaml

from orch.template import errors
from orch.template import inputs
from orch.template.text import value_size

_UNKNOWN_TAG: typing.Final = "could not determine a constructor for the tag"
_PREFIX = "tag:yaml.org,2002:"
_PLAIN = frozenset(
    _PREFIX + kind for kind in ("str", "int", "float", "bool", "null")
)

_NUMBERS = frozenset(_PREFIX + kind for kind in ("int", "float"))
_MAX_CACHED_LENGTH = 80
"""Long texts are not kept: there is no end of them."""

Scalar = str | int | float | bool | None


class _Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
    """The safe loader, with dates left as texts."""


class _Scalars(yaml.SafeLoader):
    """Resolves and constructs single plain scalars."""


def _text(loader: yaml.SafeLoader, node: yaml.ScalarNode) -> str:
    """Return a scalar as it is written."""
    return str(loader.construct_scalar(node))


def _read_tagged(kind: str) -> collections.abc.Callable[..., Scalar]:
    """Return what reads a scalar with the tag of a kind.

    The library raises errors of Python, or quotes the text: it may be a
    password without quotation marks.
    """
    construct = getattr(yaml.SafeLoader, f"construct_yaml_{kind}")

    def read(loader: yaml.SafeLoader, node: yaml.ScalarNode) -> Scalar:
        try:
            return typing.cast(Scalar, construct(loader, node))
        except (KeyError, IndexError, ValueError):
            line, column = _place(node.start_mark)
            raise Unreadable(
                f"the value in line {line}, column {column} cannot be read as"
                f" {kind}, which its tag !!{kind} declares",
                line,
                column,
            ) from None

    return read


for _one in (_Loader, _Scalars):
    _one.add_constructor(_PREFIX + "timestamp", _text)
for _kind in ("int", "float", "bool"):
    _Loader.add_constructor(_PREFIX + _kind, _read_tagged(_kind))


class Unreadable(Exception):  # noqa: N818 it is caught, never shown
    """The text cannot be read; line and column from 1, 0 when not known."""

    def __init__(self, message: str, line: int = 0, column: int = 0) -> None:
        super().__init__(message)
        self.message = message
        self.line = line
        self.column = column


class _Unusual(Exception):  # noqa: N818 it is caught, never shown
    """The text uses what only the library's own constructor knows."""


@dataclasses.dataclass(slots=True)
class _Open:
    """A list or map whose end was not read yet.

    :ivar size: values in it so far, aliases counted as often as they stand
    :ivar height: lists and maps inside each other, itself included
    """

    value: list[object] | dict[str, object]
    anchor: str | None
    key: str | None = None
    size: int = 1
    height: int = 1


@dataclasses.dataclass(frozen=True, slots=True)
class _Anchored:
    """A finished value that aliases may repeat."""

    value: object
    size: int
    height: int


def read_yaml(text: str, limits: inputs.Limits) -> object:
    """Return what the text says; ``None`` for an empty one.

    :raises Unreadable: it is no YAML
    :raises orch.template.errors.TooLarge: it is too deep, or its aliases
        repeat too much
    """
    reader = _Reader(limits)
    try:
        for event in yaml.parse(text, Loader=_Loader):
            reader.take(event)
        if reader.is_unusual:
            value = plain_value(yaml.load(text, Loader=_Loader))  # noqa: S506 safe
            check_numbers(value, limits)
            return value
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line, column = _place(mark)
        said = str(error)
        if str(error.problem).startswith(_UNKNOWN_TAG):
            said = (
                f"the tag in line {line}, column {column} is not known: a"
                " text that begins with ! needs quotes"
            )
        raise Unreadable(said, line, column) from None
    except (yaml.YAMLError, ValueError, TypeError, OverflowError) as error:
        raise Unreadable(str(error)) from None
    return reader.result


def compose_nodes(text: str) -> yaml.Node | None:
    """Return a text that was read before as nodes, which know their places.

    :returns: ``None`` where it is JSON that is no YAML
    """
    try:
        return yaml.compose(text, Loader=_Loader)
    except yaml.YAMLError:
        return None


class _Mark(typing.Protocol):
    """A place in a text, lines and columns from 0."""

    line: int
    column: int


def _place(mark: _Mark | None) -> tuple[int, int]:
    """Return line and column, from 1."""
    return (mark.line + 1, mark.column + 1) if mark else (0, 0)


class _Reader:
    """Builds the value from events."""

    def __init__(self, limits: inputs.Limits) -> None:
        self.result: object = None
        self.is_unusual = False
        self._limits = limits
        self._open: list[_Open] = []
        self._anchors: dict[str, _Anchored | None] = {}
        self._repeated = 0
        self._has_root = False

    def take(self, event: yaml.events.Event) -> None:
        """Go on by one event."""
        kind = type(event)
        if kind is yaml.ScalarEvent:
            self._take_scalar(typing.cast(yaml.ScalarEvent, event))
        elif kind is yaml.MappingStartEvent or kind is yaml.SequenceStartEvent:
            self._take_start(typing.cast(yaml.CollectionStartEvent, event))
        elif kind is yaml.MappingEndEvent or kind is yaml.SequenceEndEvent:
            self._take_end()
        elif kind is yaml.AliasEvent:
            self._take_alias(typing.cast(yaml.AliasEvent, event))
        elif kind is yaml.DocumentStartEvent:
            self._take_document(event)

    def _take_document(self, event: yaml.events.Event) -> None:
        if self._has_root:
            raise Unreadable(
                "there is more than one document in the text",
                *_place(event.start_mark),
            )
        self._has_root = True

    def _take_scalar(self, event: yaml.ScalarEvent) -> None:
        value: Scalar = event.value
        if event.tag is not None and event.tag != _PREFIX + "str":
            self.is_unusual = True
        elif event.tag is None and event.implicit[0]:
            value = self._plain(event)
        size = value_size.text_size(event.value)
        if event.anchor:
            self._anchors[event.anchor] = _Anchored(value, size, 0)
        self._put(value, size, 0)

    def _plain(self, event: yaml.ScalarEvent) -> Scalar:
        """Return what an unquoted text stands for."""
        text: str = event.value
        try:
            if len(text) <= _MAX_CACHED_LENGTH:
                return _scalar(text)
            return _long_scalar(text, self._limits)
        except _Unusual:
            self.is_unusual = True
            return text
        except (ValueError, OverflowError) as error:
            raise Unreadable(str(error), *_place(event.start_mark)) from None

    def _take_start(self, event: yaml.CollectionStartEvent) -> None:
        if event.tag is not None and event.tag not in (
            _PREFIX + "map",
            _PREFIX + "seq",
        ):
            self.is_unusual = True
        top = self._open[-1] if self._open else None
        if top and isinstance(top.value, dict) and top.key is None:
            # The library's own constructor knows how to refuse it.
            self.is_unusual = True
            top.key = ""
        is_map = type(event) is yaml.MappingStartEvent
        self._open.append(_Open({} if is_map else [], event.anchor))
        if event.anchor:
            self._anchors[event.anchor] = None
        self._check_depth(len(self._open), event)

    def _take_end(self) -> None:
        done = self._open.pop()
        if done.anchor:
            self._anchors[done.anchor] = _Anchored(
                done.value, done.size, done.height
            )
        self._put(done.value, done.size, done.height)

    def _take_alias(self, event: yaml.AliasEvent) -> None:
        line, column = _place(event.start_mark)
        if event.anchor not in self._anchors:
            # It is not quoted: it may be a password without quotation marks.
            raise Unreadable(
                f"found undefined alias in line {line}, column {column}: a"
                " text that begins with * needs quotes",
                line,
                column,
            )
        known = self._anchors[event.anchor]
        if known is None:
            raise Unreadable(
                f"the alias in line {line} contains itself", line, column
            )
        self._repeated += known.size
        if 0 <= self._limits.alias_nodes < self._repeated:
            raise errors.TooLarge(
                f"The aliases of the document repeat more than"
                f" {self._limits.alias_nodes} values (line {line})."
            )
        self._check_depth(len(self._open) + known.height, event)
        self._put(known.value, known.size, known.height)

    def _put(self, value: object, size: int, height: int) -> None:
        if not self._open:
            self.result = value
            return
        top = self._open[-1]
        top.size += size
        if height >= top.height:
            top.height = height + 1
        if isinstance(top.value, list):
            top.value.append(value)
        elif top.key is None:
            top.key = self._key(value)
        else:
            top.value[top.key] = value
            top.key = None

    def _key(self, value: object) -> str:
        if type(value) is str:
            if value == "<<":
                self.is_unusual = True
            return value
        if isinstance(value, list | dict):
            self.is_unusual = True
            return ""
        return _key_text(value)

    def _check_depth(self, depth: int, event: yaml.events.Event) -> None:
        if 0 <= self._limits.depth < depth:
            line, column = _place(event.start_mark)
            raise errors.TooLarge(
                f"Lists and maps are nested more than {self._limits.depth}"
                f" deep (line {line}, column {column})."
            )


@functools.lru_cache(maxsize=8192)
def _scalar(text: str) -> Scalar:
    """Return what an unquoted text of some words stands for."""
    first = text[:1]
    if first.isalpha() and first not in "yYnNtTfFoO":
        return text
    loader = _Scalars("")
    tag = _tag(loader, text)
    if tag == _PREFIX + "timestamp":
        return text
    if tag not in _PLAIN:
        raise _Unusual
    node = yaml.ScalarNode(tag, text)
    return typing.cast(Scalar, loader.construct_object(node))


def _long_scalar(text: str, limits: inputs.Limits) -> Scalar:
    """Return what a longer unquoted text stands for, nearly always itself.

    :raises ValueError: it is a number of more digits than allowed
    """
    loader = _Scalars("")
    tag = _tag(loader, text)
    if tag not in _NUMBERS:
        return text
    if 0 <= limits.digits < len(text):
        raise ValueError(_too_long(limits))
    node = yaml.ScalarNode(tag, text)
    value = typing.cast(Scalar, loader.construct_object(node))
    check_numbers(value, limits)
    return value


def _tag(loader: yaml.SafeLoader, text: str) -> str:
    """Return the type of an unquoted text."""
    tag: str = loader.resolve(  # type: ignore[no-untyped-call]
        yaml.ScalarNode, text, (True, False)
    )
    return tag


def check_numbers(value: object, limits: inputs.Limits) -> None:
    """Refuse whole numbers of more digits than allowed, wherever they are.

    :raises ValueError: there is one
    """
    # A digit has a little more than three bits.
    max_bits = math.inf if limits.digits < 0 else limits.digits * 10 // 3
    waiting = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, dict):
            waiting.extend(one.values())
        elif isinstance(one, list):
            waiting.extend(one)
        elif isinstance(one, int) and one.bit_length() > max_bits:
            raise ValueError(_too_long(limits))


def _too_long(limits: inputs.Limits) -> str:
    return (
        f"a number has more than {limits.digits} digits; if it is a text,"
        " put it in quotes"
    )


def _key_text(value: object) -> str:
    """Return a key as JSON writes it."""
    return value if isinstance(value, str) else json.dumps(value, default=str)


def plain_value(value: object) -> object:
    """Return the value with the keys and types that JSON has.

    Only for values that are known to be shallow enough to recurse.
    """
    if isinstance(value, dict):
        return {_key_text(key): plain_value(one) for key, one in value.items()}
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    if isinstance(value, collections.abc.Set):
        return [plain_value(one) for one in sorted(value, key=repr)]
    if isinstance(value, list | tuple):
        return [plain_value(one) for one in value]
    return value
