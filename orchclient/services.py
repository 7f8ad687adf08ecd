"""The service itself: its processes and revisions."""

import dataclasses

from orchclient import reading
from orchclient import transport
from orchclient import values


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Process:
    """A process of the service that reports."""

    id: str
    binary: str
    host: str
    topic: str
    is_up: bool
    report_interval_s: int
    created_at: values.Moment | None
    updated_at: values.Moment | None

    @classmethod
    def of(cls, body: reading.Json) -> "Process":
        """Return the process that a body describes."""
        return cls(
            id=reading.needed_text(body, "id"),
            binary=reading.text(body, "binary"),
            host=reading.text(body, "host"),
            topic=reading.text(body, "topic"),
            is_up=body.get("status") == "up",
            report_interval_s=reading.integer(body, "report_interval"),
            created_at=reading.find_moment(body, "created_at"),
            updated_at=reading.find_moment(body, "updated_at"),
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
        return tuple(map(Process.of, reading.maps(answer, "services")))

    def revisions(self) -> Revisions:
        """Return the revisions of the API and of a worker."""
        answer = self._sender.get("/build_info")
        return Revisions(
            reading.text(reading.inner(answer, "api"), "revision"),
            reading.text(reading.inner(answer, "engine"), "revision"),
        )
