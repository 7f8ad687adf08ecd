"""Puts documents into an index in SQLite, and takes them out again.

Everything here runs inside a transaction of the caller's that has the write
lock.
"""

import collections.abc
import sqlite3
import typing

from orch import clock
from orch.search import document as documents
from orch.search.index import bodies
from orch.search.index import ordering
from orch.search.index import port
from orch.search.index import replacement
from orch.search.index.sqlite import entries
from orch.search.index.sqlite import postings
from orch.search.index.sqlite import schema

_NEWEST = port.Sort(ordering.NEWEST, True)
_FIELDS = ", ".join(schema.COLUMNS)
_MARKS = ", ".join("?" * len(schema.COLUMNS))


class State(typing.NamedTuple):
    """A state of a document, as it is stored.

    :ivar number: of the database that is followed; ``None`` without one
    :ivar length: of the body, in bytes, before it was compressed
    :ivar body: as :func:`bodies.compress` returns it
    """

    number: int | None
    stack_id: str
    digest: bytes
    length: int
    valid_from: float
    valid_to: float | None
    body: bytes


class Writer:
    """One transaction's worth of changes."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._run = connection.execute
        self._run_many = connection.executemany
        self._postings = postings.Postings(connection)
        self._rows: list[tuple[object, ...]] = []
        self._words: list[tuple[object, ...]] = []
        self._closed: list[tuple[float, int]] = []
        self._spare: list[int] = []

    def put(self, change: documents.StackDocuments) -> bool:
        """Replace the documents of a stack; return whether it was newer.

        :raises port.StaleBaseError: it is not there as its base says
        """
        found = self._run(
            "SELECT version, read_at, text_bytes, covered FROM stacks"
            " WHERE stack_id = ?",
            (change.stack_id,),
        ).fetchone()
        stored = replacement.StoredStack(*found) if found else None
        if not replacement.is_newer(change, stored):
            return False
        former = {
            document_id: replacement.Former(*known)
            for document_id, *known in self._run(
                "SELECT id, ordinal, digest, valid_from, length FROM documents"
                " WHERE stack_id = ? AND valid_to IS NULL",
                (change.stack_id,),
            )
        }
        written = replacement.replace(
            change, replacement.pack(change), stored, former
        )
        if written.forgets:
            self._forget_stack(
                change.stack_id, [key for key, _ in written.replaced]
            )
        else:
            self._close(written.replaced)
        for packed, ordinal in zip(
            written.added, self._ordinals(len(written.added)), strict=True
        ):
            self._add(
                ordinal,
                packed.document,
                State(
                    None,
                    change.stack_id,
                    packed.digest,
                    len(packed.body),
                    change.read_at,
                    None,
                    bodies.compress(packed.body),
                ),
            )
        self._run(
            "INSERT OR REPLACE INTO stacks VALUES (?, ?, ?, ?, ?, ?)",
            (
                change.stack_id,
                change.version,
                change.read_at,
                written.count,
                written.text_bytes,
                replacement.dump_redacted(change),
            ),
        )
        return True

    def follow(
        self,
        states: collections.abc.Sequence[State],
        deleted: collections.abc.Iterable[int] = (),
    ) -> None:
        """Write states that another database has numbered.

        Those that are there already only end, where they have an end now.

        :param deleted: numbers of states that are to be taken out
        """
        fresh = []
        for each in states:
            known = self._run(
                "SELECT ordinal, valid_to FROM documents WHERE number = ?",
                (each.number,),
            ).fetchone()
            if known is None:
                fresh.append(each)
            elif known[1] is None and each.valid_to is not None:
                self._close([(known[0], each.valid_to)])
        ordinals = self._ordinals(len(fresh))
        for each, ordinal in zip(fresh, ordinals, strict=True):
            self._add(ordinal, bodies.unpack(each.body), each)
        for number in deleted:
            found = self._run(
                "SELECT ordinal, body, valid_to FROM documents"
                " WHERE number = ?",
                (number,),
            ).fetchone()
            if found:
                if found[2] is None:
                    self._postings.unmark_current([found[0]])
                self._take_out([found[:2]])

    def _close(
        self, replaced: collections.abc.Iterable[tuple[int, float]]
    ) -> None:
        """Let states end, given as ordinals and the ends."""
        for ordinal, valid_to in replaced:
            self._closed.append((valid_to, ordinal))
            self._postings.unmark_current([ordinal])

    def _forget_stack(self, stack_id: str, replaced: list[int]) -> None:
        """Take out all that a stack was, with what is replaced just now."""
        self._take_out(
            self._run(
                "SELECT ordinal, body FROM documents"
                " WHERE stack_id = ? AND valid_to IS NOT NULL",
                (stack_id,),
            ).fetchall()
        )
        self._postings.unmark_current(replaced)
        for ordinal in replaced:
            self._take_out(
                self._run(
                    "SELECT ordinal, body FROM documents WHERE ordinal = ?",
                    (ordinal,),
                ).fetchall()
            )

    def _add(
        self, ordinal: int, document: documents.Document, state: State
    ) -> None:
        self._postings.add(ordinal, document)
        if state.valid_to is None:
            self._postings.mark_current(ordinal)
        self._words.append((ordinal, *entries.words_of(document)))
        self._rows.append(
            (
                ordinal,
                document.id,
                ordering.key_of(document, 0.0, _NEWEST, False),
                *state,
            )
        )

    def _ordinals(self, count: int) -> list[int]:
        """Take unused ordinals, the least first."""
        if not count:
            return []
        found = [
            ordinal
            for (ordinal,) in self._run(
                "DELETE FROM spare WHERE ordinal IN (SELECT ordinal FROM"
                " spare ORDER BY ordinal LIMIT ?) RETURNING ordinal",
                (count,),
            ).fetchall()
        ]
        found.sort()
        first = self._take("ordinal", count - len(found))
        found.extend(range(first, first + count - len(found)))
        return found

    def _take(self, name: str, count: int) -> int:
        """Return the first of so many numbers that were not used yet."""
        found = self._run(
            "SELECT CAST(value AS INTEGER) FROM meta WHERE name = ?", (name,)
        ).fetchone()
        first = found[0] if found else 0
        self._run(
            "INSERT OR REPLACE INTO meta VALUES (?, ?)",
            (name, str(first + count)),
        )
        return int(first)

    def forget(self, before: clock.Timestamp, limit: int) -> int:
        """Take out documents that were replaced; return how many there were.

        :param limit: how many at most
        """
        found = self._run(
            "SELECT ordinal, body FROM documents WHERE valid_to <= ?"
            " ORDER BY valid_to LIMIT ?",
            (before, limit),
        ).fetchall()
        self._take_out(found)
        return len(found)

    def _take_out(
        self, found: collections.abc.Sequence[tuple[int, bytes]]
    ) -> None:
        """Take documents out, given as ordinals and bodies."""
        gone = []
        for ordinal, body in found:
            document = bodies.unpack(body)
            self._postings.take(ordinal, document)
            gone.append(("delete", ordinal, *entries.words_of(document)))
        self._run_many(
            f"INSERT INTO words (words, rowid, {_FIELDS})"  # noqa: S608 (ours)
            f" VALUES (?, ?, {_MARKS})",
            gone,
        )
        ordinals = [ordinal for ordinal, _ in found]
        self._run_many(
            "DELETE FROM documents WHERE ordinal = ?",
            [(each,) for each in ordinals],
        )
        self._spare += ordinals

    def finish(self) -> None:
        """Write all that was put and forgotten."""
        self._run_many(
            "UPDATE documents SET valid_to = ? WHERE ordinal = ?",
            self._closed,
        )
        self._run_many(
            "INSERT INTO documents VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            self._rows,
        )
        self._run_many(
            f"INSERT INTO words (rowid, {_FIELDS})"  # noqa: S608 (ours)
            f" VALUES (?, {_MARKS})",
            self._words,
        )
        self._run_many(
            "INSERT INTO spare VALUES (?)", [(each,) for each in self._spare]
        )
        self._postings.write()
