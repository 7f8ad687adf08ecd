"""Values of what the service returns: stacks, resources, events.

Times are in UTC. What the service does not return is ``None``, or empty.
"""

import dataclasses
import datetime

from orchclient import response_parser
from orchclient import stack_identity
from orchclient import status as status_
from orchclient.values import drift
from orchclient.values import leftovers
from orchclient.values import lifecycle
from orchclient.values import stacks

Json = response_parser.Json
Moment = datetime.datetime
StackIdentity = stack_identity.StackIdentity
Status = status_.Status
DriftSummary = drift.DriftSummary
Blocked = stacks.Blocked
find_link = stack_identity.find_link


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    """An output of a stack.

    :ivar error: why it has no value; empty where it has one
    :ivar is_sensitive: whether its value is shown on request only
    """

    key: str
    value: object = None
    description: str = ""
    error: str = ""
    is_sensitive: bool = False

    @classmethod
    def of(cls, body: Json) -> "Output":
        """Return the output that a body describes."""
        return cls(
            key=response_parser.required_text(body, "output_key"),
            value=body.get("output_value"),
            description=response_parser.get_text(body, "description"),
            error=response_parser.get_text(body, "output_error"),
            is_sensitive=body.get("sensitive") is True,
        )


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Stack:
    """A stack; in lists it has no parameters, outputs and drift.

    :ivar parent_id: of its parent stack
    :ivar etag: of what was shown; ``None`` where the service sends none
    :ivar verdicts: what lifecycle plug-ins said of the newest operation,
        other than allow
    :ivar blocked: what it waits for; ``None`` for nothing
    """

    identity: StackIdentity
    status: Status
    status_reason: str = ""
    description: str = ""
    created_at: Moment | None = None
    updated_at: Moment | None = None
    deleted_at: Moment | None = None
    owner: str | None = None
    parent_id: str | None = None
    tags: tuple[str, ...] = ()
    parameters: Json = dataclasses.field(default_factory=dict)
    outputs: tuple[Output, ...] = ()
    disable_rollback: bool = True
    timeout_mins: int | None = None
    etag: str | None = None
    verdicts: tuple[lifecycle.Verdict, ...] = ()
    drift: DriftSummary | None = None
    blocked: Blocked | None = None
    omitted: tuple[leftovers.Omitted, ...] = ()

    @classmethod
    def of(cls, body: Json, etag: str | None = None) -> "Stack":
        """Return the stack that a body describes."""
        name = response_parser.required_text(body, "stack_name")
        href = find_link(body, "self")
        if href is None:
            identity = StackIdentity(
                name, response_parser.get_text(body, "id")
            )
        else:
            identity = StackIdentity.of_url(href)
        return cls(
            identity=identity,
            status=Status.of(
                response_parser.required_text(body, "stack_status")
            ),
            status_reason=response_parser.get_text(
                body, "stack_status_reason"
            ),
            description=response_parser.get_text(body, "description"),
            created_at=response_parser.find_time(body, "creation_time"),
            updated_at=response_parser.find_time(body, "updated_time"),
            deleted_at=response_parser.find_time(body, "deletion_time"),
            owner=response_parser.find_text(body, "stack_owner"),
            parent_id=response_parser.find_text(body, "parent"),
            tags=response_parser.get_texts(body, "tags"),
            parameters=response_parser.find_map(body, "parameters"),
            outputs=response_parser.get_values(body, "outputs", Output.of),
            disable_rollback=body.get("disable_rollback") is not False,
            timeout_mins=response_parser.find_integer(body, "timeout_mins"),
            etag=etag,
            verdicts=response_parser.get_values(
                body, "verdicts", lifecycle.Verdict.of
            ),
            drift=response_parser.find_value(body, "drift", DriftSummary.of),
            blocked=response_parser.find_value(body, "blocked", Blocked.of),
            omitted=response_parser.get_values(
                body, "omitted", leftovers.Omitted.of
            ),
        )

    @property
    def name(self) -> str:
        """Return its name."""
        return self.identity.name

    @property
    def id(self) -> str:
        """Return its id."""
        return self.identity.id

    @property
    def output_values(self) -> dict[str, object]:
        """Return the values of its outputs by key."""
        return {each.key: each.value for each in self.outputs}


Which = str | StackIdentity | Stack
"""How callers say which stack: by name or id, or as it came."""


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Resource:
    """A resource of a stack.

    :ivar required_by: names of those that depend on it
    :ivar parent_resource: of its stack, in the parent stack
    :ivar nested: the child stack that it is
    :ivar attributes: present when a resource is shown, in lists on demand
    :ivar decisions: of lifecycle plug-ins, by plug-in; not in lists
    :ivar is_replaced: in lists: it still exists, and another one stands for
        its name
    """

    name: str
    type: str
    status: Status
    stack: StackIdentity
    physical_id: str = ""
    status_reason: str = ""
    created_at: Moment | None = None
    updated_at: Moment | None = None
    required_by: tuple[str, ...] = ()
    parent_resource: str | None = None
    nested: StackIdentity | None = None
    description: str = ""
    attributes: Json = dataclasses.field(default_factory=dict)
    decisions: Json = dataclasses.field(default_factory=dict)
    is_replaced: bool = False

    @classmethod
    def of(cls, body: Json) -> "Resource":
        """Return the resource that a body describes."""
        nested = find_link(body, "nested")
        return cls(
            name=response_parser.required_text(body, "resource_name"),
            type=response_parser.get_text(body, "resource_type"),
            status=Status.of(
                response_parser.get_text(body, "resource_status")
            ),
            stack=stack_identity.get_stack(body),
            physical_id=response_parser.get_text(body, "physical_resource_id"),
            status_reason=response_parser.get_text(
                body, "resource_status_reason"
            ),
            created_at=response_parser.find_time(body, "creation_time"),
            updated_at=response_parser.find_time(body, "updated_time"),
            required_by=response_parser.get_texts(body, "required_by"),
            parent_resource=response_parser.find_text(body, "parent_resource"),
            nested=None if nested is None else StackIdentity.of_url(nested),
            description=response_parser.get_text(body, "description"),
            attributes=response_parser.find_map(body, "attributes"),
            decisions=response_parser.find_map(body, "decisions"),
            is_replaced=body.get("is_replaced") is True,
        )


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """A fact that happened.

    :ivar resource_type: present when an event is shown alone, or followed
    :ivar properties: present when an event is shown alone
    :ivar request_id: of the request that caused it, where that is known
    """

    id: str
    time: Moment
    resource_name: str
    status: Status
    reason: str
    stack: StackIdentity
    physical_id: str = ""
    resource_type: str = ""
    properties: Json = dataclasses.field(default_factory=dict)
    request_id: str | None = None

    @classmethod
    def of(cls, body: Json) -> "Event":
        """Return the event that a body describes."""
        return cls(
            id=response_parser.required_text(body, "id"),
            time=response_parser.required_time(body, "event_time"),
            resource_name=response_parser.required_text(body, "resource_name"),
            status=Status.of(
                response_parser.get_text(body, "resource_status")
            ),
            reason=response_parser.get_text(body, "resource_status_reason"),
            stack=stack_identity.get_stack(body),
            physical_id=response_parser.get_text(body, "physical_resource_id"),
            resource_type=response_parser.get_text(body, "resource_type"),
            properties=response_parser.find_map(body, "resource_properties"),
            request_id=response_parser.find_text(body, "request_id"),
        )

    @property
    def is_of_stack(self) -> bool:
        """Whether the event is of the stack itself, not of a resource."""
        return self.physical_id == self.stack.id
