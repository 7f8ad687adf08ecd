"""The names of fields that somebody may search, for PostgreSQL to count."""

import collections.abc
import functools
import json
import typing

from orch.search import document as documents
from orch.search.index.postgresql import terms
from orch.search.query import values

TEXT: typing.Final = "text"
NUMERIC: typing.Final = "number"
MOMENT: typing.Final = "moment"


class NameSet(typing.NamedTuple):
    """The fields of a document, the same for many.

    :ivar of_type: the type of the documents that have them
    :ivar names: of each field whether it is for administrators, its name,
        and what its values are
    """

    is_hidden: bool
    kind: str
    of_type: str
    names: tuple[tuple[bool, str, str], ...]

    @property
    def number(self) -> int:
        """Return what stands for it."""
        return _written(self)[0]

    @property
    def text(self) -> str:
        """Return the fields as JSON."""
        return _written(self)[1]


@functools.lru_cache(4096)
def _written(found: NameSet) -> tuple[int, str]:
    """Return the number of a set, and its fields as JSON."""
    text = json.dumps(
        [
            [is_admin, terms.clean(name), type_]
            for is_admin, name, type_ in found.names
        ]
    )
    parts = (found.is_hidden, found.kind, found.of_type, text)
    return terms.number_of_text("\0".join(map(str, parts))), text


def names_of(document: documents.Document) -> NameSet:
    """Return the fields that it has."""
    names = [
        (False, field, TEXT)
        for field in terms.ONE_VALUE
        if getattr(document, field)
    ]
    if document.tags:
        names.append((False, "tags", TEXT))
    for field in values.MOMENTS:
        if getattr(document, field) is not None:
            names.append((False, field, MOMENT))
    for groups, is_admin in ((document.fields, False), (document.admin, True)):
        for field, found in groups.items():
            if found:
                names.append((is_admin, field, type_of(found)))
    for name in document.texts:
        names.append((False, values.TEXT + name, TEXT))
    return NameSet(
        document.is_hidden,
        terms.clean(document.kind),
        terms.clean(document.type),
        tuple(names),
    )


def type_of(found: collections.abc.Sequence[documents.Scalar]) -> str:
    """Return ``number`` where all values are numbers, ``text`` otherwise."""
    for each in found:
        if isinstance(each, str | bool) or not isinstance(each, int | float):
            return TEXT
    return NUMERIC
