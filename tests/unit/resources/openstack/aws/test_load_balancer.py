"""Load balancers of AWS on a fake of Octavia and Neutron."""

import dataclasses
import re
import typing
import uuid

from orch import errors
from orch.clients import rest
from orch.plugin import call_context
from orch.resources.openstack import type_data
from tests.unit.resources.openstack import clouds
from tests.unit.resources.openstack.aws import networks

Body = dict[str, typing.Any]

_MEMBERS: typing.Final = re.compile(r"^/lbaas/pools/([^/]+)/members$")
_SERVERS: typing.Final = [f"web-{number}" for number in range(3)]
_CHECK: typing.Final = {
    "Target": "HTTP:8080/health",
    "Interval": 10,
    "Timeout": 5,
    "HealthyThreshold": 3,
    "UnhealthyThreshold": 2,
}
_LISTENER: typing.Final = {
    "Protocol": "HTTP",
    "LoadBalancerPort": 80,
    "InstancePort": 8080,
}
_MONITOR: typing.Final = {
    "type": "HTTP",
    "delay": 10,
    "timeout": 5,
    "max_retries": 3,
    "max_retries_down": 2,
    "url_path": "/health",
}


class FakeOctavia(networks.Network):
    """Load balancers that are created with all that belongs to them.

    It answers as the reference of the load balancing API, version 2, has it.
    """

    def __init__(self) -> None:
        super().__init__()
        self.balancers = clouds.Collection(
            "loadbalancer",
            "loadbalancers",
            defaults={
                "provisioning_status": "ACTIVE",
                "vip_address": "10.0.0.9",
            },
        )
        self.pools = clouds.Collection("pool", "pools")
        self.collections["/lbaas/loadbalancers"] = self.balancers
        self.collections["/lbaas/pools"] = self.pools
        self.members: dict[str, list[Body]] = {}

    def find_answer(
        self, method: str, path: str, body: object
    ) -> clouds.Answer:
        bare, _, query = path.partition("?")
        found = _MEMBERS.match(bare)
        if found is not None:
            return self._answer_members(
                method, found[1], typing.cast(Body, body)
            )
        is_balancer = bare.startswith("/lbaas/loadbalancers/")
        if method == "DELETE" and is_balancer and "cascade=true" not in query:
            return 409, {"faultstring": "it has listeners"}
        status, made = super().find_answer(method, path, body)
        if (method, bare) == ("POST", "/lbaas/loadbalancers"):
            self._create_pools(typing.cast(Body, made)["loadbalancer"])
        return status, made

    def _create_pools(self, balancer: Body) -> None:
        for listener in balancer["listeners"]:
            pool = listener["default_pool"]
            pool_id = self.add(
                "/lbaas/pools", loadbalancer_id=balancer["id"], **pool
            )
            self.members[pool_id] = _with_ids(pool["members"])

    def _answer_members(
        self, method: str, pool: str, body: Body
    ) -> clouds.Answer:
        if method == "PUT":
            (balancer,) = self.balancers.rows.values()
            if balancer["provisioning_status"] != "ACTIVE":
                return 409, {"faultstring": "it is immutable"}
            balancer["provisioning_status"] = "PENDING_UPDATE"
            self.members[pool] = _with_ids(body["members"])
            return 202, None
        return 200, {"members": self.members[pool]}


def _with_ids(members: list[Body]) -> list[Body]:
    return [{**each, "id": str(uuid.uuid4())} for each in members]


