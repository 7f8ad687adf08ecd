"""The values that a document has under the name of a field, and their forms.

What a name means stands in :mod:`orch.search.query.nodes`; every index and
the reference matcher go by what is written here. A value that is empty, or
has nothing but spaces, is not there.
"""

import collections.abc
import datetime
import math
import re
import typing

from orch.search import document as documents
from orch.search import tokenizer

MOMENTS: typing.Final = frozenset({"created_at", "updated_at"})

WORDED: typing.Final = frozenset(
    {"name", "path", "reason", "description", "owner"}
)

TEXT: typing.Final = "texts."

NATIVE: typing.Final = frozenset(
    {
        "id",
        "kind",
        "stack_id",
        "root_id",
        "project_id",
        "path",
        "name",
        "type",
        "action",
        "status",
        "reason",
        "description",
        "physical_id",
        "owner",
        "tags",
        "drift",
    }
)

ANYWHERE: typing.Final = (
    "name",
    "path",
    "type",
    "action",
    "status",
    "reason",
    "description",
    "stack_id",
    "physical_id",
    "owner",
    "tags",
    "drift",
)

_NUMBER = re.compile(r"[+-]?[0-9]{1,40}(\.[0-9]{0,40})?([eE][+-]?[0-9]{1,3})?")
_MOMENT = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}"
    r"([T ][0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]{1,9})?)?"
    r"(Z|[+-][0-9]{2}:?[0-9]{2})?)?"
)
_MAX_WHOLE = 1e15

Named: typing.TypeAlias = tuple[str, documents.Scalar]


def is_worded(field: str) -> bool:
    """Return whether words of the value do for a whole value."""
    return field in WORDED or field.startswith(TEXT)


def is_native(field: str) -> bool:
    """Return whether each document has it, whatever it is of."""
    return field in NATIVE or field in MOMENTS or field.startswith(TEXT)


def is_meant(field: str, name: str) -> bool:
    """Return whether a name in a query means this dotted field."""
    return field == name or ("." not in name and field.endswith(f".{name}"))


def text_of(value: documents.Scalar) -> str:
    """Return a value as it is compared and shown: ``true``, ``5``, ``0.5``."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        is_whole = value.is_integer() and abs(value) < _MAX_WHOLE
        return str(int(value)) if is_whole else repr(value)
    return str(value)


def number_of(value: documents.Scalar) -> float | None:
    """Return a value as ranges and statistics take it.

    Numbers, texts that are nothing but a number, and texts that are a date
    or a moment of ISO 8601 (UTC where no zone is named), which are seconds
    since 1970.

    :returns: ``None`` for all else, truth values too
    """
    if isinstance(value, bool):
        return None
    if isinstance(value, str):
        return _number_in(value.strip())
    try:
        found = float(value)
    except OverflowError:
        return None
    return found if math.isfinite(found) else None


def _number_in(text: str) -> float | None:
    if _NUMBER.fullmatch(text):
        found = float(text)
        return found if math.isfinite(found) else None
    return moment_in(text) if _MOMENT.fullmatch(text) else None


def moment_in(text: str) -> float | None:
    """Return a date or a moment as seconds; ``None`` where it is none."""
    try:
        found = datetime.datetime.fromisoformat(text)
        if found.tzinfo is None:
            found = found.replace(tzinfo=datetime.UTC)
        return found.timestamp()
    except (ValueError, OverflowError):
        return None


def find_values(
    document: documents.Document, name: str, is_admin: bool
) -> collections.abc.Iterator[Named]:
    """Return what the document has under a name, with the field of each.

    :param is_admin: fields that are for administrators count too
    """
    if is_native(name):
        yield from _native(document, name)
        return
    for group in _groups(document, is_admin):
        for field, found in group.items():
            if is_meant(field, name):
                yield from _present(field, found)


def find_anywhere(
    document: documents.Document, is_admin: bool
) -> collections.abc.Iterator[Named]:
    """Return each value that a word without a field is looked for in.

    Words that stand next to each other in a query do so in one of the values.
    """
    for name in ANYWHERE:
        yield from _native(document, name)
    for name, text in document.texts.items():
        yield from _present(TEXT + name, (text,))
    for group in _groups(document, is_admin):
        for field, found in group.items():
            yield from _present(field, found)


def _native(
    document: documents.Document, name: str
) -> collections.abc.Iterator[Named]:
    if name.startswith(TEXT):
        text = document.texts.get(name.removeprefix(TEXT), "")
        yield from _present(name, (text,))
        return
    found = getattr(document, name)
    if found is None:
        return
    yield from _present(name, found if name == "tags" else (found,))


def _present(
    field: str, found: collections.abc.Iterable[documents.Scalar]
) -> collections.abc.Iterator[Named]:
    for value in found:
        if not isinstance(value, str) or tokenizer.fold_value(value):
            yield field, value


def _groups(
    document: documents.Document, is_admin: bool
) -> tuple[documents.Fields, ...]:
    if is_admin and document.admin:
        return (document.fields, document.admin)
    return (document.fields,)
