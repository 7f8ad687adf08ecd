"""How sensitive values are found in a text, and what is shown instead.

The text in place of a value comes back in what people write: one text
everywhere tells it from theirs.
"""

import collections.abc
import functools
import json
import typing
import urllib.parse

TEXT: typing.Final = "******"
_CACHED: typing.Final = 200
"""Characters of a text whose spellings are kept in memory."""
SHORTEST: typing.Final = 4
"""A text with fewer characters is looked for as a whole value only."""


class Redactor:
    """Redacts values in texts, however they are spelt there."""

    def __init__(self, hidden: collections.abc.Iterable[str]) -> None:
        """Prepare to look for these values; an empty one hides nothing."""
        self._whole = frozenset(hidden) - {""}
        self._spellings = tuple(
            dict.fromkeys(
                spelling
                for text in sorted(self._whole, key=len, reverse=True)
                if len(text) >= SHORTEST
                for spelling in (
                    _spell_cached if len(text) <= _CACHED else _spell
                )(text)
            )
        )

    def has_value(self, text: str) -> bool:
        """Whether one of the values is in a text."""
        if not self._spellings:
            return text in self._whole
        return text in self._whole or any(
            each in text for each in self._spellings
        )

    def redact(self, text: str) -> str:
        """Return a text without the values.

        Values that are too short to be looked for inside of others remain.
        """
        if text in self._whole:
            return TEXT
        for each in self._spellings:
            text = text.replace(each, TEXT)
        return text


def find_texts(value: object) -> collections.abc.Iterator[str]:
    """Yield the texts by which a value appears in a sentence, and its parts.

    A map or list appears as Python and JSON write it; its parts are the texts
    of its values.
    """
    if isinstance(value, dict | list):
        yield str(value)
        for separators in (None, (",", ":")):
            yield json.dumps(
                value, default=str, skipkeys=True, separators=separators
            )
    yield from _leaves(value)


def _leaves(value: object) -> collections.abc.Iterator[str]:
    if isinstance(value, dict | list):
        for each in value.values() if isinstance(value, dict) else value:
            yield from _leaves(each)
    elif value is not None and not isinstance(value, bool):
        yield str(value)


def _spell(text: str) -> tuple[str, ...]:
    """Return how a text is spelt in sentences, JSON, Python and addresses.

    Sentences have it in one line.
    """
    if text.isascii() and text.isalnum():
        return (text,)
    line = " ".join(text.split())
    found = (
        text,
        *([line] if len(line) >= SHORTEST else []),
        json.dumps(text)[1:-1],
        json.dumps(text, ensure_ascii=False)[1:-1],
        repr(text)[1:-1],
        urllib.parse.quote(text, errors="replace"),
        urllib.parse.quote(text, safe="", errors="replace"),
        urllib.parse.quote_plus(text, errors="replace"),
    )
    return tuple(dict.fromkeys(found))


_spell_cached = functools.lru_cache(maxsize=4096)(_spell)
