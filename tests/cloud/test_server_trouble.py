"""Servers while the services are in trouble, and stacks that move away.

The installation reaches the services in a region of its own, where Nova is
behind a proxy, for a project of its own, which has quotas of its own.
"""

import types
import typing
import uuid

from openstack import connection

from tests.cloud import cases
from tests.cloud import test_server
from tests.functional import remote
from tests.functional import test_forwarding
from tests.support import proxy
from tests.support import rest
from tests.support import rig
from tests.support import running
from tests.support import systems
from tests.support import waiting

Json = dict[str, typing.Any]

NOVA_PORT: typing.Final = 8774
_OPTIONS: typing.Final[systems.Options] = {
    "engine": {
        "lease_ttl": 6,
        "scan_interval": 0.5,
        "retry_tries": 3,
        "retry_first_pause": 0.2,
        "retry_max_pause": 0.5,
        "blocked_first_pause": 1,
        "blocked_max_pause": 1,
    },
    "adoption": {"address_idle_time": 1},
    "egress": {"allowed_networks": "127.0.0.0/8"},
    "DEFAULT": {"enable_stack_adopt": True, "enable_stack_abandon": True},
}


class _Region:
    """The control plane as it is reached in a region of its own."""

    def __init__(self, found: rig.Rig, name: str) -> None:
        self.admin = found.admin
        self._found = found
        self._name = name

    def options(self) -> dict[str, dict[str, object]]:
        """Return the options of an Orch that reaches that region."""
        options = self._found.options()
        options["clients"]["region_name"] = self._name
        return options


class RegionTestCase(cases.RigTestCase):
    """A region in which Nova is elsewhere, and a project of its own.

    :cvar options: further ones of the installation, by group
    """

    services = ("compute", "network", "image")
    limit_s = 500
    wait_s = 200
    options: typing.ClassVar[systems.Options] = {}

    @classmethod
    def nova_port(cls) -> int:
        """Return where Nova is in the region."""
        return NOVA_PORT

    @classmethod
    def open_cloud(
        cls,
    ) -> tuple[typing.Any, connection.Connection]:
        """Make the region and the project; they end with the class."""
        found = rig.insist(*cls.services)
        place = f":{cls.nova_port()}"
        name = f"orch-{uuid.uuid4().hex[:8]}"
        identity = found.admin.identity
        identity.create_region(id=name)
        cls.addClassCleanup(identity.delete_region, name)
        for each in list(identity.endpoints(region_id=rig.REGION)):
            made = identity.create_endpoint(
                service_id=each.service_id,
                interface=each.interface,
                region_id=name,
                url=each.url.replace(f":{NOVA_PORT}", place),
            )
            cls.addClassCleanup(identity.delete_endpoint, made.id)
        return _Region(found, name), cls.user_of_own_project(found)

    @classmethod
    def installation(cls, **options: object) -> systems.System:
        """Return an installation whose pauses are short."""
        guarded = cls.cloud.options()
        guarded["keystone_authtoken"]["token_cache_time"] = 60
        wanted = {**guarded, **_OPTIONS, **cls.options}
        started = running.Embedded(wanted, cls.world.environment)
        return cls.use(started).system

    def operations(self, stack: rest.Stack) -> list[Json]:
        """Return the operations of a stack, the newest first."""
        found = self.here.get(f"{stack.path}/operations", "operations")
        return typing.cast("list[Json]", found)


class TroubleTestCase(RegionTestCase):
    """Nova can be switched off and on."""

    proxy: proxy.Proxy

    @classmethod
    def nova_port(cls) -> int:
        cls.proxy = cls.use(proxy.Proxy("127.0.0.1", NOVA_PORT))
        return cls.proxy.port

    def wait_until_blocked(self, stack: rest.Stack) -> Json:
        def find() -> Json | None:
            found = self.operations(stack)[0]
            return found if found["state"] == "BLOCKED" else None

        return waiting.wait_for(find, "the operation is blocked", limit_s=60)


