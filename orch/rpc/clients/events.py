"""Events, asked for over the bus."""

import typing

from orch.context import request
from orch.rpc import contract
from orch.rpc.clients import caller


class Events(caller.Client):
    """The ``event`` namespace."""

    namespace = "event"

    def list(
        self,
        ctxt: request.RequestContext,
        stack_id: str,
        *,
        resource_name: str | None = None,
        query: contract.EventQuery,
    ) -> list[contract.EventFacts]:
        """Return the events of a stack, or of one of its resources."""
        found = self._call(
            ctxt,
            "list",
            stack_id=stack_id,
            resource_name=resource_name,
            query=query,
        )
        return typing.cast(list[contract.EventFacts], found)

    def show(
        self,
        ctxt: request.RequestContext,
        stack_id: str,
        resource_name: str,
        event_id: str,
    ) -> contract.EventFacts:
        """Return one event with the properties of its resource.

        :raises orch.errors.NotFound: that resource has no such event
        """
        found = self._call(
            ctxt,
            "show",
            stack_id=stack_id,
            resource_name=resource_name,
            event_id=event_id,
        )
        return typing.cast(contract.EventFacts, found)

    def follow(
        self,
        ctxt: request.RequestContext,
        stack_id: str,
        *,
        after: str | None,
        nested_depth: int,
    ) -> contract.FollowedFacts:
        """Return what has happened since a position.

        :param after: of the last event seen, or its id; ``None`` for the
            beginning
        :raises orch.errors.Invalid: it is of no stack looked at
        """
        found = self._call(
            ctxt,
            "follow",
            stack_id=stack_id,
            after=after,
            nested_depth=nested_depth,
        )
        return typing.cast(contract.FollowedFacts, found)
