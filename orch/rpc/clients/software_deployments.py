"""Software deployments, asked for over the bus."""

import typing

from orch.context import request
from orch.rpc import contract
from orch.rpc.clients import caller


class SoftwareDeployments(caller.Client):
    """The ``software_deployment`` namespace."""

    namespace = "software_deployment"

    def poll(
        self, ctxt: request.RequestContext, server_id: str
    ) -> contract.PolledFacts:
        """Return what an agent has to apply, and where its stack is now."""
        found = self._call(ctxt, "poll", server_id=server_id)
        return typing.cast(contract.PolledFacts, found)

    def list(
        self, ctxt: request.RequestContext, server_id: str | None
    ) -> list[contract.SoftwareDeploymentFacts]:
        """Return deployments, those to one server if it is named."""
        found = self._call(ctxt, "list", server_id=server_id)
        return typing.cast(list[contract.SoftwareDeploymentFacts], found)

    def create(
        self,
        ctxt: request.RequestContext,
        request: contract.SoftwareDeploymentRequest,
    ) -> contract.SoftwareDeploymentFacts:
        """Return the deployment once it is stored.

        :raises orch.errors.NotFound: there is no such config
        """
        made = self._call(ctxt, "create", request=request)
        return typing.cast(contract.SoftwareDeploymentFacts, made)

    def show(
        self, ctxt: request.RequestContext, deployment_id: str
    ) -> contract.SoftwareDeploymentFacts:
        """Return one deployment.

        :raises orch.errors.NotFound: there is no such deployment
        """
        found = self._call(ctxt, "show", deployment_id=deployment_id)
        return typing.cast(contract.SoftwareDeploymentFacts, found)

    def update(
        self,
        ctxt: request.RequestContext,
        deployment_id: str,
        request: contract.SoftwareDeploymentRequest,
    ) -> contract.SoftwareDeploymentFacts:
        """Return the deployment once it is changed.

        :raises orch.errors.NotFound: there is no such deployment or config
        """
        changed = self._call(
            ctxt, "update", deployment_id=deployment_id, request=request
        )
        return typing.cast(contract.SoftwareDeploymentFacts, changed)

    def delete(self, ctxt: request.RequestContext, deployment_id: str) -> None:
        """Return once nothing of the deployment is left.

        :raises orch.errors.NotFound: there is no such deployment
        """
        self._call(ctxt, "delete", deployment_id=deployment_id)
