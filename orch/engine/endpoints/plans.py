"""The ``plan`` namespace."""

import typing

import oslo_messaging as messaging

from orch.context import request
from orch.engine import dependencies
from orch.engine.operations import plans
from orch.engine.operations import repeats
from orch.rpc import contract


class Plans:
    """Plans of operations that nobody has asked for yet."""

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
        wish: contract.PlanWish,
    ) -> contract.KeptPlanFacts:
        """Make and keep the plan of what is wished."""
        return plans.create(self._deps, ctxt, stack_id, wish)

    def list(
        self, ctxt: request.RequestContext, *, stack_id: str
    ) -> list[contract.KeptPlanFacts]:
        """Return the plans of a stack, the newest first."""
        return plans.list_(self._deps, ctxt, stack_id)

    def show(
        self, ctxt: request.RequestContext, *, stack_id: str, plan_id: str
    ) -> contract.KeptPlanFacts:
        """Return one plan of a stack."""
        return plans.show(self._deps, ctxt, stack_id, plan_id)

    def delete(
        self, ctxt: request.RequestContext, *, stack_id: str, plan_id: str
    ) -> None:
        """Forget a plan."""
        plans.delete(self._deps, ctxt, stack_id, plan_id)

    def apply(
        self, ctxt: request.RequestContext, *, stack_id: str, plan_id: str
    ) -> contract.Accepted:
        """Accept durably the operation of a plan."""
        return repeats.once(
            self._deps,
            ctxt,
            lambda: plans.apply(self._deps, ctxt, stack_id, plan_id),
        )
