# Written by `python -m tools.client_values` of the contract; do not edit it.
"""Values of answers: services."""

import dataclasses
import datetime

from orchclient import response_parser


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Process:
    """A process of the service that reports.

    :ivar settings_number: of the plug-in settings in force, if it has loaded
        them; ``None`` otherwise, and for processes that call no plug-ins
    :ivar settings_loaded: the fingerprint of those that it has loaded
    :ivar settings_loadable: the fingerprint of those that it finds now;
        ``None`` where it cannot load them
    :ivar idle_reason: why it takes no operations; ``None`` where it does
    """

    id: str
    host: str = ""
    binary: str = ""
    topic: str = ""
    report_interval_s: int = 0
    created_at: datetime.datetime
    updated_at: datetime.datetime
    settings_number: int | None = None
    settings_loaded: str | None = None
    settings_loadable: str | None = None
    idle_reason: str | None = None
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
            settings_number=response_parser.find_integer(
                body, "settings_number"
            ),
            settings_loaded=response_parser.find_text(body, "settings_loaded"),
            settings_loadable=response_parser.find_text(
                body, "settings_loadable"
            ),
            idle_reason=response_parser.find_text(body, "idle_reason"),
            is_up=body.get("status") == "up",
        )
