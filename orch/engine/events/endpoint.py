"""RPC endpoint of the ``event`` namespace."""

import typing

import oslo_messaging as messaging

from orch.context import request
from orch.engine import dependencies
from orch.engine.events import follow as event_follow
from orch.engine.events import query as event_query
from orch.rpc import contract


class Events:
    """The events of stacks and of their resources."""

    target: typing.ClassVar[messaging.Target] = messaging.Target(
        namespace="event", version=contract.VERSION
    )

    def __init__(self, deps: dependencies.Dependencies) -> None:
        self._deps = deps

    def list(
        self,
        ctxt: request.RequestContext,
        *,
        stack_id: str,
        query: contract.EventQuery,
        resource_name: str | None = None,
    ) -> list[contract.EventFacts]:
        """Return the events of a stack, or of one of its resources."""
        return event_query.list_events(
            self._deps, ctxt, stack_id, resource_name, query
        )

    def show(
        self,
        ctxt: request.RequestContext,
        *,
        stack_id: str,
        resource_name: str,
        event_id: str,
    ) -> contract.EventFacts:
        """Return one event with the properties of its resource."""
        return event_query.show_event(
            self._deps, ctxt, stack_id, resource_name, event_id
        )

    def follow(
        self,
        ctxt: request.RequestContext,
        *,
        stack_id: str,
        after: str | None = None,
        nested_depth: int = 0,
    ) -> contract.FollowedFacts:
        """Return the events after a position, some hundreds at most."""
        return event_follow.follow_events(
            self._deps, ctxt, stack_id, after, nested_depth
        )
