"""The service itself: its processes and revisions."""

import dataclasses

from orchclient import response_parser
from orchclient import transport
from orchclient.values import services as values

Process = values.Process


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
        return response_parser.get_values(answer, "services", Process.of)

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
