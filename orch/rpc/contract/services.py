"""Facts of the processes that report."""

import typing

from orch.context import request
from orch.rpc.contract import methods


class ServiceFacts(typing.TypedDict, total=False):
    """One process that reports; ``is_up`` by the database's clock."""

    id: str
    host: str
    binary: str
    topic: str
    report_interval_s: int
    is_up: bool
    created_at: float
    updated_at: float


@methods.namespace("service")
class Services(typing.Protocol):
    """The processes of the service."""

    @methods.reads()
    def list(self, ctxt: request.RequestContext) -> list[ServiceFacts]:
        """Return the processes that report, and which of them are up."""

    @methods.reads()
    def revision(self, ctxt: request.RequestContext) -> str:
        """Return the version of the worker that answers."""
