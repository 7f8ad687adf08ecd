"""How text becomes words, the same in every index and in every query."""

import hashlib
import re
import typing

_WORD = re.compile(r"[^\W_]+")
MAX_WORD_LENGTH: typing.Final = 64
"""How many characters of a word count."""


def split_words(text: str) -> list[str]:
    """Return the words of a text: runs of letters and digits, without case.

    A word goes on for at most 64 characters; what follows is left out.
    """
    return [each[:MAX_WORD_LENGTH] for each in _WORD.findall(text.casefold())]


def word_spans(text: str) -> list[tuple[str, int, int]]:
    """Return the words of a text, each with where it begins and ends in it.

    A word that falls into several without its case ends where it does in the
    text for each of them.
    """
    return [
        (word, found.start(), found.end())
        for found in _WORD.finditer(text)
        for word in split_words(found[0])
    ]


def fold_case(value: str) -> str:
    """Return a whole value as it is compared."""
    return value.casefold().strip()


def term_number(field: str, value: str) -> int:
    """Return the number, of 63 bits, that a whole value of a field is.

    It stands for the value in indexes that know numbers or short texts only.
    """
    digest = hashlib.blake2b(
        f"{field}\0{fold_case(value)}".encode("utf-8", "replace"),
        digest_size=8,
    )
    return int.from_bytes(digest.digest()) >> 1
