"""RPC endpoint of the ``drift`` namespace."""

import collections.abc
import typing

import oslo_messaging as messaging

from orch.context import request
from orch.engine import dependencies
from orch.engine.acceptance import idempotency
from orch.engine.drift import accept as drift_accept
from orch.engine.drift import policy as drift_policy
from orch.engine.drift import query
from orch.engine.drift import template as drift_template
from orch.rpc import contract


class Drift:
    """Drift of stacks: observation, policy, acceptance and template."""

    target: typing.ClassVar[messaging.Target] = messaging.Target(
        namespace="drift", version=contract.VERSION
    )

    def __init__(self, deps: dependencies.Dependencies) -> None:
        self._deps = deps

    def observe(
        self, ctxt: request.RequestContext, *, stack_id: str
    ) -> contract.DriftRequested:
        """Request that a worker observes the tree of a stack."""
        return idempotency.run_once(
            self._deps,
            ctxt,
            drift_policy.request_observation,
            stack_id,
        )

    def show(
        self,
        ctxt: request.RequestContext,
        *,
        stack_id: str,
        states: collections.abc.Sequence[str] = (),
        limit: int | None = None,
        marker: str | None = None,
    ) -> contract.DriftFacts:
        """Return the drift of a stack and of its child stacks."""
        return query.show_drift(
            self._deps, ctxt, stack_id, states, limit=limit, marker=marker
        )

    def show_policy(
        self, ctxt: request.RequestContext, *, stack_id: str
    ) -> dict[str, object]:
        """Return the drift policy of a tree."""
        return drift_policy.show_policy(self._deps, ctxt, stack_id)

    def set_policy(
        self,
        ctxt: request.RequestContext,
        *,
        stack_id: str,
        policy: dict[str, object],
    ) -> dict[str, object]:
        """Store the drift policy of a tree."""
        return idempotency.run_once(
            self._deps,
            ctxt,
            drift_policy.set_policy,
            stack_id,
            policy,
        )

    def accept(
        self,
        ctxt: request.RequestContext,
        *,
        stack_id: str,
        paths: collections.abc.Sequence[str] | None = None,
    ) -> contract.AcceptedDrift:
        """Accept drift: observed values become the baseline."""
        return idempotency.run_once(
            self._deps,
            ctxt,
            drift_accept.submit_drift_acceptance,
            stack_id,
            paths,
        )

    def template(
        self, ctxt: request.RequestContext, *, stack_id: str
    ) -> contract.DriftTemplate:
        """Return the template of a stack with its drifted values."""
        return drift_template.make_template(self._deps, ctxt, stack_id)
