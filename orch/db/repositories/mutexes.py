"""Turnstiles: one transaction at a time comes through.

For what is counted first and added then, such as the stacks of a project: of
two that come at the same time the second one counts what the first has added.
"""

import hashlib
import typing

import sqlalchemy as sa

from orch.db import functions
from orch.db import rows
from orch.db.models import services

_NAMED = services.LEASES
_PREFIX: typing.Final = "turnstile:"


def pass_through(conn: sa.Connection, what: str, whose: str) -> None:
    """Hold the mutex until this transaction ends.

    :param what: is counted, a word
    :param whose: of a project, or of whoever else has them
    """
    owner = hashlib.sha256(whose.encode()).hexdigest()
    values = {"fence": 1, "expires_at": functions.now(), "owner": owner}
    name = f"{_PREFIX}{what}:{owner}"
    pushed = sa.update(_NAMED).where(_NAMED.c.name == name).values(values)
    # First the lock: MySQL lets two inserts share one, which then neither
    # can have alone.
    if conn.execute(pushed).rowcount:
        return
    absent = rows.insert_absent(conn.dialect.name, _NAMED)
    conn.execute(absent.values(name=name, **values))
    conn.execute(pushed)
