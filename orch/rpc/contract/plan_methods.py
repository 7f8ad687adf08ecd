"""Methods of previews and saved plans."""

import typing

from orch.context import request
from orch.rpc.contract import adoption
from orch.rpc.contract import identity
from orch.rpc.contract import methods
from orch.rpc.contract import plans
from orch.rpc.contract import requests
from orch.rpc.contract import stacks


@methods.namespace("plan")
class Plans(typing.Protocol):
    """Previews and saved plans."""

    # Its use case stores the answer to an idempotency key itself.
    @methods.changes()
    def create(
        self,
        ctxt: request.RequestContext,
        stack_id: str,
        request: plans.PlanRequest,
    ) -> plans.SavedPlanFacts:
        """Save the plan of a request, and return it.

        :raises orch.errors.Conflict: there would be nothing to do, or the
            stack has another plan of that name
        :raises orch.errors.OrchError: what the request itself would be
            refused with
        """

    # Its use case stores the answer to an idempotency key itself.
    @methods.changes()
    def create_with_stack(
        self,
        ctxt: request.RequestContext,
        name: str,
        inputs: requests.StackInputs,
        options: requests.StackOptions,
        plan_name: str,
        plan_description: str | None,
    ) -> plans.SavedPlanFacts:
        """Save the plan of a creation, with a stack that has no resources.

        The stack is INIT_COMPLETE until one of its plans is applied, which
        creates it. One that is INIT_COMPLETE already gets a further plan.

        :raises orch.errors.Conflict: the project has another stack of that
            name
        :raises orch.errors.OrchError: what the request itself would be
            refused with
        """

    @methods.reads()
    def list(
        self, ctxt: request.RequestContext, stack_id: str
    ) -> list[plans.SavedPlanFacts]:
        """Return the plans of a stack, the newest first, without ``plan``."""

    @methods.reads()
    def show(
        self, ctxt: request.RequestContext, stack_id: str, plan_id: str
    ) -> plans.SavedPlanFacts:
        """Return one plan of a stack.

        :raises orch.errors.NotFound: the stack has no such plan
        """

    @methods.changes()
    def delete(
        self, ctxt: request.RequestContext, stack_id: str, plan_id: str
    ) -> None:
        """Delete a plan.

        :raises orch.errors.NotFound: the stack has no such plan
        """

    @methods.changes(once=True, added=("options",))
    def apply(
        self,
        ctxt: request.RequestContext,
        stack_id: str,
        plan_id: str,
        options: requests.StackOptions = requests.NO_OPTIONS,
    ) -> identity.Accepted:
        """Accept the operation of a plan durably.

        :param options: ``disable_rollback`` instead of that of the request
        :raises orch.errors.Conflict: the stack has changed since, or the plan
            was applied already
        """

    @methods.changes()
    def preview_create(
        self,
        ctxt: request.RequestContext,
        name: str,
        inputs: requests.StackInputs,
        options: requests.StackOptions,
    ) -> stacks.StackFacts:
        """Return the stack that ``create`` would create; nothing is stored.

        It has ``resources`` and ``plan``.
        """

    @methods.changes()
    def preview_update(
        self,
        ctxt: request.RequestContext,
        stack_id: str,
        inputs: requests.StackInputs,
        options: requests.StackOptions,
    ) -> stacks.UpdatePreview:
        """Return the changes that ``update`` would make; nothing is stored."""

    @methods.changes()
    def preview_adoption(
        self,
        ctxt: request.RequestContext,
        **wanted: typing.Unpack[adoption.AdoptionRequest],
    ) -> stacks.StackFacts:
        """Return the stack that the same adoption would create.

        It has ``resources`` and ``plan``.
        """
