"""Whether a project may have one more software config, or deployment."""

import collections.abc
import dataclasses
import typing

from oslo_config import cfg

from orch import errors
from orch.db import engine as db_engine
from orch.db.repositories import mutexes
from orch.db.repositories import software_configs
from orch.db.repositories import software_deployments


@dataclasses.dataclass(frozen=True, slots=True)
class SoftwareQuota:
    """How many of them a project may have; -1 lifts a limit.

    What stacks make is counted too. A config that goes with a deployment is
    not refused by itself: the deployment is.
    """

    configs: int = 4096
    deployments: int = 4096

    @classmethod
    def from_conf(cls, conf: cfg.ConfigOpts) -> "SoftwareQuota":
        """Return what the options allow."""
        return cls(
            conf.max_software_configs_per_tenant,
            conf.max_software_deployments_per_tenant,
        )

    def claim_config(
        self, connection: db_engine.Connection, project_id: str
    ) -> None:
        """Return only if there is room for one more config.

        Nobody else takes it before the transaction ends.

        :raises orch.errors.LimitExceeded: there is none
        """
        _claim(
            connection,
            "software configs",
            project_id,
            self.configs,
            software_configs.count,
        )

    def claim_deployment(
        self, connection: db_engine.Connection, project_id: str
    ) -> None:
        """Return only if there is room for one more deployment.

        Nobody else takes it before the transaction ends.

        :raises orch.errors.LimitExceeded: there is none
        """
        _claim(
            connection,
            "software deployments",
            project_id,
            self.deployments,
            software_deployments.count,
        )


DEFAULT_QUOTA: typing.Final = SoftwareQuota()
"""What there is room for when no option says otherwise."""


def _claim(
    connection: db_engine.Connection,
    what: str,
    project_id: str,
    limit: int,
    count: collections.abc.Callable[[db_engine.Connection, str], int],
) -> None:
    if limit < 0:
        return
    mutexes.pass_through(connection, what, project_id)
    if count(connection, project_id) >= limit:
        raise errors.LimitExceeded(
            f"Request limit exceeded: the project has {limit} {what}, as many"
            " as are allowed; delete one first."
        )
