# Written by `python -m tools.client_values` of the contract; do not edit it.
"""Values of answers: snapshots."""

import dataclasses
import datetime

from orchclient import response_parser
from orchclient import stack_identity


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """A stored state of a stack.

    :ivar state: IN_PROGRESS, COMPLETE or FAILED
    :ivar data: the stack of that time, laid out as an export; empty while it
        is taken
    """

    id: str
    name: str = ""
    state: str
    created_at: datetime.datetime
    data: response_parser.Json = dataclasses.field(default_factory=dict)
    stack: stack_identity.StackIdentity
    reason: str

    @classmethod
    def of(
        cls, body: response_parser.Json, stack: stack_identity.StackIdentity
    ) -> "Snapshot":
        """Return the value that a body describes."""
        return cls(
            id=response_parser.required_text(body, "id"),
            name=response_parser.get_text(body, "name"),
            state=response_parser.required_text(body, "status"),
            created_at=response_parser.required_time(body, "creation_time"),
            data=response_parser.find_map(body, "data"),
            stack=stack,
            reason=response_parser.get_text(body, "status_reason"),
        )
