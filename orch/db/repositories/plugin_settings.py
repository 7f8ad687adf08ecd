"""The plug-in settings in force: one row of the installation."""

import typing

import sqlalchemy as sa

from orch import clock
from orch.db import functions
from orch.db import rows
from orch.db.models import services
from orch.model import plugin_settings

_TABLE = services.PLUGIN_SETTINGS
_ID: typing.Final = 1

NUMBER: typing.Final = sa.func.coalesce(
    sa.select(_TABLE.c.number).where(_TABLE.c.id == _ID).scalar_subquery(), 0
)
"""The number of those in force, within any statement; 0 before the first."""


def find(conn: sa.Connection) -> plugin_settings.PluginSettings | None:
    """Return those in force; ``None`` before a worker has ever started."""
    row = conn.execute(sa.select(_TABLE).where(_TABLE.c.id == _ID)).first()
    if row is None:
        return None
    return plugin_settings.PluginSettings(
        row.number, row.fingerprint, row.activated_at
    )


def read_clock_and_number(conn: sa.Connection) -> tuple[clock.Timestamp, int]:
    """Return the moment by the database's clock, and the number in force."""
    row = conn.execute(sa.select(functions.now(), NUMBER)).one()
    return clock.Timestamp(row[0]), row[1]


def store_first(conn: sa.Connection, fingerprint: str) -> None:
    """Put the first ones into force; where there are some they stay."""
    values = {"id": _ID, "number": 1, "fingerprint": fingerprint}
    conn.execute(
        rows.insert_absent(conn.dialect.name, _TABLE).values(
            activated_at=functions.now(), **values
        )
    )


def activate(conn: sa.Connection, after: int, fingerprint: str) -> bool:
    """Put the next ones into force.

    :param after: the number in force
    :returns: false where another number is in force meanwhile
    """
    return rows.is_changed(
        conn,
        sa.update(_TABLE)
        .where(_TABLE.c.id == _ID, _TABLE.c.number == after)
        .values(
            number=after + 1,
            fingerprint=fingerprint,
            activated_at=functions.now(),
        ),
    )
