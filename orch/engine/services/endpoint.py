"""RPC endpoint of the ``service`` namespace."""

import typing

import oslo_messaging as messaging

from orch.context import request
from orch.engine import dependencies
from orch.engine.services import query
from orch.rpc import contract


class Services:
    """RPC methods of the processes of the service."""

    target: typing.ClassVar[messaging.Target] = messaging.Target(
        namespace="service", version=contract.VERSION
    )

    def __init__(self, deps: dependencies.Dependencies) -> None:
        self._deps = deps

    def list(
        self, ctxt: request.RequestContext
    ) -> list[contract.ServiceFacts]:
        """Return the processes that report, and which of them are up."""
        return query.list_services(self._deps)

    def revision(self, ctxt: request.RequestContext) -> str:
        """Return the version of this worker."""
        return query.engine_revision()
