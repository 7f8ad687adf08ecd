"""What a statement is made of: values, conditions, and where to look.

The inverted index over ``content`` answers a ``tsquery``; what it cannot
answer has to be looked at in each row that is left.
"""

import collections.abc
import dataclasses
import re
import typing

from orch.search.index.postgresql import schema as tables
from orch.search.index.postgresql import terms

PIECES: typing.Final = tables.PIECES.format("d.")
_DETAIL = re.compile(r"\br\.")
_SHAPE = re.compile(r"\bs\.")
NAMED = tables.NAMED.format("r.")


class Values:
    """Collects the values of a statement, each under a name of its own."""

    def __init__(self) -> None:
        self.all: dict[str, object] = {}

    def add(self, value: object) -> str:
        """Return what stands for a value in the statement."""
        name = f"v{len(self.all)}"
        self.all[name] = value
        return f"%({name})s"


@dataclasses.dataclass(frozen=True, slots=True)
class Part:
    """A node, as far as it was understood.

    :ivar pieces: a ``tsquery``: what has to be among the pieces of a row
    :ivar check: SQL that has to hold as well, on the row ``d``, its shape
        ``s`` and its details ``r``
    :ivar is_negative: ``pieces`` only say what must not be there
    """

    pieces: str = ""
    check: str = ""
    is_negative: bool = False

    @property
    def is_indexed(self) -> bool:
        """Return whether the inverted index tells all of it."""
        return bool(self.pieces) and not self.check

    @property
    def positive(self) -> str:
        """Return the pieces so that they name something that is there."""
        if not self.is_negative:
            return self.pieces
        return f"({quoted(terms.EVERY)} & {self.pieces})"

    def sql(self, given: Values) -> str:
        """Return the whole condition."""
        checks = [self.check] if self.check else []
        if self.pieces:
            told = given.add(self.positive)
            checks.insert(0, f"{PIECES} @@ {told}::tsquery")
        return f"({' AND '.join(checks)})" if checks else "TRUE"


def quoted(piece: str, is_prefix: bool = False) -> str:
    """Return a piece as it is written in a ``tsquery``."""
    text = piece.replace("\\", "\\\\").replace("'", "''")
    return f"'{text}'{':*' if is_prefix else ''}"


def source_sql(told: str) -> str:
    """Return documents ``d``, with their shapes and details where needed.

    :param told: SQL that may say something of shapes ``s`` and details ``r``
    """
    source = f"search_documents d{_shapes_sql(told)}"
    if _DETAIL.search(told):
        # With pieces an expression, so that nothing goes through all contents
        # in the order of ids: what that takes the planner does not know. By
        # trigrams details are found first, and then their documents.
        is_guided = PIECES in told and NAMED not in told
        told_id = "(d.id || '')" if is_guided else "d.id"
        source += f" JOIN search_details r ON r.id = {told_id}"
    return source


def near_sql(told: str, few: str) -> str:
    """Return the same of few documents; only their details are looked at.

    :param few: the query of the documents
    """
    source = f"({few}) d{_shapes_sql(told)}"
    if _DETAIL.search(told):
        # With an offset it is no join that could begin with all details.
        source += (
            " CROSS JOIN LATERAL (SELECT * FROM search_details"
            " WHERE id = d.id OFFSET 0) r"
        )
    return source


def _shapes_sql(told: str) -> str:
    if _SHAPE.search(told):
        return " JOIN search_shapes s ON s.number = d.shape"
    return ""


def either(pieces: collections.abc.Iterable[str]) -> str:
    """Return the ``tsquery`` of one of these at least."""
    found = list(pieces)
    return found[0] if len(found) == 1 else f"({' | '.join(found)})"
