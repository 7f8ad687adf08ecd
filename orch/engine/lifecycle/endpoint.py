"""The ``lifecycle`` namespace."""

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
    """Lifecycle plug-ins, and the operations that they hold."""

    target: typing.ClassVar[messaging.Target] = messaging.Target(
        namespace="lifecycle", version=contract.VERSION
    )

    def __init__(self, deps: dependencies.Dependencies) -> None:
        self._deps = deps

    def list(
        self, ctxt: request.RequestContext
    ) -> list[contract.LifecyclePluginFacts]:
        """Return the plug-ins of this worker, in their order."""
        return query.list_plugins(self._deps)

    def holds(self, ctxt: request.RequestContext) -> OpenHolds:
        """Return what is held in the project, the oldest first."""
        return lifecycle_holds.list_holds(self._deps, ctxt)

    def approve(
        self,
        ctxt: request.RequestContext,
        *,
        stack_id: str,
        text: str = "",
        operation_id: str | None = None,
    ) -> contract.Accepted:
        """Let the operation of a stack go on that is held."""
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
        """Let the operation of a stack fail that is held."""
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
            lambda: answer_hold.submit_hold_answer(
                self._deps, ctxt, stack_id, request
            ),
        )
