"""Plans, asked for over the bus."""

import typing

from orch.context import request
from orch.rpc import contract
from orch.rpc.clients import caller


class Plans(caller.Client):
    """The ``plan`` namespace."""

    namespace = "plan"

    def create(
        self,
        ctxt: request.RequestContext,
        stack_id: str,
        request: contract.PlanRequest,
    ) -> contract.SavedPlanFacts:
        """Return the plan of what is wished, once it is kept.

        :raises orch.errors.Conflict: there would be nothing to do
        :raises orch.errors.OrchError: what the request itself would be
            refused with
        """
        found = self._call(ctxt, "create", stack_id=stack_id, request=request)
        return typing.cast(contract.SavedPlanFacts, found)

    def list(
        self, ctxt: request.RequestContext, stack_id: str
    ) -> list[contract.SavedPlanFacts]:
        """Return the plans of a stack, the newest first."""
        found = self._call(ctxt, "list", stack_id=stack_id)
        return typing.cast(list[contract.SavedPlanFacts], found)

    def show(
        self, ctxt: request.RequestContext, stack_id: str, plan_id: str
    ) -> contract.SavedPlanFacts:
        """Return one plan of a stack.

        :raises orch.errors.NotFound: the stack has no such plan
        """
        found = self._call(ctxt, "show", stack_id=stack_id, plan_id=plan_id)
        return typing.cast(contract.SavedPlanFacts, found)

    def delete(
        self, ctxt: request.RequestContext, stack_id: str, plan_id: str
    ) -> None:
        """Forget a plan.

        :raises orch.errors.NotFound: the stack has no such plan
        """
        self._call(ctxt, "delete", stack_id=stack_id, plan_id=plan_id)

    def apply(
        self, ctxt: request.RequestContext, stack_id: str, plan_id: str
    ) -> contract.Accepted:
        """Return once the operation of a plan is accepted durably.

        :raises orch.errors.Conflict: the stack has moved on, or the plan was
            run already
        """
        accepted = self._call(
            ctxt, "apply", stack_id=stack_id, plan_id=plan_id
        )
        return typing.cast(contract.Accepted, accepted)

    def preview_create(
        self,
        ctxt: request.RequestContext,
        name: str,
        inputs: contract.StackInputs,
        options: contract.StackOptions,
    ) -> contract.StackFacts:
        """Return the stack that ``create`` would make; nothing is stored."""
        found = self._call(
            ctxt, "preview_create", name=name, inputs=inputs, options=options
        )
        return typing.cast(contract.StackFacts, found)

    def preview_update(
        self,
        ctxt: request.RequestContext,
        stack_id: str,
        inputs: contract.StackInputs,
        options: contract.StackOptions,
    ) -> contract.UpdatePreview:
        """Return what ``update`` would do; nothing is stored."""
        found = self._call(
            ctxt,
            "preview_update",
            stack_id=stack_id,
            inputs=inputs,
            options=options,
        )
        return typing.cast(contract.UpdatePreview, found)

    def preview_adoption(
        self, ctxt: request.RequestContext, wanted: contract.AdoptionRequest
    ) -> contract.StackFacts:
        """Return the stack that the same adoption would make."""
        found = self._call(ctxt, "preview_adoption", **wanted)
        return typing.cast(contract.StackFacts, found)
