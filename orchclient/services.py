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
            id=response_parser.needed_text(body, "id"),
            binary=response_parser.text(body, "binary"),
            host=response_parser.text(body, "host"),
            topic=response_parser.text(body, "topic"),
            is_up=body.get("status") == "up",
            report_interval_s=response_parser.integer(body, "report_interval"),
            created_at=response_parser.find_moment(body, "created_at"),
            updated_at=response_parser.find_moment(body, "updated_at"),
        )


@dataclasses.dataclass(frozen=True, slots=True)
class Revisions:
    """What runs."""

    api: str
    engine: str


class Services:
    """Tells of the service."""

    def __init__(self, sender: transport.Transport) -> None:
        self._sender = sender

    def list(self) -> tuple[Process, ...]:
        """Return the processes that report; for operators."""
        answer = self._sender.get("/services")
        return tuple(map(Process.of, response_parser.maps(answer, "services")))

    def revisions(self) -> Revisions:
        """Return the revisions of the API and of a worker."""
        answer = self._sender.get("/build_info")
        return Revisions(
            response_parser.text(
                response_parser.inner(answer, "api"), "revision"
            ),
            response_parser.text(
                response_parser.inner(answer, "engine"), "revision"
            ),
        )
