"""Test cases of which a class has one running ``orch-all``."""

import itertools
import typing

import fixtures

from tests import base
from tests.support import rest
from tests.support import running
from tests.support import systems
from tests.support import waiting
from tests.support import world

_NUMBERS = itertools.count()

Json = dict[str, object]
Fixture = typing.TypeVar("Fixture", bound=fixtures.Fixture)


def options(**engine: object) -> dict[str, Json]:
    """Return options of a worker that notices soon, and more of them."""
    return {"engine": {"lease_ttl": 2, "scan_interval": 0.5, **engine}}


class ServerTestCase(base.TestCase):
    """All tests of a class ask one server.

    :cvar options: of the server, by group
    :cvar defaults: the groups that ``options`` does not name
    :cvar arguments: further ones of its command
    """

    limit_s = 120
    options: typing.ClassVar[systems.Options] = {}
    defaults: typing.ClassVar[systems.Options] = {}
    arguments: typing.ClassVar[tuple[str, ...]] = ()

    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        cls.system = cls.use(cls.installation()).system
        cls.client = cls.system.client

    @classmethod
    def installation(cls) -> running.Embedded | running.Distributed:
        """Return what runs; it does once it is set up."""
        return running.Embedded(
            {**cls.defaults, **cls.options},
            cls.environment(),
            cls.arguments,
        )

    @classmethod
    def environment(cls) -> running.Environment:
        """Return variables for the server."""
        return None

    def setUp(self) -> None:
        super().setUp()
        if not any(each.is_running() for each in self.system.members):
            # A test that has failed did not start it again.
            self.system.start()

    @classmethod
    def use(cls, fixture: Fixture) -> Fixture:
        """Set up what goes with the class."""
        cls.addClassCleanup(fixture.cleanUp)
        fixture.setUp()
        return fixture


class ProjectTestCase(ServerTestCase):
    """Each test has a project of its own.

    :ivar client: of the project
    """

    def setUp(self) -> None:
        super().setUp()
        base = self.system.endpoint.rpartition("/")[0]
        self.client = rest.Client(f"{base}/project-{next(_NUMBERS)}")
        self.addCleanup(self.client.close)


class WorldTestCase(ServerTestCase):
    """The server acts on a world; each test has one stack in it.

    :ivar name: of the stack
    """

    defaults = options()

    @classmethod
    def setUpClass(cls) -> None:
        cls.world = cls.use(world.World())
        super().setUpClass()

    @classmethod
    def environment(cls) -> running.Environment:
        return cls.world.environment

    def setUp(self) -> None:
        super().setUp()
        self.take_name()

    def take_name(self) -> None:
        """Let what follows be about another stack."""
        self.name = f"s{next(_NUMBERS)}"
        self.addCleanup(self.world.forgive, self.name)

    def names(self) -> list[str]:
        """Return the names of the things that exist, sorted."""
        return sorted(
            each.name for each in self.world.physical_resources(self.name)
        )

    def labels(self) -> dict[str, str]:
        """Return the labels of the things that exist, by name."""
        return {
            each.name: each.label
            for each in self.world.physical_resources(self.name)
        }

    def acts(self, *acts: str) -> list[str]:
        """Return the names of what these acts were called for, in order."""
        return [
            each.name
            for each in self.world.calls(self.name)
            if each.act in acts
        ]

    def wait_for_act(self, act: str, name: str) -> None:
        """Return once an act was called for a thing."""
        waiting.wait_for(lambda: name in self.acts(act), f"{act} of {name}")

    def operations(self, stack: rest.Stack) -> list[Json]:
        """Return the operations of the stack, the newest first."""
        found = self.client.get(f"{stack.path}/operations", "operations")
        return typing.cast(list[Json], found)

    def operation(self, stack: rest.Stack) -> Json:
        """Return the newest operation of the stack."""
        return self.operations(stack)[0]

    def refused(
        self,
        function: typing.Callable[..., object],
        *given: object,
        **more: object,
    ) -> tuple[int, str]:
        """Return status and error type of a request that must fail."""
        error = self.assertRaises(rest.RefusedError, function, *given, **more)
        return error.status, error.type
