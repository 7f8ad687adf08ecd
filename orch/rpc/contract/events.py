"""Requests and answers about events."""

import typing

from orch.context import request
from orch.rpc.contract import identity
from orch.rpc.contract import methods


class EventQuery(typing.TypedDict, total=False):
    """Which events to list; every key may be missing.

    ``filters``: resource_status, resource_action, resource_name,
    resource_type, each a list. ``sort_keys``: event_time, resource_type.
    """

    limit: int | None
    marker: str | None
    sort_keys: list[str]
    sort_dir: str
    nested_depth: int
    filters: dict[str, list[str]]


class EventFacts(typing.TypedDict, total=False):
    """One event."""

    id: str
    sequence: int
    created_at: float
    resource_name: str
    resource_type: str
    physical_id: str | None
    action: str
    status: str
    reason: str
    request_id: str | None
    stack: identity.StackIdentity
    root_stack: identity.StackIdentity
    resource_properties: dict[str, object]


class FollowedEvent(typing.TypedDict):
    """One event, and the position of a reader behind it."""

    position: str
    event: EventFacts


class FollowedFacts(typing.TypedDict):
    """What has happened since a position.

    ``is_idle``: nothing was under way with the stack, and this is all;
    ``is_over``: the stack is gone, and nothing more will come.
    """

    events: list[FollowedEvent]
    is_idle: bool
    is_over: bool


@methods.namespace("event")
class Events(typing.Protocol):
    """The events of stacks and of their resources."""

    @methods.reads()
    def list(
        self,
        ctxt: request.RequestContext,
        stack_id: str,
        *,
        resource_name: str | None = None,
        query: EventQuery,
    ) -> list[EventFacts]:
        """Return the events of a stack, or of one of its resources."""

    @methods.reads()
    def show(
        self,
        ctxt: request.RequestContext,
        stack_id: str,
        resource_name: str,
        event_id: str,
    ) -> EventFacts:
        """Return one event, with ``resource_properties``.

        :raises orch.errors.NotFound: that resource has no such event
        """

    @methods.reads()
    def follow(
        self,
        ctxt: request.RequestContext,
        stack_id: str,
        *,
        after: str | None = None,
        nested_depth: int = 0,
    ) -> FollowedFacts:
        """Return the events after a position, some hundreds at most.

        :param after: position or id of the last event; ``None`` for the
            beginning
        :raises orch.errors.Invalid: it belongs to none of these stacks
        """
