"""The index on Tantivy, filled from rows of a database.

The rows (:mod:`orch.search.index.tantivy.tables`) are what counts: a change
is durable once they are committed. Each process follows them into a folder
of its own, which it searches. Who only looks at the rows opens none.
"""

import collections.abc
import contextlib
import logging
import pathlib
import threading
import time
import typing
import urllib.parse

import sqlalchemy as sa
from oslo_config import cfg
from oslo_db import exception
from sqlalchemy import exc

from orch import clock
from orch import errors
from orch.db import engine
from orch.search import document as documents
from orch.search.index import cursors
from orch.search.index import formats
from orch.search.index import port
from orch.search.index.tantivy import conditions
from orch.search.index.tantivy import counting
from orch.search.index.tantivy import folder as folders
from orch.search.index.tantivy import marks as marking
from orch.search.index.tantivy import order as ordering
from orch.search.index.tantivy import rows
from orch.search.index.tantivy import tables

LOG = logging.getLogger(__name__)

_Answer = typing.TypeVar("_Answer")

COMMIT_INTERVAL_S: typing.Final = 0.5
_MAX_FRESH: typing.Final = 5000
_PAUSE_S: typing.Final = 0.02


def from_url(url: str, conf: cfg.ConfigOpts) -> port.Index:
    """Return the index whose rows are in the database of ``tantivy+URL``.

    :raises orch.errors.Invalid: the database or the folder is not named
    """
    try:
        parts = sa.make_url(url.removeprefix("tantivy+"))
    except exc.ArgumentError as e:
        raise errors.Invalid(
            "[search] connection names no database behind tantivy+: write"
            " tantivy+sqlite:///FILE, tantivy+postgresql://HOST/NAME or"
            " tantivy+mysql://HOST/NAME."
        ) from e
    is_file = parts.get_backend_name() == "sqlite"
    if is_file and parts.database:
        parts = parts.set(database=urllib.parse.unquote(parts.database))
    if is_file and parts.database in (None, "", ":memory:"):
        raise errors.Invalid(
            "[search] connection names no file: write tantivy+sqlite:/// and"
            " the path of one."
        )
    folder = conf.search.folder
    if not folder:
        if not is_file:
            raise errors.Invalid(
                "[search] folder is not set. Name a local directory for the"
                " words of the index, for instance /var/lib/orch/search; it"
                " is filled from [search] connection."
            )
        folder = f"{parts.database}.folder"
    return TantivyIndex(
        parts.render_as_string(hide_password=False), pathlib.Path(folder)
    )


