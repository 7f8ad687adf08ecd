"""Quota of a project for software configs and deployments."""

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
    """The number of configs and deployments of a project; -1 lifts a limit.

    Those that stacks create count too. A config that belongs to a deployment
    is not refused by itself: the deployment is.
    """

    configs: int = 4096
    deployments: int = 4096

    @classmethod
    def from_conf(cls, conf: cfg.ConfigOpts) -> "SoftwareQuota":
        """Return the quota that the options set."""
        return cls(
            conf.max_software_configs_per_tenant,
            conf.max_software_deployments_per_tenant,
        )

    def check(self, connection: db_engine.Connection, project_id: str) -> None:
        """Raise LimitExceeded if the project has more than it may have.

        :raises orch.errors.LimitExceeded: it has
        """
        for what, limit, count in (
            ("software configs", self.configs, software_configs.count),
            (
                "software deployments",
                self.deployments,
                software_deployments.count,
            ),
        ):
            _claim(connection, what, project_id, limit, count, more=0)

    def claim_config(
        self, connection: db_engine.Connection, project_id: str
    ) -> None:
        """Raise LimitExceeded if the project may have no further config.

        No other request takes the last one before the transaction ends.

        :raises orch.errors.LimitExceeded: the quota is used up
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
        """Raise LimitExceeded if the project may have no further deployment.

        No other request takes the last one before the transaction ends.

        :raises orch.errors.LimitExceeded: the quota is used up
        """
        _claim(
            connection,
            "software deployments",
            project_id,
            self.deployments,
            software_deployments.count,
        )


DEFAULT_QUOTA: typing.Final = SoftwareQuota()
"""The quota when no option says otherwise."""


def _claim(
    connection: db_engine.Connection,
    what: str,
    project_id: str,
    limit: int,
    count: collections.abc.Callable[[db_engine.Connection, str], int],
    more: int = 1,
) -> None:
    if limit < 0:
        return
    mutexes.pass_through(connection, what, project_id)
    if count(connection, project_id) + more > limit:
        raise errors.LimitExceeded(
            f"Request limit exceeded: the project has {limit} {what}, as many"
            " as are allowed; delete one first."
        )
