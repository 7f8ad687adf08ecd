"""What a document becomes in SQLite: values and words."""

import collections
import collections.abc
import operator
import re
import typing

from orch.search import document as documents
from orch.search import tokenizer
from orch.search.index import bodies
from orch.search.index.sqlite import schema
from orch.search.query import values

_NUMERIC = frozenset("0123456789+-")
"""What a number, or a moment, begins with."""

_BREAK = " \u0080 "
"""Separates two values, as a word that no query has."""

_TOO_LONG = re.compile(f"[0-9A-Za-z]{{{tokenizer.MAX_WORD_LENGTH + 1}}}")

Scalars: typing.TypeAlias = collections.abc.Sequence[documents.Scalar]


class Value(typing.NamedTuple):
    """A value of a field, as it is looked up.

    :ivar text: as it is shown; empty where that is the folded one
    :ivar number: as ranges take it
    """

    folded: str
    text: str
    number: float | None
    form: str


def distinct_values(several: Scalars) -> list[Value]:
    """Return what a document has in a field, each value once."""
    if len(several) == 1:
        found = make_value(several[0])
        return [found] if found else []
    return list(
        {
            (found.folded, found.text): found
            for value in several
            if (found := make_value(value))
        }.values()
    )


def repeated_values(several: Scalars) -> list[Value]:
    """Return the numbers that a document has in a field more than once.

    A document is in the set of a value or is not, however often it has it:
    before the folded value is how many times, beside the first one.
    """
    counts = collections.Counter(
        (found.folded, found.text, found.number)
        for value in several
        if (found := make_value(value)) and found.number is not None
    )
    return [
        Value(f"{count - 1} {folded}", text, number, "number")
        for (folded, text, number), count in counts.items()
        if count > 1
    ]


def make_value(value: documents.Scalar) -> Value | None:
    """Return a value as it is looked up; ``None`` where it is empty."""
    text = value if isinstance(value, str) else values.text_of(value)
    folded, is_long = bodies.folded_of(text)
    if not folded:
        return None
    shown = bodies.LONG if is_long else "" if folded == text else text
    number = values.number_of(value) if folded[0] in _NUMERIC else None
    is_number = not isinstance(value, str | bool)
    return Value(folded, shown, number, "number" if is_number else "text")


def text_value(text: str) -> Value | None:
    """Return what is looked up of a long text; ``None`` of an empty one."""
    if not tokenizer.fold_value(text):
        return None
    number = values.number_of(text)
    folded = "" if number is None else repr(number)
    return Value(folded, bodies.LONG, number, "text")


def moment_value(moment: float) -> Value:
    """Return a moment as it is looked up."""
    return Value(repr(moment), "", moment, "moment")


def repeated(field: str) -> str:
    """Return the field that has what documents have in a field again.

    No name in a query means it.
    """
    return f"\0repeated {field.encode('utf-8', 'replace').hex()}"


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


_rest_of = operator.attrgetter(
    *(field for field in sorted(values.NATIVE) if column_of(field) == "rest")
)


def words_of(document: documents.Document) -> tuple[str, ...]:
    """Return the texts of a document for FTS5, by :data:`schema.COLUMNS`."""
    rest: list[str] = list(filter(None, _rest_of(document)))
    texts = {"template": "", "events": ""}
    for name, text in document.texts.items():
        if name in texts:
            texts[name] = _words(text)
        else:
            rest.append(text)
    for several in document.fields.values():
        rest += map(values.text_of, several)
    admin = [
        values.text_of(value)
        for several in document.admin.values()
        for value in several
    ]
    return (
        _words(document.name),
        _words(document.path),
        _words(document.type),
        _BREAK.join(map(_words, document.tags)),
        _words(document.owner),
        _words(document.reason),
        _words(document.description),
        texts["template"],
        texts["events"],
        _BREAK.join(map(_words, rest)),
        _BREAK.join(map(_words, admin)),
    )


def _words(text: str) -> str:
    """Return a text of which FTS5 makes the words that queries have.

    Of ASCII its tokenizer makes the same as ours, but for long words.
    """
    if text.isascii() and (
        len(text) <= tokenizer.MAX_WORD_LENGTH or not _TOO_LONG.search(text)
    ):
        return text
    return " ".join(tokenizer.split_words(text))
