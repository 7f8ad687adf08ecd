"""A world outside of Orch's rows, to prove that things are made once.

The resource type that acts on it, ``Test::World::Thing``, and its properties
are in ``tests/support/plugin``.
"""

import contextlib
import dataclasses
import os
import pathlib
import sqlite3

import fixtures

_PLUGIN = pathlib.Path(__file__).with_name("plugin")
_VARIABLE = "ORCH_TEST_WORLD"
_TABLES = """
PRAGMA journal_mode = WAL;
CREATE TABLE IF NOT EXISTS things (
    id INTEGER PRIMARY KEY AUTOINCREMENT, token TEXT, name TEXT,
    value TEXT, made_at REAL);
CREATE TABLE IF NOT EXISTS calls (
    number INTEGER PRIMARY KEY AUTOINCREMENT, act TEXT, token TEXT,
    name TEXT, pid INTEGER, called_at REAL);
"""


@dataclasses.dataclass(frozen=True)
class Call:
    """One call of the plug-in, or what came of it.

    :ivar act: ``create``, ``find``, ``delete``; ``made`` where a row was
        written, ``double`` where it was not the only one
    """

    act: str
    token: str
    name: str
    pid: int
    called_at: float


class World(fixtures.Fixture):
    """An empty world, in a file that goes after the test.

    :ivar environment: for the processes that shall act on it
    """

    environment: dict[str, str]

    def _setUp(self) -> None:  # noqa: N802 - fixtures names it
        directory = pathlib.Path(self.useFixture(fixtures.TempDir()).path)
        self._path = directory / "world.sqlite"
        with contextlib.closing(sqlite3.connect(self._path)) as world:
            world.executescript(_TABLES)
        python_path = os.environ.get("PYTHONPATH", "")
        self.environment = {
            _VARIABLE: str(self._path),
            "PYTHONPATH": f"{_PLUGIN}{os.pathsep}{python_path}".rstrip(
                os.pathsep
            ),
        }

    def names(self) -> list[str]:
        """Return the names of the things that exist, sorted."""
        rows = self._select("SELECT name FROM things ORDER BY name")
        return [str(name) for (name,) in rows]

    def doubles(self) -> list[str]:
        """Return the tokens for which two things existed at one time."""
        rows = self._select("SELECT token FROM calls WHERE act = 'double'")
        return [str(token) for (token,) in rows]

    def calls(self) -> list[Call]:
        """Return all calls, oldest first."""
        rows = self._select(
            "SELECT act, token, name, pid, called_at FROM calls"
            " ORDER BY number"
        )
        return [Call(*row) for row in rows]

    def _select(self, statement: str) -> list[tuple[object, ...]]:
        with contextlib.closing(sqlite3.connect(self._path)) as world:
            return world.execute(statement).fetchall()
