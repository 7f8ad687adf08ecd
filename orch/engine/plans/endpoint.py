"""RPC endpoint of the ``plan`` namespace."""

import typing

import oslo_messaging as messaging

from orch.context import request
from orch.engine import dependencies
from orch.engine.acceptance import idempotency
from orch.engine.plans import preview_create
from orch.engine.plans import preview_update
from orch.engine.plans import saved_plans
from orch.rpc import contract


class Plans:
    """RPC methods of previews and saved plans."""

    target: typing.ClassVar[messaging.Target] = messaging.Target(
        namespace="plan", version=contract.VERSION
    )

    def __init__(self, deps: dependencies.Dependencies) -> None:
        self._deps = deps

    def create(
        self,
        ctxt: request.RequestContext,
        *,
        stack_id: str,
        request: contract.PlanRequest,
    ) -> contract.SavedPlanFacts:
        """Save the plan of a request."""
        return saved_plans.create_plan(self._deps, ctxt, stack_id, request)

    def list(
        self, ctxt: request.RequestContext, *, stack_id: str
    ) -> list[contract.SavedPlanFacts]:
        """Return the plans of a stack, the newest first."""
        return saved_plans.list_plans(self._deps, ctxt, stack_id)

    def show(
        self, ctxt: request.RequestContext, *, stack_id: str, plan_id: str
    ) -> contract.SavedPlanFacts:
        """Return one plan of a stack."""
        return saved_plans.show_plan(self._deps, ctxt, stack_id, plan_id)

    def delete(
        self, ctxt: request.RequestContext, *, stack_id: str, plan_id: str
    ) -> None:
        """Delete a plan."""
        saved_plans.delete_plan(self._deps, ctxt, stack_id, plan_id)

    def apply(
        self, ctxt: request.RequestContext, *, stack_id: str, plan_id: str
    ) -> contract.Accepted:
        """Accept the operation of a plan durably."""
        return idempotency.run_once(
            self._deps,
            ctxt,
            saved_plans.apply_plan,
            stack_id,
            plan_id,
        )

    def preview_create(
        self,
        ctxt: request.RequestContext,
        *,
        name: str,
        inputs: contract.StackInputs,
        options: contract.StackOptions,
    ) -> contract.StackFacts:
        """Return the stack that ``create`` would create."""
        return preview_create.preview_create(
            self._deps, ctxt, name, inputs, options
        )

    def preview_update(
        self,
        ctxt: request.RequestContext,
        *,
        stack_id: str,
        inputs: contract.StackInputs,
        options: contract.StackOptions,
    ) -> contract.UpdatePreview:
        """Return the changes that ``update`` would make."""
        return preview_update.preview_update(
            self._deps, ctxt, stack_id, inputs, options
        )

    def preview_adoption(
        self,
        ctxt: request.RequestContext,
        **wanted: typing.Unpack[contract.AdoptionRequest],
    ) -> contract.StackFacts:
        """Return the stack that the same adoption would create."""
        return preview_create.preview_adoption(self._deps, ctxt, wanted)
