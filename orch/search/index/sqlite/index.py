"""The index in one file of SQLite, for one machine."""

import collections.abc
import contextlib
import logging
import pathlib
import queue
import sqlite3
import threading
import time
import typing
import urllib.parse

from oslo_config import cfg

from orch import clock
from orch import errors
from orch.search import document as documents
from orch.search.index import cursors
from orch.search.index import formats
from orch.search.index import port
from orch.search.index import replacement
from orch.search.index.sqlite import aggregate as aggregating
from orch.search.index.sqlite import evaluate as evaluating
from orch.search.index.sqlite import facets as counting
from orch.search.index.sqlite import order as ordering
from orch.search.index.sqlite import schema
from orch.search.index.sqlite import write as writing

LOG = logging.getLogger(__name__)

_WRITER_KIB = 4000
_READER_KIB = 1000
_FORGOTTEN_AT_ONCE = 500
_STEPS = 20_000


def from_url(url: str, conf: cfg.ConfigOpts) -> port.Index:
    """Return the index in the file of ``sqlite:///FILE``.

    :raises orch.errors.Invalid: no file is named
    """
    return SQLiteIndex(path_of(url), readers=conf.search.threads)


def path_of(url: str) -> pathlib.Path:
    """Return the file that ``sqlite:///FILE`` names.

    :raises orch.errors.Invalid: it names none
    """
    path = urllib.parse.unquote(url.partition(":///")[2].partition("?")[0])
    if not path or path == ":memory:":
        raise errors.Invalid(
            "[search] connection names no file: write sqlite:/// and the"
            " path of one."
        )
    return pathlib.Path(path)


class _Reader(typing.NamedTuple):
    connection: sqlite3.Connection
    cache: evaluating.Cache
    file: schema.File | None


