"""RPC endpoint of the ``software_config`` namespace."""

import typing

import oslo_messaging as messaging

from orch.context import request
from orch.engine import dependencies
from orch.engine.software import configs
from orch.rpc import contract


class SoftwareConfigs:
    """RPC methods of software configs."""

    target: typing.ClassVar[messaging.Target] = messaging.Target(
        namespace="software_config", version=contract.VERSION
    )

    def __init__(self, deps: dependencies.Dependencies) -> None:
        self._deps = deps

    def list(
        self,
        ctxt: request.RequestContext,
        *,
        limit: int | None,
        marker: str | None,
        all_projects: bool = False,
    ) -> list[contract.SoftwareConfigFacts]:
        """Return configs, the newest first, without their contents."""
        return configs.list_configs(
            self._deps,
            ctxt,
            limit=limit,
            marker=marker,
            all_projects=all_projects,
        )

    def create(
        self,
        ctxt: request.RequestContext,
        *,
        request: contract.SoftwareConfigRequest,
    ) -> contract.SoftwareConfigFacts:
        """Store a config."""
        return configs.create_config(self._deps, ctxt, request)

    def show(
        self, ctxt: request.RequestContext, *, config_id: str
    ) -> contract.SoftwareConfigFacts:
        """Return one config."""
        return configs.show_config(self._deps, ctxt, config_id)

    def delete(self, ctxt: request.RequestContext, *, config_id: str) -> None:
        """Delete a config that no deployment uses."""
        configs.delete_config(self._deps, ctxt, config_id)
