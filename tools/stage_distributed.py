"""The demo's stage: an API, two workers and search on real servers."""

import collections.abc
import contextlib
import pathlib

from tests.functional import databases
from tests.support import processes
from tests.support import rabbit
from tests.support import systems
from tools import narrator
from tools import stage_embedded


class Stage:
    """The running processes, for the acts."""

    def __init__(self, system: systems.Distributed) -> None:
        self._system = system
        self.client = system.client
        self.root = system.root

    def find_worker(self, worker: str) -> processes.Process:
        """Return the process that is this worker."""
        return self._system.engine_of(worker)

    def recover(self) -> None:
        """Do nothing: the other worker goes on by itself."""


@contextlib.contextmanager
def opened(directory: pathlib.Path) -> collections.abc.Iterator[Stage]:
    """Give the stage; its processes, queues and tables go afterwards."""
    with (
        rabbit.VirtualHost() as broker,
        databases.PostgreSQL() as database,
        systems.Distributed(
            directory,
            transport_url=broker.url(),
            connection=database.url,
            searchers=1,
            options=stage_embedded.OPTIONS,
        ) as system,
    ):
        system.ready_s = stage_embedded.READY_S
        narrator.act("start orch-api, two orch-engine and orch-search")
        system.start()
        for service in system.client.services():
            narrator.say(service["binary"], service["host"], service["status"])
        yield Stage(system)
