# Written by `python -m tools.client_values` of the contract; do not edit it.
"""Values of answers: hand overs."""

import dataclasses
import datetime

from orchclient import response_parser


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class HandOver:
    """A stack that one project has abandoned for another one.

    :ivar id: of the abandoned stack
    :ivar name: of the abandoned stack
    :ivar direction: ``outgoing`` for the project that abandons it,
        ``incoming`` for the one that may take it over
    :ivar from_project: the project that abandons it
    :ivar to_project: the project that may take it over
    :ivar resource_count: resources of all its levels
    :ivar offered_at: since when
    :ivar expires_at: when its document is removed
    :ivar taken_by: id of the stack that has taken it over; ``None`` for none
    """

    id: str
    name: str = ""
    direction: str = ""
    state: str
    from_project: str = ""
    to_project: str = ""
    resource_count: int = 0
    offered_at: datetime.datetime
    expires_at: datetime.datetime
    taken_by: str | None = None

    @classmethod
    def of(cls, body: response_parser.Json) -> "HandOver":
        """Return the value that a body describes."""
        return cls(
            id=response_parser.required_text(body, "id"),
            name=response_parser.get_text(body, "name"),
            direction=response_parser.get_text(body, "direction"),
            state=response_parser.required_text(body, "state"),
            from_project=response_parser.get_text(body, "from_project"),
            to_project=response_parser.get_text(body, "to_project"),
            resource_count=response_parser.get_integer(body, "resource_count"),
            offered_at=response_parser.required_time(body, "offered_at"),
            expires_at=response_parser.required_time(body, "expires_at"),
            taken_by=response_parser.find_text(body, "taken_by"),
        )
