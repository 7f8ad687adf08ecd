"""Writes documents, marks and texts into rows, and reads what changed.

Every write locks the row of :data:`tables.STATE` first and takes the next
position. So positions are committed in their order, and who has read up to
one has missed nothing before it.
"""

import collections.abc
import dataclasses
import json
import time
import typing
import uuid

import sqlalchemy as sa

from orch import clock
from orch import errors
from orch.db import engine
from orch.db import rows as db_rows
from orch.search import document as documents
from orch.search.index import bodies
from orch.search.index import formats
from orch.search.index import port
from orch.search.index.tantivy import tables

_PAGE: typing.Final = 500
_FORGOTTEN_AT_ONCE: typing.Final = 500
_MAX_DELETED: typing.Final = 100_000
_STATE = tables.STATE.c
_STACK = tables.STACKS.c
_DOC = tables.DOCUMENTS.c
_DELETED = tables.DELETED.c


@dataclasses.dataclass(frozen=True, slots=True)
class State:
    """How far the rows are; see :data:`tables.STATE`."""

    generation: str = ""
    position: int = 0
    refill_below: int = 0


@dataclasses.dataclass(frozen=True, slots=True)
class Version:
    """A state of a document.

    :ivar body: as :func:`bodies.compress` returned it
    """

    number: int
    position: int
    valid_from: float
    valid_to: float | None
    body: bytes


def find_format(connection: sa.Connection) -> int | None:
    """Return the format of the tables; ``None`` where there are none."""
    if not sa.inspect(connection).has_table(tables.STATE.name):
        return None
    found = connection.scalar(sa.select(_STATE.format))
    return None if found is None else int(found)


def prepare(connection: sa.Connection, place: str) -> None:
    """Create the tables; replace those of an older format.

    :raises formats.NewerFormat: a newer release has made them
    """
    found = find_format(connection)
    formats.IndexState(place, found, tables.FORMAT).check_not_newer()
    if found == tables.FORMAT:
        return
    tables.drop_all(connection)
    tables.create_all(connection)
    connection.execute(
        sa.insert(tables.STATE).values(
            id=1,
            format=tables.FORMAT,
            generation=uuid.uuid4().hex,
            position=0,
            next_number=1,
            refill_below=0,
        )
    )


def read_state(connection: sa.Connection) -> State:
    """Return how far the rows are."""
    row = connection.execute(
        sa.select(
            _STATE.generation,
            _STATE.position,
            _STATE.refill_below,
        )
    ).one()
    return State(*row)


def _begin(connection: sa.Connection) -> int:
    """Lock the state and return the next position."""
    connection.execute(
        sa.update(tables.STATE).values(position=_STATE.position + 1)
    )
    return int(connection.execute(sa.select(_STATE.position)).scalar_one())


