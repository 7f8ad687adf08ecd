"""The service itself, asked about over the bus."""

import typing

from orch.context import request
from orch.rpc import contract
from orch.rpc.clients import caller


class Services(caller.Client):
    """The ``service`` namespace."""

    namespace = "service"

    def list(
        self, ctxt: request.RequestContext
    ) -> list[contract.ServiceFacts]:
        """Return the processes that report, and which of them are up."""
        return typing.cast(
            list[contract.ServiceFacts], self._call(ctxt, "list")
        )

    def revision(self, ctxt: request.RequestContext) -> str:
        """Return the revision of the worker that answers."""
        return typing.cast(str, self._call(ctxt, "revision"))
