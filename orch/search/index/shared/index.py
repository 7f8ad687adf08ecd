"""The index that several processes share, in PostgreSQL, MariaDB or MySQL.

The rows (:mod:`orch.search.index.shared.tables`) are what counts: a change
is durable once they are committed, and what is newer, what is history and
what is forgotten is decided there. Each process follows them into a file of
its own (:mod:`orch.search.index.sqlite`), which it searches; a search waits
until the file has all that was committed before. Who only looks at the rows,
or writes them, opens none.
"""

import collections.abc
import contextlib
import pathlib
import threading
import typing

import sqlalchemy as sa
from oslo_config import cfg

from orch import clock
from orch.db import engine
from orch.db import schema_lock
from orch.search import document as documents
from orch.search.index import formats
from orch.search.index import port
from orch.search.index import replacement
from orch.search.index.shared import faults
from orch.search.index.shared import folder as folders
from orch.search.index.shared import follower as followers
from orch.search.index.shared import rows
from orch.search.index.shared import tables
from orch.search.index.sqlite import index as sqlite_index

_Answer = typing.TypeVar("_Answer")

_LOCK: typing.Final = "orch.search.prepare"
_RETRIES: typing.Final = 6


def from_url(url: str, conf: cfg.ConfigOpts) -> port.Index:
    """Return the index whose rows are in the database at an address."""
    return SharedIndex(
        url, pathlib.Path(conf.search.folder), readers=conf.search.threads
    )


class SharedIndex:
    """Rows in a database, and a local file that follows them."""

    def __init__(
        self,
        url: str,
        folder: pathlib.Path,
        *,
        readers: int = 4,
        limit_s: float = 10.0,
        interval_s: float = 1.0,
    ) -> None:
        """Name the database and the folder; nothing is opened yet.

        :param url: of SQLAlchemy, ``postgresql://…`` or ``mysql://…``
        :param folder: of the local files of all processes of this machine
        :param readers: how many search at the same time
        :param limit_s: for how long a search waits for the local file
        :param interval_s: between two looks whether the rows have changed,
            while nothing is asked; what came since is written at once
        """
        self._url = url
        self._parent = folder
        self._readers = readers
        self._limit_s = limit_s
        self._interval_s = interval_s
        self._lock = threading.RLock()
        self._database: engine.Database | None = None
        self._follower: followers.Follower | None = None

    def index_state(self) -> formats.IndexState:
        """Return the state of the rows; make nothing."""
        found = self._read(rows.find_format)
        return formats.IndexState(self._place(), found, tables.FORMAT)

    def prepare(self) -> None:
        """Create the tables that are missing; wait for no lock otherwise."""
        index_state = self.index_state()
        index_state.check_not_newer()
        if index_state.is_ready:
            return
        database = self._connect()
        with (
            self._answered(),
            schema_lock.locked(database, _LOCK) as connection,
        ):
            rows.prepare(connection, self._place())

    def start(self) -> None:
        """Begin to follow the rows into the local file."""
        self._following()

    def put(
        self, changes: collections.abc.Sequence[documents.StackDocuments]
    ) -> int:
        """Replace all documents of these stacks, at once or not at all."""
        packed = [
            (each, replacement.pack(each))
            for each in replacement.newest_changes(changes)
        ]
        return self._write(
            lambda connection: rows.replace_stacks(connection, packed)
        )

    def search(self, query: port.Query) -> port.Found:
        """Return the hits of a query."""
        return self._ask(lambda index: index.search(query))

    def fields(
        self, scope: port.Scope, kinds: frozenset[str]
    ) -> collections.abc.Mapping[str, str]:
        """Return the names of all fields in a scope."""
        return self._ask(lambda index: index.fields(scope, kinds))

    def fields_of(
        self, scope: port.Scope, types: collections.abc.Collection[str]
    ) -> collections.abc.Mapping[str, collections.abc.Mapping[str, str]]:
        """Return the names of all fields of each type, to the letter."""
        return self._ask(lambda index: index.fields_of(scope, types))

    def load(self, name: str) -> str | None:
        """Return the text that :meth:`save` last stored under a name."""
        return self._read(lambda connection: rows.load(connection, name))

    def save(self, name: str, value: str | None) -> None:
        """Save a short text durably under a name, or remove it."""
        self._write(lambda connection: rows.save(connection, name, value))

    def stack_ids(
        self, after: str, limit: int
    ) -> list[tuple[str, clock.Timestamp]]:
        """Return stacks with documents, and when each was read."""
        return self._read(
            lambda connection: rows.stack_ids(connection, after, limit)
        )

    def forget_versions(self) -> None:
        """Let the next documents of stacks replace any version."""
        self._write(rows.forget_versions)

    def forget_history(self, before: clock.Timestamp) -> int:
        """Delete former states replaced before a time."""
        total = 0
        while True:
            count, is_over = self._write(
                lambda connection: rows.forget_history(connection, before)
            )
            total += count
            if is_over:
                return total

    def clear(self) -> None:
        """Delete all documents and texts."""
        self._write(rows.clear)

    def counts(self) -> port.Counts:
        """Count documents and stacks."""
        size = folders.stored_bytes(self._parent)
        return self._read(lambda connection: rows.counts(connection, size))

    def close(self) -> None:
        """Close the connections and the local file."""
        with self._lock:
            if self._follower:
                self._follower.close()
                self._follower = None
            if self._database:
                self._database.dispose()
                self._database = None

    def _ask(
        self,
        work: collections.abc.Callable[[sqlite_index.SQLiteIndex], _Answer],
    ) -> _Answer:
        """Return an answer of the local index with all that is committed."""
        while True:
            state = self._read(rows.read_state)
            index = self._following().current(state, self._limit_s)
            found = work(index)
            # It was not emptied, or taken away, meanwhile.
            if followers.has_reached(index, state):
                return found

    def _following(self) -> followers.Follower:
        with self._lock:
            if self._follower is None:
                self._follower = followers.Follower(
                    self._connect(),
                    self._parent,
                    self._readers,
                    self._interval_s,
                )
                self._follower.start()
            return self._follower

    def _connect(self) -> engine.Database:
        with self._lock, self._answered():
            if self._database is None:
                self._database = engine.Database(
                    self._url,
                    max_pool_size=self._readers + 2,
                    max_retries=_RETRIES,
                )
            return self._database

    def _write(
        self, work: collections.abc.Callable[[sa.Connection], _Answer]
    ) -> _Answer:
        database = self._connect()
        with self._answered():
            return database.run(work)

    def _read(
        self, work: collections.abc.Callable[[sa.Connection], _Answer]
    ) -> _Answer:
        database = self._connect()
        with self._answered():
            return database.query(work)

    def _place(self) -> str:
        return faults.place_of(self._url)

    def _answered(self) -> contextlib.AbstractContextManager[None]:
        return faults.translated(self._url)
