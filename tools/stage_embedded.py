"""The demo's stage: one process."""

import collections.abc
import contextlib
import pathlib

from tests.support import processes
from tests.support import systems
from tools import narrator

OPTIONS = {"engine": {"lease_ttl": 2.0, "scan_interval": 0.5}}
# On a slow machine that has much else to do a start takes long.
READY_S = 120


class Stage:
    """A running ``orch-all``, for the acts."""

    def __init__(self, system: systems.Embedded) -> None:
        self._system = system
        self.client = system.client
        self.root = system.root

    def find_worker(self, worker: str) -> processes.Process:
        """Return the process that is this worker: there is only one."""
        return self._system.server

    def recover(self) -> None:
        """Do what an operator does after the kill: start it again."""
        narrator.act("start orch-all again, on the same state directory")
        self._system.start()


@contextlib.contextmanager
def opened(directory: pathlib.Path) -> collections.abc.Iterator[Stage]:
    """Give the stage; all its processes have ended afterwards."""
    with systems.Embedded(directory, options=OPTIONS) as system:
        system.ready_s = READY_S
        narrator.act(f"orch-all {' '.join(system.server.arguments)}")
        system.start()
        narrator.say(system.client.get("/build_info", "engine"))
        yield Stage(system)
