"""Lifecycle plug-ins, and operations that they hold, over the bus."""

import typing

from orch.context import request
from orch.rpc import contract
from orch.rpc.clients import caller

OpenHolds = list[contract.OpenHoldFacts]


class Lifecycle(caller.Client):
    """The ``lifecycle`` namespace."""

    namespace = "lifecycle"

    def list(
        self, ctxt: request.RequestContext
    ) -> list[contract.LifecyclePluginFacts]:
        """Return the plug-ins of the worker that answers, in their order."""
        return typing.cast(
            list[contract.LifecyclePluginFacts], self._call(ctxt, "list")
        )

    def holds(self, ctxt: request.RequestContext) -> OpenHolds:
        """Return what is held in the project, the oldest first."""
        return typing.cast(OpenHolds, self._call(ctxt, "holds"))

    def approve(
        self,
        ctxt: request.RequestContext,
        stack_id: str,
        text: str = "",
        operation_id: str | None = None,
    ) -> contract.Accepted:
        """Return once the operation that is held may go on.

        :param text: why, for people
        :param operation_id: that is meant; ``None``: whichever is held
        :raises orch.errors.Conflict: it is not held
        """
        return self._answer(ctxt, "approve", stack_id, text, operation_id)

    def reject(
        self,
        ctxt: request.RequestContext,
        stack_id: str,
        text: str = "",
        operation_id: str | None = None,
    ) -> contract.Accepted:
        """Return once the operation that is held is to fail.

        :param text: why, for people
        :param operation_id: that is meant; ``None``: whichever is held
        :raises orch.errors.Conflict: it is not held
        """
        return self._answer(ctxt, "reject", stack_id, text, operation_id)

    def _answer(
        self,
        ctxt: request.RequestContext,
        method: str,
        stack_id: str,
        text: str,
        operation_id: str | None,
    ) -> contract.Accepted:
        accepted = self._call(
            ctxt,
            method,
            stack_id=stack_id,
            text=text,
            operation_id=operation_id,
        )
        return typing.cast(contract.Accepted, accepted)
