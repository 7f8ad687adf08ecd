"""A double of an installation of Heat, and a cloud that leads to it."""

import types
import typing
import urllib.parse

import fixtures
from keystoneauth1 import noauth
from keystoneauth1 import session

from tests.unit.resources.http import service

Answer = tuple[int, object]


class Installation(service.Service):
    """Answers by method and path, whatever the query is.

    What is in ``series`` is answered first, one after the other.
    """

    def __init__(self) -> None:
        super().__init__()
        self.series: dict[tuple[str, str], list[Answer]] = {}

    def find_answer(self, method: str, path: str, body: object) -> Answer:
        path = path.partition("?")[0]
        series = self.series.get((method, path))
        if series:
            return series.pop(0)
        return super().find_answer(method, path, body)

    def find_requests(
        self, method: str, path: str
    ) -> list[service.ReceivedRequest]:
        """Return the requests that came for a path."""
        return [
            each
            for each in self.requests
            if each.method == method and each.path.partition("?")[0] == path
        ]

    def query(self, path: str) -> dict[str, list[str]]:
        """Return the query of the last request for a path."""
        found = self.find_requests("GET", path)[-1].path.partition("?")[2]
        return urllib.parse.parse_qs(found)


class Cloud(fixtures.Fixture):
    """What a plug-in logs in by: all services are at one address.

    :ivar logins: what was logged in with, beside the stack's own credential
    :ivar trusted: regions that this was used for, and what was trusted there
    """

    def __init__(self, url: str) -> None:
        super().__init__()
        self._url = url
        self.logins: list[dict[str, object]] = []
        self.trusted: list[dict[str, object]] = []

    def _setUp(self) -> None:  # noqa: N802 - the name that fixtures calls
        self._held = session.Session(
            auth=noauth.NoAuth(endpoint=self._url), timeout=5
        )

    def connect(
        self, context: object, *, region_name: str | None, **tls: object
    ) -> object:
        self.trusted.append({"region_name": region_name, **tls})
        return self._connection(region_name)

    def log_in(
        self,
        login: dict[str, object],
        *,
        region_name: str | None,
        **tls: object,
    ) -> object:
        self.logins.append({**login, "region_name": region_name, **tls})
        return self._connection(region_name)

    def _connection(self, region_name: str | None) -> typing.Any:
        config = types.SimpleNamespace(
            get_interface=lambda service: "public",
            get_region_name=lambda service: region_name or "one",
        )
        return types.SimpleNamespace(session=self._held, config=config)
