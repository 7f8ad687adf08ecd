"""The distributed form: API and workers on RabbitMQ and PostgreSQL.

``kill`` is a real ``kill -9``, of the worker that has an operation, or of any
where none has.
"""

import fixtures

from tests.chaos import base
from tests.chaos import records
from tests.support import lifecycle
from tests.support import processes
from tests.support import rest
from tests.support import running
from tests.support import systems
from tests.support import world

_OPTIONS = base.options(
    DEFAULT={"enable_stack_abandon": True, "enable_stack_adopt": True},
    engine={"retry_first_pause": 0.1, "blocked_first_pause": 0.3},
)


class Fleet(fixtures.Fixture):
    """A world, an API and workers; one that is killed is started again.

    :ivar world: what the things stand in
    :ivar client: speaks to the API
    :ivar records: the rows
    :ivar system: the processes
    """

    client: rest.Client
    system: systems.Distributed

    def __init__(
        self, workers: int = 2, plugins: lifecycle.Plugins | None = None
    ) -> None:
        """Have so many workers.

        :param plugins: lifecycle plug-ins, in use already
        """
        super().__init__()
        self._workers = workers
        self._plugins = plugins

    def _setUp(self) -> None:  # noqa: N802 - fixtures names it
        self.world = self.useFixture(world.World())
        settings, environment = _OPTIONS, self.world.environment
        if self._plugins is not None:
            settings = {**settings, **self._plugins.options}
            environment = {**environment, **self._plugins.environment}
        found = self.useFixture(
            running.Distributed(settings, environment, workers=self._workers)
        )
        self.system = found.system
        self.client = found.system.client
        self.records = self.useFixture(records.Records(found.database.url))

    def kill(self) -> None:
        """Kill the worker that is at work, and start it again."""
        victim = self._victim()
        victim.kill()
        before = set(self.records.hosts())
        victim.start()
        victim.wait_until(lambda: bool(set(self.records.hosts()) - before))

    def _victim(self) -> processes.Process:
        hosts = self.records.hosts()
        busy = [hosts[each] for each in self.records.owners()]
        for engine in self.system.engines:
            if engine.log.stem in busy:
                return engine
        return self.system.engines[0]
