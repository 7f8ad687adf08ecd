"""Cuts a text into words and what is between them, each in its place.

It is done for each value of each document: most have one sign between words,
and for these no regular expression is needed.
"""

import collections.abc
import re
import typing

from orch.search import tokenizer
from orch.search.index.postgresql import schema as tables

REST: typing.Final = "\x02"
"""Leads what is left of a word that is too long."""

_WORDS = re.compile(f"({tokenizer.WORD.pattern})")
_BETWEEN = ("-", " ", ".")
_LONGEST_PIECE = 200


def cut(text: str, sign: str) -> str:
    """Return a folded text in pieces, a break before and after them.

    :param sign: leads each word
    """
    found = _cut_evenly(text, sign) if text.isascii() else None
    found = found or _cut_at_words(text, sign)
    start = "" if found.startswith(tables.BREAK) else tables.BREAK
    end = "" if found.endswith(tables.BREAK) else tables.BREAK
    return f"{start}{found}{end}"


def _cut_evenly(text: str, sign: str) -> str | None:
    """Return the pieces of a text, fast, where one sign is between words.

    That is so of ids, and of most names and sentences.
    """
    for between in _BETWEEN:
        parts = text.split(between)
        if all(map(str.isalnum, parts)) and _are_short(text, parts):
            break_ = tables.BREAK
            return sign + f"{break_}{between}{break_}{sign}".join(parts)
    return None


def _cut_at_words(text: str, sign: str) -> str:
    pieces = _WORDS.split(text)
    if not _are_short(text, pieces):
        return _cut_slowly(text, sign)
    pieces[1::2] = [sign + each for each in pieces[1::2]]
    return tables.BREAK.join(filter(None, pieces))


def _are_short(text: str, parts: collections.abc.Iterable[str]) -> bool:
    return (
        len(text) <= tokenizer.MAX_WORD_LENGTH
        or max(map(len, parts)) <= tokenizer.MAX_WORD_LENGTH
    )


def _cut_slowly(text: str, sign: str) -> str:
    """Return the same where words, or what is between them, are long."""
    parts = []
    at = 0
    for found in tokenizer.WORD.finditer(text):
        start, end = found.span()
        if at < start:
            parts.append(_short(text[at:start]))
        word = found[0]
        parts.append(sign + word[: tokenizer.MAX_WORD_LENGTH])
        if len(word) > tokenizer.MAX_WORD_LENGTH:
            parts.append(REST + _short(word[tokenizer.MAX_WORD_LENGTH :]))
        at = end
    if at < len(text):
        parts.append(_short(text[at:]))
    return tables.BREAK.join(parts)


def _short(text: str) -> str:
    """Return a text with breaks, since long pieces cannot be indexed."""
    if len(text) <= _LONGEST_PIECE:
        return text
    return tables.BREAK.join(
        text[at : at + _LONGEST_PIECE]
        for at in range(0, len(text), _LONGEST_PIECE)
    )
