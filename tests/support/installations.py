"""Two installations that reach one world, and know nothing of each other."""

import fixtures

from tests.support import running
from tests.support import systems
from tests.support import world

OPTIONS: systems.Options = {
    "engine": {"lease_ttl": 2, "scan_interval": 0.2},
    "api": {"rpc_timeout": 5},
}


SWITCHED_ON: systems.Options = {
    "DEFAULT": {"enable_stack_adopt": True, "enable_stack_abandon": True}
}
"""For processes in which adoption is off unless it is asked for."""


class Pair(fixtures.Fixture):
    """Two running ``orch-all``, each on a database of its own.

    :ivar world: the world that both act on
    :ivar here: the one that stacks leave
    :ivar there: the one that they come to
    """

    def __init__(self, options: systems.Options = OPTIONS) -> None:
        super().__init__()
        self._options = options

    def _setUp(self) -> None:  # noqa: N802 - fixtures names it
        self.world = self.useFixture(world.World())
        self.here, self.there = (
            self.useFixture(
                running.Embedded(self._options, self.world.environment)
            ).system
            for _ in range(2)
        )
