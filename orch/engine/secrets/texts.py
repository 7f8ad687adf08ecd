"""The texts by which sensitive values are found in other values."""

import collections.abc
import typing

from orch import redacted

_SHORTEST: typing.Final = redacted.SHORTEST
"""A text with fewer characters is looked for as a whole value only; a piece
of one that is as short not at all."""
_SHORTEST_PART: typing.Final = 3
"""A suspect value with fewer characters is none."""
_SHORTEST_PIECE: typing.Final = 6
"""A piece with fewer characters is looked for as a whole value only: they
are words like ``https`` and ``admin``."""

Texts = collections.abc.Iterable[str]


class SensitiveTexts:
    """Sensitive values as texts, and pieces that functions cut out of them.

    :ivar all: all that is looked for
    """

    def __init__(self, whole: Texts) -> None:
        """Look for whole values, in longer texts where they are long enough.

        :param whole: values of hidden parameters, generated secrets
        """
        self._whole = frozenset(whole)
        self._long = {each for each in self._whole if len(each) >= _SHORTEST}
        self.all = set(self._whole)
        self._made: redacted.Redactor | None = None

    def add_literals(self, texts: Texts) -> None:
        """Look for values that a template has under the name of a secret."""
        literals = frozenset(texts)
        self._whole |= literals
        self.all |= literals
        self._long.update(
            each for each in literals if len(each) >= _SHORTEST_PIECE
        )
        self._made = None

    def add_all_of(self, other: "SensitiveTexts") -> None:
        """Look for all that another one looks for."""
        self._whole |= other._whole
        self._long |= other._long
        self.all |= other.all
        self._made = None

    def add_pieces(self, texts: Texts) -> None:
        """Look for pieces, except those with a whole value in them."""
        known = tuple(self._long)
        for text in texts:
            if len(text) < _SHORTEST or any(each in text for each in known):
                continue
            self.all.add(text)
            if len(text) >= _SHORTEST_PIECE:
                self._long.add(text)
        self._made = None

    def are_in(self, text: str) -> bool:
        """Answer whether one is in a text, however it is spelt."""
        return text in self.all or self._redactor.has_value(text)

    def have_part_in(self, value: object) -> bool:
        """Answer whether a value has a few characters of one."""
        if value is None or isinstance(value, bool):
            return False
        text = str(value).casefold()
        if len(text) < _SHORTEST_PART:
            return False
        parts = {
            text[start : start + _SHORTEST]
            for start in range(max(1, len(text) - _SHORTEST + 1))
        }
        return any(
            part in each.casefold() for each in self._whole for part in parts
        )

    def redact(self, text: str) -> str:
        """Return a text without them.

        Those that are too short to be looked for inside of others remain.
        """
        if text in self.all:
            return redacted.TEXT
        return self._redactor.redact(text)

    @property
    def _redactor(self) -> redacted.Redactor:
        """Made when it is needed, and anew when there are more texts."""
        if self._made is None:
            self._made = redacted.Redactor(self._long)
        return self._made
