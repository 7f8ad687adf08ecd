"""Change the project that software configs and deployments belong to."""

import collections.abc

import sqlalchemy as sa

from orch.db import rows
from orch.db.models import software

_CONFIGS = software.SOFTWARE_CONFIGS
_DEPLOYMENTS = software.SOFTWARE_DEPLOYMENTS


def change_owner(
    conn: sa.Connection,
    given: collections.abc.Sequence[str],
    owner_id: str,
    project_id: str,
    *,
    with_configs: bool,
) -> list[str]:
    """Give configs and deployments of a project to another one.

    A config that another deployment of its owner has stays where it is.

    :param given: their ids, among others
    :param with_configs: the configs of the deployments, too
    :returns: the ids of those that were its own
    """
    moved: list[str] = []
    for page in rows.batches(given):
        deployed = conn.execute(
            sa.select(_DEPLOYMENTS.c.id, _DEPLOYMENTS.c.config_id).where(
                _DEPLOYMENTS.c.id.in_(page),
                _DEPLOYMENTS.c.project_id == owner_id,
            )
        ).all()
        deployments = [each.id for each in deployed]
        _update(conn, _DEPLOYMENTS, deployments, project_id)
        configs = {*page}
        if with_configs:
            configs.update(each.config_id for each in deployed)
        used = sa.exists().where(
            _DEPLOYMENTS.c.config_id == _CONFIGS.c.id,
            _DEPLOYMENTS.c.project_id == owner_id,
        )
        owned = conn.scalars(
            sa.select(_CONFIGS.c.id).where(
                _CONFIGS.c.id.in_(configs),
                _CONFIGS.c.project_id == owner_id,
                ~used,
            )
        ).all()
        _update(conn, _CONFIGS, owned, project_id)
        moved += [*deployments, *owned]
    return moved


def _update(
    conn: sa.Connection,
    table: sa.Table,
    row_ids: collections.abc.Sequence[str],
    project_id: str,
) -> None:
    conn.execute(
        sa.update(table)
        .where(table.c.id.in_(row_ids))
        .values(project_id=project_id)
    )
