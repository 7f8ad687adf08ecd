"""RPC endpoint of the ``software_deployment`` namespace."""

import typing

import oslo_messaging as messaging

from orch.context import request
from orch.engine import dependencies
from orch.engine.software import deployments
from orch.rpc import contract


class SoftwareDeployments:
    """RPC methods of software deployments."""

    target: typing.ClassVar[messaging.Target] = messaging.Target(
        namespace="software_deployment", version=contract.VERSION
    )

    def __init__(self, deps: dependencies.Dependencies) -> None:
        self._deps = deps

    def metadata(
        self, ctxt: request.RequestContext, *, server_id: str
    ) -> list[contract.SoftwareConfigFacts]:
        """Return the configs that the agent of a server has to apply.

        For an API of an earlier release, which does not :meth:`poll`.
        """
        return self.poll(ctxt, server_id=server_id)["configs"]

    def poll(
        self, ctxt: request.RequestContext, *, server_id: str
    ) -> contract.PolledFacts:
        """Return an agent's configs, and the address of its stack."""
        return deployments.poll_server(self._deps, ctxt, server_id)

    def list(
        self, ctxt: request.RequestContext, *, server_id: str | None
    ) -> list[contract.SoftwareDeploymentFacts]:
        """Return deployments, only those to one server if it is given."""
        return deployments.list_deployments(self._deps, ctxt, server_id)

    def create(
        self,
        ctxt: request.RequestContext,
        *,
        request: contract.SoftwareDeploymentRequest,
    ) -> contract.SoftwareDeploymentFacts:
        """Store a deployment."""
        return deployments.create_deployment(self._deps, ctxt, request)

    def show(
        self, ctxt: request.RequestContext, *, deployment_id: str
    ) -> contract.SoftwareDeploymentFacts:
        """Return one deployment."""
        return deployments.show_deployment(self._deps, ctxt, deployment_id)

    def update(
        self,
        ctxt: request.RequestContext,
        *,
        deployment_id: str,
        request: contract.SoftwareDeploymentRequest,
    ) -> contract.SoftwareDeploymentFacts:
        """Change a deployment."""
        return deployments.update_deployment(
            self._deps, ctxt, deployment_id, request
        )

    def delete(
        self, ctxt: request.RequestContext, *, deployment_id: str
    ) -> None:
        """Remove a deployment."""
        deployments.delete_deployment(self._deps, ctxt, deployment_id)
