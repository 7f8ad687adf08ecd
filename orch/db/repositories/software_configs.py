"""Software configs."""

import sqlalchemy as sa

from orch.db import pages
from orch.db import rows
from orch.db.models import software as software_tables
from orch.model import software

_TABLE = software_tables.SOFTWARE_CONFIGS
_USES = software_tables.SOFTWARE_DEPLOYMENTS
_ROWS = rows.Rows(software.Config, _TABLE)


insert = _ROWS.insert
find = _ROWS.find
lock = _ROWS.lock
delete = _ROWS.delete


def list_(
    conn: sa.Connection,
    project_id: str | None,
    *,
    limit: int | None = None,
    marker: str | None = None,
) -> list[software.Config]:
    """Return configs, the newest first.

    :param project_id: their owner; ``None`` for all projects
    :param limit: how many at most; ``None`` for all
    :param marker: id of the config after which to go on; one that names
        nothing is passed over
    """
    statement = _ROWS.select()
    if project_id is not None:
        statement = statement.where(_TABLE.c.project_id == project_id)
    order = pages.Order((_TABLE.c.created_at, _TABLE.c.id), True)
    if marker is not None:
        statement = order.after(conn, statement, _TABLE.c.id == marker)
    return _ROWS.all(
        conn.execute(statement.order_by(*order.by()).limit(limit))
    )


def count(conn: sa.Connection, project_id: str) -> int:
    """Return how many configs the project has."""
    return _ROWS.count(conn, _TABLE.c.project_id == project_id)


def is_deployed(conn: sa.Connection, config_id: str) -> bool:
    """Answer whether a deployment has the config."""
    using = sa.select(_USES.c.id).where(_USES.c.config_id == config_id)
    return rows.has_any(conn, using)