class LoadBalancerTest(clouds.CloudTestCase):
    kind = type_data.load_type("AWS::ElasticLoadBalancing::LoadBalancer")
    cloud: FakeOctavia

    def setUp(self) -> None:
        super().setUp()
        self.use(FakeOctavia())
        for number, server in enumerate(_SERVERS):
            self.cloud.add(
                "/ports",
                device_id=server,
                fixed_ips=[
                    {"ip_address": f"10.0.0.{number}", "subnet_id": "subnet"}
                ],
            )

    def balancer(self, **given: object) -> call_context.Context:
        return self.made(
            **{
                "AvailabilityZones": ["nova"],
                "Listeners": [_LISTENER],
                **given,
            }
        )

    def member_addresses(self) -> list[list[str]]:
        return [
            sorted(each["address"] for each in members)
            for members in self.cloud.members.values()
        ]

    def update(
        self, context: call_context.Context, **given: object
    ) -> call_context.Context:
        """Change properties; return once the service is ready."""
        after = dataclasses.replace(
            context, properties={**context.properties, **given}
        )
        self.plugin.update(after, context.properties, tuple(given))
        (found,) = self.cloud.balancers.rows.values()
        while self.plugin.is_updated(after) is not None:
            self.assertEqual("PENDING_UPDATE", found["provisioning_status"])
            found["provisioning_status"] = "ACTIVE"
        return after

    def test_it_is_created_by_one_request(self) -> None:
        group = "8a9f0a58-0c5f-4c4c-9d1e-3f5c1f0d0b01"
        context = self.balancer(
            Instances=_SERVERS[:2], HealthCheck=_CHECK, SecurityGroups=[group]
        )

        found = self.cloud.balancers.rows[str(context.physical_id)]
        self.assertEqual("subnet", found["vip_subnet_id"])
        self.assertEqual([group], found["vip_sg_ids"])
        (listener,) = found["listeners"]
        self.assertEqual(80, listener["protocol_port"])
        pool = listener["default_pool"]
        self.assertEqual(_MONITOR, pool["healthmonitor"])
        self.assertEqual(
            [
                {
                    "address": f"10.0.0.{number}",
                    "subnet_id": "subnet",
                    "protocol_port": 8080,
                    "monitor_port": 8080,
                }
                for number in range(2)
            ],
            pool["members"],
        )
        lost = dataclasses.replace(context, physical_id=None)
        self.assertEqual(context.physical_id, self.plugin.find(lost))

    def test_its_instances_change_in_all_pools(self) -> None:
        context = self.balancer(
            Instances=_SERVERS[:1],
            Listeners=[
                _LISTENER,
                {**_LISTENER, "LoadBalancerPort": 81, "Protocol": "TCP"},
            ],
        )
        self.assertEqual([["10.0.0.0"]] * 2, self.member_addresses())

        after = self.update(context, Instances=_SERVERS[1:])

        self.assertEqual(
            [["10.0.0.1", "10.0.0.2"]] * 2, self.member_addresses()
        )
        live = self.plugin.get_reality(after)
        assert live is not None
        self.assertEqual(_SERVERS[1:], live["Instances"])
        self.update(after, Instances=[])
        self.assertEqual([[], []], self.member_addresses())

    def test_members_of_others_and_missing_ones_are_drift(self) -> None:
        context = self.balancer(Instances=_SERVERS[:2])
        (members,) = self.cloud.members.values()
        members[0]["address"] = "10.0.0.77"

        live = self.plugin.get_reality(context)

        assert live is not None
        self.assertEqual([_SERVERS[1], "10.0.0.77"], live["Instances"])
        self.update(context, Instances=_SERVERS[:2])
        self.assertEqual([["10.0.0.0", "10.0.0.1"]], self.member_addresses())
        self.cloud.rows("port").clear()
        live = self.plugin.get_reality(context)
        assert live is not None
        self.assertEqual(["10.0.0.0", "10.0.0.1"], live["Instances"])

    def test_a_pool_that_is_gone_is_drift_and_fails_an_update(self) -> None:
        other = {**_LISTENER, "LoadBalancerPort": 81}
        context = self.balancer(
            Instances=_SERVERS[:1], Listeners=[_LISTENER, other]
        )
        pool = next(
            key
            for key, each in self.cloud.pools.rows.items()
            if each["name"] == "port-81"
        )
        del self.cloud.pools.rows[pool]

        live = self.plugin.get_reality(context)
        assert live is not None
        self.assertEqual([], live["Instances"])
        error = self.assertRaises(
            rest.CloudNotFound, self.plugin.is_updated, context
        )
        self.assertIn("has no pool port-81", error.message)
        self.cloud.pools.rows.clear()
        live = self.plugin.get_reality(context)
        assert live is not None
        self.assertEqual([], live["Instances"])

    def test_its_security_groups_change_in_place(self) -> None:
        context = self.balancer(Instances=_SERVERS)
        group = "8a9f0a58-0c5f-4c4c-9d1e-3f5c1f0d0b01"

        context = self.update(context, SecurityGroups=[group])

        found = self.cloud.balancers.rows[str(context.physical_id)]
        self.assertEqual([group], found["vip_sg_ids"])
        self.update(context, SecurityGroups=None)
        self.assertEqual([], found["vip_sg_ids"])

    def test_its_address_has_several_names(self) -> None:
        context = self.balancer(Instances=_SERVERS)

        found = self.plugin.read_attributes(
            context, [each.name for each in self.kind.attributes]
        )

        self.assertEqual("10.0.0.9", found["DNSName"])
        self.assertEqual("10.0.0.9", found["CanonicalHostedZoneName"])
        self.assertEqual("", found["CanonicalHostedZoneNameID"])
        self.assertEqual(5, len(found))

    def test_it_is_removed_with_its_parts(self) -> None:
        context = self.balancer(Instances=_SERVERS)

        self.plugin.delete(context)

        self.assertIsNone(self.plugin.is_deleted(context))
        self.assertEqual({}, self.cloud.balancers.rows)

    def test_without_instances_it_is_in_the_only_network(self) -> None:
        project = {"project_id": "p"}
        network = self.cloud.add("/networks", **project)
        context = dataclasses.replace(
            self.context(AvailabilityZones=[], Listeners=[_LISTENER]),
            stack_project="p",
        )

        self.plugin.create(context)

        (found,) = self.cloud.balancers.rows.values()
        self.assertEqual(network, found["vip_network_id"])
        self.cloud.add("/networks", **project)
        error = self.assertRaises(
            rest.CloudRefused, self.plugin.create, context
        )
        self.assertIn("There are 2 networks", error.message)

    def test_an_instance_without_an_address_is_waited_for(self) -> None:
        self.cloud.rows("port").clear()

        self.assertRaises(errors.Busy, self.balancer, Instances=_SERVERS[:1])

    def test_a_check_of_tcp_has_no_path(self) -> None:
        self.balancer(
            Instances=_SERVERS, HealthCheck={**_CHECK, "Target": "TCP:80"}
        )

        (pool,) = self.cloud.pools.rows.values()
        self.assertEqual("TCP", pool["healthmonitor"]["type"])
        self.assertNotIn("url_path", pool["healthmonitor"])

    def test_what_the_service_cannot_do_is_refused(self) -> None:
        for given, said in (
            (
                {"Listeners": [{**_LISTENER, "SSLCertificateId": "c"}]},
                "SSLCertificateId not implemented",
            ),
            (
                {"HealthCheck": {**_CHECK, "Target": "HTTP/80"}},
                "is no Target",
            ),
            (
                {"HealthCheck": {**_CHECK, "Interval": 4}},
                "Interval must be larger",
            ),
        ):
            error = self.assertRaises(
                errors.OrchError, self.plugin.validate, given
            )
            self.assertIn(said, error.message)
