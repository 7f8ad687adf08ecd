"""Encrypt stored values with the newest key, while workers run."""

import importlib

from oslo_config import cfg

from orch.cmd import tables
from orch.db import engine as db_engine
from orch.db.repositories import credentials as credential_rows
from orch.db.repositories import sealed_values
from orch.model import credential

_BATCH = 100
_FEW = 20
"""Rows with values that may be long."""


def renew_values(conf: cfg.ConfigOpts) -> int:
    """Store all values that may hold a secret as the options say now.

    Sealed with the first key, or not at all. What stands so already stays:
    after an interruption it goes on where it was.

    :returns: how many rows were changed
    :raises orch.db.encryption.Unreadable: no key opens a value
    """
    database = tables.open_ready(conf)
    return sum(
        _renew_table(database, index)
        for index in range(len(sealed_values.tables()))
    )


def _renew_table(database: db_engine.Database, index: int) -> int:
    """Go through a table until no row was written in between."""
    total, missed = 0, 1
    while missed:
        missed = 0
        page = _renew_page(database, index, None)
        while page.last is not None:
            total, missed = total + page.changed, missed + page.missed
            page = _renew_page(database, index, page.last)
    return total


def _renew_page(
    database: db_engine.Database, index: int, after: sealed_values.Key | None
) -> sealed_values.Page:
    table = sealed_values.tables()[index]
    return database.run(
        lambda conn: sealed_values.renew(conn, table, after, _FEW)
    )


def renew_credentials(conf: cfg.ConfigOpts) -> int:
    """Seal all credentials of stacks with the first key.

    :returns: how many there are
    :raises orch.engine.credentials.cipher.BadKey: there is no key
    :raises orch.engine.credentials.cipher.Unreadable: no key opens one
    """
    vaults = importlib.import_module("orch.engine.credentials.cipher")
    vault = vaults.Cipher(conf.credentials.encryption_keys)
    database = tables.open_ready(conf)
    total, after = 0, ""
    while page := _sealed(database, after):
        for each in page:
            _seal_again(database, each, vault.rotated(each.sealed))
        total, after = total + len(page), page[-1].id
    return total


def _sealed(
    database: db_engine.Database, after: str
) -> list[credential.Credential]:
    return database.query(
        lambda connection: credential_rows.list_sealed(
            connection, after, _BATCH
        )
    )


def _seal_again(
    database: db_engine.Database, before: credential.Credential, sealed: str
) -> None:
    database.run(
        lambda connection: credential_rows.replace_sealed(
            connection, before.id, before.sealed, sealed
        )
    )
