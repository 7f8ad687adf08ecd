"""A distributed system on servers that a test may hurt."""

import pathlib

import fixtures

from tests.support import rabbit
from tests.support import running
from tests.support import systems


class Site(fixtures.Fixture):
    """An API and two workers on servers that the test names.

    :param transport_url: of the broker; by default a virtual host on this
        machine's
    :param connection: of an empty database
    """

    system: systems.Distributed

    def __init__(
        self,
        settings: systems.Options,
        environment: dict[str, str],
        *,
        connection: str,
        transport_url: str | None = None,
    ) -> None:
        super().__init__()
        self._settings = settings
        self._environment = environment
        self._connection = connection
        self._transport_url = transport_url

    def _setUp(self) -> None:  # noqa: N802 - fixtures names it
        directory = pathlib.Path(self.useFixture(fixtures.TempDir()).path)
        if self._transport_url is None:
            self._transport_url = self.useFixture(rabbit.VirtualHost()).url()
        self.system = systems.Distributed(
            directory,
            transport_url=self._transport_url,
            connection=self._connection,
            options=self._settings,
            environment=self._environment,
        )
        running.watch(self, self.system)
        self.system.start()
