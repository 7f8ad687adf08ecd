"""The files of Tantivy of one process, and how they follow the rows.

Each process has a folder of its own below the one that is configured: it
takes the first that no other has locked. A folder holds nothing that is not
in the rows: one that is damaged, or of something else, is emptied.
"""

import collections.abc
import contextlib
import fcntl
import importlib.metadata
import logging
import os
import pathlib
import shutil
import threading
import typing

import orjson
import sqlalchemy as sa
import tantivy

from orch import errors
from orch.db import engine
from orch.search import document as documents
from orch.search.index import bodies
from orch.search.index.tantivy import entries
from orch.search.index.tantivy import layout
from orch.search.index.tantivy import rows
from orch.search.index.tantivy import tables

LOG = logging.getLogger(__name__)

_WRITER_BYTES: typing.Final = 32_000_000
_MAX_PROCESSES: typing.Final = 256
_MAX_PASSES: typing.Final = 20
_POSITION: typing.Final = "position.json"
_LAYOUT: typing.Final = 1
_VERSION: typing.Final = importlib.metadata.version("tantivy")


class Folder:
    """An index of Tantivy that is open to write and to search."""

    def __init__(self, parent: pathlib.Path) -> None:
        """Open the first folder that no process has.

        :raises OSError: none can be made or opened
        """
        self._lock, self._path = _claim(parent)
        self._mutex = threading.Lock()
        self._writer: tantivy.IndexWriter | None = None
        self.state = rows.State()
        self._open()

    def _open(self) -> None:
        data = self._path / "data"
        self.state = _load_position(self._path)
        try:
            if not self.state.generation:
                raise ValueError("it was not filled")
            data.mkdir(exist_ok=True)
            self._create(data)
        except ValueError as e:
            if data.exists() and self.state.generation:
                LOG.warning(
                    "The search index in %s cannot be used (%s): it is"
                    " filled again.",
                    self._path,
                    e,
                )
            self._empty()

    def _create(self, data: pathlib.Path) -> None:
        schema = layout.build_schema()
        self._index = tantivy.Index(schema, str(data))
        layout.register_tokenizer(self._index)
        self._index.config_reader("manual")
        self.schema = schema
        self._writer = self._index.writer(_WRITER_BYTES, 1)
        self._index.reload()

    def _empty(self) -> None:
        """Begin with an empty index."""
        self._writer = None
        data = self._path / "data"
        shutil.rmtree(data, ignore_errors=True)
        (self._path / _POSITION).unlink(missing_ok=True)
        data.mkdir(parents=True)
        self.state = rows.State()
        self._create(data)

    @property
    def is_filled(self) -> bool:
        """Whether it has followed the rows to some position."""
        return bool(self.state.generation)

    def searcher(self) -> tantivy.Searcher:
        """Return a view of one moment of the index."""
        return self._index.searcher()

    def follow(
        self,
        database: engine.Database,
        fresh: collections.abc.MutableMapping[int, documents.Document],
    ) -> None:
        """Write what changed in the rows since, in one commit.

        :param fresh: documents by number that need no reading; those that
            were written are removed
        :raises orch.errors.Unavailable: the database gives no answer
        """
        with self._mutex:
            goal = database.query(rows.read_state)
            if goal == self.state:
                return
            try:
                self._follow(database, goal, fresh)
            except BaseException:
                self._reopen()
                raise

    def _reopen(self) -> None:
        """Forget what was not committed."""
        with contextlib.suppress(ValueError):
            assert self._writer
            self._writer.rollback()

    def _follow(
        self,
        database: engine.Database,
        goal: rows.State,
        fresh: collections.abc.MutableMapping[int, documents.Document],
    ) -> None:
        if (
            goal.generation != self.state.generation
            or self.state.position < goal.refill_below
        ):
            self._empty()
            # What has these numbers now may be another document.
            fresh.clear()
        done = self.state
        for _ in range(_MAX_PASSES):
            self._pass(database, done, goal, fresh)
            done = goal
            goal = database.query(rows.read_state)
            if goal == done or goal.generation != done.generation:
                break
        assert self._writer
        self._writer.commit()
        self._index.reload()
        self.state = done
        _save_position(self._path, done)

    def _pass(
        self,
        database: engine.Database,
        done: rows.State,
        goal: rows.State,
        fresh: collections.abc.MutableMapping[int, documents.Document],
    ) -> None:
        """Write what has a later position than ``done``."""
        assert self._writer
        is_new = not self.state.generation and not done.generation
        if not is_new:
            deleted = database.query(
                lambda connection: rows.list_deleted(connection, done.position)
            )
            self._delete(deleted)
            for each in deleted:
                fresh.pop(each, None)
        position, number = done.position, 2**62
        while True:

            def changed(
                connection: sa.Connection,
                position: int = position,
                number: int = number,
            ) -> list[rows.Version]:
                return rows.list_changed(connection, position, number)

            found = database.query(changed)
            if not found:
                return
            self._add(found, fresh, is_new=is_new)
            position, number = found[-1].position, found[-1].number

    def _add(
        self,
        found: list[rows.Version],
        fresh: collections.abc.MutableMapping[int, documents.Document],
        *,
        is_new: bool,
    ) -> None:
        """Add versions in place of what has their numbers."""
        assert self._writer
        if not is_new:
            self._delete([each.number for each in found])
        for each in found:
            document = fresh.pop(each.number, None)
            if document is None:
                document = bodies.unpack(bytes(each.body))
            self._writer.add_document(
                entries.entry_of(
                    document,
                    each.number,
                    each.valid_from,
                    each.valid_to,
                )
            )

    def _delete(self, numbers: list[int]) -> None:
        assert self._writer
        if numbers:
            self._writer.delete_documents_by_query(
                tantivy.Query.term_set_query(self.schema, "number", numbers)
            )

    def close(self) -> None:
        """Close the files, and leave the folder to another process."""
        with self._mutex:
            if self._writer:
                self._writer.wait_merging_threads()
                self._writer = None
            os.close(self._lock)


