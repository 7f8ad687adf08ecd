"""The tables of an index in SQLite, and the connections to it.

Documents have *ordinals*, small numbers that are used again. For each value
of each field ``vals`` knows the documents that have it: one ordinal in the
row itself, or bits in ``postings`` (:mod:`orch.search.index.sqlite.bitmaps`).
So conditions, facets and counts are a few operations on sets. Words, and words
next to each other, are FTS5's. What was replaced keeps its ordinal until it is
forgotten; the set of what is current leaves it out. Where the index follows
rows of another database, a state has the number that it has there.
"""

import collections.abc
import contextlib
import fcntl
import logging
import os
import pathlib
import sqlite3
import time
import typing
import urllib.parse

from orch import errors
from orch.search.index import formats

LOG = logging.getLogger(__name__)

FORMAT: typing.Final = 8
"""Grows with each change of the tables, or of what is in them."""

COLUMNS: typing.Final = (
    "name",
    "path",
    "type",
    "tags",
    "owner",
    "reason",
    "description",
    "template",
    "events",
    "rest",
    "admin",
)
"""Of the words; ``rest`` has those of all other fields."""

_BESIDE = ("-wal", "-shm")
_LOG_BYTES = 4_000_000
_APPLICATION = 0x6F726368

_TABLES = f"""
CREATE TABLE meta (
    name TEXT PRIMARY KEY, value TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE kept (
    name TEXT PRIMARY KEY, value TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE stacks (
    stack_id TEXT PRIMARY KEY,
    version INTEGER NOT NULL,
    read_at REAL NOT NULL,
    documents INTEGER NOT NULL,
    text_bytes INTEGER NOT NULL,
    covered TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE documents (
    ordinal INTEGER PRIMARY KEY,
    id TEXT NOT NULL,
    newest REAL,
    number INTEGER,
    stack_id TEXT NOT NULL,
    digest BLOB NOT NULL,
    length INTEGER NOT NULL,
    valid_from REAL NOT NULL,
    valid_to REAL,
    body BLOB NOT NULL
);
CREATE UNIQUE INDEX documents_by_number ON documents (number)
    WHERE number IS NOT NULL;
CREATE INDEX documents_of_stack ON documents (stack_id)
    WHERE valid_to IS NULL;
CREATE INDEX former_of_stack ON documents (stack_id)
    WHERE valid_to IS NOT NULL;
CREATE INDEX documents_by_newest ON documents (newest);
CREATE INDEX documents_by_moment ON documents (valid_to, valid_from);
CREATE TABLE spare (ordinal INTEGER PRIMARY KEY);
CREATE TABLE fields (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    is_admin INTEGER NOT NULL,
    form TEXT NOT NULL,
    UNIQUE (name, is_admin)
);
CREATE TABLE vals (
    field INTEGER NOT NULL,
    folded TEXT NOT NULL,
    text TEXT NOT NULL,
    id INTEGER NOT NULL,
    one INTEGER,
    number REAL,
    PRIMARY KEY (field, folded, text)
) WITHOUT ROWID;
CREATE INDEX vals_by_number ON vals (field, number, one, id)
    WHERE number IS NOT NULL;
CREATE TABLE postings (
    id INTEGER NOT NULL,
    chunk INTEGER NOT NULL,
    bits BLOB NOT NULL,
    PRIMARY KEY (id, chunk)
) WITHOUT ROWID;
CREATE VIRTUAL TABLE words USING fts5 (
    {", ".join(COLUMNS)},
    content = '', tokenize = 'ascii', prefix = '1 2'
);
"""


def connect(
    path: pathlib.Path, cache_kib: int, busy_s: float
) -> sqlite3.Connection:
    """Return a connection without transactions of its own."""
    connection = sqlite3.connect(
        path,
        timeout=busy_s,
        isolation_level=None,
        check_same_thread=False,
        cached_statements=64,
    )
    connection.execute("PRAGMA journal_mode = wal")
    connection.execute("PRAGMA synchronous = normal")
    connection.execute(f"PRAGMA journal_size_limit = {_LOG_BYTES}")
    connection.execute(f"PRAGMA cache_size = -{cache_kib}")
    return connection


class File(typing.NamedTuple):
    """What tells a file from another one that has its name later.

    No other file has the same while somebody has it open.
    """

    device: int
    inode: int


def file_at(path: pathlib.Path) -> File | None:
    """Return which file has that name; ``None`` for none or a damaged one."""
    if is_damaged(path):
        return None
    try:
        found = path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return None
    return File(found.st_dev, found.st_ino)


