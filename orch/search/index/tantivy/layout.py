"""The fields of the index in Tantivy, and the form of what is in them.

A field of a document has a *key*: its name in letters that need no escape. A
key begins with ``u`` where users find the field and with ``a`` where only
administrators do. The fields of the index:

- ``number``: of the document, the one that its row has;
- ``valid_from``, ``valid_to``: seconds between which it was the newest state;
  the second is infinite while it is;
- ``current``: 1 while it is the newest state, else 0;
- ``created_at``, ``updated_at``, ``newest``: seconds, for orders and ranges;
- ``id_0``, ``name_0``, …: ten characters each of the folded value as a
  number, for orders (:func:`heads_of`);
- ``terms``: ``KEY=FOLDED`` of each value and ``KEY#NUMBER`` of each number;
- ``has``: ``KEY`` of each field with a value, ``+KEY`` where all are numbers;
- ``words``, ``admin_words``: words anywhere, long texts apart;
- ``texts``: words of the long texts anywhere;
- ``field_words``: words of some fields and of long values, as
  ``KEY=WORD``;
- ``shown``, ``long``: for facets and orders, by key: values as they are
  shown, and folded ones that are too long for that;
- ``numbers``: by key, for statistics;
- ``again``: by :func:`again_key`, values that a document has in several
  fields of one name: ``TIMES``, a zero character and the value.
"""

import functools
import re
import struct
import typing

import tantivy

from orch.search import document as documents

WORDS: typing.Final = "words"
HIDDEN: typing.Final = "hidden"
NUMBERS_ONLY: typing.Final = "+"
HEADS: typing.Final = {"id": 2, "name": 3, "path": 3}
"""How many numbers an order by a field has."""

_LENGTH = 10
_PLAIN_UNITS = {
    character: unit for unit, character in enumerate("-./0123456789", 2)
} | {
    character: unit
    for unit, character in enumerate("_`abcdefghijklmnopqrstuvwxyz", 16)
}
"""Characters that are one unit of 6 bits."""

_PLAIN = re.compile(r"[A-Za-z0-9_.:\-]{1,120}")


def build_schema() -> tantivy.Schema:
    """Return the schema of the index."""
    builder = tantivy.SchemaBuilder()
    builder.add_unsigned_field("number", indexed=True, fast=True)
    builder.add_unsigned_field("current", indexed=True)
    for name in ("valid_from", "valid_to"):
        builder.add_float_field(name, fast=True)
    for name in ("created_at", "updated_at", "newest"):
        builder.add_float_field(name, fast=True)
    for name, count in HEADS.items():
        for place in range(count):
            builder.add_unsigned_field(f"{name}_{place}", fast=True)
    for name in ("terms", "has"):
        builder.add_text_field(
            name,
            fast=name == "has",
            tokenizer_name="raw",
            index_option="basic",
        )
    for name in ("words", "admin_words", "texts", "field_words"):
        builder.add_text_field(
            name, tokenizer_name=WORDS, index_option="position"
        )
    for name in ("shown", "long", "numbers", "again"):
        builder.add_json_field(
            name, fast=True, tokenizer_name="raw", index_option="basic"
        )
    return builder.build()


def register_tokenizer(index: tantivy.Index) -> None:
    """Let words be split at spaces alone: they are prepared before."""
    analyzer = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.whitespace())
    index.register_tokenizer(WORDS, analyzer.build())


@functools.lru_cache(maxsize=4096)
def key_of(field: str, is_admin: bool = False) -> str:
    """Return the key of a field."""
    sign = "a" if is_admin else "u"
    if _PLAIN.fullmatch(field):
        return sign + field.replace(".", "/")
    return f"{sign}~{field.encode('utf-8', 'replace').hex()}"


@functools.lru_cache(maxsize=4096)
def field_of(key: str) -> str:
    """Return the name of the field that has a key."""
    if key[1:2] == "~":
        return bytes.fromhex(key[2:]).decode("utf-8")
    return key[1:].replace("/", ".")


def again_key(name: str, is_admin: bool) -> str:
    """Return the key of what several fields of one name have.

    :param is_admin: fields for administrators are among them
    """
    return key_of(name, is_admin)


def number_form(number: float) -> str:
    """Return 16 digits that are ordered as the numbers are."""
    (bits,) = struct.unpack(">Q", struct.pack(">d", number + 0.0))
    bits = bits ^ (2**64 - 1) if bits >> 63 else bits | 2**63
    return f"{bits:016x}"


def number_of(form: str) -> float:
    """Return the number that has a form."""
    bits = int(form, 16)
    bits = bits ^ 2**63 if bits >> 63 else bits ^ (2**64 - 1)
    found: float = struct.unpack(">d", struct.pack(">Q", bits))[0]
    return found


def heads_of(field: str, folded: str) -> list[int]:
    """Return numbers that are ordered as texts are, as far as they go.

    The last one is odd where the text goes on: only what is even is equal if
    all numbers are.

    :param folded: the value of a field of :data:`HEADS`
    """
    if field == "id":
        kind, _, rest = folded.partition("/")
        if kind in documents.KINDS:
            folded = kind[0] + rest
    length = _LENGTH * HEADS[field]
    units: list[int] = []
    for character in folded[: length + 1]:
        units += _units_of(character)
    found = []
    for first in range(0, length, _LENGTH):
        head = 0
        for unit in units[first : first + _LENGTH]:
            head = head << 6 | unit
        missing = first + _LENGTH - max(first, len(units))
        found.append(head << 6 * max(0, missing))
    found[-1] = found[-1] << 1 | (len(units) > length)
    return found


@functools.lru_cache(maxsize=1024)
def _units_of(character: str) -> tuple[int, ...]:
    """Return a character in units of 6 bits that are ordered as it is."""
    if character in _PLAIN_UNITS:
        return (_PLAIN_UNITS[character],)
    code = ord(character)
    if code < ord("-"):
        return 1, code
    if code < ord("_"):
        return 15, code - ord(":")
    if code < 0x80:
        return 44, code - ord("{")
    return 45, *(code >> shift & 63 for shift in (18, 12, 6, 0))
