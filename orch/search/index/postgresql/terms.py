"""Pieces of ``content``: who writes them and who asks for them agree here.

``content`` holds the values that words are looked for in, once, cut into
pieces with :data:`orch.search.index.postgresql.schema.BREAK` between them:

* the mark of a field before each value of it (:func:`mark_of`), so that a
  value ends where the next one begins;
* ``WORD`` and a word, for each word of a value, in its place;
* what stands between words, and what is left of a word that is too long
  (:mod:`orch.search.index.postgresql.tokens`);
* at the end ``TERM`` and letters for each whole value of any field, and
  ``WORD_OF``, the name of a field, ``=`` and a word for fields whose words are
  asked for most.

After all that, behind ``BODY``, stands the document itself, as JSON: kept in
one text both are compressed together.

Marks and terms are made of numbers that stand for names and values. They
begin with the last part of a dotted name, so that a name without a dot is a
prefix of all that it means. What only administrators may search has other
signs (``ADMIN``, ``WORD_ADMIN``) and other terms, so that a query that does
not name them never meets it.
"""

import binascii
import functools
import hashlib
import re
import typing

from orch.search import tokenizer
from orch.search.query import values

WORD: typing.Final = "\x05"
WORD_ADMIN: typing.Final = "\x04"
TERM: typing.Final = "\x03"
WORD_OF: typing.Final = "\x06"
VALUE: typing.Final = "\x0e"
BODY: typing.Final = "\x0f"
NUMBER: typing.Final = "\x0c"
FAST: typing.Final = frozenset({"name", "path"})
"""Fields whose words are pieces of their own, ``WORD_OF``."""
ADMIN: typing.Final = "\x10"
EVERY: typing.Final = "\x07"
"""A piece that each document has."""
HIDDEN: typing.Final = "\x08"
"""A piece that each document has that only administrators find."""
FOLDS: typing.Final = "~"
"""Beside numbers: the beginnings of values that PostgreSQL cannot fold, each
with that of what it is ordered as."""
SHAPED: typing.Final = ("kind", "type", "action", "status", "drift")
TERMS_ONLY: typing.Final = tuple(
    sorted(values.NATIVE.difference(values.ANYWHERE))
)
"""Fields that are not in ``content`` but as terms."""
ONE_VALUE: typing.Final = tuple(sorted(values.NATIVE.difference({"tags"})))
"""Fields of the document itself that have one value."""
_SIGNS = re.compile(r"[\x00-\x1f\ud800-\udfff]")
_SPACES = dict.fromkeys(range(0x20), " ")
_BYTES_OF_TERM = 6
_NAME_LETTERS = 5
_TAG_LETTERS = 3


def number_of_text(text: str) -> int:
    """Return a number, of 63 bits, that stands for a text."""
    digest = hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=8)
    return int.from_bytes(digest.digest()) >> 1


def clean(text: str) -> str:
    """Return text without what PostgreSQL or ``content`` has no place for."""
    if text.isprintable():
        return text
    return _SIGNS.sub("\ufffd", text)


def folded(text: str) -> str:
    """Return a whole value as it is compared, without signs of ``content``."""
    return without_signs(tokenizer.fold_value(text))


def without_signs(text: str) -> str:
    """Return folded text without signs of ``content``."""
    if text.isprintable():
        return text
    if text.isascii():
        return text.translate(_SPACES)
    return _SIGNS.sub(" ", text)


def term(field: str, value: str, is_admin: bool, is_last: bool) -> str:
    """Return the piece that a whole value of a field is.

    :param is_last: the field is a name without a dot: what is returned is the
        start of all pieces that it means
    """
    lead, end = ends_of_term(field, is_admin)
    found = letters(lead, tokenizer.fold_value(value))
    return f"{TERM}{found}" if is_last else f"{TERM}{found}{end}"


def ends_of_term(field: str, is_admin: bool) -> tuple[str, str]:
    """Return what leads the value of a field, and what ends its piece."""
    native = values.is_native(field)
    last = field if native else field.rpartition(".")[2]
    lead = ADMIN + last if is_admin else last
    if native:
        return lead, ""
    return lead, letters("before", field[: -len(last)])[:_TAG_LETTERS]


def letters(lead: str, whole: str) -> str:
    """Return 8 letters, 48 bits, for a whole value as it is compared."""
    told = f"{lead}\0{whole}".encode("utf-8", "replace")
    digest = hashlib.blake2b(told, digest_size=_BYTES_OF_TERM).digest()
    return binascii.b2a_base64(digest, newline=False).decode()


@functools.lru_cache(4096)
def mark_of(field: str, is_admin: bool, is_last: bool) -> str:
    """Return the piece that leads each value of a field.

    :param is_last: the field is a name without a dot: what is returned is the
        start of all pieces that it means
    """
    sign = VALUE + ADMIN if is_admin else VALUE
    if values.is_native(field):
        return f"{sign}{letters('native', field)[:_NAME_LETTERS]}"
    before, _, last = field.rpartition(".")
    start = f"{sign}{letters('last', last)[:_NAME_LETTERS]}"
    if is_last:
        return start
    return f"{start}{letters('before', before)[:_NAME_LETTERS]}"


def number_mark_of(field: str, is_admin: bool, is_last: bool) -> str:
    """Return the piece that says that a field has a number."""
    return NUMBER + mark_of(field, is_admin, is_last)


def number_key_of(field: str, is_admin: bool) -> str:
    """Return what the numbers of a field are kept under."""
    return f"{'!' if is_admin else '.'}{clean(field)}"
