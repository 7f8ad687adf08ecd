"""The names of fields that somebody may search, for PostgreSQL to count."""

import collections.abc
import functools
import typing

from orch.search import document as documents
from orch.search.index import postgresql_rows as rows
from orch.search.query import values

TEXT: typing.Final = "text"
NUMERIC: typing.Final = "number"
MOMENT: typing.Final = "moment"


class Name(typing.NamedTuple):
    """A field that somebody may search."""

    project_id: str
    is_hidden: bool
    kind: str
    is_admin: bool
    name: str
    type: str


@functools.lru_cache(16384)
def number_of_name(name: Name) -> int:
    """Return the number of a field that somebody may search."""
    return rows.number_of_text("\0".join(map(str, name)))


class Names(typing.NamedTuple):
    """What fields a document has, the same for many.

    :ivar names: as the last parts of :class:`Name`
    """

    project_id: str
    is_hidden: bool
    kind: str
    names: tuple[tuple[bool, str, str], ...]

    def each(self) -> collections.abc.Iterator[Name]:
        """Return the fields."""
        for is_admin, name, type_ in self.names:
            yield Name(
                self.project_id,
                self.is_hidden,
                self.kind,
                is_admin,
                rows.clean(name),
                type_,
            )


def names_of(document: documents.Document) -> Names:
    """Return the fields that it has."""
    names = [
        (False, field, TEXT)
        for field in rows.ONE_VALUE
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
    return Names(
        rows.clean(document.project_id),
        document.is_hidden,
        rows.clean(document.kind),
        tuple(names),
    )


def type_of(found: collections.abc.Sequence[documents.Scalar]) -> str:
    """Return ``number`` where all values are numbers, ``text`` otherwise."""
    for each in found:
        if isinstance(each, str | bool) or not isinstance(each, int | float):
            return TEXT
    return NUMERIC
