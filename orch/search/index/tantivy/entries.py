"""What of a document is written to Tantivy."""

import collections
import functools
import operator
import typing

import tantivy

from orch.search import document as documents
from orch.search import tokenizer
from orch.search.index import bodies
from orch.search.index.tantivy import layout
from orch.search.query import values

_NUMERIC = frozenset("0123456789+-")
_SHARED = 40
_WORDED = values.WORDED | {"type", "tags"}

_NATIVE = tuple(sorted(values.NATIVE))
_NATIVE_KEYS = frozenset(layout.key_of(each)[1:] for each in _NATIVE)
_native_of = operator.attrgetter(*_NATIVE)
_ANYWHERE = frozenset(values.ANYWHERE)


_ByKey: typing.TypeAlias = dict[str, list[typing.Any]]
_BY_KEY = ("shown", "long", "numbers")


class _Value(typing.NamedTuple):
    """One value of a field, in the forms that are written.

    :ivar shown: as facets show it; empty where it is too long for them
    :ivar field_words: its words with the key; empty where the term says them
    """

    key: str
    terms: tuple[str, ...]
    folded: str
    shown: str
    words: str
    field_words: str
    number: float | None
    is_text: bool


def entry_of(
    document: documents.Document,
    number: int,
    valid_from: float,
    valid_to: float | None,
) -> tantivy.Document:
    """Return a document as :func:`bodies.pack` returned it, for Tantivy."""
    writer = _Entry()
    for field, given in zip(_NATIVE, _native_of(document), strict=True):
        if given:
            for text in given if field == "tags" else (given,):
                writer.add(field, text, False, field in _ANYWHERE)
    for name, text in document.texts.items():
        writer.add_text(values.TEXT + name, text)
    for group, is_admin in ((document.fields, False), (document.admin, True)):
        for field, several in group.items():
            is_known = not values.is_native(field)
            for value in several:
                writer.add(field, value, is_admin, True, is_known)
    entry = writer.finish()
    newest = document.created_at
    for field in ("created_at", "updated_at"):
        moment = getattr(document, field)
        if moment is not None:
            newest = moment
            entry.add_float(field, moment)
            entry.add_text("has", layout.key_of(field))
    if newest is not None:
        entry.add_float("newest", newest)
    for field in layout.HEADS:
        folded = tokenizer.fold_case(getattr(document, field))
        if folded:
            heads = layout.heads_of(field, folded)
            for place, head in enumerate(heads):
                entry.add_unsigned(f"{field}_{place}", head)
    if document.is_hidden:
        entry.add_text("terms", layout.HIDDEN)
    entry.add_unsigned("number", number)
    entry.add_unsigned("current", int(valid_to is None))
    entry.add_float("valid_from", valid_from)
    entry.add_float("valid_to", float("inf") if valid_to is None else valid_to)
    return entry


class _Entry:
    """Collects the values of one document."""

    def __init__(self) -> None:
        self._entry = tantivy.Document()
        self._terms: set[str] = set()
        self._has: dict[str, bool] = {}
        self._found: tuple[_ByKey, _ByKey, _ByKey] = ({}, {}, {})

    def add(
        self,
        field: str,
        value: documents.Scalar,
        is_admin: bool,
        is_anywhere: bool,
        is_known: bool = True,
    ) -> None:
        """Add a value of a field.

        :param is_anywhere: its words are found without the field
        :param is_known: the field itself can be named in a query
        """
        if isinstance(value, str) and len(value) > _SHARED:
            found = _value(field, is_admin, value)
        else:
            found = _shared_value(field, is_admin, value)
        if found is None:
            return
        key, terms, folded, shown, words, field_words, number, is_text = found
        if is_anywhere and words:
            self._entry.add_text("admin_words" if is_admin else "words", words)
        if not is_known:
            return
        self._terms.update(terms)
        if field_words:
            self._entry.add_text("field_words", field_words)
        self._has[key] = is_text or self._has.get(key, False)
        short, long, numbers = self._found
        if shown:
            short.setdefault(key, []).append(shown)
        else:
            long.setdefault(key, []).append(folded)
        if number is not None:
            numbers.setdefault(key, []).append(number)

    def add_text(self, field: str, text: str) -> None:
        """Add a long text: it has words, and no terms."""
        if not tokenizer.fold_case(text):
            return
        key = layout.key_of(field)
        self._has[key] = True
        number = values.number_of(text)
        if number is not None:
            self._terms.add(f"{key}#{layout.number_form(number)}")
            self._found[2].setdefault(key, []).append(number)
        found = tokenizer.split_words(text)
        self._entry.add_text("texts", " ".join(found))
        mark = f" {key}="
        self._entry.add_text("field_words", mark + mark.join(found))

    def finish(self) -> tantivy.Document:
        """Return all that was added."""
        entry = self._entry
        for term in self._terms:
            entry.add_text("terms", term)
        for key, is_text in self._has.items():
            entry.add_text("has", key)
            if not is_text:
                entry.add_text("has", layout.NUMBERS_ONLY + key)
        if again := _again(self._found[0]):
            entry.add_json("again", again)
        for name, found in zip(_BY_KEY, self._found, strict=True):
            if found:
                entry.add_json(name, found)
        return entry


def _again(shown: _ByKey) -> _ByKey:
    """Return what several fields have that one name in a query means."""
    found: _ByKey = {}
    names: dict[str, list[str]] = {}
    for key in shown:
        if key[1:] in _NATIVE_KEYS:
            continue
        field = layout.field_of(key)
        names.setdefault(field.rpartition(".")[2], []).append(key)
        if key[0] == "a" and "." in field and f"u{key[1:]}" in shown:
            names[field] = [key, f"u{key[1:]}"]
    for name, keys in names.items():
        if len(keys) == 1:
            continue
        for is_admin in (False, True):
            counts = collections.Counter(
                text
                for key in keys
                if is_admin or key[0] == "u"
                for text in set(shown[key])
            )
            repeated = [
                f"{times}\0{text}"
                for text, count in counts.items()
                for times in range(1, count)
            ]
            if repeated:
                found[layout.again_key(name, is_admin)] = repeated
    return found


def has_words(field: str) -> bool:
    """Whether the words of each value are written with the field.

    Of other fields those of long values are, and of none else: few queries
    ask for them, and the terms say what they are.
    """
    return field in _WORDED or field.startswith(values.TEXT)


@functools.lru_cache(maxsize=4096, typed=True)
def _shared_value(
    field: str, is_admin: bool, value: documents.Scalar
) -> _Value | None:
    """Return what many documents may have; it is worked out once."""
    return _value(field, is_admin, value)


def _value(
    field: str, is_admin: bool, value: documents.Scalar
) -> _Value | None:
    text = values.text_of(value)
    folded, is_long = bodies.folded_of(text)
    if not folded:
        return None
    key = layout.key_of(field, is_admin)
    number = values.number_of(value) if folded[0] in _NUMERIC else None
    terms = [f"{key}={folded}"]
    if number is not None:
        terms.append(f"{key}#{layout.number_form(number)}")
    found = tokenizer.split_words(text)
    field_words = ""
    if found and (is_long or has_words(field)):
        mark = f"{key}="
        field_words = mark + f" {mark}".join(found)
    return _Value(
        key,
        tuple(terms),
        folded,
        "" if is_long else text,
        " ".join(found),
        field_words,
        number,
        isinstance(value, str | bool),
    )
