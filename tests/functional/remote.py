"""Two installations of one cloud: what tests of remote stacks share."""

import collections.abc
import json
import typing
import uuid

import fixtures
from openstack import connection
from openstack import exceptions

from tests import base
from tests.support import keystone
from tests.support import rest
from tests.support import rig
from tests.support import running
from tests.support import systems
from tests.support import waiting
from tests.support import world
from tests.support import world_templates

Json = dict[str, object]
Fixture = typing.TypeVar("Fixture", bound=fixtures.Fixture)

_ORCH: typing.Final = "orch-elsewhere"


class Region(fixtures.Fixture):
    """A region of the catalogue that leads to an installation.

    :ivar name: of the region
    """

    def __init__(
        self, admin: connection.Connection, system: systems.System
    ) -> None:
        super().__init__()
        self._admin = admin
        self._url = f"http://127.0.0.1:{system.port}/v1/%(project_id)s"
        self.name = f"region-{system.port}"

    def _setUp(self) -> None:  # noqa: N802 - fixtures names it
        identity = self._admin.identity
        identity.create_region(id=self.name)
        self.addCleanup(_remove, identity.delete_region, self.name)
        service = identity.create_service(name=_ORCH, type="orchestration")
        self.addCleanup(_remove, identity.delete_service, service.id)
        made = identity.create_endpoint(
            service_id=service.id,
            interface="public",
            region_id=self.name,
            url=self._url,
        )
        self.addCleanup(_remove, identity.delete_endpoint, made.id)


def _remove(
    remove: collections.abc.Callable[[str], object], thing: str
) -> None:
    """Remove a thing of Keystone, whose own tables may be locked just now."""

    def is_removed() -> bool:
        try:
            remove(thing)
        except exceptions.HttpException:
            return False
        return True

    waiting.wait_for(is_removed, f"{thing} is removed")


class Client(rest.Client):
    """Asks an installation as a user of the cloud."""

    def __init__(
        self, user: connection.Connection, system: systems.System
    ) -> None:
        project = user.current_project_id
        super().__init__(f"http://127.0.0.1:{system.port}/v1/{project}")
        self._session.headers["X-Auth-Token"] = str(user.authorize())


class CloudTestCase(base.TestCase):
    """An installation of a cloud with a real Keystone.

    :cvar services: types of those that the cloud has besides
    :ivar user: a connection of whom tests act for
    :ivar here: asks it as a user of the cloud
    :ivar name: of the stack
    """

    limit_s = 180
    services: typing.ClassVar[tuple[str, ...]] = ()

    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        cls.cloud, cls.user = cls.open_cloud()
        cls.world = cls.use(world.World())
        cls.system = cls.installation(
            enable_stack_adopt=True, enable_stack_abandon=True
        )
        cls.here = Client(cls.user, cls.system)
        cls.addClassCleanup(cls.here.close)

    @classmethod
    def open_cloud(
        cls,
    ) -> tuple[keystone.Keystone | rig.Rig, connection.Connection]:
        """Return the cloud, and a connection of whom tests act for."""
        if cls.services:
            found = rig.insist(*cls.services)
            return found, found.user
        alone = keystone.shared()
        return alone, alone.login("member").connect()

    @classmethod
    def installation(cls, **options: object) -> systems.System:
        """Return a running installation; it ends with the class.

        :param options: of the group ``DEFAULT``
        """
        guarded = cls.cloud.options()
        # Who waits asks often.
        guarded["keystone_authtoken"]["token_cache_time"] = 60
        wanted = {
            **guarded,
            "engine": {"lease_ttl": 6, "scan_interval": 0.5},
            "credentials": {"clean_up_interval": 0.5},
            "DEFAULT": options,
            # The Keystone and the installations of tests are here.
            "egress": {"allowed_networks": "127.0.0.0/8"},
        }
        started = running.Embedded(wanted, cls.world.environment)
        return cls.use(started).system

    @classmethod
    def use(cls, fixture: Fixture) -> Fixture:
        """Set up what goes with the class."""
        cls.addClassCleanup(fixture.cleanUp)
        fixture.setUp()
        return fixture

    def setUp(self) -> None:
        super().setUp()
        # A cloud keeps what a run before was cut short in.
        self.name = f"r{uuid.uuid4().hex[:10]}"
        self.addCleanup(self.world.forgive, self.name)

    def created(self, wanted: Json, **body: object) -> rest.Stack:
        stack = self.here.create(self.name, wanted, **body)
        self.here.wait(stack, "CREATE_COMPLETE")
        return stack

    def wait_until_gone(self, client: rest.Client, stack: rest.Stack) -> None:
        def is_gone() -> bool:
            listed = typing.cast("list[Json]", client.get("/stacks", "stacks"))
            return stack.id not in [each["id"] for each in listed]

        waiting.wait_for(is_gone, f"{stack.name} is gone")


class RemoteTestCase(CloudTestCase):
    """Stacks ``here`` have stacks in the region that leads ``there``."""

    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        cls.other = cls.installation()
        cls.region = cls.use(Region(cls.cloud.admin, cls.other)).name
        cls.there = Client(cls.user, cls.other)
        cls.addClassCleanup(cls.there.close)

    def parent_template(
        self, inner: Json | None = None, **properties: object
    ) -> Json:
        """Return a template with a stack in the other region."""
        where = {"region_name": self.region}
        given: Json = {
            "context": where,
            "template": json.dumps(inner or world_templates.chain()),
            **properties,
        }
        return {
            "heat_template_version": "2021-04-16",
            "resources": {
                "far": {"type": "OS::Heat::Stack", "properties": given}
            },
            "outputs": {
                "id": {"value": {"get_resource": "far"}},
                "out": {"value": {"get_attr": ["far", "outputs"]}},
                "name": {"value": {"get_attr": ["far", "stack_name"]}},
            },
        }

    def update(self, stack: rest.Stack, wanted: Json, **body: object) -> None:
        self.here.ask("PUT", stack.path, {"template": wanted, **body})

    def act(self, stack: rest.Stack, action: str) -> None:
        self.here.ask("POST", f"{stack.path}/actions", {action: None})
        self.here.wait(stack, f"{action.upper()}_COMPLETE")

    def far(self) -> list[Json]:
        """Return the stacks there that belong to the test."""
        found = typing.cast("list[Json]", self.there.get("/stacks", "stacks"))
        start = f"{self.name}-"
        return [
            each for each in found if str(each["stack_name"]).startswith(start)
        ]

    def only(self) -> rest.Stack:
        """Return the one stack there."""
        (found,) = self.far()
        return rest.Stack(str(found["stack_name"]), str(found["id"]))
