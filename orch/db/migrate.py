"""Bringing a database's tables up to date.

Several processes may ask for it at once: one does the work, the others wait
for it and find nothing left to do. What it needs takes much memory: whoever
only wants to know the revision asks :mod:`orch.db.revision`.
"""

import pathlib

from alembic import command
from alembic import config

from orch.db import engine
from orch.db import schema_lock

_DIRECTORY = pathlib.Path(__file__).with_name("migrations")
_LOCK = "orch.migrate"


def upgrade(database: engine.Database, to: str = "head") -> None:
    """Bring the tables to what this code needs, from whatever they are at.

    :param to: a revision; the newest by default
    :raises orch.db.errors.DatabaseDown: no answer, or another process has
        been at it for five minutes
    """
    with schema_lock.locked(database, _LOCK) as conn:
        settings = _settings()
        settings.attributes["connection"] = conn
        command.upgrade(settings, to)


def _settings() -> config.Config:
    settings = config.Config()
    # A per cent sign means a variable there.
    location = str(_DIRECTORY).replace("%", "%%")
    settings.set_main_option("script_location", location)
    settings.set_main_option("path_separator", "newline")
    return settings
