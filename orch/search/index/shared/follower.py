"""Follows the shared rows into the local index of this process."""

import collections.abc
import dataclasses
import functools
import logging
import pathlib
import threading
import time
import typing

import orjson
import sqlalchemy as sa

from orch import errors
from orch.db import engine
from orch.search.index.shared import folder as folders
from orch.search.index.shared import rows
from orch.search.index.sqlite import index as sqlite_index
from orch.search.index.sqlite import write as local

LOG = logging.getLogger(__name__)

_NAME: typing.Final = "position"
_REMOVE_INTERVAL_S: typing.Final = 600.0
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
        parent: pathlib.Path,
        readers: int,
        interval_s: float,
    ) -> None:
        """Follow nothing yet.

        :param parent: of the folders of all processes
        :param readers: how many search at the same time
        :param interval_s: between two looks whether the rows have changed,
            while nothing is asked
        """
        self._database = database
        self._parent = parent
        self._readers = readers
        self._interval_s = interval_s
        self._folder: folders.Folder | None = None
        self._wanted = threading.Event()
        self._progress = threading.Condition()
        self._rounds = 0
        self._remove_at = 0.0
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
        if self._folder:
            self._folder.close()

    def current(
        self, state: rows.State, limit_s: float
    ) -> sqlite_index.SQLiteIndex:
        """Return the local index once it has all of a state of the rows.

        :raises orch.errors.Unavailable: it has not within ``limit_s``, or
            cannot be written
        """
        end = time.monotonic() + limit_s
        # The second round from now began after the state was read: where it
        # is not reached even so, another generation has begun.
        for _ in range(2):
            with self._progress:
                rounds = self._rounds
            folder = self._folder
            if folder and has_reached(folder.index, state):
                return folder.index
            self._wanted.set()
            with self._progress:
                is_over = self._progress.wait_for(
                    functools.partial(self._has_gone_on, rounds),
                    max(0.0, end - time.monotonic()),
                )
                failure = self._failure if is_over else None
            if failure or not is_over or self._is_closed:
                reason = f" ({failure})" if failure else ""
                raise errors.Unavailable(
                    "The local search index is being filled from the shared"
                    f" one{reason}. Try again later."
                ) from failure
        assert self._folder
        return self._folder.index

    def _has_gone_on(self, rounds: int) -> bool:
        return self._rounds != rounds or self._is_closed

    def _run(self) -> None:
        while not self._is_closed:
            self._wanted.clear()
            failure = None
            try:
                if self._folder is None:
                    self._folder = folders.Folder(self._parent, self._readers)
                self._follow(self._folder.index)
                self._remove_unused(self._folder)
            except Exception as e:
                failure = e
                if not self._is_closed and str(e) != str(self._failure):
                    LOG.warning("The local search index is behind: %s", e)
            with self._progress:
                self._failure = failure
                self._rounds += 1
                self._progress.notify_all()
            self._wanted.wait(self._interval_s)

    def _remove_unused(self, folder: folders.Folder) -> None:
        now = time.monotonic()
        if now >= self._remove_at:
            self._remove_at = now + _REMOVE_INTERVAL_S
            folder.remove_unused()

    def _follow(self, index: sqlite_index.SQLiteIndex) -> None:
        position = _position(index)
        if position is None or position.filled is not None:
            self._fill(index, position)
        catch_up = functools.partial(self._catch_up, index=index)
        while not self._database.query(catch_up):
            self._fill(index, None)

    def _fill(
        self, index: sqlite_index.SQLiteIndex, position: _Position | None
    ) -> None:
        """Copy all states, in transactions of their own.

        :param position: of a fill that was not finished; ``None`` begins one
        """
        state = self._database.query(rows.read_state)
        if position is None or position.generation != state.generation:
            index.clear()
            position = _Position(state.generation, state.revision, 0)
        is_whole = False
        while not is_whole:
            self._check_open()
            number = position.filled or 0
            found = self._database.query(
                functools.partial(rows.list_states, number=number)
            )
            is_whole = len(found) < rows.PAGE
            if found:
                number = found[-1].number or 0
            position = dataclasses.replace(position, filled=number)
            index.follow([(found, ())], _NAME, position.dump())

    def _catch_up(
        self, connection: sa.Connection, index: sqlite_index.SQLiteIndex
    ) -> bool:
        """Write what changed since the position, all of one moment.

        :returns: false where the index has to be filled again
        """
        connection.exec_driver_sql(_SNAPSHOT)
        state = rows.read_state(connection)
        position = _position(index)
        if (
            position is None
            or position.generation != state.generation
            or position.revision < state.refill_below
            # The database was restored from a backup.
            or position.revision > state.revision
        ):
            return False
        if not position.reached(state):
            index.follow(
                self._pages(connection, position.revision),
                _NAME,
                _Position(state.generation, state.revision, None).dump(),
            )
        return True

    def _pages(
        self, connection: sa.Connection, revision: int
    ) -> collections.abc.Iterator[_Page]:
        # The transaction must not be idle for long in between.
        for numbers in rows.list_deleted(connection, revision):
            self._check_open()
            yield [], numbers
        for states in rows.list_changed(connection, revision):
            self._check_open()
            yield states, ()

    def _check_open(self) -> None:
        if self._is_closed:
            raise errors.Unavailable("The search index was closed.")


def has_reached(index: sqlite_index.SQLiteIndex, state: rows.State) -> bool:
    """Whether a local index has all of a state of the rows."""
    position = _position(index)
    return position is not None and position.reached(state)


def _position(index: sqlite_index.SQLiteIndex) -> _Position | None:
    text = index.load(_NAME)
    return _Position(**orjson.loads(text)) if text else None
