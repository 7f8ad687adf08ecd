# Written by `python -m tools.client_values` of the contract; do not edit it.
"""Values of answers: leftovers."""

import dataclasses
import datetime

from orchclient import response_parser
from orchclient import stack_identity


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Sweep:
    """The sweep of a left-over physical resource that is not complete.

    :ivar stack: whose deletion removes it
    :ivar state: ``IN_PROGRESS`` or ``FAILED``
    :ivar reason: why, for people
    """

    stack: stack_identity.StackIdentity
    state: str
    reason: str = ""

    @classmethod
    def of(cls, body: response_parser.Json) -> "Sweep":
        """Return the value that a body describes."""
        return cls(
            stack=stack_identity.get_stack(body, "stack"),
            state=response_parser.required_text(body, "status"),
            reason=response_parser.get_text(body, "reason"),
        )


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Leftover:
    """A physical resource that no stack has any more, and that remains.

    :ivar id: also the token by which its service may know it
    :ivar stack: the root of the stack that left it
    :ivar path: names of resources from that down to its resource
    :ivar physical_id: empty where the outcome of its creation is unknown
    :ivar is_outcome_unknown: it may exist
    :ivar cause: ``orphaned`` or ``skipped``: by request; ``returned``: it had
        vanished, and has come back, or another one has its id; ``unreadable``:
        it had vanished, and whether it has come back cannot be read;
        ``surplus``: calls whose answers were lost may have made it, and it
        could not be removed
    :ivar reason: the last status reason of its resource
    :ivar created_at: when its resource was created
    :ivar left_at: since when no stack has it
    :ivar sweep: its removal, once it was asked for; ``None`` before
    """

    id: str
    stack: stack_identity.StackIdentity
    path: str = ""
    name: str = ""
    type: str = ""
    physical_id: str = ""
    is_outcome_unknown: bool = False
    cause: str = ""
    reason: str = ""
    created_at: datetime.datetime
    left_at: datetime.datetime
    sweep: Sweep | None = None

    @classmethod
    def of(cls, body: response_parser.Json) -> "Leftover":
        """Return the value that a body describes."""
        return cls(
            id=response_parser.required_text(body, "id"),
            stack=stack_identity.get_stack(body, "stack"),
            path=response_parser.get_text(body, "path"),
            name=response_parser.get_text(body, "resource_name"),
            type=response_parser.get_text(body, "resource_type"),
            physical_id=response_parser.get_text(body, "physical_resource_id"),
            is_outcome_unknown=response_parser.get_boolean(
                body, "is_outcome_unknown"
            ),
            cause=response_parser.get_text(body, "cause"),
            reason=response_parser.get_text(body, "reason"),
            created_at=response_parser.required_time(body, "creation_time"),
            left_at=response_parser.required_time(body, "left_at"),
            sweep=response_parser.find_value(body, "sweep", Sweep.of),
        )


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Omitted:
    """A resource that the last operation of a stack has left out.

    :ivar how: ``skipped`` or ``orphaned``
    :ivar reason: its last status reason
    :ivar leftover_id: of its physical resource, where that remains and no
        stack has it any more; else ``None``
    """

    name: str
    how: str
    reason: str = ""
    physical_id: str = ""
    leftover_id: str = ""

    @classmethod
    def of(cls, body: response_parser.Json) -> "Omitted":
        """Return the value that a body describes."""
        return cls(
            name=response_parser.required_text(body, "resource_name"),
            how=response_parser.required_text(body, "how"),
            reason=response_parser.get_text(body, "reason"),
            physical_id=response_parser.get_text(body, "physical_resource_id"),
            leftover_id=response_parser.get_text(body, "leftover_id"),
        )
