"""What plug-ins of software configs and deployments need of a worker.

Such things live in Orch's own tables, where the API and the agents on the
servers read them. The plug-ins know no database: the worker hands them a
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
"""Where a deployment counts, in what signals have left with its resource, how
many those were."""
DETAILS: typing.Final = "details"
"""Where it keeps, beside that, what the last of them said."""
TOUCHED: typing.Final = "touched"
"""Where the worker counts, in what signals have left with the resource of a
deployment, how often callers have changed the deployment: whatever waits for
it looks again."""

OUTCOME: typing.Final = "outcome"
"""Where the document of a stack says, in the data of a deployment, how that
went: ``status``, ``status_reason``, ``output_values``, ``signal_count``."""
AGENT: typing.Final = "os-collect-config"
"""Where the metadata of a server say how its agent is configured."""
DEPLOYMENTS: typing.Final = "deployments"
"""Where they say what it has to apply."""


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Handover:
    """A config that an agent is to apply, for one action of a deployment.

    :ivar stack_id: see :class:`orch.model.software.Deployment`, as
        ``resource_id`` and ``signal_count``
    :ivar config_id: the same for every attempt to hand this over, and for
        nothing else
    :ivar definition: the config, its inputs bound to this deployment
    :ivar status: ``IN_PROGRESS`` when the agent has to tell how it went
    :ivar output_values: what it has told already; ``None`` leaves those that
        the deployment had before
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
        handover: Deployment,
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

    def publish(self, project_id: str, server_id: str) -> None:
        """Bring that to where the agent looks for it, if it asks not us.

        :raises orch.errors.OrchError: that cannot be reached; the same call
            again brings what there is by then
        """


class SoftwareResource(resource.Resource, abc.ABC):
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


class SoftwareServer(SoftwareResource, abc.ABC):
    """Base of the types whose things poll for what they have to apply."""

    @abc.abstractmethod
    def agent(self, context: call_context.Context) -> Values:
        """Return how the agent is configured; it only computes.

        No credentials: whoever sets the server up gives it those.
        """

    def publish(self, context: call_context.Context) -> None:
        """Bring the metadata to where the agent looks for them.

        Only where that is not our API, which shows them as they are.

        :raises orch.errors.OrchError: that cannot be reached
        """

    def given_address(self, context: call_context.Context) -> str | None:
        """Return where the agent polls."""
        return self.polled_address(context)

    def polled_address(self, context: call_context.Context) -> str:
        """Return where the API serves the metadata of the resource."""
        here = addresses.Addresses(self.conf).of_resource(context)
        return f"{here}/metadata"

    def shown_metadata(self, context: call_context.Context) -> Values:
        """Return the metadata, with what the agent has to apply."""
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

    :param signals: what they have left with its resource
    """
    found = signals.get(COUNT, 0)
    return found if isinstance(found, int) else 0


def build_polled_metadata(
    metadata: Values,
    agent: Values,
    configs: collections.abc.Iterable[Config],
) -> dict[str, object]:
    """Return what the agent of a server reads.

    :param metadata: of the resource
    :param agent: how the agent is configured
    :param configs: what it has to apply
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
