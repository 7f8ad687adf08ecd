"""The ``drift`` namespace."""

import collections.abc
import typing

import oslo_messaging as messaging

from orch.context import request
from orch.engine import dependencies
from orch.engine.operations import accept_drift
from orch.engine.operations import drift_policies
from orch.engine.operations import drift_template
from orch.engine.operations import read_drift
from orch.engine.operations import repeats
from orch.rpc import contract


class Drift:
    """What was seen of stacks in the world, and what is done about it."""

    target: typing.ClassVar[messaging.Target] = messaging.Target(
        namespace="drift", version=contract.VERSION
    )

    def __init__(self, deps: dependencies.Dependencies) -> None:
        self._deps = deps

    def observe(
        self, ctxt: request.RequestContext, *, stack_id: str
    ) -> contract.DriftAsked:
        """Let a worker look at the tree of a stack."""
        return repeats.once(
            self._deps,
            ctxt,
            lambda: drift_policies.ask(self._deps, ctxt, stack_id),
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
        """Return what was seen of a stack and of those in it."""
        return read_drift.show(
            self._deps, ctxt, stack_id, states, limit=limit, marker=marker
        )

    def show_policy(
        self, ctxt: request.RequestContext, *, stack_id: str
    ) -> dict[str, object]:
        """Return what is to be done about drift."""
        return drift_policies.show(self._deps, ctxt, stack_id)

    def set_policy(
        self,
        ctxt: request.RequestContext,
        *,
        stack_id: str,
        policy: dict[str, object],
    ) -> dict[str, object]:
        """Store what is to be done about drift."""
        return repeats.once(
            self._deps,
            ctxt,
            lambda: drift_policies.set_(self._deps, ctxt, stack_id, policy),
        )

    def accept(
        self,
        ctxt: request.RequestContext,
        *,
        stack_id: str,
        paths: collections.abc.Sequence[str] | None = None,
    ) -> contract.AcceptedDrift:
        """Expect from now on what was seen."""
        return repeats.once(
            self._deps,
            ctxt,
            lambda: accept_drift.submit(self._deps, ctxt, stack_id, paths),
        )

    def template(
        self, ctxt: request.RequestContext, *, stack_id: str
    ) -> contract.DriftTemplate:
        """Return a template in which the drift is wanted."""
        return drift_template.make(self._deps, ctxt, stack_id)
