"""Load balancers and all that belongs to them, on a real Octavia."""

import functools
import typing

from tests.cloud import cases
from tests.cloud import short_set

Json = dict[str, typing.Any]


_OCTAVIA: typing.Final = "OS::Octavia"
_FORMER: typing.Final = "OS::Neutron::LBaaS"


def _declare(
    noun: str, *, service: str = _OCTAVIA, **properties: object
) -> Json:
    return {"type": f"{service}::{noun}", "properties": properties}


def _ref(name: str) -> Json:
    return {"get_resource": name}


def _network(noun: str, **properties: object) -> Json:
    return {"type": f"OS::Neutron::{noun}", "properties": properties}


class OctaviaTests(cases.RigTestCase):
    services = ("network", "load-balancer")
    acts_as_admin = True
    wait_s = 240

    def resources(
        self, weight: int = 1, code: str = "200", service: str = _OCTAVIA
    ) -> Json:
        declare = functools.partial(_declare, service=service)
        return {
            "net": _network("Net"),
            "subnet": _network(
                "Subnet", network=_ref("net"), cidr="10.20.0.0/24"
            ),
            "balancer": declare("LoadBalancer", vip_subnet=_ref("subnet")),
            "listener": declare(
                "Listener",
                loadbalancer=_ref("balancer"),
                protocol="HTTP",
                protocol_port=80,
            ),
            "pool": declare(
                "Pool",
                listener=_ref("listener"),
                lb_algorithm="ROUND_ROBIN",
                protocol="HTTP",
            ),
            "member": declare(
                "PoolMember",
                pool=_ref("pool"),
                address="10.20.0.9",
                protocol_port=80,
                weight=weight,
            ),
            "monitor": declare(
                "HealthMonitor",
                pool=_ref("pool"),
                type="HTTP",
                delay=5,
                timeout=3,
                max_retries=2,
                expected_codes=code,
            ),
            "policy": declare(
                "L7Policy", listener=_ref("listener"), action="REJECT"
            ),
            "rule": declare(
                "L7Rule",
                l7policy=_ref("policy"),
                type="PATH",
                compare_type="STARTS_WITH",
                value="/admin",
            ),
        }

    @short_set.case_of(
        "OS::Octavia::LoadBalancer",
        "OS::Octavia::Listener",
        "OS::Octavia::Pool",
        "OS::Octavia::PoolMember",
        "OS::Octavia::HealthMonitor",
        "OS::Octavia::L7Policy",
        "OS::Octavia::L7Rule",
    )
    def test_a_balancer_with_all_its_parts_lives_and_goes(self) -> None:
        stack = self.made(self.resources())
        balancers = self.admin.load_balancer
        pool, member = (
            self.physical_id(stack, name) for name in ("pool", "member")
        )

        self.updated(stack, self.resources(weight=7, code="201"))

        self.assertEqual(7, balancers.get_member(member, pool).weight)
        self.assertEqual(member, self.physical_id(stack, "member"))
        monitor = balancers.get_health_monitor(
            self.physical_id(stack, "monitor")
        )
        self.assertEqual("201", monitor.expected_codes)
        self.act(stack, "check")
        balancer = self.physical_id(stack, "balancer")
        self.removed(stack)
        self.assertIsNone(balancers.find_load_balancer(balancer))

    @short_set.case_of(
        "OS::Neutron::LBaaS::LoadBalancer",
        "OS::Neutron::LBaaS::Listener",
        "OS::Neutron::LBaaS::Pool",
        "OS::Neutron::LBaaS::PoolMember",
        "OS::Neutron::LBaaS::HealthMonitor",
        "OS::Neutron::LBaaS::L7Policy",
        "OS::Neutron::LBaaS::L7Rule",
    )
    def test_names_of_lbaas_act_on_octavia(self) -> None:
        stack = self.made(self.resources(service=_FORMER))

        balancers = self.admin.load_balancer
        pool, member = (
            self.physical_id(stack, name) for name in ("pool", "member")
        )
        self.assertEqual(1, balancers.get_member(member, pool).weight)
        balancer = self.physical_id(stack, "balancer")
        self.removed(stack)
        self.assertIsNone(balancers.find_load_balancer(balancer))

    @short_set.case_of(
        "OS::Octavia::Flavor",
        "OS::Octavia::FlavorProfile",
        "OS::Octavia::AvailabilityZone",
        "OS::Octavia::AvailabilityZoneProfile",
        "OS::Octavia::Quota",
    )
    def test_what_an_operator_offers_lives_and_goes(self) -> None:
        def resources(listeners: int, **flavor: object) -> Json:
            return {
                "profile": _declare(
                    "FlavorProfile",
                    provider_name="amphora",
                    flavor_data='{"loadbalancer_topology": "SINGLE"}',
                ),
                "flavor": _declare(
                    "Flavor", flavor_profile=_ref("profile"), **flavor
                ),
                "place": _declare(
                    "AvailabilityZoneProfile",
                    provider_name="amphora",
                    availability_zone_data='{"compute_zone": "nova"}',
                ),
                "zone": _declare(
                    "AvailabilityZone", availability_zone_profile=_ref("place")
                ),
                "project": {"type": "OS::Keystone::Project"},
                "quota": _declare(
                    "Quota", project=_ref("project"), listener=listeners
                ),
            }

        stack = self.made(resources(3))
        balancers = self.admin.load_balancer
        project = self.physical_id(stack, "project")

        self.updated(stack, resources(4, enabled=False, description="old"))

        self.assertEqual(4, balancers.get_quota(project).listeners)
        flavor = balancers.get_flavor(self.physical_id(stack, "flavor"))
        self.assertFalse(flavor.is_enabled)
        self.act(stack, "check")
        self.removed(stack)
        self.assertIsNone(
            balancers.find_flavor(flavor.id, ignore_missing=True)
        )
