"""Running systems as fixtures; a test that fails shows their output.

Their processes are forks (``tests.support.forks``), which cost less to start.
"""

import collections.abc
import pathlib

import fixtures
from testtools import content
from testtools import content_type

from tests.functional import databases
from tests.support import forks
from tests.support import rabbit
from tests.support import systems
from tests.support import tables

Environment = collections.abc.Mapping[str, str] | None


class _Running(fixtures.Fixture):
    """What both forms share.

    :ivar directory: for state, logs and configuration; goes after the test
    """

    def _setUp(self) -> None:  # noqa: N802 - fixtures names it
        self.directory = pathlib.Path(self.useFixture(fixtures.TempDir()).path)


def watch(owner: fixtures.Fixture, system: systems.System) -> None:
    """End the system with the fixture that owns it; show its output.

    It is killed: an end in good order takes two seconds, most of which the
    threads of a library sleep. Tests of such ends call for one.
    """
    owner.addCleanup(system.kill)
    for process in system.members:
        owner.addDetail(
            process.log.name,
            content.Content(
                content_type.UTF8_TEXT,
                lambda log=process.log: _read(log),
            ),
        )


def _read(log: pathlib.Path) -> list[bytes]:
    return [log.read_bytes()] if log.exists() else []


class Embedded(_Running):
    """A running ``orch-all``.

    :ivar system: the process, its endpoint and its client
    """

    def __init__(
        self,
        options: systems.Options | None = None,
        environment: Environment = None,
        arguments: collections.abc.Sequence[str] = (),
    ) -> None:
        super().__init__()
        self._options = options
        self._environment = environment
        self._arguments = arguments

    def _setUp(self) -> None:  # noqa: N802 - fixtures names it
        super()._setUp()
        self.system = systems.Embedded(
            self.directory,
            options=self._options,
            environment=self._environment,
            launch=forks.launch,
            arguments=self._arguments,
        )
        state = self.directory / "state"
        state.mkdir(mode=0o700)
        tables.write(state / "orch.db")
        watch(self, self.system)
        self.system.start()


class Distributed(_Running):
    """A running ``orch-api`` and workers, on RabbitMQ and a database.

    :ivar system: the processes, their endpoint and client
    :ivar broker: the virtual host
    """

    def __init__(
        self,
        options: systems.Options | None = None,
        environment: Environment = None,
        *,
        workers: int = 2,
        searchers: int = 0,
        database: type[fixtures.Fixture] | None = None,
        make_client: systems.MakeClient | None = None,
    ) -> None:
        super().__init__()
        self._options = options
        self._environment = environment
        self._workers = workers
        self._searchers = searchers
        self._database = database or databases.PostgreSQL
        self._make_client = make_client

    def _setUp(self) -> None:  # noqa: N802 - fixtures names it
        super()._setUp()
        self.broker = self.useFixture(rabbit.VirtualHost())
        self.database = self.useFixture(self._database())
        tables.make(self.database.url)
        self.system = systems.Distributed(
            self.directory,
            transport_url=self.broker.url(),
            connection=self.database.url,
            workers=self._workers,
            searchers=self._searchers,
            options=self._options,
            environment=self._environment,
            launch=forks.launch,
            make_client=self._make_client,
        )
        self.system.has_tables = True
        watch(self, self.system)
        self.system.start()
