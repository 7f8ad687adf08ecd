"""Software deployments."""

import collections.abc
import dataclasses

import sqlalchemy as sa

from orch.db import changes
from orch.db import functions
from orch.db import rows
from orch.db.models import software as software_tables
from orch.model import software

_TABLE = software_tables.SOFTWARE_DEPLOYMENTS
_CONFIGS = software_tables.SOFTWARE_CONFIGS
_ROWS = rows.Rows(
    software.Deployment, _TABLE, _TABLE.c.created_at, _TABLE.c.id
)

_CONFIG_ROWS = rows.Rows(software.Config, _CONFIGS)


find = _ROWS.find
lock = _ROWS.lock
update = _ROWS.update
delete = _ROWS.delete


def insert(conn: sa.Connection, value: software.Deployment) -> None:
    """Store a new deployment; one of the same id stays as it is."""
    _ROWS.insert(conn, value)
    if value.stack_id is not None and value.stack_user_project_id:
        changes.note(conn, [value.stack_id])


def list_(
    conn: sa.Connection,
    scope: software.Scope,
    server_id: str | None = None,
) -> list[software.Deployment]:
    """Return deployments, the oldest first.

    :param server_id: those to this server only
    """
    return _ROWS.find_all(conn, *_conditions(scope, server_id))


def count(conn: sa.Connection, project_id: str) -> int:
    """Return how many deployments the project has."""
    return _ROWS.count(conn, _TABLE.c.project_id == project_id)


def list_of_stack(
    conn: sa.Connection, stack_id: str
) -> list[software.Deployment]:
    """Return the deployments that are resources of a stack."""
    return _ROWS.find_by(conn, stack_id=stack_id)


def list_configs(
    conn: sa.Connection, scope: software.Scope, server_id: str
) -> list[software.Config]:
    """Return the configs of a project that it has deployed to a server.

    A deployment shows no config of another project. They come in the order of
    their names, which is that of applying them.
    """
    found = _CONFIG_ROWS.all(
        conn.execute(
            _CONFIG_ROWS.select()
            .join(_TABLE, _TABLE.c.config_id == _CONFIGS.c.id)
            .where(
                *_conditions(scope, server_id),
                _CONFIGS.c.project_id == scope.project_id,
            )
        )
    )
    return sorted(found, key=lambda each: (each.name or "", each.id))


def fail_open(
    conn: sa.Connection, stack_id: str, reason: str
) -> list[software.Deployment]:
    """Fail the deployments of a stack that are in progress.

    :returns: these deployments, as they are then
    """
    failed = []
    for each in list_of_stack(conn, stack_id):
        found = lock(conn, each.id)
        if found is None or found.status != software.Status.IN_PROGRESS:
            continue
        found = dataclasses.replace(
            found,
            status=software.Status.FAILED.value,
            status_reason=reason,
            updated_at=functions.read_clock(conn),
        )
        update(
            conn,
            found.id,
            status=found.status,
            status_reason=reason,
            updated_at=found.updated_at,
        )
        failed.append(found)
    return failed


def _conditions(
    scope: software.Scope, server_id: str | None
) -> collections.abc.Iterator[sa.ColumnElement[bool]]:
    yield _TABLE.c.project_id == scope.project_id
    if scope.user_project_id is not None:
        yield _TABLE.c.stack_user_project_id == scope.user_project_id
    if server_id is not None:
        yield _TABLE.c.server_id == server_id
