"""Writes documents into the shared rows, and reads what has changed there.

Every change of documents locks the row of :data:`tables.STATE` first and
takes the next revision. So revisions are committed in their order, and who
has read up to one has missed nothing before it.
"""

import collections.abc
import dataclasses
import typing
import uuid

import sqlalchemy as sa

from orch import clock
from orch.db import rows as db_rows
from orch.search import document as documents
from orch.search.index import bodies
from orch.search.index import formats
from orch.search.index import port
from orch.search.index import replacement
from orch.search.index.shared import tables
from orch.search.index.sqlite import write as local

PAGE: typing.Final = 500
"""How many stacks, or states, are read at a time."""

_FORGOTTEN_AT_ONCE: typing.Final = 1000
_MAX_DELETED: typing.Final = 100_000
_MAX_NUMBER: typing.Final = 2**63 - 1
_STATE = tables.STATE.c
_STACK = tables.STACKS.c
_DOC = tables.DOCUMENTS.c
_DELETED = tables.DELETED.c
_TEXT = tables.TEXTS.c
_LOCK = sa.select(_STATE.revision, _STATE.next_number).with_for_update()
_READ_STATE = sa.select(
    _STATE.generation, _STATE.revision, _STATE.refill_below
)
_UPDATED = ("version", "read_at", "documents", "text_bytes", "redacted")

Packed: typing.TypeAlias = tuple[
    documents.StackDocuments, list[replacement.Packed]
]
"""A change of a stack, with its documents as they are stored."""


@dataclasses.dataclass(frozen=True, slots=True)
class State:
    """Up to where the rows are written; see :data:`tables.STATE`."""

    generation: str
    revision: int
    refill_below: int


def find_format(connection: sa.Connection) -> int | None:
    """Return the format of the tables; ``None`` where they are not whole."""
    there = set(sa.inspect(connection).get_table_names())
    if tables.STATE.name not in there:
        return None
    found = connection.scalar(sa.select(_STATE.format))
    if found == tables.FORMAT and not there.issuperset(
        each.name for each in tables.ALL
    ):
        return None
    return None if found is None else int(found)


