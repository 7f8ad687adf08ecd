"""Follows the shared rows into the local index of this process."""

import collections.abc
import dataclasses
import logging
import threading
import time
import typing

import orjson
import sqlalchemy as sa

from orch import errors
from orch.db import engine
from orch.search.index.shared import rows
from orch.search.index.sqlite import index as sqlite_index
from orch.search.index.sqlite import write as local

LOG = logging.getLogger(__name__)

_NAME: typing.Final = "position"
_SNAPSHOT: typing.Final = "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ"

_Page: typing.TypeAlias = tuple[
    collections.abc.Sequence[local.State], collections.abc.Sequence[int]
]


@dataclasses.dataclass(frozen=True, slots=True)
class _Position:
    """Up to where the local index has the rows.

    :ivar filled: the number up to which states were copied, while it is
        filled: what changed after the revision is still missing then;
        ``None`` once the index is that of the revision
    """

    generation: str
    revision: int
    filled: int | None

    def reached(self, state: rows.State) -> bool:
        """Whether nothing before this state of the rows is missing."""
        return (
            self.generation == state.generation
            and self.filled is None
            and self.revision >= state.revision
        )

    def dump(self) -> str:
        """Return it as a text."""
        return orjson.dumps(self).decode("ascii")


class Follower:
    """A thread that writes what changed in the rows to a local index."""

    def __init__(
        self,
        database: engine.Database,
        index: sqlite_index.SQLiteIndex,
        interval_s: float,
    ) -> None:
        """Follow nothing yet.

        :param interval_s: between two looks whether another process changed
            the rows
        """
        self._database = database
        self._index = index
        self._interval_s = interval_s
        self._wanted = threading.Event()
        self._progress = threading.Condition()
        self._rounds = 0
        self._failure: Exception | None = None
        self._is_closed = False
        self._thread = threading.Thread(
            target=self._run, name="search-index", daemon=True
        )

    def start(self) -> None:
        """Begin to follow."""
        self._thread.start()

    def close(self) -> None:
        """End, after the transaction that is under way."""
        with self._progress:
            self._is_closed = True
            self._progress.notify_all()
        self._wanted.set()
        self._thread.join()

    def wake(self) -> None:
        """Look at once whether something changed."""
        self._wanted.set()

    def wait(self, state: rows.State, limit_s: float) -> None:
        """Return once the local index has all before a state of the rows.

        :raises orch.errors.Unavailable: it has not within ``limit_s``, or
            cannot be written
        """
        end = time.monotonic() + limit_s
        while not self._has_reached(state):
            with self._progress:
                rounds = self._rounds
                self._wanted.set()
                self._progress.wait_for(
                    lambda rounds=rounds: (
                        self._rounds != rounds or self._is_closed
                    ),
                    max(0.0, end - time.monotonic()),
                )
                failure = self._failure if self._rounds != rounds else None
            if failure or self._is_closed or time.monotonic() > end:
                reason = f" ({failure})" if failure else ""
                raise errors.Unavailable(
                    "The local search index is being filled from the shared"
                    f" one{reason}. Try again in a minute."
                ) from failure

    def _has_reached(self, state: rows.State) -> bool:
        position = self._position()
        return position is not None and position.reached(state)

    def _position(self) -> _Position | None:
        text = self._index.load(_NAME)
        return _Position(**orjson.loads(text)) if text else None

    def _run(self) -> None:
        while not self._is_closed:
            self._wanted.clear()
            failure = None
            try:
                self._follow()
            except Exception as e:
                failure = e
                if str(e) != str(self._failure):
                    LOG.warning("The local search index is behind: %s", e)
                self._repair()
            with self._progress:
                self._failure = failure
                self._rounds += 1
                self._progress.notify_all()
            self._wanted.wait(self._interval_s)

    def _repair(self) -> None:
        """Let a file that was found to be damaged be made anew."""
        try:
            self._index.prepare()
        except errors.Unavailable as e:
            LOG.warning("The local search index cannot be opened: %s", e)

    def _follow(self) -> None:
        state = self._database.query(rows.read_state)
        position = self._position()
        if position is not None and position.reached(state):
            return
        if (
            position is None
            or position.generation != state.generation
            or position.revision < state.refill_below
        ):
            self._index.clear()
            position = _Position(state.generation, state.revision, 0)
        self._fill(position)
        self._database.query(self._catch_up)

    def _fill(self, position: _Position) -> None:
        """Copy all states, in transactions of their own."""
        while position.filled is not None and not self._is_closed:
            number = position.filled
            found = self._database.query(
                lambda connection, number=number: rows.list_states(
                    connection, number
                )
            )
            if found:
                number = found[-1].number or 0
            self._write(
                [(found, ())], dataclasses.replace(position, filled=number)
            )
            if not found:
                return
            position = dataclasses.replace(position, filled=number)

    def _catch_up(self, connection: sa.Connection) -> None:
        """Write what changed since the position, all of one moment."""
        connection.exec_driver_sql(_SNAPSHOT)
        state = rows.read_state(connection)
        position = self._position()
        if (
            position is None
            or position.generation != state.generation
            or self._is_closed
        ):
            return
        self._write(
            _pages(connection, position.revision),
            _Position(state.generation, state.revision, None),
        )

    def _write(
        self, pages: collections.abc.Iterable[_Page], position: _Position
    ) -> None:
        self._index.follow(pages, _NAME, position.dump())


def _pages(
    connection: sa.Connection, revision: int
) -> collections.abc.Iterator[_Page]:
    deleted = rows.list_deleted(connection, revision)
    if deleted:
        yield [], deleted
    for states in rows.list_changed(connection, revision):
        yield states, ()
