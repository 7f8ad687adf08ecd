"""Makes nested values flat: dotted names, each with its values."""

import collections.abc
import math
import re
import typing

from orch.model import presigned

Scalar: typing.TypeAlias = str | int | float | bool
IsHidden: typing.TypeAlias = collections.abc.Callable[[str], bool]

LONGEST: typing.Final = 1000
"""Characters of a value that are kept."""
MOST: typing.Final = 500
"""Values that one document has of what users wrote."""
ROOM: typing.Final = 20_000
"""Characters of all of them together, each with its name."""

_TELLING: typing.Final = re.compile(
    r"((^|[_.-])pass|adminpass|password|passwd|passphrase|secret|token"
    r"|(private|secret|secret_?access|api|auth)_?key)$",
    re.IGNORECASE,
)
"""How something is called that is secret although nobody said so."""

_LONGEST_NAME: typing.Final = 200
_DEEPEST: typing.Final = 20
_LARGEST: typing.Final = 2**53


class FlatFields:
    """The fields of one document; what is hidden is left out.

    So is what has the name of a secret: ``admin_pass``, ``private_key``; and
    each text with an address in it that is proof by itself.

    :ivar values: by dotted name, in the order of coming
    """

    def __init__(self, is_hidden: IsHidden | None = None) -> None:
        """Have no field yet.

        :param is_hidden: answers whether a text, whole, may not be shown;
            ``None`` where nothing is hidden
        """
        self.values: dict[str, list[Scalar]] = {}
        self._is_hidden = is_hidden or _never
        self._left = MOST
        self._room = ROOM

    def add(self, name: str, value: object) -> None:
        """Add a value with all that is in it.

        Keys of maps go on the name with a dot, and the values of a list are
        several. Nothing, and empty texts, are left out.
        """
        self._add(name, value, _DEEPEST)

    def _add(self, name: str, value: object, levels: int) -> None:
        if value is None or value == "" or levels == 0:
            return
        if is_secret(name):
            return
        if isinstance(value, collections.abc.Mapping):
            for key, each in value.items():
                if self._is_shown(str(key)):
                    self._add(f"{name}.{key}", each, levels - 1)
        elif isinstance(value, list | tuple):
            for each in value:
                self._add(name, each, levels - 1)
        elif self._left > 0 and self._room > 0:
            text = str(value)
            if self._is_shown(text):
                name = storable(name, _LONGEST_NAME)
                if name not in self.values:
                    self._room -= len(name)
                self._left -= 1
                self._room -= min(len(text), LONGEST)
                known = self.values.setdefault(name, [])
                known.append(_scalar(value, text))

    def _is_shown(self, text: str) -> bool:
        return not (self._is_hidden(text) or presigned.is_in(text))


def is_secret(name: str) -> bool:
    """Answer whether what is called so is a secret, though nobody said it."""
    return _TELLING.search(name) is not None


def storable(text: str, longest: int) -> str:
    """Return the beginning of a text, as every database takes it.

    ``U+FFFD`` stands for NUL and for lone surrogates.
    """
    text = text[:longest]
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
    if isinstance(value, int) and abs(value) <= _LARGEST:
        return value
    if isinstance(value, float) and math.isfinite(value):
        return value
    return storable(text, LONGEST)
