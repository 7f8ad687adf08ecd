"""A distributed system on servers that a test may hurt."""

import pathlib

import fixtures

from tests.support import forks
from tests.support import rabbit
from tests.support import running
from tests.support import systems


class Site(fixtures.Fixture):
    """An API and two workers on servers that the test names.

    :param transport_url: of the broker; by default a virtual host on this
        machine's
    :param connection: of an empty database
    :param searchers: how many ``orch-search`` there are
    """

    system: systems.Distributed

    def __init__(
        self,
        settings: systems.Options,
        environment: dict[str, str],
        *,
        connection: str,
        transport_url: str | None = None,
        searchers: int = 0,
    ) -> None:
        super().__init__()
        self._searchers = searchers
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
            searchers=self._searchers,
            options=self._settings,
            environment=self._environment,
            launch=forks.launch,
        )
        running.watch(self, self.system)
        self.system.start()
