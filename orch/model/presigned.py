"""Knows addresses that are proof by themselves.

Whoever has such an address may do what it was made for, with no account:
send signals, write an object, open a console. So it is shown to those only
who may see the resource itself, and goes into nothing else.

The signature is what tells them apart, not the path: our own addresses have
one, those of Heat, and those of object stores.
"""

import collections.abc
import re
import typing

from orch import redacted

_PROOF: typing.Final = re.compile(
    r"""(?:[?&;]|\\u0026|%(?:25)*(?:3F|26))
    (?:(?:x-(?:amz|goog)-)?signature|temp_url_sig|sig|token)
    (?:=|%(?:25)*3D)""",
    re.IGNORECASE | re.VERBOSE,
)
"""The part of a query that proves something, quoted or not."""
_ENDS: typing.Final = frozenset(" \t\r\n\"'<>`")


def has_presigned(text: str) -> bool:
    """Answer whether a text is such an address, or has one in it."""
    return _may_have_proof(text) and _PROOF.search(text) is not None


def find_presigned(text: str) -> list[str]:
    """Return each such address in a text."""
    return [text[start:end] for start, end in _spans(text)]


def redact_presigned(text: str) -> str:
    """Return a text with ``******`` for each such address."""
    if not _may_have_proof(text):
        return text
    parts = []
    done = 0
    for start, end in _spans(text):
        parts += [text[done:start], redacted.TEXT]
        done = end
    return "".join((*parts, text[done:])) if parts else text


def _may_have_proof(text: str) -> bool:
    """Whether a text has what ends each name of a query; it takes no time."""
    return "=" in text or "%" in text


def _spans(text: str) -> collections.abc.Iterator[tuple[int, int]]:
    """Yield where such addresses begin and end."""
    end = 0
    for found in _PROOF.finditer(text):
        if found.start() < end:
            continue
        start = found.start()
        while start > end and text[start - 1] not in _ENDS:
            start -= 1
        end = found.end()
        while end < len(text) and text[end] not in _ENDS:
            end += 1
        yield start, end
