"""Which revision the tables are at, and which this code needs."""

import pathlib

import sqlalchemy as sa

from orch.db import engine

_VERSIONS = pathlib.Path(__file__).with_name("migrations") / "versions"
_TABLE = "alembic_version"


def current(database: engine.Database) -> str | None:
    """Return the revision that the tables are at; ``None`` without any."""
    with database.read() as conn:
        if not sa.inspect(conn).has_table(_TABLE):
            return None
        column: sa.ColumnClause[str] = sa.column("version_num")
        found = conn.execute(sa.select(column).select_from(sa.table(_TABLE)))
        return found.scalar_one_or_none()


def head() -> str:
    """Return the revision that this code needs.

    Each is in a file that begins with it, and they are numbered.
    """
    names = [path.name for path in _VERSIONS.glob("[0-9]*_*.py")]
    return max(names).partition("_")[0]
