"""Databases with Orch's tables, which the migrations make once a process.

A database on SQLite is a copy of a file; the migrations take a quarter of a
second each time. ``tests.functional.db.test_migrate`` runs them as they are.
"""

import functools
import pathlib
import tempfile

from orch.db import engine
from orch.db import migrate

_SQLITE = "sqlite:///"


def make(url: str) -> None:
    """Give an empty database its tables.

    :param url: for SQLAlchemy; of a file that does not exist, for SQLite
    """
    if url.startswith(_SQLITE):
        write(pathlib.Path(url.removeprefix(_SQLITE)))
    else:
        _upgrade(url)


def write(path: pathlib.Path) -> None:
    """Write the file of a database on SQLite.

    :raises FileExistsError: there is one
    """
    with path.open("xb") as file:
        file.write(_content())


@functools.cache
def _content() -> bytes:
    with tempfile.TemporaryDirectory() as directory:
        path = pathlib.Path(directory, "orch.sqlite")
        _upgrade(f"{_SQLITE}{path}")
        journals = [each.name for each in path.parent.iterdir()]
        assert journals == [path.name], journals
        return path.read_bytes()


def _upgrade(url: str) -> None:
    database = engine.Database(url)
    try:
        migrate.upgrade(database)
    finally:
        database.dispose()
