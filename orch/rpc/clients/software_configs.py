"""Software configs, asked for over the bus."""

import typing

from orch.context import request
from orch.rpc import contract
from orch.rpc.clients import caller


class SoftwareConfigs(caller.Client):
    """The ``software_config`` namespace."""

    namespace = "software_config"

    def list(
        self,
        ctxt: request.RequestContext,
        *,
        limit: int | None = None,
        marker: str | None = None,
        all_projects: bool = False,
    ) -> list[contract.SoftwareConfigFacts]:
        """Return configs, the newest first, without what they say."""
        found = self._call(
            ctxt,
            "list",
            limit=limit,
            marker=marker,
            all_projects=all_projects,
        )
        return typing.cast(list[contract.SoftwareConfigFacts], found)

    def create(
        self,
        ctxt: request.RequestContext,
        request: contract.SoftwareConfigRequest,
    ) -> contract.SoftwareConfigFacts:
        """Return the config once it is stored."""
        made = self._call(ctxt, "create", request=request)
        return typing.cast(contract.SoftwareConfigFacts, made)

    def show(
        self, ctxt: request.RequestContext, config_id: str
    ) -> contract.SoftwareConfigFacts:
        """Return one config.

        :raises orch.errors.NotFound: there is no such config
        """
        found = self._call(ctxt, "show", config_id=config_id)
        return typing.cast(contract.SoftwareConfigFacts, found)

    def delete(self, ctxt: request.RequestContext, config_id: str) -> None:
        """Return once nothing of the config is left.

        :raises orch.errors.NotFound: there is no such config
        :raises orch.errors.Invalid: a deployment has it
        """
        self._call(ctxt, "delete", config_id=config_id)
