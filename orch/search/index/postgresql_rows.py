"""What a document becomes in PostgreSQL: a row, and a shape.

``content`` holds the values that words are looked for in, once, cut into
pieces with :data:`orch.search.index.postgresql_tables.BREAK` between them:

* the mark of a field before each value of it (:func:`mark_of`), so that a
  value ends where the next one begins;
* ``WORD`` and a word, for each word of a value, in its place;
* what stands between words, and what is left of a word that is too long
  (:mod:`orch.search.index.postgresql_cutting`);
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
import operator
import re
import typing

import orjson

from orch.search import document as documents
from orch.search import words
from orch.search.index import ordering
from orch.search.index import postgresql_cutting as cutting
from orch.search.index import postgresql_tables as tables
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

_values_of = operator.attrgetter(*ONE_VALUE)

_NUMERIC = "0123456789+-.:etz "
"""All signs that a number or a moment may have, as it is compared."""


_WORD = re.compile(r"[^\W_]+")
_SIGNS = re.compile(r"[\x00-\x1f\ud800-\udfff]")
_SPACES = dict.fromkeys(range(0x20), " ")
_UNKEPT = re.compile(r"[\x00\ud800-\udfff]")
_LONGEST_CACHED = 80
# PostgreSQL takes 1 MiB of pieces.
_MOST_BYTES = 700_000
_BYTES_OF_TERM = 6
_NAME_LETTERS = 5
_TAG_LETTERS = 3
_MOST_BYTES_TWICE = 50_000
_BYTES_OF_VALUE = 80

_NULL: typing.Final = r"\N"


class Shape(typing.NamedTuple):
    """What a document has in common with many; see the tables."""

    is_hidden: bool
    kind: str
    type: str
    action: str
    status: str
    drift: str
    tags: str

    @property
    def number(self) -> int:
        """Return the number that documents name it by."""
        return _number_of_shape(self)

    def folded(self) -> dict[str, str]:
        """Return its values as they are compared."""
        return {name: words.fold(getattr(self, name)) for name in SHAPED}


def number_of_text(text: str) -> int:
    """Return a number, of 63 bits, that stands for a text."""
    digest = hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=8)
    return int.from_bytes(digest.digest()) >> 1


_number_of_owner = functools.lru_cache(4096)(number_of_text)


@functools.lru_cache(4096)
def _number_of_shape(shape: Shape) -> int:
    return number_of_text("\0".join(map(str, shape)))


def shape_of(document: documents.Document) -> Shape:
    """Return the shape of a document."""
    return Shape(
        document.is_hidden,
        clean(document.kind),
        clean(document.type),
        clean(document.action),
        clean(document.status),
        clean(document.drift),
        _tags_of(document.tags) if document.tags else "[]",
    )


@functools.lru_cache(4096)
def _tags_of(tags: tuple[str, ...]) -> str:
    """Return different tags as JSON, in their order."""
    told = {clean(each) for each in tags if words.fold(each)}
    return orjson.dumps(sorted(told)).decode()


def clean(text: str) -> str:
    """Return text without what PostgreSQL or ``content`` has no place for."""
    if text.isprintable():
        return text
    return _SIGNS.sub("\ufffd", text)


def folded(text: str) -> str:
    """Return a whole value as it is compared, without signs of ``content``."""
    return _without_signs(words.fold(text))


def _without_signs(text: str) -> str:
    if text.isprintable():
        return text
    if text.isascii():
        return text.translate(_SPACES)
    return _SIGNS.sub(" ", text)


def digest_of(body: str) -> int:
    """Return a number that differs where bodies do."""
    return number_of_text(body)


def term(field: str, value: str, is_admin: bool, is_last: bool) -> str:
    """Return the piece that a whole value of a field is.

    :param is_last: the field is a name without a dot: what is returned is the
        start of all pieces that it means
    """
    lead, end = _ends_of_term(field, is_admin)
    found = _letters(lead, words.fold(value))
    return f"{TERM}{found}" if is_last else f"{TERM}{found}{end}"


def _ends_of_term(field: str, is_admin: bool) -> tuple[str, str]:
    """Return what leads the value of a field, and what ends its piece."""
    native = values.is_native(field)
    last = field if native else field.rpartition(".")[2]
    lead = ADMIN + last if is_admin else last
    if native:
        return lead, ""
    return lead, _letters("before", field[: -len(last)])[:_TAG_LETTERS]


def _letters(lead: str, whole: str) -> str:
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
        return f"{sign}{_letters('native', field)[:_NAME_LETTERS]}"
    before, _, last = field.rpartition(".")
    start = f"{sign}{_letters('last', last)[:_NAME_LETTERS]}"
    if is_last:
        return start
    return f"{start}{_letters('before', before)[:_NAME_LETTERS]}"


def number_mark_of(field: str, is_admin: bool, is_last: bool) -> str:
    """Return the piece that says that a field has a number."""
    return NUMBER + mark_of(field, is_admin, is_last)


def number_key_of(field: str, is_admin: bool) -> str:
    """Return what the numbers of a field are kept under."""
    return f"{'!' if is_admin else '.'}{clean(field)}"


def _fold_of(text: str, whole: str) -> tuple[str, str] | None:
    """Return what a value is ordered as, where PostgreSQL cannot tell.

    It makes small letters of those of ASCII, and no more, in every locale.

    :returns: the beginnings of the value and of what it is as compared
    """
    if text.isascii() or _UNKEPT.search(text):
        return None
    if text.strip().encode().lower().decode() == whole:
        return None
    return text[: ordering.LONGEST], whole[: ordering.LONGEST]


class Content:
    """Collects the pieces of one document, and the numbers in it.

    :ivar numbers: by :func:`number_key_of`
    :ivar folds: see ``FOLDS``
    """

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._pieces: list[str] = [EVERY]
        self._left = _MOST_BYTES
        self.numbers: dict[str, list[float]] = {}
        self.folds: dict[str, str] = {}

    def text(self) -> str:
        """Return all pieces."""
        signs = tables.BREAK.join((VALUE, *dict.fromkeys(self._pieces)))
        return f"{''.join(self._parts)}{signs}"

    def add_sign(self, sign: str) -> None:
        """Add a piece of its own."""
        self._pieces.append(sign)

    def add(self, field: str, value: documents.Scalar, is_admin: bool) -> None:
        """Add a value, as long as there is room; an empty one is none."""
        if isinstance(value, str) and len(value) > _LONGEST_CACHED:
            told = _told(field, value, is_admin, self._left)
        else:
            told = _cached_told(field, value, is_admin)
        if told is None:
            return
        self._left -= _BYTES_OF_VALUE
        if self._left <= 0:
            return
        self._left -= told.size
        self._parts.append(told.words)
        self._pieces += told.pieces
        if told.fold is not None:
            self.folds.update([told.fold])
        if told.number is not None:
            key = number_key_of(field, is_admin)
            self.numbers.setdefault(key, []).append(told.number)


class _Told(typing.NamedTuple):
    """What one value adds to the content.

    :ivar words: its mark and its words, where they stand
    :ivar pieces: that stand at the end
    :ivar size: bytes of its words at most
    :ivar fold: what it is ordered as, if that has to be kept
    """

    words: str
    pieces: list[str]
    number: float | None
    size: int
    fold: tuple[str, str] | None


class _Field(typing.NamedTuple):
    """What is the same for all values of a field.

    :ivar lead: what their terms are made with
    :ivar end: of their terms
    """

    lead: str
    end: str
    mark: str
    number_mark: str


@functools.lru_cache(4096)
def _field(field: str, is_admin: bool) -> _Field:
    return _Field(
        *_ends_of_term(field, is_admin),
        mark_of(field, is_admin, False),
        number_mark_of(field, is_admin, False),
    )


def _told(
    field: str, value: documents.Scalar, is_admin: bool, room: int
) -> _Told | None:
    text = values.text_of(value)
    whole = words.fold(text)
    if not whole:
        return None
    known = _field(field, is_admin)
    pieces = [f"{TERM}{_letters(known.lead, whole)}{known.end}"]
    number = None if whole.strip(_NUMERIC) else values.number_of(value)
    if number is not None:
        pieces.append(known.number_mark)
    fold = _fold_of(text, whole)
    if field in TERMS_ONLY:
        return _Told("", pieces, number, 0, fold)
    width = 1 if text.isascii() else 4
    if field in FAST:
        room = min(room, _MOST_BYTES_TWICE)
    if width * len(text) <= room:
        text = _without_signs(whole)
    else:
        text = folded(text[: max(0, room) // width])
    if field in FAST:
        named = f"{WORD_OF}{field}="
        pieces += [
            named + each[: words.LONGEST] for each in _WORD.findall(text)
        ]
    sign = WORD_ADMIN if is_admin else WORD
    found = known.mark + cutting.cut(text, sign)
    return _Told(found, pieces, number, width * len(text), fold)


@functools.lru_cache(8192, typed=True)
def _cached_told(
    field: str, value: documents.Scalar, is_admin: bool
) -> _Told | None:
    return _told(field, value, is_admin, _MOST_BYTES)


def content_of(document: documents.Document) -> Content:
    """Return the content of a document."""
    content = Content()
    add = content.add
    if document.is_hidden:
        content.add_sign(HIDDEN)
    for field, value in zip(ONE_VALUE, _values_of(document), strict=True):
        if value:
            add(field, value, False)
    for value in document.tags:
        add("tags", value, False)
    for groups, is_admin in ((document.fields, False), (document.admin, True)):
        for field, found in groups.items():
            for each in found:
                add(field, each, is_admin)
    for name, text in document.texts.items():
        add(values.TEXT + name, text, False)
    return content


class Row(typing.NamedTuple):
    """A document as COPY reads it.

    :ivar searched: its line of ``search_documents``
    :ivar details: its line of ``search_details``
    """

    searched: str
    details: str


def row_of(
    document: documents.Document,
    group_id: str,
    read_at: float,
    body: str,
    digest: int,
) -> Row:
    """Return the row of a document."""
    content = content_of(document)
    numbers: dict[str, object] = {**content.numbers}
    if content.folds:
        numbers[FOLDS] = content.folds
    whole = f"{content.text()}{BODY}{body}"
    document_id = _escaped(clean(document.id))
    searched = (
        document_id,
        str(shape_of(document).number),
        str(_number_of_owner(clean(document.project_id))),
        str(_number_of_owner(clean(document.owner))),
        _NULL if document.created_at is None else repr(document.created_at),
        _NULL if document.updated_at is None else repr(document.updated_at),
        _escaped(whole.ljust(tables.OUT_OF_LINE)),
    )
    details = (
        document_id,
        str(digest),
        repr(read_at),
        _escaped(clean(group_id)),
        _escaped(folded(document.name)),
        _escaped(folded(document.path)),
        _escaped(folded(document.physical_id)),
        _escaped(orjson.dumps(numbers).decode()) if numbers else _NULL,
    )
    return Row("\t".join(searched) + "\n", "\t".join(details) + "\n")


def _escaped(text: str) -> str:
    if text.isprintable() and "\\" not in text:
        return text
    return (
        text.replace("\\", r"\\")
        .replace("\t", r"\t")
        .replace("\n", r"\n")
        .replace("\r", r"\r")
    )