class TroubleTests(TroubleTestCase):
    def test_l4_a_quota_that_is_raised_lets_the_stack_go_on(self) -> None:
        project = self.user.current_project_id
        self.admin.set_compute_quotas(project, instances=1)
        self.addCleanup(self.admin.delete_compute_quotas, project)
        resources = test_server.site()
        # Of two requests at the same moment Nova takes both, and lets one
        # server fail later.
        resources["other"] = {**resources["server"], "depends_on": "server"}
        stack = self.here.create(self.name, cases.template(resources))
        self.addCleanup(self.removed, stack)

        self.wait_until_blocked(stack)
        self.admin.set_compute_quotas(project, instances=5)

        self.here.wait(stack, "CREATE_COMPLETE", timeout_s=self.wait_s)
        self.assertEqual(2, len(list(self.user.compute.servers())))

    def test_l4_nova_may_be_away_for_a_while(self) -> None:
        resources = test_server.site()
        resources["moment"] = {
            "type": "OS::Heat::Delay",
            "properties": {"min_wait": 3},
        }
        resources["server"]["depends_on"] = ["moment"]
        stack = self.here.create(self.name, cases.template(resources))
        self.addCleanup(self.removed, stack)
        self.proxy.cut()

        blocked = self.wait_until_blocked(stack)
        self.proxy.restore()

        self.assertIn("compute", str(blocked.get("reason")))
        self.here.wait(stack, "CREATE_COMPLETE", timeout_s=self.wait_s)
        self.assertEqual(1, len(list(self.user.compute.servers())))

    def test_a_kill_in_the_middle_makes_no_second_server(self) -> None:
        resources = {
            **test_server.site(),
            **{
                f"server{each}": test_server.site()["server"]
                for each in range(2)
            },
        }
        stack = self.here.create(self.name, cases.template(resources))
        self.addCleanup(self.removed, stack)
        waiting.wait_for(
            lambda: list(self.user.compute.servers()), "a server", limit_s=60
        )
        self.system.server.kill()
        self.system.start()

        self.here.wait(stack, "CREATE_COMPLETE", timeout_s=self.wait_s)
        found = {each.id for each in self.user.compute.servers()}
        self.assertEqual(
            found,
            {
                self.physical_id(stack, name)
                for name in ("server", "server0", "server1")
            },
        )

    def test_a10_a_server_stands_while_its_stack_moves(self) -> None:
        other = self.installation()
        there = remote.Client(self.user, other)
        self.addCleanup(there.close)
        moves = test_forwarding.Moves(
            *(
                typing.cast(systems.System, types.SimpleNamespace(client=each))
                for each in (self.here, there)
            )
        )
        resources = test_server.site(
            user_data_format="SOFTWARE_CONFIG",
            software_config_transport="POLL_SERVER_HEAT",
        )
        stack = self.here.create(self.name, cases.template(resources))
        self.here.wait(stack, "CREATE_COMPLETE", timeout_s=self.wait_s)
        server_id = self.physical_id(stack, "server")
        before = [
            each.action for each in self.user.compute.server_actions(server_id)
        ]

        adopted = moves.adopt(stack, moves.abandon(stack))
        moves.announce(stack, moves.announcement(adopted))

        path = f"{stack.path}/resources/server/metadata"
        polled = typing.cast(Json, self.here.get(path, "metadata"))
        self.assertIn(
            f"127.0.0.1:{other.port}",
            polled["os-collect-config"]["heat"]["metadata_url"],
        )
        shown = there.resources(adopted)["server"]
        self.assertEqual(server_id, shown["physical_resource_id"])
        there.ask("POST", f"{adopted.path}/actions", {"check": None})
        there.wait(adopted, "CHECK_COMPLETE", timeout_s=60)
        after = [
            each.action for each in self.user.compute.server_actions(server_id)
        ]
        self.assertEqual(before, after)
        there.delete(adopted)
        self.wait_until_gone(there, adopted)
        self.assertIsNone(self.user.compute.find_server(server_id))
