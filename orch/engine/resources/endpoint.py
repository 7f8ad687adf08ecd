"""RPC endpoint of the ``resource`` namespace."""

import collections.abc
import typing

import oslo_messaging as messaging

from orch.context import request
from orch.engine import dependencies
from orch.engine.acceptance import idempotency
from orch.engine.forwarding import pending_signals
from orch.engine.resources import mark_unhealthy
from orch.engine.resources import query
from orch.engine.signals import signal
from orch.rpc import contract


class Resources:
    """RPC methods of the resources of stacks."""

    target: typing.ClassVar[messaging.Target] = messaging.Target(
        namespace="resource", version=contract.VERSION
    )

    def __init__(self, deps: dependencies.Dependencies) -> None:
        self._deps = deps

    def list(
        self,
        ctxt: request.RequestContext,
        *,
        stack_id: str,
        filters: query.Filters,
        nested_depth: int = 0,
        with_attributes: bool = False,
    ) -> list[contract.ResourceFacts]:
        """Return the resources of a stack.

        :param nested_depth: levels of child stacks to list too
        """
        return query.list_resources(
            self._deps,
            ctxt,
            stack_id,
            with_attributes=with_attributes,
            filters=filters,
            nested_depth=nested_depth,
        )

    def show(
        self,
        ctxt: request.RequestContext,
        *,
        stack_id: str,
        name: str,
        with_attributes: collections.abc.Sequence[str] = (),
    ) -> contract.ResourceFacts:
        """Return a resource with its attributes, read live."""
        return query.show_resource(
            self._deps, ctxt, stack_id, name, with_attributes
        )

    def metadata(
        self, ctxt: request.RequestContext, *, stack_id: str, name: str
    ) -> dict[str, object]:
        """Return the metadata of a resource."""
        return query.show_metadata(self._deps, ctxt, stack_id, name)

    def find_stack(
        self, ctxt: request.RequestContext, *, physical_id: str
    ) -> contract.StackIdentity:
        """Return the stack of the resource that has a physical id."""
        return query.find_stack(self._deps, ctxt, physical_id)

    def mark_unhealthy(
        self,
        ctxt: request.RequestContext,
        *,
        stack_id: str,
        name: str,
        is_unhealthy: bool,
        reason: str | None,
    ) -> None:
        """Mark a resource as unhealthy, or as healthy again."""
        mark_unhealthy.mark_resource(
            self._deps,
            ctxt,
            stack_id,
            name,
            is_unhealthy=is_unhealthy,
            reason=reason,
        )

    def revoke_addresses(
        self, ctxt: request.RequestContext, *, stack_id: str, name: str
    ) -> None:
        """Revoke the signal addresses of a resource."""
        signal.revoke_addresses(self._deps, ctxt, stack_id, name)

    def signal(
        self,
        ctxt: request.RequestContext,
        *,
        stack_id: str,
        name: str,
        details: object = None,
        resource_id: str | None = None,
        signal_id: str | None = None,
        hops: int = 0,
    ) -> contract.Signalled:
        """Accept a signal for a resource durably."""
        arrival = pending_signals.Arrival(signal_id, hops)
        return idempotency.run_once(
            self._deps,
            ctxt,
            signal.submit_signal,
            stack_id,
            name,
            details,
            resource_id,
            arrival,
        )
