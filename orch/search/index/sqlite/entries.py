"""What a document becomes in SQLite: a body, values and words."""

import collections
import collections.abc
import dataclasses
import functools
import operator
import typing

from orch.search import document as documents
from orch.search import tokenizer
from orch.search.index import bodies
from orch.search.index import ordering
from orch.search.index.sqlite import schema
from orch.search.query import values

_NUMERIC = frozenset("0123456789+-")
"""What a number, or a moment, begins with."""

_BREAK = "\u0080"
"""Separates two values, as a word that no query has."""

_SHARED = 32
"""How long a text is, at most, that many documents are likely to have."""


class Value(typing.NamedTuple):
    """A value of a field, as it is looked up.

    :ivar text: as it is shown; empty where that is the folded one
    :ivar number: as ranges take it
    """

    field: str
    is_admin: bool
    folded: str
    text: str
    number: float | None
    form: str


@dataclasses.dataclass(frozen=True, slots=True)
class Entry:
    """What of a document is written besides its body."""

    values: collections.abc.Set[Value]
    columns: tuple[str, ...]


def entry_of(document: documents.Document) -> Entry:
    """Return what is written of a packed document."""
    found: set[Value] = set()
    columns: dict[str, list[str]] = {each: [] for each in schema.COLUMNS}
    for (field, column), given in zip(
        _NATIVE, _native_of(document), strict=True
    ):
        if not given:
            continue
        for text in given if field == "tags" else (given,):
            added = _cached(field, False, text)
            if added:
                found.add(added[0])
                if column:
                    columns[column].append(text)
    for name, text in document.texts.items():
        field = values.TEXT + name
        if tokenizer.fold_value(text):
            number = values.number_of(text)
            number_text = "" if number is None else repr(number)
            found.add(
                Value(field, False, number_text, bodies.LONG, number, "text")
            )
            columns[column_of(field) or "rest"].append(text)
    for group, is_admin in ((document.fields, False), (document.admin, True)):
        column = "admin" if is_admin else "rest"
        for field, several in group.items():
            for value in several:
                added = _cached(field, is_admin, value)
                if added:
                    if not values.is_native(field):
                        found.add(added[0])
                    columns[column].append(added[1])
            if len(several) > 1 and not values.is_native(field):
                found |= _repeated(field, is_admin, several)
    _add_moments(document, found)
    return Entry(found, tuple(map(_words, columns.values())))


def repeated(field: str) -> str:
    """Return the field that has what documents have in a field again.

    No name in a query means it.
    """
    return f"\0repeated {field.encode('utf-8', 'replace').hex()}"


def _repeated(
    field: str,
    is_admin: bool,
    several: collections.abc.Sequence[documents.Scalar],
) -> set[Value]:
    """Return the numbers that a field has more than once.

    A document is in the set of a value or is not, however often it has it:
    before the folded value stands how many times, beside the first one.
    """
    counts = collections.Counter(
        (added[0].folded, added[0].text, added[0].number)
        for value in several
        if (added := _cached(field, is_admin, value))
        and added[0].number is not None
    )
    return {
        Value(
            repeated(field),
            is_admin,
            f"{count - 1} {folded}",
            text,
            number,
            "number",
        )
        for (folded, text, number), count in counts.items()
        if count > 1
    }


def column_of(field: str) -> str | None:
    """Return the column that has all words of a field and no others.

    ``rest`` is none such: :data:`orch.search.query.values.ANYWHERE` says
    whether it has them; ``None`` where no column has the words.
    """
    if field in schema.COLUMNS[:7]:
        return field
    if field.startswith(values.TEXT):
        name = field.removeprefix(values.TEXT)
        return name if name in ("template", "events") else "rest"
    return "rest" if field in values.ANYWHERE else None


_NATIVE = tuple((field, column_of(field)) for field in sorted(values.NATIVE))
_native_of = operator.attrgetter(*(field for field, _ in _NATIVE))


def _cached(
    field: str, is_admin: bool, value: documents.Scalar
) -> tuple[Value, str] | None:
    if isinstance(value, str) and len(value) > _SHARED:
        return _value(field, is_admin, value)
    return _shared_value(field, is_admin, value)


@functools.lru_cache(maxsize=1024, typed=True)
def _shared_value(
    field: str, is_admin: bool, value: documents.Scalar
) -> tuple[Value, str] | None:
    """Return what many documents may have; it is worked out once."""
    return _value(field, is_admin, value)


def _value(
    field: str, is_admin: bool, value: documents.Scalar
) -> tuple[Value, str] | None:
    text = values.text_of(value)
    folded, is_long = bodies.folded_of(text)
    if not folded:
        return None
    shown = bodies.LONG if is_long else "" if folded == text else text
    number = values.number_of(value) if folded[0] in _NUMERIC else None
    is_number = not isinstance(value, str | bool)
    form = "number" if is_number else "text"
    return Value(field, is_admin, folded, shown, number, form), text


def _add_moments(document: documents.Document, found: set[Value]) -> None:
    newest = document.created_at
    for field in ("created_at", "updated_at"):
        moment = getattr(document, field)
        if moment is not None:
            newest = moment
            found.add(_moment(field, moment))
    if newest is not None:
        found.add(_moment(ordering.NEWEST, newest))


def _moment(field: str, moment: float) -> Value:
    return Value(field, False, repr(moment), "", moment, "moment")


def _words(texts: list[str]) -> str:
    """Return the words of several texts, with breaks between these."""
    return f" {_BREAK} ".join(map(_joined, texts))


def _joined(text: str) -> str:
    return " ".join(tokenizer.split_words(text))
