"""Services: the processes that report that they are alive."""

import sqlalchemy as sa

from orch.db import functions
from orch.db import rows
from orch.db.models import services
from orch.model import service

_TABLE = services.SERVICES
_ROWS = rows.Rows(
    service.Service, _TABLE, _TABLE.c.binary, _TABLE.c.host, _TABLE.c.id
)
_CHANGING = (
    *("host", "binary", "topic", "report_interval_s", "updated_at"),
    *("settings_number", "settings_loaded"),
    *("settings_loadable", "settings_error"),
)
_MISSED_REPORTS = 2


def save_report(conn: sa.Connection, value: service.Service) -> None:
    """Note that the process is alive now, by the database's clock.

    The value's own moments are not looked at; ``created_at`` stays that of
    the first report.
    """
    now = functions.read_clock(conn)
    values = _ROWS.values(value) | {"created_at": now, "updated_at": now}
    rows.save(conn, _TABLE, [values], _CHANGING)


def list_(conn: sa.Connection) -> list[tuple[service.Service, bool]]:
    """Return all processes by kind and host, each with whether it is up."""
    found = _ROWS.find_all(conn)
    now = functions.read_clock(conn)
    return [
        (
            each,
            now - each.updated_at < each.report_interval_s * _MISSED_REPORTS,
        )
        for each in found
    ]


def forget_dead(conn: sa.Connection, older_than_s: float) -> int:
    """Forget processes that are down and were last heard of before that.

    :returns: how many
    """
    silence = functions.now() - _TABLE.c.updated_at
    return conn.execute(
        sa.delete(_TABLE).where(
            silence > older_than_s,
            silence > _TABLE.c.report_interval_s * _MISSED_REPORTS,
        )
    ).rowcount
