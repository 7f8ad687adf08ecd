"""The worker's services for plug-ins of software deployments.

Such resources are in Orch's own tables, where the API and the agents on the
servers read them. The plug-ins know no database: the worker passes them a
:class:`Store` before it makes the first call.
"""

import abc
import collections.abc
import dataclasses
import typing

from orch import clock
from orch import errors
from orch.model import software
from orch.plugin import addresses
from orch.plugin import call_context
from orch.plugin import resource

Values = collections.abc.Mapping[str, object]
Definition = software.Definition
Config = software.Config
Deployment = software.Deployment
Status = software.Status

COUNT: typing.Final = "count"
"""Key of the number of signals, in the signal data of a deployment's
resource."""
DETAILS: typing.Final = "details"
"""Key of the details of the last of them, in the same data."""
TOUCHED: typing.Final = "touched"
"""Key, in the same data, of the number of changes that callers have made to
the deployment: a change that waits for it is polled again."""

OUTCOME: typing.Final = "outcome"
"""Key of a deployment's result, in its data in the document of a stack:
``status``, ``status_reason``, ``output_values``, ``signal_count``."""
AGENT: typing.Final = "os-collect-config"
"""Key of the agent's configuration, in the metadata of a server."""
DEPLOYMENTS: typing.Final = "deployments"
"""Key of the configs that the agent has to apply, in the same metadata."""


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Handover:
    """A config that an agent is to apply, for one action of a deployment.

    :ivar stack_id: see :class:`orch.model.software.Deployment`, as
        ``resource_id`` and ``signal_count``
    :ivar config_id: the same for every attempt of this handover, and for
        no other
    :ivar definition: the config, with the input values of this deployment
    :ivar status: ``IN_PROGRESS`` when the agent has to report its result
    :ivar output_values: what it has reported already; ``None`` leaves those
        that the deployment had before
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
    signal_count: int
    output_values: Values | None = None


class Store(typing.Protocol):
    """The store of configs and deployments; each call is atomic.

    May be called from several threads.
    """

    def create_config(
        self, project_id: str, config_id: str, definition: Definition
    ) -> None:
        """Store a config; an existing one of that id is unchanged."""

    def find_config(
        self, project_id: str | None, config_id: str
    ) -> Config | None:
        """Return the config of that id, if one exists.

        :param project_id: of its owner; ``None`` for any
        """

    def delete_config(self, project_id: str, config_id: str) -> None:
        """Delete a config of the project; already gone is success.

        :raises orch.errors.Invalid: a deployment has it
        """

    def hand_over(self, wanted: Handover) -> None:
        """Make a config available to the agent of a server.

        It replaces the config that the deployment had before, which is
        deleted. Handed over already is success. Signals that have come
        meanwhile count as handled.

        :raises orch.errors.Permanent: another project has the deployment, or
            the config
        """

    def find_deployment(
        self, project_id: str | None, deployment_id: str
    ) -> Deployment | None:
        """Return the deployment of that id, if one exists.

        :param project_id: of its owner; ``None`` for any
        """

    def finish(
        self,
        handover: Deployment,
        status: Status,
        status_reason: str,
        output_values: Values,
    ) -> None:
        """Store the result, unless one is stored or the config is older."""

    def delete_deployment(self, project_id: str, deployment_id: str) -> None:
        """Delete a deployment of the project, and its config.

        Already gone is success.
        """

    def list_configs(
        self, project_id: str, server_id: str
    ) -> collections.abc.Sequence[Config]:
        """Return the project's configs for the agent of a server, in order."""

    def publish(self, project_id: str, server_id: str) -> None:
        """Publish the configs where the agent polls, if not from the API.

        :raises orch.errors.OrchError: that cannot be reached; the same call
            again brings what there is by then
        """


class SoftwareResource(resource.Resource, abc.ABC):
    """Base of the types that store configs or deployments."""

    has_late_effects = False
    _store: Store | None = None

    def use(self, store: Store) -> None:
        """Set the store; called once, by the worker."""
        self._store = store

    @property
    def store(self) -> Store:
        """The store of configs and deployments.

        :raises orch.errors.Unavailable: the process is no worker
        """
        if self._store is None:
            raise errors.Unavailable(
                f"{self.type_name} keeps nothing in this process; ask a worker"
            )
        return self._store


class SoftwareServer(SoftwareResource, abc.ABC):
    """Base of the types whose agents poll for configs."""

    @abc.abstractmethod
    def agent(self, context: call_context.Context) -> Values:
        """Return the configuration of the agent; it only computes.

        It has no credentials: the plug-in of the server adds those.
        """

    def publish(self, context: call_context.Context) -> None:
        """Publish the metadata where the agent polls for them.

        Only where that is not our API, which shows them as they are.

        :raises orch.errors.OrchError: that cannot be reached
        """

    def given_address(self, context: call_context.Context) -> str | None:
        """Return the address that the agent polls."""
        return self.polled_address(context)

    def polled_address(self, context: call_context.Context) -> str:
        """Return the address of the resource's metadata in the API."""
        here = addresses.Addresses(self.conf).of_resource(context)
        return f"{here}/metadata"

    def shown_metadata(self, context: call_context.Context) -> Values:
        """Return the metadata, with the configs for the agent."""
        if context.physical_id is None:
            return context.metadata
        found = self.store.list_configs(
            context.stack_project, context.physical_id
        )
        return build_polled_metadata(
            context.metadata, self.agent(context), found
        )


def count_signals(signals: Values) -> int:
    """Return how many signals a deployment has taken.

    :param signals: the signal data of its resource
    """
    found = signals.get(COUNT, 0)
    return found if isinstance(found, int) else 0


def build_polled_metadata(
    metadata: Values,
    agent: Values,
    configs: collections.abc.Iterable[Config],
) -> dict[str, object]:
    """Return the metadata that the agent of a server reads.

    :param metadata: of the resource
    :param agent: the configuration of the agent
    :param configs: those that it has to apply
    """
    return {
        **metadata,
        AGENT: dict(agent),
        DEPLOYMENTS: [_agent_config(each) for each in configs],
    }


def _agent_config(config: Config) -> dict[str, object]:
    """Return a config as agents read it."""
    return {
        "id": config.id,
        "name": config.name,
        "group": config.group,
        "config": config.config,
        "inputs": [dict(one) for one in config.inputs],
        "outputs": [dict(one) for one in config.outputs],
        "options": dict(config.options),
        "creation_time": clock.isoformat(config.created_at),
    }