class SQLiteIndex:
    """Keeps documents in a file, with a write-ahead log beside it.

    One thread writes at a time; those that search wait for none. Once
    another file has the name, or none, each transaction that begins is one
    of the new file, which is made where it is missing.
    """

    def __init__(
        self,
        path: pathlib.Path,
        *,
        readers: int = 4,
        limit_s: float = 10.0,
        busy_s: float = 30.0,
        is_copy: bool = False,
    ) -> None:
        """Name the file; nothing is opened before it is needed.

        :param readers: how many search at the same time
        :param limit_s: for how long one search may go on
        :param busy_s: for how long to wait while another process writes
        :param is_copy: what is in the file is elsewhere, too: a damaged one
            is deleted, not moved aside
        """
        self._path = path
        self._limit_s = limit_s
        self._busy_s = busy_s
        self._is_copy = is_copy
        self._lock = threading.Lock()
        self._writer: sqlite3.Connection | None = None
        self._file: schema.File | None = None
        self._idle: queue.LifoQueue[_Reader | None] = queue.LifoQueue()
        for _ in range(readers):
            self._idle.put(None)
        self._readers = readers

    def prepare(self) -> None:
        """Make the file and its tables, or keep those that are there."""
        with self._lock, _answered(self._path):
            self._close_writer()
            self._renew()

    def index_state(self) -> formats.IndexState:
        """Return what is in the file, which is not made."""
        with _answered(self._path):
            return schema.look(self._path, self._busy_s)

    def start(self) -> None:
        """Do nothing: searches need the file alone."""

    def _renew(self) -> sqlite3.Connection:
        """Return the connection that writes to the file that is there now.

        It is called with the lock.
        """
        if self._writer and schema.file_at(self._path) != self._file:
            LOG.warning(
                "The search index %s was removed, replaced or damaged: it is"
                " opened again, and fills by itself where it is empty.",
                self._path,
            )
            self._close_writer()
        if self._writer is None:
            self._writer, self._file = schema.prepare(
                self._path, _WRITER_KIB, self._busy_s, is_copy=self._is_copy
            )
        return self._writer

    def _close_writer(self) -> None:
        if self._writer:
            self._writer.close()
            self._writer = None

    def put(
        self, changes: collections.abc.Sequence[documents.StackDocuments]
    ) -> int:
        """Replace all documents of these stacks, at once or not at all."""
        with self._writing() as connection:
            writer = writing.Writer(connection)
            count = sum(
                writer.put(each)
                for each in replacement.newest_changes(changes)
            )
            writer.finish()
        return count

    def follow(
        self,
        pages: collections.abc.Iterable[
            tuple[
                collections.abc.Sequence[writing.State],
                collections.abc.Sequence[int],
            ]
        ],
        name: str,
        position: str,
    ) -> None:
        """Write states that another database has numbered, all or none.

        :param pages: states, and numbers of those that are to be taken out;
            taken one by one while the file is locked
        :param name: of the text that tells :meth:`load` the position
        """
        with self._writing() as connection:
            for states, deleted in pages:
                writer = writing.Writer(connection)
                writer.follow(states, deleted)
                writer.finish()
            _save(connection, name, position)

    def search(self, query: port.Query) -> port.Found:
        """Return what fits."""
        with self._reading(query.scope) as evaluation:
            hits = evaluation.fits(
                query.node, evaluation.universe(query.kinds, query.as_of)
            )
            order = ordering.Order(evaluation, query, hits)
            offset = 0 if query.after else query.offset
            ranked = (
                order.first(offset + query.limit)[offset:]
                if query.limit
                else []
            )
            tally = counting.Tally(evaluation, hits)
            aggregated = aggregating.aggregate(evaluation, tally, query)
            return port.Found(
                total=hits.bit_count(),
                hits=tuple(_hit(query, each) for each in ranked),
                facets={
                    each.field: tally.facet(each) for each in query.facets
                },
                statistics={
                    each: tally.statistics(each) for each in query.statistics
                },
                aggregations=aggregated,
            )

    def fields(
        self, scope: port.Scope, kinds: frozenset[str]
    ) -> dict[str, str]:
        """Return the names of all fields that somebody may search."""
        with self._reading(scope) as evaluation:
            (found,) = evaluation.forms(evaluation.universe(kinds))
            return found

    def fields_of(
        self, scope: port.Scope, types: collections.abc.Collection[str]
    ) -> dict[str, dict[str, str]]:
        """Return the same for each of these types, to the letter."""
        names = list(dict.fromkeys(types))
        with self._reading(scope) as evaluation:
            universe = evaluation.universe()
            found = evaluation.forms(
                *(universe & evaluation.of_type(each) for each in names)
            )
        return dict(zip(names, found, strict=True))

    def load(self, name: str) -> str | None:
        """Return what :meth:`save` kept last under that name."""
        with self._reading() as evaluation:
            found = evaluation.run(
                "SELECT value FROM kept WHERE name = ?", (name,)
            ).fetchone()
        return found[0] if found else None

    def save(self, name: str, value: str | None) -> None:
        """Keep a short text, or forget it."""
        with self._writing() as connection:
            if value is None:
                connection.execute("DELETE FROM kept WHERE name = ?", (name,))
            else:
                _save(connection, name, value)

    def stack_ids(
        self, after: str, limit: int
    ) -> list[tuple[str, clock.Timestamp]]:
        """Return stacks that have documents, with when they were read."""
        with self._reading() as evaluation:
            rows = evaluation.run(
                "SELECT stack_id, read_at FROM stacks"
                " WHERE stack_id > ? AND documents > 0"
                " ORDER BY stack_id LIMIT ?",
                (after, limit),
            ).fetchall()
        return [
            (stack_id, clock.Timestamp(read_at)) for stack_id, read_at in rows
        ]

    def forget_versions(self) -> None:
        """Let whatever comes next of each stack replace what is there."""
        with self._writing() as connection:
            connection.execute("UPDATE stacks SET version = -1")

    def forget_history(self, before: clock.Timestamp) -> int:
        """Forget what was replaced before that moment."""
        total = 0
        while True:
            with self._writing() as connection:
                writer = writing.Writer(connection)
                count = writer.forget(before, _FORGOTTEN_AT_ONCE)
                writer.finish()
                if count < _FORGOTTEN_AT_ONCE:
                    connection.execute(
                        "DELETE FROM stacks"
                        " WHERE documents = 0 AND read_at <= ?",
                        (before,),
                    )
            total += count
            if count < _FORGOTTEN_AT_ONCE:
                return total

    def clear(self) -> None:
        """Forget all documents and texts."""
        with self._writing() as connection:
            schema.make(connection)

    def counts(self) -> port.Counts:
        """Return what it holds."""
        with self._reading() as evaluation:
            found = evaluation.run(
                "SELECT count(*) FILTER (WHERE documents > 0),"
                " coalesce(sum(documents), 0), coalesce(sum(text_bytes), 0)"
                " FROM stacks"
            ).fetchone()
        stacks, count, text_bytes = found
        return port.Counts(stacks, count, text_bytes, self._stored_bytes())

    def _stored_bytes(self) -> int:
        total = 0
        for suffix in ("", "-wal"):
            with contextlib.suppress(FileNotFoundError):
                path = self._path.with_name(self._path.name + suffix)
                total += path.stat().st_size
        return total

    def close(self) -> None:
        """Close the connections; wait for those that are in use."""
        for _ in range(self._readers):
            reader = self._idle.get()
            if reader:
                reader.connection.close()
        for _ in range(self._readers):
            self._idle.put(None)
        with self._lock:
            self._close_writer()

    @contextlib.contextmanager
    def _writing(self) -> collections.abc.Iterator[sqlite3.Connection]:
        """Yield the connection that writes, in a transaction."""
        with self._lock, _answered(self._path):
            connection = self._renew()
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield connection
                connection.execute("COMMIT")
            finally:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")

    @contextlib.contextmanager
    def _reading(
        self,
        scope: port.Scope = port.Scope(frozenset()),  # noqa: B008 (a value)
    ) -> collections.abc.Iterator[evaluating.Evaluation]:
        """Yield answers about one state of the index."""
        reader = self._idle.get()
        try:
            with _answered(self._path, self._limit_s):
                if reader and reader.file != schema.file_at(self._path):
                    reader.connection.close()
                    reader = None
                if reader is None:
                    reader = self._open_reader()
                connection = reader.connection
                check_time = _limit(connection, self._limit_s)
                connection.execute("BEGIN")
                try:
                    yield evaluating.Evaluation(
                        connection, scope, reader.cache, check_time
                    )
                finally:
                    connection.set_progress_handler(None, 0)
                    connection.execute("ROLLBACK")
        except errors.Unavailable:
            if reader:
                reader.connection.close()
                reader = None
            raise
        finally:
            self._idle.put(reader)

    def _open_reader(self) -> _Reader:
        """Return a new connection that reads.

        The tables are made first where they are missing.
        """
        with self._lock:
            self._renew()
            file = self._file
        connection = schema.connect(self._path, _READER_KIB, self._busy_s)
        connection.execute("PRAGMA query_only = 1")
        return _Reader(connection, evaluating.Cache(), file)