def stored_bytes(parent: pathlib.Path) -> int:
    """Return how many bytes the files of all processes have."""
    total = 0
    for each in parent.glob("*/data/*"):
        with contextlib.suppress(FileNotFoundError):
            total += each.stat().st_size
    return total


def _claim(parent: pathlib.Path) -> tuple[int, pathlib.Path]:
    """Lock the first folder that no process has.

    :returns: the open lock, and the folder
    """
    parent.mkdir(parents=True, exist_ok=True)
    for number in range(_MAX_PROCESSES):
        path = parent / str(number)
        path.mkdir(mode=0o700, exist_ok=True)
        lock = os.open(path / "lock", os.O_CREAT | os.O_RDWR, 0o600)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(lock)
            continue
        return lock, path
    raise errors.Unavailable(
        f"All {_MAX_PROCESSES} folders of the search index in {parent} are in"
        " use by other processes. Stop those that are not needed."
    )


def _load_position(path: pathlib.Path) -> rows.State:
    try:
        found = orjson.loads((path / _POSITION).read_bytes())
        if found.pop("layout") != [
            _LAYOUT,
            tables.FORMAT,
            _VERSION,
        ]:
            return rows.State()
        return rows.State(**found)
    except (FileNotFoundError, ValueError, KeyError, TypeError):
        return rows.State()


def _save_position(path: pathlib.Path, state: rows.State) -> None:
    """Store the position in place of the former one, or not at all."""
    beside = path / f"{_POSITION}.new"
    beside.write_bytes(
        orjson.dumps(
            {
                "layout": [_LAYOUT, tables.FORMAT, _VERSION],
                "generation": state.generation,
                "position": state.position,
                "refill_below": state.refill_below,
            }
        )
    )
    beside.rename(path / _POSITION)
