"""Facts of software configs and deployments."""

import typing

from orch.context import request
from orch.rpc.contract import methods
from orch.rpc.contract import rest


class SoftwareConfigRequest(typing.TypedDict, total=False):
    """What a config is to say; every key may be missing.

    ``config``: any JSON value. ``inputs``, ``outputs``: maps with ``name``
    and ``type`` at the least.
    """

    name: str | None
    group: str | None
    config: object
    inputs: list[dict[str, object]]
    outputs: list[dict[str, object]]
    options: dict[str, object]


class SoftwareConfigFacts(typing.TypedDict, total=False):
    """What is known of a config.

    ``config``, ``inputs``, ``outputs``, ``options`` do not come with list.
    """

    id: str
    project_id: str
    name: str | None
    group: str | None
    created_at: float
    config: object
    inputs: list[dict[str, object]]
    outputs: list[dict[str, object]]
    options: dict[str, object]


class PolledFacts(typing.TypedDict):
    """What the agent of a server has to apply, in order.

    ``agent``: how it is to be configured, where its stack was let go of.
    """

    configs: list[SoftwareConfigFacts]
    agent: dict[str, object] | None


class SoftwareDeploymentRequest(typing.TypedDict, total=False):
    """What is wanted of a deployment.

    A creation needs ``config_id`` and ``server_id``, and knows no
    ``output_values``; in a change what is missing, null or empty stays as it
    is, and the server always does.
    """

    config_id: str
    server_id: str
    stack_user_project_id: str | None
    input_values: dict[str, object] | None
    output_values: dict[str, object] | None
    action: str | None
    status: str | None
    status_reason: str | None


class SoftwareDeploymentFacts(typing.TypedDict):
    """A deployment of a config to a server.

    :ivar status: IN_PROGRESS, COMPLETE or FAILED, as the server says
    """

    id: str
    config_id: str
    server_id: str
    input_values: dict[str, object] | None
    output_values: dict[str, object] | None
    action: str | None
    status: str | None
    status_reason: str | None
    created_at: typing.Annotated[rest.Time, rest.Name("creation_time")]
    updated_at: typing.Annotated[rest.Time | None, rest.Name("updated_time")]


@methods.namespace("software_config")
class SoftwareConfigs(typing.Protocol):
    """Software configs."""

    @methods.reads()
    def list(
        self,
        ctxt: request.RequestContext,
        *,
        limit: int | None = None,
        marker: str | None = None,
        all_projects: bool = False,
    ) -> list[SoftwareConfigFacts]:
        """Return configs, the newest first, without their contents."""

    # Its use case stores the answer to an idempotency key itself.
    @methods.changes()
    def create(
        self, ctxt: request.RequestContext, request: SoftwareConfigRequest
    ) -> SoftwareConfigFacts:
        """Store a config."""

    @methods.reads()
    def show(
        self, ctxt: request.RequestContext, config_id: str
    ) -> SoftwareConfigFacts:
        """Return one config.

        :raises orch.errors.NotFound: there is no such config
        """

    @methods.changes()
    def delete(self, ctxt: request.RequestContext, config_id: str) -> None:
        """Delete a config.

        :raises orch.errors.NotFound: there is no such config
        :raises orch.errors.Invalid: a deployment has it
        """


@methods.namespace("software_deployment")
class SoftwareDeployments(typing.Protocol):
    """Software deployments."""

    @methods.reads()
    def poll(
        self, ctxt: request.RequestContext, server_id: str
    ) -> PolledFacts:
        """Return an agent's configs, and the address of its stack."""

    @methods.reads()
    def metadata(
        self, ctxt: request.RequestContext, server_id: str
    ) -> list[SoftwareConfigFacts]:
        """Return the configs that the agent of a server has to apply.

        For an API of an earlier release, which does not :meth:`poll`.
        """

    @methods.reads()
    def list(
        self, ctxt: request.RequestContext, server_id: str | None
    ) -> list[SoftwareDeploymentFacts]:
        """Return deployments, only those to one server if it is given."""

    # Its use case stores the answer to an idempotency key itself.
    @methods.changes()
    def create(
        self, ctxt: request.RequestContext, request: SoftwareDeploymentRequest
    ) -> SoftwareDeploymentFacts:
        """Store a deployment.

        :raises orch.errors.NotFound: there is no such config
        """

    @methods.reads()
    def show(
        self, ctxt: request.RequestContext, deployment_id: str
    ) -> SoftwareDeploymentFacts:
        """Return one deployment.

        :raises orch.errors.NotFound: there is no such deployment
        """

    @methods.changes()
    def update(
        self,
        ctxt: request.RequestContext,
        deployment_id: str,
        request: SoftwareDeploymentRequest,
    ) -> SoftwareDeploymentFacts:
        """Change a deployment, and return it.

        :raises orch.errors.NotFound: there is no such deployment or config
        """

    @methods.changes()
    def delete(self, ctxt: request.RequestContext, deployment_id: str) -> None:
        """Delete a deployment.

        :raises orch.errors.NotFound: there is no such deployment
        """