class _Replacement:
    """Replaces the documents of stacks, in one transaction."""

    def __init__(self, connection: sa.Connection) -> None:
        self._connection = connection
        self._position = _begin(connection)
        self._next = int(
            connection.execute(sa.select(_STATE.next_number)).scalar_one()
        )
        self._added: list[db_rows.Row] = []
        self._closed: list[db_rows.Row] = []
        self._stacks: list[db_rows.Row] = []
        self.fresh: dict[int, documents.Document] = {}

    def replace(self, changes: dict[str, documents.StackDocuments]) -> int:
        """Replace what is older; return how many stacks that were."""
        count = 0
        ids = sorted(changes)
        for first in range(0, len(ids), _PAGE):
            page = ids[first : first + _PAGE]
            stacks, former = self._known(page)
            for stack_id in page:
                change, known = changes[stack_id], stacks.get(stack_id)
                if known and (change.version, change.read_at) <= known[:2]:
                    continue
                count += 1
                self._replace(change, known, former.get(stack_id, {}))
        self._finish()
        return count

    def _known(
        self, ids: list[str]
    ) -> tuple[
        dict[str, tuple[int, float, frozenset[str]]],
        dict[str, dict[str, tuple[int, bytes, float]]],
    ]:
        stacks = {
            row.stack_id: (
                row.version,
                row.read_at,
                frozenset(json.loads(row.redacted)),
            )
            for row in self._connection.execute(
                sa.select(tables.STACKS).where(_STACK.stack_id.in_(ids))
            )
        }
        former: dict[str, dict[str, tuple[int, bytes, float]]] = {}
        if stacks:
            for row in self._connection.execute(
                sa.select(
                    _DOC.number,
                    _DOC.stack_id,
                    _DOC.id,
                    _DOC.digest,
                    _DOC.valid_from,
                ).where(
                    _DOC.stack_id.in_(list(stacks)), _DOC.valid_to.is_(None)
                )
            ):
                former.setdefault(row.stack_id, {})[row.id] = (
                    row.number,
                    bytes(row.digest),
                    row.valid_from,
                )
        return stacks, former

    def _replace(
        self,
        change: documents.StackDocuments,
        known: tuple[int, float, frozenset[str]] | None,
        former: dict[str, tuple[int, bytes, float]],
    ) -> None:
        text_bytes = 0
        unique = {each.id: each for each in change.documents}
        for each in unique.values():
            document, body = bodies.pack(each)
            text_bytes += len(body)
            digest = bodies.digest(body)
            held = former.get(document.id)
            if held and held[1] == digest:
                del former[document.id]
            else:
                self._add(change, document, body, digest)
        if known and not change.redacted <= known[2]:
            self._purge(change.stack_id, former)
        else:
            self._closed += [
                {
                    "old": number,
                    "valid_to": max(change.read_at, valid_from),
                    "position": self._position,
                }
                for number, _, valid_from in former.values()
            ]
        self._stacks.append(
            {
                "stack_id": change.stack_id,
                "version": change.version,
                "read_at": change.read_at,
                "documents": len(unique),
                "text_bytes": text_bytes,
                "redacted": json.dumps(sorted(change.redacted)),
            }
        )

    def _add(
        self,
        change: documents.StackDocuments,
        document: documents.Document,
        body: bytes,
        digest: bytes,
    ) -> None:
        self._added.append(
            {
                "number": self._next,
                "position": self._position,
                "stack_id": change.stack_id,
                "id": document.id,
                "digest": digest,
                "valid_from": change.read_at,
                "valid_to": None,
                "body": bodies.compress(body),
            }
        )
        self.fresh[self._next] = document
        self._next += 1

    def _purge(
        self,
        stack_id: str,
        replaced: dict[str, tuple[int, bytes, float]],
    ) -> None:
        """Delete all former states of a stack, and what is replaced now."""
        numbers = list(
            self._connection.scalars(
                sa.select(_DOC.number).where(
                    _DOC.stack_id == stack_id, _DOC.valid_to.is_not(None)
                )
            )
        )
        numbers += [number for number, _, _ in replaced.values()]
        _delete(self._connection, numbers, self._position)

    def _finish(self) -> None:
        run = self._connection.execute
        if self._closed:
            run(
                sa.update(tables.DOCUMENTS)
                .where(_DOC.number == sa.bindparam("old"))
                .values(
                    valid_to=sa.bindparam("valid_to"),
                    position=sa.bindparam("position"),
                ),
                self._closed,
            )
        if self._added:
            run(sa.insert(tables.DOCUMENTS), self._added)
            run(sa.update(tables.STATE).values(next_number=self._next))
        db_rows.save(
            self._connection,
            tables.STACKS,
            self._stacks,
            tuple(name for name in self._stacks[0] if name != "stack_id")
            if self._stacks
            else (),
        )


def replace_stacks(
    connection: sa.Connection,
    changes: dict[str, documents.StackDocuments],
) -> tuple[int, dict[int, documents.Document]]:
    """Replace all documents of these stacks that are older.

    :returns: how many stacks that were, and the new documents by number
    """
    writer = _Replacement(connection)
    return writer.replace(changes), writer.fresh


def forget_history(
    connection: sa.Connection, before: clock.Timestamp
) -> tuple[int, bool]:
    """Delete some former states that were replaced up to a moment.

    :returns: how many, and whether all of them are gone
    """
    position = _begin(connection)
    numbers = list(
        connection.scalars(
            sa.select(_DOC.number)
            .where(_DOC.valid_to <= before)
            .order_by(_DOC.valid_to)
            .limit(_FORGOTTEN_AT_ONCE)
        )
    )
    _delete(connection, numbers, position)
    if len(numbers) == _FORGOTTEN_AT_ONCE:
        return len(numbers), False
    connection.execute(
        sa.delete(tables.STACKS).where(
            _STACK.documents == 0, _STACK.read_at <= before
        )
    )
    _forget_deleted(connection)
    return len(numbers), True


def _delete(
    connection: sa.Connection, numbers: list[int], position: int
) -> None:
    """Delete documents, and note it for who follows."""
    if not numbers:
        return
    for first in range(0, len(numbers), _PAGE):
        page = numbers[first : first + _PAGE]
        connection.execute(
            sa.delete(tables.DOCUMENTS).where(_DOC.number.in_(page))
        )
    connection.execute(
        sa.insert(tables.DELETED),
        [{"number": each, "position": position} for each in numbers],
    )


