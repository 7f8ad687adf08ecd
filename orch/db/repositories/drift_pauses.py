"""Pauses of the observer, of one project or of all, and stopped repairs."""

import dataclasses

import sqlalchemy as sa

from orch.db import functions
from orch.db import rows
from orch.db.models import observations
from orch.model import observation

_TABLE = observations.DRIFT_PAUSES
_ROWS = rows.Rows(observation.Pause, _TABLE)


def find(conn: sa.Connection, project_id: str) -> observation.Pause:
    """Return the pause that applies to a project.

    That of all projects comes first; stopped repairs are the project's own.
    """
    wanted = [project_id, observation.ALL_PROJECTS]
    found = {
        each.project_id: each
        for each in _ROWS.find_all(conn, _TABLE.c.project_id.in_(wanted))
    }
    own = found.get(project_id) or observation.Pause(project_id=project_id)
    general = found.get(observation.ALL_PROJECTS)
    if general is None or general.paused_at is None:
        return own
    return dataclasses.replace(
        general, stopped_at=own.stopped_at, resumed_at=own.resumed_at
    )


def pause(conn: sa.Connection, project_id: str, user: str) -> None:
    """Let the observer pause; one that is paused already stays as it is."""
    _ROWS.insert(conn, observation.Pause(project_id=project_id))
    conn.execute(
        sa.update(_TABLE)
        .where(_TABLE.c.project_id == project_id, _TABLE.c.paused_at.is_(None))
        .values(paused_at=functions.now(), paused_by=user)
    )


def resume(conn: sa.Connection, project_id: str) -> None:
    """Let the observer go on, and repairs too."""
    _ROWS.insert(conn, observation.Pause(project_id=project_id))
    conn.execute(
        sa.update(_TABLE)
        .where(_TABLE.c.project_id == project_id)
        .values(
            paused_at=None,
            paused_by="",
            stopped_at=None,
            resumed_at=functions.now(),
        )
    )


def stop_repairs(conn: sa.Connection, project_id: str) -> bool:
    """Stop the repairs of a project, and say whether they ran until now."""
    _ROWS.insert(conn, observation.Pause(project_id=project_id))
    return rows.is_changed(
        conn,
        sa.update(_TABLE)
        .where(
            _TABLE.c.project_id == project_id, _TABLE.c.stopped_at.is_(None)
        )
        .values(stopped_at=functions.now()),
    )


def allow_repairs(conn: sa.Connection, project_id: str) -> None:
    """Let stopped repairs of a project go on."""
    _ROWS.update(conn, project_id, stopped_at=None)


def is_paused(
    project_id: sa.ColumnElement[str],
) -> sa.ColumnElement[bool]:
    """Return the condition that the observer pauses for a project."""
    return sa.exists().where(
        _TABLE.c.project_id.in_([project_id, observation.ALL_PROJECTS]),
        _TABLE.c.paused_at.is_not(None),
    )
