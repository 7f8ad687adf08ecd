# Written by `python -m tools.client_values` of the contract; do not edit it.
"""Values of answers: software."""

import dataclasses
import datetime

from orchclient import response_parser


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Deployment:
    """A deployment of a config to a server.

    :ivar state: IN_PROGRESS, COMPLETE or FAILED, as the server says
    """

    id: str
    config_id: str
    server_id: str
    input_values: response_parser.Json = dataclasses.field(
        default_factory=dict
    )
    output_values: response_parser.Json = dataclasses.field(
        default_factory=dict
    )
    action: str = ""
    state: str = ""
    reason: str = ""
    created_at: datetime.datetime
    updated_at: datetime.datetime | None = None

    @classmethod
    def of(cls, body: response_parser.Json) -> "Deployment":
        """Return the value that a body describes."""
        return cls(
            id=response_parser.required_text(body, "id"),
            config_id=response_parser.required_text(body, "config_id"),
            server_id=response_parser.required_text(body, "server_id"),
            input_values=response_parser.find_map(body, "input_values"),
            output_values=response_parser.find_map(body, "output_values"),
            action=response_parser.get_text(body, "action"),
            state=response_parser.get_text(body, "status"),
            reason=response_parser.get_text(body, "status_reason"),
            created_at=response_parser.required_time(body, "creation_time"),
            updated_at=response_parser.find_time(body, "updated_time"),
        )
