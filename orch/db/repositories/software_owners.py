"""Change the project that software configs and deployments belong to."""

import collections.abc

import sqlalchemy as sa

from orch.db.models import software_configs
from orch.db.models import software_deployments

_CONFIGS = software_configs.SOFTWARE_CONFIGS
_DEPLOYMENTS = software_deployments.SOFTWARE_DEPLOYMENTS
_PAGE = 500


def change_owner(
    conn: sa.Connection,
    given: collections.abc.Sequence[str],
    owners: collections.abc.Collection[str],
    project_id: str,
) -> int:
    """Give configs and deployments, and the configs of these, to a project.

    A config that another deployment of its owner has stays where it is.

    :param given: their ids, among others
    :param owners: the projects that they may belong to
    :returns: how many rows there were
    """
    moved = 0
    for start in range(0, len(given), _PAGE):
        page = given[start : start + _PAGE]
        mine = (
            _DEPLOYMENTS.c.id.in_(page),
            _DEPLOYMENTS.c.project_id.in_(owners),
        )
        deployed = conn.scalars(
            sa.select(_DEPLOYMENTS.c.config_id).where(*mine)
        )
        configs = {*page, *deployed}
        moved += conn.execute(
            sa.update(_DEPLOYMENTS).where(*mine).values(project_id=project_id)
        ).rowcount
        used = sa.exists().where(
            _DEPLOYMENTS.c.config_id == _CONFIGS.c.id,
            _DEPLOYMENTS.c.project_id.in_(owners),
        )
        moved += conn.execute(
            sa.update(_CONFIGS)
            .where(
                _CONFIGS.c.id.in_(configs),
                _CONFIGS.c.project_id.in_(owners),
                ~used,
            )
            .values(project_id=project_id)
        ).rowcount
    return moved
