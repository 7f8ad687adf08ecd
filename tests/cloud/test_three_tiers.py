"""A three-tier application from its creation to its end, on real services.

A load balancer of Octavia with members of a scaling group that an alarm of
Aodh grows, a server of the application, a database server with a volume, a
secret of Barbican and a name of Designate. Workers are killed in the middle.
"""

import collections.abc
import functools
import pathlib
import typing

from openstack import connection

from orch.engine import credentials
from tests.chaos import records
from tests.cloud import drifting
from tests.functional import remote
from tests.support import aodh_server
from tests.support import rest
from tests.support import rig
from tests.support import running
from tests.support import systems
from tests.support import waiting

Json = dict[str, typing.Any]
Ids = dict[str, list[str]]

_PLACE: typing.Final = pathlib.Path(__file__).with_name("three_tiers")
_OPTIONS: typing.Final[systems.Options] = {
    "engine": {"lease_ttl": 4, "scan_interval": 0.5},
    "signals": {"seal_keys": "k" * 32},
    # The Keystone and the installations of tests are here.
    "egress": {"allowed_networks": "127.0.0.0/8"},
}
_TYPES: typing.Final = (
    "Aodh::EventAlarm",
    "Barbican::Secret",
    "Cinder::Volume",
    "Designate::RecordSet",
    "Designate::Zone",
    "Neutron::FloatingIP",
    "Neutron::Net",
    "Neutron::Port",
    "Neutron::Router",
    "Neutron::SecurityGroup",
    "Neutron::Subnet",
    "Nova::KeyPair",
    "Nova::Server",
    "Octavia::HealthMonitor",
    "Octavia::Listener",
    "Octavia::LoadBalancer",
    "Octavia::Pool",
    "Octavia::PoolMember",
)
"""Those whose physical resources the services list by project."""
_ALARMS: typing.Final = "/v2/alarms"
_ALARMING: typing.Final = {"service_type": "alarming"}


def _last_part(name: str) -> str:
    """Return the id in a reference of Barbican; other ids are one part."""
    return name.rpartition("/")[2]


