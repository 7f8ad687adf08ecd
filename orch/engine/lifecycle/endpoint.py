"""RPC endpoint of the ``lifecycle`` namespace."""

import typing

import oslo_messaging as messaging

from orch.context import request
from orch.engine import dependencies
from orch.engine.acceptance import idempotency
from orch.engine.lifecycle import answer_hold
from orch.engine.lifecycle import holds as lifecycle_holds
from orch.engine.lifecycle import query
from orch.model import lifecycle
from orch.rpc import contract

OpenHolds = list[contract.OpenHoldFacts]


class Lifecycle:
    """RPC methods of lifecycle plug-ins, and of holds and their answers."""

    target: typing.ClassVar[messaging.Target] = messaging.Target(
        namespace="lifecycle", version=contract.VERSION
    )

    def __init__(self, deps: dependencies.Dependencies) -> None:
        self._deps = deps

    def list(
        self, ctxt: request.RequestContext
    ) -> list[contract.LifecyclePluginFacts]:
        """Return the plug-ins of this worker, in the order of their calls."""
        return query.list_plugins(self._deps)

    def holds(self, ctxt: request.RequestContext) -> OpenHolds:
        """Return the open holds of the project, the oldest first."""
        return lifecycle_holds.list_holds(self._deps, ctxt)

    def approve(
        self,
        ctxt: request.RequestContext,
        *,
        stack_id: str,
        text: str = "",
        operation_id: str | None = None,
    ) -> contract.Accepted:
        """Approve the held operation of a stack, so that it goes on."""
        request = answer_hold.HoldAnswer(
            lifecycle.APPROVED, text, operation_id
        )
        return self._answer(ctxt, stack_id, request)

    def reject(
        self,
        ctxt: request.RequestContext,
        *,
        stack_id: str,
        text: str = "",
        operation_id: str | None = None,
    ) -> contract.Accepted:
        """Reject the held operation of a stack, so that it fails."""
        request = answer_hold.HoldAnswer(
            lifecycle.REJECTED, text, operation_id
        )
        return self._answer(ctxt, stack_id, request)

    def _answer(
        self,
        ctxt: request.RequestContext,
        stack_id: str,
        request: answer_hold.HoldAnswer,
    ) -> contract.Accepted:
        return idempotency.run_once(
            self._deps,
            ctxt,
            answer_hold.submit_hold_answer,
            stack_id,
            request,
        )
