"""``orch-engine``: one worker; start as many as there is work for."""

import sys
import typing

from orch.cmd import process
from orch.db import engine as db_engine
from orch.db import migrate
from orch.engine import service
from orch.plugin import registry
from orch.rpc import transport

_GRACE_S = 5.0


def main() -> typing.NoReturn:
    """Work until a signal comes."""
    process.run(_work)


def _work() -> None:
    signals = process.Signals()
    conf = process.options("orch-engine", sys.argv[1:])
    database = db_engine.Database.from_conf(conf)
    _insist_on_tables(database)
    worker = service.Service(
        conf,
        database,
        transport.build(conf),
        registry.ResourceTypes(conf),
        conf.host,
    )
    worker.start()
    process.serve(
        signals,
        [lambda: worker.stop(_GRACE_S), database.dispose],
        f"orch-engine works on {conf.host}",
    )


def _insist_on_tables(database: db_engine.Database) -> None:
    """Refuse to work on tables of another release."""
    found, wanted = migrate.current(database), migrate.head()
    if found != wanted:
        raise process.Failure(
            f"the database is at revision {found or 'none'}, this release"
            f" needs {wanted}: run `orch-manage db sync` first"
        )
