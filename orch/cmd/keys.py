"""Check the keys in the options of a worker before it starts."""

from oslo_config import cfg

from orch.cmd import process
from orch.db import encryption
from orch.db import engine as db_engine
from orch.db.repositories import sealed_values
from orch.engine.adoption import sealing


def check_documents(conf: cfg.ConfigOpts) -> None:
    """Return only if the keys that open sealed documents are keys.

    A wrong one must show before a stack is about to move.

    :raises orch.cmd.process.Failure: one of them is none
    """
    try:
        sealing.check_private(conf.adoption.private_keys)
    except sealing.BadKey as error:
        raise process.Failure(error.message) from error


def check_values(database: db_engine.Database) -> None:
    """Return only if the keys that encrypt values open what is stored.

    A worker that lacks one would let operations of others fail.

    :raises orch.cmd.process.Failure: they do not
    :raises orch.db.errors.DatabaseDown: no answer
    """
    try:
        database.query(sealed_values.check)
    except encryption.Unreadable as error:
        raise process.Failure(error.message) from error
