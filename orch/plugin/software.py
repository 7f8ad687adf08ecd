"""What plug-ins of software configs and deployments need of a worker.

Such things live in Orch's own tables, where the API and the agents on the
servers read them. The plug-ins know no database: the worker hands them a
:class:`Store` before it makes the first call.
"""

import abc
import collections.abc
import dataclasses
import typing

from orch import errors
from orch.model import software
from orch.plugin import resource

Values = collections.abc.Mapping[str, object]
Definition = software.Definition
Config = software.Config
Deployment = software.Deployment
Status = software.Status

COUNT: typing.Final = "count"
"""Where a deployment counts, in what signals have left with its resource, how
many those were."""
TOUCHED: typing.Final = "touched"
"""Where the worker counts, in what signals have left with the resource of a
deployment, how often callers have changed the deployment: whatever waits for
it looks again."""


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Handover:
    """A config that an agent is to apply, for one action of a deployment.

    :ivar stack_id: see :class:`orch.model.software.Deployment`, as
        ``resource_id`` and ``signals_seen``
    :ivar config_id: the same for every attempt to hand this over, and for
        nothing else
    :ivar definition: the config, its inputs bound to this deployment
    :ivar status: ``IN_PROGRESS`` when the agent has to tell how it went
    """

    deployment_id: str
    stack_id: str
    resource_id: str
    project_id: str
    server_id: str
    config_id: str
    definition: Definition
    input_values: Values | None
    action: str
    status: Status
    status_reason: str
    signals_seen: int


class Store(typing.Protocol):
    """Where configs and deployments are kept; each call is complete or not.

    May be called from several threads.
    """

    def create_config(
        self, project_id: str, config_id: str, definition: Definition
    ) -> None:
        """Keep a config; one of that id stays as it is."""

    def find_config(
        self, project_id: str | None, config_id: str
    ) -> Config | None:
        """Return the config of that id, if there is one.

        :param project_id: of its owner; ``None`` does not look at that
        """

    def delete_config(self, config_id: str) -> None:
        """Forget a config; already gone is success.

        :raises orch.errors.Invalid: a deployment has it
        """

    def hand_over(self, wanted: Handover) -> None:
        """Let the agent of a server find a config from now on.

        It takes the place of what the deployment had before, which is
        forgotten. Handed over already is success. Signals that have come
        meanwhile count as seen.
        """

    def find_deployment(self, deployment_id: str) -> Deployment | None:
        """Return a deployment, if there is one of that id."""

    def finish(
        self,
        told_of: Deployment,
        status: Status,
        status_reason: str,
        output_values: Values,
    ) -> None:
        """Keep how it went, unless that is known, or of an older config."""

    def delete_deployment(self, deployment_id: str) -> None:
        """Forget a deployment and its config; already gone is success."""

    def list_configs(
        self, project_id: str, server_id: str
    ) -> collections.abc.Sequence[Config]:
        """Return what the agent of a server has to apply, in order."""


class Stored(resource.Resource, abc.ABC):
    """Base of the types that keep configs or deployments."""

    _store: Store | None = None

    def use(self, store: Store) -> None:
        """Keep things there from now on; called once, by the worker."""
        self._store = store

    @property
    def store(self) -> Store:
        """Where things are kept.

        :raises orch.errors.Unavailable: the process is no worker
        """
        if self._store is None:
            raise errors.Unavailable(
                f"{self.type_name} keeps nothing in this process; ask a worker"
            )
        return self._store
