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

Kind = typing.Literal["configs", "deployments"]

_COUNTS: typing.Final[
    collections.abc.Mapping[
        Kind, collections.abc.Callable[[db_engine.Connection, str], int]
    ]
] = {
    "configs": software_configs.count,
    "deployments": software_deployments.count,
}


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
        for kind in _COUNTS:
            self.claim(connection, project_id, kind, more=0)

    def claim(
        self,
        connection: db_engine.Connection,
        project_id: str,
        kind: Kind,
        more: int = 1,
    ) -> None:
        """Raise LimitExceeded if the project may have no further one.

        No other request takes the last one before the transaction ends.

        :raises orch.errors.LimitExceeded: the quota is used up
        """
        limit: int = getattr(self, kind)
        if limit < 0:
            return
        mutexes.pass_through(connection, f"software {kind}", project_id)
        if _COUNTS[kind](connection, project_id) + more > limit:
            raise errors.LimitExceeded(
                f"Request limit exceeded: the project has {limit} software"
                f" {kind}, as many as are allowed; delete one first."
            )


DEFAULT_QUOTA: typing.Final = SoftwareQuota()
"""The quota when no option says otherwise."""