class ThreeTierTests(drifting.DriftTestCase):
    services = (
        *("block-storage", "compute", "dns", "image", "key-manager"),
        *("load-balancer", "network"),
    )
    limit_s = 900
    wait_s = 400
    system: systems.Distributed

    @classmethod
    def open_cloud(cls) -> tuple[rig.Rig, connection.Connection]:
        """Return the control plane with an Aodh, and a user of a project."""
        found = rig.insist(*cls.services)
        cls.aodh = cls.use(aodh_server.AodhServer(found))
        return found, cls.user_of_own_project(found)

    @classmethod
    def installation(cls, **options: object) -> systems.System:
        """Return an API and two workers."""
        wanted = {
            **cls.cloud.options(),
            **_OPTIONS,
            "credentials": {
                "encryption_keys": credentials.new_key(),
                "clean_up_interval": 0.5,
            },
            "DEFAULT": options,
        }
        started = cls.use(
            running.Distributed(
                wanted,
                cls.world.environment,
                make_client=functools.partial(remote.Client, cls.cloud.admin),
            )
        )
        cls.records = cls.use(records.Records(started.database.url))
        return started.system

    def setUp(self) -> None:
        super().setUp()
        self.zone = f"{self.name}.example."

    def body(self) -> Json:
        """Return the request of the application."""
        return {
            "template": (_PLACE / "shop.yaml").read_text(encoding="utf-8"),
            "files": {
                "web.yaml": (_PLACE / "web.yaml").read_text(encoding="utf-8")
            },
            "parameters": {"domain": self.zone},
        }

    def listed(self) -> Ids:
        """Return the ids of what the services list, by type."""
        compute, network = self.user.compute, self.user.network
        balancers, dns = self.user.load_balancer, self.user.dns
        project = {"project_id": self.user.current_project_id}
        zones, pools = list(dns.zones()), list(balancers.pools())
        found: dict[str, collections.abc.Iterable[typing.Any]] = {
            "Barbican::Secret": self.user.key_manager.secrets(),
            "Cinder::Volume": self.user.block_storage.volumes(),
            "Designate::RecordSet": [
                each
                for zone in zones
                for each in dns.recordsets(zone)
                # The service makes the others itself.
                if each.type == "A"
            ],
            "Designate::Zone": zones,
            "Neutron::FloatingIP": network.ips(**project),
            "Neutron::Net": network.networks(**project),
            "Neutron::Port": [
                each
                for each in network.ports(**project)
                # Others are those of routers and load balancers.
                if each.device_owner.startswith("compute:")
                or not each.device_owner
            ],
            "Neutron::Router": network.routers(**project),
            "Neutron::SecurityGroup": [
                each
                for each in network.security_groups(**project)
                if each.name != "default"
            ],
            "Neutron::Subnet": network.subnets(**project),
            "Nova::KeyPair": [
                each
                for each in compute.keypairs()
                if each.id == f"key-{self.name}"
            ],
            "Nova::Server": compute.servers(),
            "Octavia::HealthMonitor": balancers.health_monitors(),
            "Octavia::Listener": balancers.listeners(),
            "Octavia::LoadBalancer": balancers.load_balancers(),
            "Octavia::Pool": pools,
            "Octavia::PoolMember": [
                each for pool in pools for each in balancers.members(pool)
            ],
        }
        ids = {
            name: sorted(_last_part(each.id) for each in things)
            for name, things in found.items()
        }
        alarms = self.user.session.get(_ALARMS, endpoint_filter=_ALARMING)
        ids["Aodh::EventAlarm"] = [each["alarm_id"] for each in alarms.json()]
        return ids

    def declared(self, stack: rest.Stack) -> Ids:
        """Return the ids that the stack and its children have, by type."""
        path = f"{stack.path}/resources?nested_depth=3"
        rows = typing.cast("list[Json]", self.here.get(path, "resources"))
        return {
            name: sorted(
                _last_part(str(each["physical_resource_id"]))
                for each in rows
                if each["resource_type"] == f"OS::{name}"
            )
            for name in _TYPES
        }

    def check_world(self, stack: rest.Stack) -> Ids:
        """Check that services list what the stack has, and nothing else."""
        declared = self.declared(stack)
        self.assertEqual(declared, self.listed())
        return declared

    def trusts(self) -> list[str]:
        """Return the trusts that give away rights in the project."""
        found = self.admin.identity.get("/OS-TRUST/trusts").json()["trusts"]
        return [
            each["id"]
            for each in found
            if each["project_id"] == self.user.current_project_id
        ]

    def kill_worker(self) -> None:
        """Kill a worker that runs something, and start it again."""
        hosts = self.records.hosts()
        at_work = {hosts.get(each) for each in self.records.owners()}
        busy = [
            each for each in self.system.engines if each.log.stem in at_work
        ]
        self.assertTrue(busy, "no worker has anything to do")
        busy[0].kill()
        busy[0].start()

    def wait_for_count(self, kind: str, count: int) -> None:
        waiting.wait_for(
            lambda: len(self.listed()[kind]) == count,
            f"{count} of {kind}",
            limit_s=self.wait_s,
        )

    def scale(self, stack: rest.Stack) -> None:
        """Let the alarm grow the group, by an event of the shop."""
        project = self.user.current_project_id
        self.aodh.emit("shop.load.high", project, shop="another.example.")
        self.aodh.emit("shop.load.high", project, shop=self.zone)
        waiting.wait_for(
            lambda: self.here.outputs(stack)["size"] == 3,
            "the group has three members",
            limit_s=60,
        )
        self.records.wait_until_idle(timeout_s=self.wait_s)

    def change_by_hand(self, stack: rest.Stack) -> dict[str, list[str] | None]:
        """Change the application by the services' own interfaces.

        :returns: the drift, as :meth:`drifted` returns it
        """
        path = f"{stack.path}/resources?nested_depth=3"
        rows = typing.cast("list[Json]", self.here.get(path, "resources"))
        ids = {
            str(each["resource_name"]): str(each["physical_resource_id"])
            for each in rows
        }
        (lost, one), (kept, other), _ = [
            (str(each["physical_resource_id"]), each["parent_resource"])
            for each in rows
            if each["resource_name"] == "server"
        ]
        compute, network = self.user.compute, self.user.network
        compute.delete_server(lost)
        compute.wait_for_delete(compute.get_server(lost), wait=60)
        compute.set_server_metadata(kept, role="evil")
        compute.delete_volume_attachment(ids["database"], ids["disk"])
        network.create_security_group_rule(
            security_group_id=ids["security_group"],
            direction="ingress",
            protocol="tcp",
            port_range_min=22,
            port_range_max=22,
        )
        network.update_ip(ids["address"], port_id=None)
        self.user.load_balancer.update_health_monitor(ids["monitor"], delay=9)
        self.user.dns.delete_recordset(ids["record"], ids["zone"])
        self.user.session.delete(
            f"{_ALARMS}/{ids['alarm']}", endpoint_filter=_ALARMING
        )
        self.user.key_manager.delete_secret(_last_part(ids["secret"]))
        return {
            "address": ["port_id"],
            "alarm": None,
            "attachment": None,
            "monitor": ["delay"],
            "record": None,
            "secret": None,
            "security_group": ["rules"],
            f"web/{one}/server": None,
            f"web/{other}/server": ["metadata"],
        }

    def ports_of_others(self) -> collections.abc.Iterable[typing.Any]:
        """Return the ports of routers and load balancers in the project."""
        return self.user.network.ports(project_id=self.user.current_project_id)

    def test_it_lives_through_kills_and_leaves_nothing(self) -> None:
        stack = self.here.create(self.name, **self.body())
        self.addCleanup(self.removed, stack)
        self.wait_for_count("Octavia::LoadBalancer", 1)
        self.kill_worker()
        self.here.wait(stack, "CREATE_COMPLETE", timeout_s=self.wait_s)
        first = self.check_world(stack)
        self.assertEqual(4, len(first["Nova::Server"]))
        self.assertEqual({}, self.drifted(self.observe(stack)))

        self.scale(stack)
        scaled = self.check_world(stack)
        self.assertEqual(3, len(scaled["Octavia::PoolMember"]))
        self.assertLess({*first["Nova::Server"]}, {*scaled["Nova::Server"]})

        changed = self.change_by_hand(stack)
        self.assertEqual(changed, self.drifted(self.observe(stack)))
        self.here.ask("PUT", stack.path, {**self.body(), "converge": True})
        self.wait_for_count("Designate::RecordSet", 1)
        self.kill_worker()
        self.here.wait(stack, "UPDATE_COMPLETE", timeout_s=self.wait_s)
        converged = self.check_world(stack)
        self.assertEqual({}, self.drifted(self.observe(stack)))
        # The application knows the place of the secret, and is replaced.
        self.assertEqual(
            {
                *("Aodh::EventAlarm", "Barbican::Secret"),
                *("Designate::RecordSet", "Nova::Server"),
            },
            {name for name in _TYPES if converged[name] != scaled[name]},
        )

        self.here.delete(stack)
        self.wait_for_count("Octavia::PoolMember", 0)
        self.kill_worker()
        self.removed(stack)
        self.assertEqual({name: [] for name in _TYPES}, self.listed())
        self.assertEqual([], list(self.ports_of_others()))
        waiting.wait_for(lambda: not self.trusts(), "no trust", limit_s=30)
        taken_over = [
            each
            for each in self.records.operations()
            if typing.cast(int, each["fence"]) > 1
        ]
        self.assertGreaterEqual(len(taken_over), 3)
