# Written by `python -m tools.client_values` of the contract; do not edit it.
"""Values of answers: services."""

import dataclasses
import datetime

from orchclient import response_parser


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Process:
    """A process of the service that reports."""

    id: str
    host: str = ""
    binary: str = ""
    topic: str = ""
    report_interval_s: int = 0
    created_at: datetime.datetime
    updated_at: datetime.datetime
    is_up: bool

    @classmethod
    def of(cls, body: response_parser.Json) -> "Process":
        """Return the value that a body describes."""
        return cls(
            id=response_parser.required_text(body, "id"),
            host=response_parser.get_text(body, "host"),
            binary=response_parser.get_text(body, "binary"),
            topic=response_parser.get_text(body, "topic"),
            report_interval_s=response_parser.get_integer(
                body, "report_interval"
            ),
            created_at=response_parser.required_time(body, "created_at"),
            updated_at=response_parser.required_time(body, "updated_at"),
            is_up=body.get("status") == "up",
        )