def _forget_deleted(connection: sa.Connection) -> None:
    """Keep only the latest notes of what was deleted."""
    limit = connection.scalar(
        sa.select(_DELETED.position)
        .order_by(_DELETED.position.desc())
        .offset(_MAX_DELETED)
        .limit(1)
    )
    if limit is not None:
        connection.execute(
            sa.delete(tables.DELETED).where(_DELETED.position <= limit)
        )
        connection.execute(sa.update(tables.STATE).values(refill_below=limit))


def forget_versions(connection: sa.Connection) -> None:
    """Let the next documents of each stack replace any version."""
    connection.execute(sa.update(tables.STACKS).values(version=-1))


def clear(connection: sa.Connection) -> None:
    """Delete everything, and begin a new generation."""
    for each in (
        tables.DOCUMENTS,
        tables.DELETED,
        tables.STACKS,
        tables.MARKS,
        tables.TEXTS,
    ):
        connection.execute(sa.delete(each))
    connection.execute(
        sa.update(tables.STATE).values(
            generation=uuid.uuid4().hex,
            position=0,
            next_number=1,
            refill_below=0,
        )
    )


def list_deleted(connection: sa.Connection, position: int) -> list[int]:
    """Return the numbers of documents that were deleted since."""
    return list(
        connection.scalars(
            sa.select(_DELETED.number).where(_DELETED.position > position)
        )
    )


def list_changed(
    connection: sa.Connection, position: int, number: int
) -> list[Version]:
    """Return the next versions behind a position and a number."""
    query = (
        sa.select(
            _DOC.number,
            _DOC.position,
            _DOC.valid_from,
            _DOC.valid_to,
            _DOC.body,
        )
        .where(
            (_DOC.position > position)
            | ((_DOC.position == position) & (_DOC.number > number))
        )
        .order_by(_DOC.position, _DOC.number)
        .limit(2 * _PAGE)
    )
    return [Version(*row) for row in connection.execute(query)]


def read_documents(
    database: engine.Database,
    numbers: collections.abc.Sequence[int],
    end: float,
) -> dict[int, documents.Document]:
    """Return documents by number; those that were deleted are left out.

    :param end: until when, as :func:`time.monotonic` tells it
    :raises orch.errors.LimitExceeded: it takes longer
    """
    found: dict[int, documents.Document] = {}
    for first in range(0, len(numbers), _PAGE):
        if time.monotonic() > end:
            raise errors.LimitExceeded(
                "The search takes too long. Name a field, a longer beginning"
                " of a word, or fewer alternatives."
            )
        page = list(numbers[first : first + _PAGE])

        def read(
            connection: sa.Connection, page: list[int] = page
        ) -> list[tuple[int, bytes]]:
            return [
                (row.number, row.body)
                for row in connection.execute(
                    sa.select(_DOC.number, _DOC.body).where(
                        _DOC.number.in_(page)
                    )
                )
            ]

        for number, body in database.query(read):
            found[number] = bodies.unpack(bytes(body))
    return found


def stack_ids(
    connection: sa.Connection, after: str, limit: int
) -> list[tuple[str, clock.Timestamp]]:
    """Return stacks with documents, and when each was read."""
    rows = connection.execute(
        sa.select(_STACK.stack_id, _STACK.read_at)
        .where(_STACK.stack_id > after, _STACK.documents > 0)
        .order_by(_STACK.stack_id)
        .limit(limit)
    )
    return [(stack_id, clock.Timestamp(at)) for stack_id, at in rows]


def counts(connection: sa.Connection, stored_bytes: int) -> port.Counts:
    """Count documents, stacks and marks.

    :param stored_bytes: that the files of the index take
    """
    stacks, found, text_bytes = connection.execute(
        sa.select(
            sa.func.count().filter(_STACK.documents > 0)
            if connection.dialect.name != "mysql"
            else sa.func.sum(sa.case((_STACK.documents > 0, 1), else_=0)),
            sa.func.coalesce(sa.func.sum(_STACK.documents), 0),
            sa.func.coalesce(sa.func.sum(_STACK.text_bytes), 0),
        )
    ).one()
    marks = connection.scalar(sa.select(sa.func.count(tables.MARKS.c.nonce)))
    size = connection.scalar(
        sa.select(sa.func.coalesce(sa.func.sum(sa.func.length(_DOC.body)), 0))
    )
    return port.Counts(
        int(stacks or 0),
        int(found),
        int(text_bytes),
        stored_bytes + int(size or 0),
        int(marks or 0),
    )
