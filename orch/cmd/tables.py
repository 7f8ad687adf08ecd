"""The database, for commands that use its tables."""

import collections.abc

from oslo_config import cfg

from orch.cmd import process
from orch.db import engine as db_engine
from orch.db import revision


def open_ready(conf: cfg.ConfigOpts) -> db_engine.Database:
    """Return the database, once its tables are those of this release.

    :raises orch.cmd.process.Failure: they are not
    :raises orch.db.errors.DatabaseDown: no answer
    """
    database = db_engine.Database.from_conf(conf)
    found, wanted = revision.current(database), revision.head()
    if found != wanted:
        raise process.Failure(
            f"the database is at revision {found or 'none'}, this release"
            f" needs {wanted}: run `orch-manage db sync` first"
        )
    return database


def repeat(
    database: db_engine.Database,
    some: collections.abc.Callable[[db_engine.Connection], int],
) -> int:
    """Do something until nothing is left; return how many there were.

    :param some: does a batch, in a transaction, and returns how many
    """
    total = 0
    while done := database.run(some):
        total += done
    return total
