"""How sensitive values are found in a text, and what is shown instead.

The text in place of a value comes back in what people write: one text
everywhere tells it from theirs.
"""

import collections.abc
import functools
import json
import types
import typing
import urllib.parse

TEXT: typing.Final = "******"
_CACHED: typing.Final = 200
"""Characters of a text whose spellings are kept in memory."""
SHORTEST: typing.Final = 4
"""A text with fewer characters is looked for as a whole value only."""


_CUT: typing.Final = "…"


def cut(text: str, length: int) -> str:
    """Return a text, or its beginning with an ellipsis.

    The ellipsis lets a :class:`Redactor` know that the beginning of a value
    may be in front of it: a text that may contain values is not cut in
    another way before it is redacted.
    """
    return text if len(text) <= length else f"{text[:length]}{_CUT}"


Trace: typing.TypeAlias = tuple[
    type[BaseException], BaseException, types.TracebackType | None
]
"""What ``exc_info`` of a call of ``logging`` takes."""


class RedactedError(Exception):
    """Replaces an error in a traceback."""


def redact_trace(error: BaseException, text: str) -> Trace:
    """Return what logs the traceback of an error with another text."""
    return RedactedError, RedactedError(text), error.__traceback__


class Redactor:
    """Redacts values in texts, however they are spelt there.

    The beginning of a value is redacted too where the text was cut in it.
    """

    def __init__(self, hidden: collections.abc.Iterable[str]) -> None:
        """Prepare to look for these values; an empty one hides nothing."""
        self._whole = frozenset(hidden) - {""}
        self._spellings = tuple(
            dict.fromkeys(
                spelling
                for text in sorted(self._whole, key=len, reverse=True)
                if len(text) >= SHORTEST
                for spelling in _spellings(text)
            )
        )
        by_length: dict[int, set[str]] = {}
        for each in self._spellings:
            by_length.setdefault(len(each), set()).add(each)
        self._by_length = dict(sorted(by_length.items()))

    def has_value(self, text: str) -> bool:
        """Whether one of the values is in a text."""
        if text in self._whole:
            return True
        # The shortest first: nothing that is longer is in a text.
        for length, spellings in self._by_length.items():
            if length > len(text):
                return False
            if _has_one(text, length, spellings):
                return True
        return False

    def redact(self, text: str) -> str:
        """Return a text without the values.

        Values that are too short to be looked for inside of others remain.
        """
        if text in self._whole:
            return TEXT
        if self.has_value(text):
            for each in self._spellings:
                text = text.replace(each, TEXT)
        *beginnings, end = text.split(_CUT)
        return _CUT.join([*map(self._redact_end, beginnings), end])

    def _redact_end(self, text: str) -> str:
        """Return a text without the beginning of a value at its end."""
        longest = max(self._by_length, default=0)
        begin = max(0, len(text) - longest + 1)
        for place in range(begin, len(text) - SHORTEST + 1):
            known = self._by_head.get(text[place : place + SHORTEST])
            if known and any(each.startswith(text[place:]) for each in known):
                return f"{text[:place]}{TEXT}"
        for place in range(max(begin, len(text) - SHORTEST + 1), len(text)):
            if text[place:] in self._short_beginnings:
                return f"{text[:place]}{TEXT}"
        return text

    @functools.cached_property
    def _short_beginnings(self) -> frozenset[str]:
        """The beginnings of the spellings that are shorter than a value."""
        return frozenset(
            each[:length]
            for each in self._spellings
            for length in range(1, SHORTEST)
        )

    @functools.cached_property
    def _by_head(self) -> dict[str, list[str]]:
        """The spellings, by their first characters."""
        found: dict[str, list[str]] = {}
        for each in self._spellings:
            found.setdefault(each[:SHORTEST], []).append(each)
        return found


def has_any(text: str, hidden: collections.abc.Iterable[str]) -> bool:
    """Whether one of a few values is in a text, however it is spelt there.

    A :class:`Redactor` answers the same, for many values and many texts.
    """
    return any(
        each == text
        or (
            len(each) >= SHORTEST
            and any(spelling in text for spelling in _spellings(each))
        )
        for each in hidden
        if each
    )


def _has_one(
    text: str, length: int, spellings: collections.abc.Set[str]
) -> bool:
    """Whether one of some spellings, all of that length, is in a text.

    A short text has fewer places than a large stack has secrets.
    """
    places = len(text) - length + 1
    if places < len(spellings):
        return any(
            text[place : place + length] in spellings
            for place in range(places)
        )
    return any(each in text for each in spellings)


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


def _spellings(text: str) -> tuple[str, ...]:
    return (_spell_cached if len(text) <= _CACHED else _spell)(text)


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