def prepare(
    path: pathlib.Path, cache_kib: int, busy_s: float, *, is_copy: bool
) -> tuple[sqlite3.Connection, File | None]:
    """Return a connection to an index that is whole, and which file it is.

    A file that is none of ours, or is broken, is moved aside. A new one is
    for its owner alone to read and write.

    :param is_copy: what is in the file is elsewhere, too: delete it instead
    :raises formats.NewerFormat: a newer release has made it
    :raises sqlite3.Error: the file cannot be opened or made
    :raises OSError: so can its directory not
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with _alone_in(path.parent):
        return _repaired(path, cache_kib, busy_s, is_copy)


def look(path: pathlib.Path, busy_s: float) -> formats.IndexState:
    """Return what is in a file, which is not made where there is none.

    :raises orch.errors.Unavailable: it is damaged, or of something else
    :raises sqlite3.Error: it cannot be read
    """
    if is_damaged(path):
        raise errors.Unavailable(
            f"The search index {path} was found to be damaged. It is made"
            " anew by a search service; start one if none runs."
        )
    if file_at(path) is None:
        return formats.IndexState(str(path), None, FORMAT)
    address = urllib.parse.quote(str(path))
    connection = sqlite3.connect(
        f"file:{address}?mode=rw", timeout=busy_s, uri=True
    )
    try:
        connection.execute("PRAGMA query_only = 1")
        return formats.IndexState(str(path), _format_of(connection), FORMAT)
    except _ForeignError as e:
        raise errors.Unavailable(
            f"The search index {path} cannot be used: {e}. Give [search]"
            " connection another file."
        ) from e
    finally:
        connection.close()


@contextlib.contextmanager
def _alone_in(directory: pathlib.Path) -> collections.abc.Iterator[None]:
    """Let no other process make files of an index there meanwhile."""
    descriptor = os.open(directory, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def _repaired(
    path: pathlib.Path, cache_kib: int, busy_s: float, is_copy: bool
) -> tuple[sqlite3.Connection, File | None]:
    if is_damaged(path):
        _put_away(path, "it was found to be damaged", is_copy)
        _damage_note(path).unlink(missing_ok=True)
    try:
        return _prepared(path, cache_kib, busy_s)
    except _ForeignError as e:
        _put_away(path, str(e), is_copy)
    except sqlite3.OperationalError:
        raise
    except sqlite3.DatabaseError as e:
        _put_away(path, str(e), is_copy)
    return _prepared(path, cache_kib, busy_s)


def note_damage(path: pathlib.Path, error: sqlite3.Error) -> bool:
    """Leave word for :func:`prepare` where an error means a damaged file.

    :returns: whether it means that
    """
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    if code not in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
        return False
    _damage_note(path).touch()
    return True


def is_damaged(path: pathlib.Path) -> bool:
    """Whether :func:`note_damage` found that the file has to be made anew."""
    return _damage_note(path).exists()


def _damage_note(path: pathlib.Path) -> pathlib.Path:
    return path.with_name(f"{path.name}.damaged")


class _ForeignError(Exception):
    """The file is the database of something else."""


def _prepared(
    path: pathlib.Path, cache_kib: int, busy_s: float
) -> tuple[sqlite3.Connection, File | None]:
    _create(path)
    file = file_at(path)
    connection = connect(path, cache_kib, busy_s)
    try:
        connection.execute("BEGIN IMMEDIATE")
        index_state = formats.IndexState(
            str(path), _format_of(connection), FORMAT
        )
        index_state.check_not_newer()
        if not index_state.is_ready:
            make(connection)
        connection.execute("COMMIT")
    except BaseException:
        connection.close()
        raise
    return connection, file


def _create(path: pathlib.Path) -> None:
    """Make an empty file where there is none.

    One that is there is not opened: to close it again would take away the
    locks that other connections of this process have on it.
    """
    if file_at(path) is None:
        _remove_beside(path)
        with contextlib.suppress(FileExistsError):
            os.close(os.open(path, os.O_CREAT | os.O_EXCL, 0o600))


def _remove_beside(path: pathlib.Path) -> None:
    for suffix in _BESIDE:
        path.with_name(path.name + suffix).unlink(missing_ok=True)


def _format_of(connection: sqlite3.Connection) -> int | None:
    """Return the format of the index; ``None`` of a new file.

    :raises _ForeignError: something else is in the file
    """
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    (tables,) = connection.execute(
        "SELECT count(*) FROM sqlite_master"
    ).fetchone()
    if application == _APPLICATION:
        (found,) = connection.execute("PRAGMA user_version").fetchone()
        return int(found)
    if application or tables:
        raise _ForeignError("it is the database of something else")
    return None


def make(connection: sqlite3.Connection) -> None:
    """Make all tables anew, inside a transaction of the caller."""
    names = connection.execute(
        "SELECT name FROM sqlite_master WHERE type = 'table'"
        " AND name NOT LIKE 'sqlite_%' AND name NOT LIKE 'words\\__%'"
        " ESCAPE '\\'"
    ).fetchall()
    for (name,) in names:
        connection.execute(f'DROP TABLE "{name}"')
    for statement in _TABLES.split(";"):
        if statement.strip():
            connection.execute(statement)
    connection.execute(f"PRAGMA application_id = {_APPLICATION}")
    connection.execute(f"PRAGMA user_version = {FORMAT}")


def _put_away(path: pathlib.Path, reason: str, is_copy: bool) -> None:
    """Give the file another name, so that nothing of it is lost.

    :param is_copy: nothing is lost with it: delete it
    """
    aside = path.with_name(f"{path.name}.broken-{int(time.time())}")
    LOG.error(
        "The search index %s cannot be used: %s. It was %s, and an empty one"
        " takes its place; it fills again by itself.",
        path,
        reason,
        "deleted" if is_copy else f"moved to {aside}",
    )
    if is_copy:
        path.unlink(missing_ok=True)
    elif path.exists():
        path.rename(aside)
    _remove_beside(path)
