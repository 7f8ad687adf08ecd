"""Patterns with ``*`` and ``?``, in the forms that PostgreSQL compares.

A pattern becomes the operand of ``LIKE``, or a regular expression over
``content``; and it is told what an index can do for it.
"""

import collections.abc
import re
import typing

from orch.search import tokenizer
from orch.search.index.postgresql import terms

SIGNS: typing.Final = "[\x01\x02\x04\x05]*"
"""A regular expression of what stands between the signs of a value."""

_OPEN = frozenset({"*", "?"})
_LONGEST_WORD = 60
_TRIGRAM = re.compile(r"[^\W_]{3}")
_TOKENS = re.compile(f"{tokenizer.WORD.pattern}|[*?]|[\\W_]")


def escaped(text: str) -> str:
    """Return a text that ``LIKE`` takes for nothing but itself."""
    return re.sub(r"([\\%_])", r"\\\1", text)


def like(pattern: str) -> str:
    """Return a pattern, folded, as ``LIKE`` has it."""
    text = escaped(terms.folded(pattern))
    return text.replace("*", "%").replace("?", "_")


def is_pattern(text: str) -> bool:
    """Answer whether any sign of a text stands for others."""
    return not _OPEN.isdisjoint(text)


def is_for_trigrams(pattern: str) -> bool:
    """Answer whether trigrams find what fits, and words may not.

    It begins with an open sign, and has letters or digits enough side by side
    for one trigram that few have.
    """
    return pattern[0] in _OPEN and _TRIGRAM.search(pattern) is not None


def regular(pattern: str) -> str:
    """Return a pattern as a regular expression over ``content``."""
    return "".join(map(_regular, terms.folded(pattern)))


def _regular(sign: str) -> str:
    if sign == "*":
        return "[^\x0e]*"
    if sign == "?":
        return f"[^\x01\x02\x04\x05\x0e]{SIGNS}"
    return re.escape(sign) + SIGNS


def words_of(pattern: str) -> collections.abc.Iterator[tuple[str, bool]]:
    """Yield words that stand whole in a pattern, or begin whole in it.

    :returns: each with whether only its beginning is told
    """
    tokens = ["", *_TOKENS.findall(pattern), ""]
    for before, word, after in zip(
        tokens, tokens[1:], tokens[2:], strict=False
    ):
        is_word = word.isalnum() and len(word) <= _LONGEST_WORD
        if is_word and before not in _OPEN:
            yield word, after in _OPEN
