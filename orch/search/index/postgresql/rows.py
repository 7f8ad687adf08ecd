"""What a document becomes in PostgreSQL: a row, and a shape.

What stands in ``content`` tells :mod:`orch.search.index.postgresql.terms`.
"""

import functools
import operator
import re
import typing

import orjson

from orch.search import document as documents
from orch.search import tokenizer
from orch.search.index import ordering
from orch.search.index.postgresql import schema as tables
from orch.search.index.postgresql import terms
from orch.search.index.postgresql import tokens as cutting
from orch.search.query import values

_values_of = operator.attrgetter(*terms.ONE_VALUE)
_NUMERIC = "0123456789+-.:etz "
"""All signs that a number or a moment may have, as it is compared."""
_UNKEPT = re.compile(r"[\x00\ud800-\udfff]")
_LONGEST_CACHED = 80
# PostgreSQL takes 1 MiB of pieces.
_MOST_BYTES = 700_000
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

    def folded(self) -> dict[str, str | list[str]]:
        """Return its values as they are compared, and its ``tags``."""
        tags = orjson.loads(self.tags)
        return {
            **{
                name: tokenizer.fold_value(getattr(self, name))
                for name in terms.SHAPED
            },
            "tags": [tokenizer.fold_value(each) for each in tags],
        }


_number_of_owner = functools.lru_cache(4096)(terms.number_of_text)


@functools.lru_cache(4096)
def _number_of_shape(shape: Shape) -> int:
    return terms.number_of_text("\0".join(map(str, shape)))


def shape_of(document: documents.Document) -> Shape:
    """Return the shape of a document."""
    return Shape(
        document.is_hidden,
        terms.clean(document.kind),
        terms.clean(document.type),
        terms.clean(document.action),
        terms.clean(document.status),
        terms.clean(document.drift),
        _tags_of(document.tags) if document.tags else "[]",
    )


@functools.lru_cache(4096)
def _tags_of(tags: tuple[str, ...]) -> str:
    """Return different tags as JSON, in their order."""
    told = {terms.clean(each) for each in tags if tokenizer.fold_value(each)}
    return orjson.dumps(sorted(told)).decode()


def digest_of(body: str) -> int:
    """Return a number that differs where bodies do."""
    return terms.number_of_text(body)


def _fold_of(text: str, whole: str) -> tuple[str, str] | None:
    """Return what a value is ordered as, where PostgreSQL cannot tell.

    It makes small letters of those of ASCII, and no more, in every locale.

    :returns: the beginnings of the value and of what it is as compared
    """
    if text.isascii() or _UNKEPT.search(text):
        return None
    if text.strip().encode().lower().decode() == whole:
        return None
    return text[: ordering.MAX_KEY_LENGTH], whole[: ordering.MAX_KEY_LENGTH]


class Content:
    """Collects the pieces of one document, and the numbers in it.

    :ivar numbers: by :func:`number_key_of`
    :ivar folds: see ``FOLDS``
    """

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._pieces: list[str] = [terms.EVERY]
        self._left = _MOST_BYTES
        self.numbers: dict[str, list[float]] = {}
        self.folds: dict[str, str] = {}

    def text(self) -> str:
        """Return all pieces."""
        signs = tables.BREAK.join((terms.VALUE, *dict.fromkeys(self._pieces)))
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
            key = terms.number_key_of(field, is_admin)
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
        *terms.ends_of_term(field, is_admin),
        terms.mark_of(field, is_admin, False),
        terms.number_mark_of(field, is_admin, False),
    )


def _told(
    field: str, value: documents.Scalar, is_admin: bool, room: int
) -> _Told | None:
    text = values.text_of(value)
    whole = tokenizer.fold_value(text)
    if not whole:
        return None
    known = _field(field, is_admin)
    pieces = [f"{terms.TERM}{terms.letters(known.lead, whole)}{known.end}"]
    number = None if whole.strip(_NUMERIC) else values.number_of(value)
    if number is not None:
        pieces.append(known.number_mark)
    fold = _fold_of(text, whole)
    if field in terms.TERMS_ONLY:
        return _Told("", pieces, number, 0, fold)
    width = 1 if whole.isascii() else 4
    if field in terms.FAST:
        room = min(room, _MOST_BYTES_TWICE)
    text = terms.without_signs(whole[: max(0, room) // width])
    if field in terms.FAST:
        named = f"{terms.WORD_OF}{field}="
        pieces += [
            named + each[: tokenizer.MAX_WORD_LENGTH]
            for each in tokenizer.find_words(text)
        ]
    sign = terms.WORD_ADMIN if is_admin else terms.WORD
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
        content.add_sign(terms.HIDDEN)
    for field, value in zip(
        terms.ONE_VALUE, _values_of(document), strict=True
    ):
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
        numbers[terms.FOLDS] = content.folds
    whole = f"{content.text()}{terms.BODY}{body}"
    document_id = _escaped(terms.clean(document.id))
    searched = (
        document_id,
        str(shape_of(document).number),
        str(_number_of_owner(terms.clean(document.project_id))),
        str(_number_of_owner(terms.clean(document.owner))),
        _NULL if document.created_at is None else repr(document.created_at),
        _NULL if document.updated_at is None else repr(document.updated_at),
        _escaped(whole.ljust(tables.OUT_OF_LINE)),
    )
    details = (
        document_id,
        str(digest),
        repr(read_at),
        _escaped(terms.clean(group_id)),
        _escaped(terms.folded(document.name)),
        _escaped(terms.folded(document.path)),
        _escaped(terms.folded(document.physical_id)),
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
