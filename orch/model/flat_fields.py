"""Makes nested values flat: dotted names, each with its values."""

import collections.abc
import functools
import math
import re
import typing

from orch.model import presigned

Scalar: typing.TypeAlias = str | int | float | bool
IsHidden: typing.TypeAlias = collections.abc.Callable[[str], bool]

MAX_VALUE_LENGTH: typing.Final = 1000
"""Characters of a value."""
MAX_TEXT_LENGTH: typing.Final = 65_536
"""Characters of a longer value of which the words can be searched."""
MAX_VALUES: typing.Final = 5000
"""Values that one document has of what users wrote."""
MAX_TOTAL_LENGTH: typing.Final = 1_000_000
"""Characters of all of them together, each with its name."""
CUT: typing.Final = "document.is_cut"
"""The field of documents that lack a part of what users wrote."""

_IDENTIFYING: typing.Final = re.compile(
    r"((^|[_.-])(pass|psk)|adminpass|password|passwd|pass[_-]?phrase|secret"
    r"|token|authorization|cookie"
    r"|(private|secret|secret[_-]?access|api|auth|encryption|signing)"
    r"[_-]?key)$",
    re.IGNORECASE,
)
"""Names of fields that are secret without a mark."""

_CACHED_NAMES: typing.Final = 4096
"""Names of which the answer is kept: most rows have the same few."""

_MAX_NAME_LENGTH: typing.Final = 200
_MAX_DEPTH: typing.Final = 20
_MAX_NUMBER: typing.Final = 2**53
_SCALARS: typing.Final = (str, int, float)


class FlatFields:
    """The fields of one document; what is hidden is left out.

    So is what has the name of a secret: ``admin_pass``, ``private_key``; and
    each text with an address in it that is proof by itself.

    :ivar values: by dotted name, in the order of coming; :data:`CUT` where a
        part of what was added is neither here nor in the texts
    :ivar texts: the words of values that are longer than a value may be
    """

    def __init__(self, is_hidden: IsHidden | None = None) -> None:
        """Have no field yet.

        :param is_hidden: answers whether a text, whole, may not be shown;
            ``None`` where nothing is hidden
        """
        self.values: dict[str, list[Scalar]] = {}
        self.texts: dict[str, str] = {}
        self._is_hidden = is_hidden or _never
        self._left = MAX_VALUES
        self._remaining_length = MAX_TOTAL_LENGTH

    def add(self, name: str, value: object) -> None:
        """Add a value with all that is in it.

        Keys of maps go on the name with a dot, and the values of a list are
        several. Nothing, and empty texts, are left out.
        """
        self._add(name, value, _MAX_DEPTH)

    def _add(self, name: str, value: object, levels: int) -> None:
        if value is None or value == "" or is_secret(name):
            return
        if levels == 0:
            self.values[CUT] = [True]
            return
        if isinstance(value, _SCALARS):
            self._add_scalar(name, value)
        elif isinstance(value, collections.abc.Mapping):
            for key, each in value.items():
                if self._is_shown(str(key)):
                    self._add(f"{name}.{key}", each, levels - 1)
        elif isinstance(value, list | tuple):
            for each in value:
                self._add(name, each, levels - 1)
        else:
            self._add_scalar(name, value)

    def _add_scalar(self, name: str, value: object) -> None:
        if self._left <= 0 or self._remaining_length <= 0:
            self.values[CUT] = [True]
            return
        text = value if isinstance(value, str) else str(value)
        if not self._is_shown(text):
            return
        name = truncate_text(name, _MAX_NAME_LENGTH)
        found = self.values.get(name)
        if found is None:
            found = self.values[name] = []
            self._remaining_length -= len(name)
        self._left -= 1
        self._remaining_length -= min(len(text), MAX_VALUE_LENGTH)
        found.append(_scalar(value, text))
        if len(text) > MAX_VALUE_LENGTH:
            self.add_text(name, text, MAX_TEXT_LENGTH)

    def add_text(self, name: str, text: str, max_length: int) -> None:
        """Add the words of a long text, as many as there is room for."""
        room = max(min(max_length, self._remaining_length), 0)
        if len(text) > room:
            self.values[CUT] = [True]
        kept = truncate_text(text, room)
        self._remaining_length -= len(kept)
        known = self.texts.get(name)
        self.texts[name] = kept if known is None else f"{known}\n{kept}"

    def _is_shown(self, text: str) -> bool:
        return not (self._is_hidden(text) or presigned.has_presigned(text))


@functools.lru_cache(maxsize=_CACHED_NAMES)
def is_secret(name: str) -> bool:
    """Answer whether a field of that name is a secret without a mark."""
    return _IDENTIFYING.search(name) is not None


def truncate_text(text: str, max_length: int) -> str:
    """Return the beginning of a text, as every database takes it.

    ``U+FFFD`` stands for NUL and for lone surrogates.
    """
    text = text[:max_length]
    if "\x00" in text:
        text = text.replace("\x00", "\ufffd")
    if text.isascii():
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _never(text: str) -> bool:
    return False


def _scalar(value: object, text: str) -> Scalar:
    if isinstance(value, bool):
        return value
    if isinstance(value, int) and abs(value) <= _MAX_NUMBER:
        return value
    if isinstance(value, float) and math.isfinite(value):
        return value
    return truncate_text(text, MAX_VALUE_LENGTH)
