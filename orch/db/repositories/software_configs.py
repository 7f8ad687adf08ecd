"""Software configs."""

import sqlalchemy as sa

from orch.db import pages
from orch.db import rows
from orch.db.models import software as software_tables
from orch.model import software

_TABLE = software_tables.SOFTWARE_CONFIGS
_USES = software_tables.SOFTWARE_DEPLOYMENTS
_ROWS = rows.Rows(software.Config, _TABLE)


def insert(conn: sa.Connection, value: software.Config) -> None:
    """Store a new config; one of the same id stays as it is."""
    rows.insert(conn, _TABLE, [_ROWS.values(value)])


def find(conn: sa.Connection, config_id: str) -> software.Config | None:
    """Return the config of that id, if there is one."""
    return _ROWS.first(conn.execute(_ROWS.by("id"), {"key_id": config_id}))


def lock(conn: sa.Connection, config_id: str) -> software.Config | None:
    """Return the config, locked until the transaction ends."""
    return _ROWS.first(
        conn.execute(_ROWS.by("id").with_for_update(), {"key_id": config_id})
    )


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
    found = sa.select(sa.func.count()).select_from(_TABLE)
    return int(
        conn.execute(
            found.where(_TABLE.c.project_id == project_id)
        ).scalar_one()
    )


def is_deployed(conn: sa.Connection, config_id: str) -> bool:
    """Answer whether a deployment has the config."""
    used = sa.select(sa.exists().where(_USES.c.config_id == config_id))
    return bool(conn.execute(used).scalar_one())


def delete(conn: sa.Connection, config_id: str) -> None:
    """Forget the config; already gone is success."""
    conn.execute(sa.delete(_TABLE).where(_TABLE.c.id == config_id))