class TantivyIndex:
    """Rows in a database, and a folder of Tantivy that follows them.

    What is put is found once it was committed in the folder: at most
    ``commit_interval_s`` and the time of a commit later.
    """

    def __init__(
        self,
        url: str,
        folder: pathlib.Path,
        *,
        commit_interval_s: float = COMMIT_INTERVAL_S,
        limit_s: float = 10.0,
    ) -> None:
        """Name the database and the folder; nothing is opened yet.

        :param commit_interval_s: between two commits to the folder, and
            between two looks whether another process changed the rows; 0
            lets each search commit first what is not in the folder yet
        :param limit_s: for how long one search may read documents, or wait
            for the first fill
        """
        self._url = url
        self._parent = folder
        self._interval_s = commit_interval_s
        self._limit_s = limit_s
        self._lock = threading.RLock()
        self._database: engine.Database | None = None
        self._folder: folders.Folder | None = None
        self._fresh: dict[int, documents.Document] = {}
        self._changed = threading.Event()
        self._closed = threading.Event()
        self._follower: threading.Thread | None = None
        self._failure: Exception | None = None

    def index_state(self) -> formats.IndexState:
        """Return the state of the rows; make nothing."""
        place = self._place()
        parts = sa.make_url(self._url)
        if (
            parts.get_backend_name() == "sqlite"
            and not pathlib.Path(parts.database or "").exists()
        ):
            return formats.IndexState(place, None, tables.FORMAT)
        database = self._connect()
        with self._answered():
            found = database.query(rows.find_format)
        return formats.IndexState(place, found, tables.FORMAT)

    def prepare(self) -> None:
        """Create the tables that are missing."""
        parts = sa.make_url(self._url)
        if parts.get_backend_name() == "sqlite":
            _create_file(pathlib.Path(parts.database or ""))
        place = self._place()
        database = self._connect()
        with self._answered():
            database.run(lambda connection: rows.prepare(connection, place))

    def put(
        self, changes: collections.abc.Sequence[documents.StackDocuments]
    ) -> int:
        """Replace all documents of these stacks, at once or not at all."""
        newest: dict[str, documents.StackDocuments] = {}
        for each in changes:
            known = newest.get(each.stack_id)
            if known is None or _age(known) < _age(each):
                newest[each.stack_id] = each
        count, fresh = self._write(
            lambda connection: rows.replace_stacks(connection, newest)
        )
        if len(self._fresh) + len(fresh) <= _MAX_FRESH:
            self._fresh.update(fresh)
        self._opened()
        self._changed.set()
        return count

    def search(self, query: port.Query) -> port.Found:
        """Return the hits of a query."""
        found = self._conditions(query.scope)
        with _refused():
            universe = found.universe(query.kinds, query.as_of)
            hits = conditions.all_of(
                [universe, found.match(query.node, universe)]
            )
            total = found.count(hits)
            order = ordering.Order(found, query, hits, total)
            offset = 0 if query.after else query.offset
            ranked = (
                order.first(offset + query.limit)[offset:]
                if query.limit
                else []
            )
            return port.Found(
                total=total,
                hits=tuple(
                    _hit(query, each, score)
                    for each, score in zip(
                        ranked, order.scores(ranked), strict=True
                    )
                ),
                facets=counting.facets(found, hits, query.facets),
                statistics={
                    each: counting.statistics(found, hits, each)
                    for each in query.statistics
                },
            )

    def fields(
        self, scope: port.Scope, kinds: frozenset[str]
    ) -> dict[str, str]:
        """Return the names of all fields in a scope."""
        found = self._conditions(scope)
        return counting.forms(found, found.universe(kinds))

    def fields_of(
        self, scope: port.Scope, types: collections.abc.Collection[str]
    ) -> dict[str, dict[str, str]]:
        """Return the names of all fields of each type, to the letter."""
        found = self._conditions(scope)
        universe = found.universe()
        return {
            each: counting.forms(
                found, conditions.all_of([universe, found.of_type(each)])
            )
            for each in types
        }

    def mark(self, marks: collections.abc.Sequence[port.Mark]) -> None:
        """Store marks durably: these stacks have to be read again."""
        if marks:
            self._write(lambda connection: marking.mark(connection, marks))

    def marked(self, limit: int) -> list[port.Mark]:
        """Return the oldest marks, the oldest first; they stay."""
        return self._read(lambda connection: marking.marked(connection, limit))

    def unmark(self, marks: collections.abc.Sequence[port.Mark]) -> None:
        """Remove marks, unless a newer one of the stack exists."""
        self._write(lambda connection: marking.unmark(connection, marks))

    def load(self, name: str) -> str | None:
        """Return the text that :meth:`save` last stored under a name."""
        return self._read(lambda connection: marking.load(connection, name))

    def save(self, name: str, value: str | None) -> None:
        """Save a short text durably under a name, or remove it."""
        self._write(lambda connection: marking.save(connection, name, value))

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
                self._changed.set()
                return total

    def clear(self) -> None:
        """Delete all documents, marks and texts."""
        self._write(rows.clear)
        self._fresh.clear()
        self._changed.set()

    def counts(self) -> port.Counts:
        """Count documents, stacks and marks."""
        size = folders.stored_bytes(self._parent)
        return self._read(lambda connection: rows.counts(connection, size))

    def close(self) -> None:
        """Close the connections and the folder."""
        self._closed.set()
        self._changed.set()
        with self._lock:
            follower, self._follower = self._follower, None
        if follower:
            follower.join()
        with self._lock:
            if self._folder:
                self._folder.close()
                self._folder = None
            if self._database:
                self._database.dispose()
                self._database = None
            self._closed.clear()

    def _conditions(self, scope: port.Scope) -> conditions.Conditions:
        """Return queries of one moment of the folder, as it is filled."""
        folder = self._opened()
        if not self._interval_s:
            self._follow(folder)
        end = time.monotonic() + self._limit_s
        while not folder.is_filled:
            if time.monotonic() > end or self._closed.wait(_PAUSE_S):
                failure = f" ({self._failure})" if self._failure else ""
                raise errors.Unavailable(
                    f"The search index in {self._parent} is being filled"
                    f"{failure}. Try again in a minute."
                )
        database = self._connect()

        def read(
            numbers: collections.abc.Sequence[int],
        ) -> dict[int, documents.Document]:
            with self._answered():
                return rows.read_documents(database, numbers, end)

        return conditions.Conditions(
            folder.searcher(), folder.schema, scope, read
        )

    def _opened(self) -> folders.Folder:
        """Return the folder; what follows the rows has begun."""
        with self._lock:
            if self._folder is None:
                try:
                    self._folder = folders.Folder(self._parent)
                except OSError as e:
                    raise errors.Unavailable(
                        f"The search index in {self._parent} cannot be"
                        f" opened: {e}."
                    ) from e
            if self._interval_s and self._follower is None:
                self._follower = threading.Thread(
                    target=self._follow_always,
                    args=(self._folder,),
                    name="search-index",
                    daemon=True,
                )
                self._follower.start()
            return self._folder

    def _follow(self, folder: folders.Folder) -> None:
        with self._answered():
            folder.follow(self._connect(), self._fresh)

    def _follow_always(self, folder: folders.Folder) -> None:
        """Follow the rows until the index is closed."""
        while not self._closed.is_set():
            self._changed.clear()
            try:
                self._follow(folder)
            except errors.Unavailable as e:
                if str(e) != str(self._failure):
                    LOG.warning("The search index is behind: %s", e)
                self._failure = e
            except Exception as e:
                LOG.exception("The search index cannot follow its rows")
                self._failure = e
            else:
                self._failure = None
            if not self._closed.wait(self._interval_s):
                self._changed.wait(self._interval_s)

    def _connect(self) -> engine.Database:
        with self._lock, self._answered():
            if self._database is None:
                self._database = engine.Database(self._url)
            return self._database

    def _write(
        self, work: collections.abc.Callable[[sa.Connection], _Answer]
    ) -> _Answer:
        with self._answered():
            return self._connect().run(work)

    def _read(
        self, work: collections.abc.Callable[[sa.Connection], _Answer]
    ) -> _Answer:
        with self._answered():
            return self._connect().query(work)

    def _place(self) -> str:
        parts = sa.make_url(self._url)
        if parts.get_backend_name() == "sqlite":
            return str(parts.database)
        return parts.render_as_string(hide_password=True)

    @contextlib.contextmanager
    def _answered(self) -> collections.abc.Iterator[None]:
        """Turn what a database raises into errors of ours."""
        try:
            yield
        except (exc.SQLAlchemyError, exception.DBError) as e:
            raise errors.Unavailable(
                f"The search index {self._place()} gives no answer:"
                f" {str(e).partition(chr(10))[0]}. Nothing was changed."
            ) from e


def _create_file(path: pathlib.Path) -> None:
    """Create an empty file for its owner alone, where there is none."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch(mode=0o600)
    except OSError as e:
        raise errors.Unavailable(
            f"The search index {path} cannot be created: {e}."
        ) from e


@contextlib.contextmanager
def _refused() -> collections.abc.Iterator[None]:
    """Turn what Tantivy raises into an error of ours."""
    try:
        yield
    except ValueError as e:
        raise errors.LimitExceeded(
            f"The search index cannot answer this query: {e}. Name a field,"
            " a longer beginning of a word, or fewer alternatives."
        ) from e


def _age(change: documents.StackDocuments) -> tuple[int, float]:
    return change.version, change.read_at


def _hit(query: port.Query, ranked: ordering.Ranked, score: float) -> port.Hit:
    document = ranked.document
    return port.Hit(
        document if query.scope.is_admin else document.without_admin(),
        score,
        cursors.encode_cursor(query, ranked.position),
    )
