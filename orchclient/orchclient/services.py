"""The service itself: its processes and revisions."""

import dataclasses

from orchclient import models
from orchclient import response_parser
from orchclient import transport


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Process:
    """A process of the service that reports."""

    id: str
    binary: str
    host: str
    topic: str
    is_up: bool
    report_interval_s: int
    created_at: models.Moment | None
    updated_at: models.Moment | None

    @classmethod
    def of(cls, body: response_parser.Json) -> "Process":
        """Return the process that a body describes."""
        return cls(
            id=response_parser.required_text(body, "id"),
            binary=response_parser.get_text(body, "binary"),
            host=response_parser.get_text(body, "host"),
            topic=response_parser.get_text(body, "topic"),
            is_up=body.get("status") == "up",
            report_interval_s=response_parser.get_integer(
                body, "report_interval"
            ),
            created_at=response_parser.find_time(body, "created_at"),
            updated_at=response_parser.find_time(body, "updated_at"),
        )


@dataclasses.dataclass(frozen=True, slots=True)
class Revisions:
    """The revisions of the API and of a worker."""

    api: str
    engine: str


class Services:
    """Lists processes and revisions of the service."""

    def __init__(self, sender: transport.Transport) -> None:
        self._sender = sender

    def list(self) -> tuple[Process, ...]:
        """Return the processes that report; for operators."""
        answer = self._sender.get("/services")
        return tuple(
            map(Process.of, response_parser.get_maps(answer, "services"))
        )

    def revisions(self) -> Revisions:
        """Return the revisions of the API and of a worker."""
        answer = self._sender.get("/build_info")
        return Revisions(
            response_parser.get_text(
                response_parser.get_map(answer, "api"), "revision"
            ),
            response_parser.get_text(
                response_parser.get_map(answer, "engine"), "revision"
            ),
        )