def prepare(connection: sa.Connection, place: str) -> None:
    """Create the tables where they are not whole, or of an older format.

    What was in them is lost.

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
            id=1, format=tables.FORMAT, **_beginning()
        )
    )


def _beginning() -> dict[str, object]:
    return {
        "generation": uuid.uuid4().hex,
        "revision": 0,
        "next_number": 1,
        "refill_below": 0,
    }


def read_state(connection: sa.Connection) -> State:
    """Return up to where the rows are written."""
    return State(*connection.execute(_READ_STATE).one())


class _Writing:
    """One transaction that changes documents.

    :ivar revision: that it takes
    """

    def __init__(self, connection: sa.Connection) -> None:
        self._run = connection.execute
        self._connection = connection
        revision, self._next = connection.execute(_LOCK).one()
        self.revision = int(revision) + 1
        self._stacks: list[db_rows.Row] = []
        self._added: list[db_rows.Row] = []
        self._has_changed = False

    def replace(self, changes: list[Packed]) -> int:
        """Replace the documents of these stacks where they are newer."""
        stored = self._stored([change.stack_id for change, _ in changes])
        newer = [
            (change, packed)
            for change, packed in changes
            if replacement.is_newer(change, stored.get(change.stack_id))
        ]
        former = self._former(
            [
                change.stack_id
                for change, _ in newer
                if change.stack_id in stored
            ]
        )
        for change, packed in newer:
            self._write(
                replacement.replace(
                    change,
                    packed,
                    stored.get(change.stack_id),
                    former.get(change.stack_id, {}),
                )
            )
        return len(newer)

    def _stored(self, ids: list[str]) -> dict[str, replacement.StoredStack]:
        return {
            stack_id: replacement.StoredStack(*known)
            for stack_id, *known in self._run(
                sa.select(
                    _STACK.stack_id,
                    _STACK.version,
                    _STACK.read_at,
                    _STACK.text_bytes,
                    _STACK.redacted,
                ).where(_STACK.stack_id.in_(ids))
            )
        }

    def _former(
        self, ids: list[str]
    ) -> dict[str, dict[str, replacement.Former]]:
        found: dict[str, dict[str, replacement.Former]] = {}
        if ids:
            for stack_id, document_id, *known in self._run(
                sa.select(
                    _DOC.stack_id,
                    _DOC.id,
                    _DOC.number,
                    _DOC.digest,
                    _DOC.valid_from,
                    _DOC.length,
                ).where(_DOC.stack_id.in_(ids), _DOC.valid_to.is_(None))
            ):
                former = replacement.Former(*known)
                found.setdefault(stack_id, {})[_text(document_id)] = former
        return found

    def _write(self, found: replacement.Replacement) -> None:
        change = found.change
        if found.forgets:
            numbers = self._connection.scalars(
                sa.select(_DOC.number).where(
                    _DOC.stack_id == change.stack_id,
                    _DOC.valid_to.is_not(None),
                )
            )
            self.delete([*numbers, *(key for key, _ in found.replaced)])
        else:
            self._close(found.replaced)
        for each in found.added:
            self._added.append(
                {
                    "number": self._next,
                    "revision": self.revision,
                    "stack_id": change.stack_id,
                    "id": _bytes(each.document.id),
                    "digest": each.digest,
                    "length": len(each.body),
                    "valid_from": change.read_at,
                    "valid_to": None,
                    "body": bodies.compress(each.body),
                }
            )
            self._next += 1
        self._stacks.append(
            {
                "stack_id": change.stack_id,
                "version": change.version,
                "read_at": change.read_at,
                "documents": found.count,
                "text_bytes": found.text_bytes,
                "redacted": replacement.dump_redacted(change),
            }
        )

    def _close(self, replaced: list[tuple[int, float]]) -> None:
        ends: dict[float, list[int]] = {}
        for number, end in replaced:
            ends.setdefault(end, []).append(number)
        self._has_changed |= bool(replaced)
        for end, numbers in ends.items():
            for page in db_rows.batches(numbers):
                self._run(
                    sa.update(tables.DOCUMENTS)
                    .where(_DOC.number.in_(page))
                    .values(valid_to=end, revision=self.revision)
                )

    def delete(self, numbers: list[int]) -> None:
        """Delete states, and note it for who follows."""
        if not numbers:
            return
        self._has_changed = True
        db_rows.delete_in(self._connection, _DOC.number, numbers)
        db_rows.insert(
            self._connection,
            tables.DELETED,
            [{"number": each, "revision": self.revision} for each in numbers],
        )

    def finish(self) -> None:
        """Write what was gathered, and the revision if it changed states."""
        for page in db_rows.batches(self._added):
            self._run(sa.insert(tables.DOCUMENTS), page)
        db_rows.save(self._connection, tables.STACKS, self._stacks, _UPDATED)
        if self._added or self._has_changed:
            self._run(
                sa.update(tables.STATE).values(
                    revision=self.revision, next_number=self._next
                )
            )


def replace_stacks(connection: sa.Connection, changes: list[Packed]) -> int:
    """Replace all documents of these stacks that are older.

    :returns: how many stacks that were
    :raises port.StaleBaseError: a stack is there, and not as its base says
    """
    writing = _Writing(connection)
    count = 0
    for first in range(0, len(changes), PAGE):
        count += writing.replace(changes[first : first + PAGE])
    if count:
        writing.finish()
    return count


def forget_history(
    connection: sa.Connection, before: clock.Timestamp
) -> tuple[int, bool]:
    """Delete some former states that were replaced up to a moment.

    :returns: how many, and whether all of them are gone
    """
    writing = _Writing(connection)
    numbers = list(
        connection.scalars(
            sa.select(_DOC.number)
            .where(_DOC.valid_to <= before)
            .order_by(_DOC.valid_to)
            .limit(_FORGOTTEN_AT_ONCE)
        )
    )
    if numbers:
        writing.delete(numbers)
        writing.finish()
    if len(numbers) == _FORGOTTEN_AT_ONCE:
        return len(numbers), False
    connection.execute(
        sa.delete(tables.STACKS).where(
            _STACK.documents == 0, _STACK.read_at <= before
        )
    )
    _forget_deleted(connection)
    return len(numbers), True


def _forget_deleted(connection: sa.Connection) -> None:
    """Keep only the latest notes of what was deleted."""
    limit = connection.scalar(
        sa.select(_DELETED.revision)
        .order_by(_DELETED.revision.desc())
        .offset(_MAX_DELETED)
        .limit(1)
    )
    if limit is not None:
        connection.execute(
            sa.delete(tables.DELETED).where(_DELETED.revision <= limit)
        )
        connection.execute(sa.update(tables.STATE).values(refill_below=limit))


def forget_versions(connection: sa.Connection) -> None:
    """Let the next documents of each stack replace any version."""
    connection.execute(_LOCK).one()
    connection.execute(sa.update(tables.STACKS).values(version=-1))


def clear(connection: sa.Connection) -> None:
    """Delete everything, and begin a new generation."""
    connection.execute(_LOCK).one()
    for each in tables.ALL:
        if each is not tables.STATE:
            connection.execute(sa.delete(each))
    connection.execute(sa.update(tables.STATE).values(**_beginning()))


_FOLLOWED = sa.select(
    _DOC.revision,
    _DOC.number,
    _DOC.stack_id,
    _DOC.digest,
    _DOC.length,
    _DOC.valid_from,
    _DOC.valid_to,
    _DOC.body,
).limit(PAGE)
_REVISION = sa.bindparam("revision", type_=sa.BigInteger)
_NUMBER = sa.bindparam("number", type_=sa.BigInteger)
_LIST_DELETED = (
    sa.select(_DELETED.revision, _DELETED.number)
    .where(
        _DELETED.revision >= _REVISION,
        (_DELETED.revision > _REVISION) | (_DELETED.number > _NUMBER),
    )
    .order_by(_DELETED.revision, _DELETED.number)
    .limit(PAGE)
)
_LIST_CHANGED = _FOLLOWED.where(
    _DOC.revision >= _REVISION,
    (_DOC.revision > _REVISION) | (_DOC.number > _NUMBER),
).order_by(_DOC.revision, _DOC.number)
_LIST_STATES = _FOLLOWED.where(_DOC.number > _NUMBER).order_by(_DOC.number)


def list_deleted(
    connection: sa.Connection, revision: int
) -> collections.abc.Iterator[list[int]]:
    """Return the numbers of states deleted after a revision, in pages."""
    for page in _pages(connection, _LIST_DELETED, revision):
        yield [number for _, number in page]


def list_changed(
    connection: sa.Connection, revision: int
) -> collections.abc.Iterator[list[local.State]]:
    """Return the states that changed after a revision, page by page."""
    for page in _pages(connection, _LIST_CHANGED, revision):
        yield [local.State(*state) for _, *state in page]


def _pages(
    connection: sa.Connection, statement: sa.Select[typing.Any], revision: int
) -> collections.abc.Iterator[collections.abc.Sequence[typing.Any]]:
    """Return what comes after a revision.

    :param statement: of rows that begin with revision and number
    """
    number = _MAX_NUMBER
    while True:
        page = connection.execute(
            statement, {"revision": revision, "number": number}
        ).all()
        yield page
        if len(page) < PAGE:
            return
        revision, number, *_ = page[-1]


def list_states(connection: sa.Connection, number: int) -> list[local.State]:
    """Return the next states behind a number, in the order of these.

    :returns: :data:`PAGE` of them where there may be more
    """
    rows = connection.execute(_LIST_STATES, {"number": number})
    return [local.State(*state) for _, *state in rows]


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


def load(connection: sa.Connection, name: str) -> str | None:
    """Return the text that was saved last under a name."""
    found = connection.execute(
        sa.select(_TEXT.value).where(_TEXT.name == name)
    ).scalar()
    return None if found is None else str(found)


def save(connection: sa.Connection, name: str, value: str | None) -> None:
    """Save a short text under a name, or remove it."""
    if value is None:
        connection.execute(sa.delete(tables.TEXTS).where(_TEXT.name == name))
    else:
        db_rows.save(
            connection,
            tables.TEXTS,
            [{"name": name, "value": value}],
            ("value",),
        )


def counts(connection: sa.Connection, stored_bytes: int) -> port.Counts:
    """Count documents and stacks.

    :param stored_bytes: that files take beside the rows
    """
    stacks, found, text_bytes = connection.execute(
        sa.select(
            sa.func.count(sa.case((_STACK.documents > 0, 1))),
            sa.func.coalesce(sa.func.sum(_STACK.documents), 0),
            sa.func.coalesce(sa.func.sum(_STACK.text_bytes), 0),
        )
    ).one()
    return port.Counts(
        int(stacks),
        int(found),
        int(text_bytes),
        stored_bytes + tables.stored_bytes(connection),
    )


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "replace")


def _text(data: bytes) -> str:
    return bytes(data).decode("utf-8")