def _save(connection: sqlite3.Connection, name: str, value: str) -> None:
    connection.execute(
        "INSERT OR REPLACE INTO kept VALUES (?, ?)", (name, value)
    )


def _hit(query: port.Query, ranked: ordering.Ranked) -> port.Hit:
    document = ranked.document
    return port.Hit(
        document if query.scope.is_admin else document.without_admin(),
        ranked.score,
        cursors.encode_cursor(query, ranked.position),
    )


def _limit(
    connection: sqlite3.Connection, limit_s: float
) -> collections.abc.Callable[[], None]:
    """Stop what the connection does once its time is over.

    :returns: raises ``LimitExceeded`` from then on, for work between its
        statements
    """
    end = time.monotonic() + limit_s

    def check_time() -> None:
        if time.monotonic() > end:
            raise _too_long(limit_s)

    connection.set_progress_handler(
        lambda: int(time.monotonic() > end), _STEPS
    )
    return check_time


def _too_long(limit_s: float) -> errors.LimitExceeded:
    return errors.LimitExceeded(
        f"The search took more than {limit_s:g} seconds. Name a field, a"
        " longer beginning of a word, fewer alternatives, or fewer buckets."
    )


@contextlib.contextmanager
def _answered(
    path: pathlib.Path, limit_s: float = 0
) -> collections.abc.Iterator[None]:
    """Turn what SQLite raises into errors of ours."""
    try:
        yield
    except sqlite3.Error as e:
        if str(e) == "interrupted":
            raise _too_long(limit_s) from e
        advice = ""
        if schema.note_damage(path, e):
            advice = " It is damaged, and made anew now."
        raise errors.Unavailable(
            f"The search index {path} gives no answer: {e}. Nothing was"
            f" changed.{advice}"
        ) from e
    except OSError as e:
        raise errors.Unavailable(
            f"The search index {path} cannot be used: {e}."
        ) from e
