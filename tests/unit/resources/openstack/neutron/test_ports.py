"""Ports and subnets: values that have several forms."""

import dataclasses
import time
import typing

from orch import errors
from orch.plugin import call_context
from orch.resources.openstack import type_data
from tests.unit.resources.openstack import clouds

NET = "44444444-4444-4444-8444-444444444444"
SUBNET = "22222222-2222-4222-8222-222222222222"


class PortTest(clouds.CloudTestCase):
    kind = type_data.load_type("OS::Neutron::Port")

    def setUp(self) -> None:
        super().setUp()
        self.use(
            clouds.Cloud(
                ports=clouds.Collection(
                    "port", "ports", defaults={"tags": []}
                ),
                subnets=clouds.Collection("subnet", "subnets"),
                networks=clouds.Collection("network", "networks"),
                security_groups=clouds.Collection(
                    "security_group", "security_groups"
                ),
            )
        )
        self.cloud.add("/networks", id=NET, name="blue")
        self.cloud.add("/subnets", id=SUBNET, name="lower", cidr="10.0.0.0/8")

    def port(self, context: call_context.Context) -> clouds.Body:
        return self.cloud.collections["/ports"].rows[context.physical_id or ""]

    def test_names_become_ids_at_any_depth(self) -> None:
        group = self.cloud.add("/security-groups", name="web")

        context = self.made(
            network="blue",
            fixed_ips=[{"subnet": "lower"}, {"ip_address": "10.0.0.4"}],
            security_groups=["web"],
        )

        found = self.port(context)
        self.assertEqual(NET, found["network_id"])
        self.assertEqual(
            [{"subnet_id": SUBNET}, {"ip_address": "10.0.0.4"}],
            found["fixed_ips"],
        )
        self.assertEqual([group], found["security_groups"])

    def test_reality_has_the_form_of_the_properties(self) -> None:
        context = self.made(network=NET, fixed_ips=[{"subnet": SUBNET}])
        addresses = [{"subnet_id": SUBNET, "ip_address": "10.0.0.4"}]
        self.port(context)["fixed_ips"] = addresses

        found = self.plugin.get_reality(context)

        assert found is not None
        self.assertEqual(NET, found["network"])
        self.assertEqual(
            [{"subnet": SUBNET, "ip_address": "10.0.0.4"}], found["fixed_ips"]
        )

    def test_who_uses_the_port_is_no_drift(self) -> None:
        context = self.made(network=NET)
        self.port(context).update(
            device_id="server", device_owner="compute:nova", dns_name="web"
        )

        found = self.plugin.get_reality(context) or {}

        self.assertEqual(
            set(), {"device_id", "device_owner", "dns_name"} & found.keys()
        )
        self.assertNotIn("device_id", self.sent_first(network=NET))

    def test_a_device_that_is_given_is_looked_at(self) -> None:
        context = self.made(network=NET, device_id="mine")

        found = self.plugin.get_reality(context) or {}

        self.assertEqual("mine", found["device_id"])

    def test_a_port_may_have_no_address(self) -> None:
        self.assertEqual(
            [], self.sent_first(network=NET, no_fixed_ips=True)["fixed_ips"]
        )
        self.assertNotIn("fixed_ips", self.sent_first(network=NET))

    def sent_first(self, **properties: object) -> clouds.Body:
        """Return the request that makes a port."""
        self.plugin.create(self.context(**properties))
        posted = [
            each for each in self.cloud.requests if each.method == "POST"
        ]
        body = typing.cast("clouds.Body", posted[-1].body)
        return typing.cast("clouds.Body", body["port"])

    def test_without_security_groups_it_gets_the_default_one_again(
        self,
    ) -> None:
        groups = [
            self.cloud.add("/security-groups", name=name, project_id=project)
            for name, project in (
                ("default", "demo"),
                ("web", "demo"),
                ("default", "another"),
            )
        ]
        context = self.made(network=NET, security_groups=["web"])
        context = dataclasses.replace(context, stack_project="demo")

        self.changed(context, security_groups=None)

        self.assertEqual(groups[:1], self.port(context)["security_groups"])

    def test_without_port_security_it_gets_no_security_group(self) -> None:
        self.cloud.add("/security-groups", name="default", project_id="demo")
        context = self.made(
            network=NET, port_security_enabled=False, security_groups=[]
        )
        context = dataclasses.replace(context, stack_project="demo")

        self.changed(context, port_security_enabled=None, security_groups=None)

        self.assertEqual([], self.port(context)["security_groups"])

    def test_an_address_is_released_for_a_replacement(self) -> None:
        given = [{"subnet": SUBNET, "ip_address": "10.0.0.4"}]
        context = self.made(network=NET, fixed_ips=given)
        before = context.properties
        for after, expected in (
            ({"fixed_ips": [{"ip_address": "10.0.0.4"}]}, {"fixed_ips": []}),
            ({"fixed_ips": [{"ip_address": "10.0.0.5"}]}, {}),
            ({"fixed_ips": [{"subnet": SUBNET}]}, {}),
            ({"fixed_ips": None}, {}),
        ):
            self.assertEqual(
                expected, self.plugin.properties_to_release(before, after)
            )

        released = self.plugin.properties_to_release(before, before)
        self.plugin.release(context, released)

        self.assertEqual([], self.port(context)["fixed_ips"])
        # An attempt that was interrupted may have released it.
        self.assertEqual(
            released,
            self.plugin.properties_to_release({**before, **released}, before),
        )

    def test_addresses_that_are_not_given_any_more_stay(self) -> None:
        context = self.made(network=NET, fixed_ips=[{"subnet": SUBNET}])

        self.changed(context, fixed_ips=None, name="other")

        self.assertEqual(
            [{"subnet_id": SUBNET}], self.port(context)["fixed_ips"]
        )

    def test_its_network_and_subnets_are_shown_whole(self) -> None:
        context = self.made(network=NET)
        self.port(context)["fixed_ips"] = [{"subnet_id": SUBNET}]

        found = self.plugin.read_attributes(
            context, ("network", "subnets", "network_id")
        )

        self.assertEqual(
            ["blue", ["10.0.0.0/8"], NET],
            [
                typing.cast("clouds.Body", found["network"])["name"],
                [
                    each["cidr"]
                    for each in typing.cast(
                        "list[clouds.Body]", found["subnets"]
                    )
                ],
                found["network_id"],
            ],
        )

    def test_a_thousand_are_one_list(self) -> None:
        contexts = [
            self.context(
                token=f"t{number}",
                network=NET,
                physical_id=self.cloud.add(
                    "/ports",
                    network_id=NET,
                    project_id="",
                    name=f"port-{number}",
                    fixed_ips=[{"subnet_id": SUBNET}],
                ),
            )
            for number in range(1000)
        ]
        before = time.thread_time()

        found = self.plugin.observe(contexts)

        self.assertLess(time.thread_time() - before, 1.0)
        self.assertEqual(["GET /ports"], self.cloud.find_requests("GET"))
        self.assertEqual(
            [f"port-{number}" for number in range(1000)],
            [each["name"] for each in found or () if isinstance(each, dict)],
        )

    def test_order_case_and_old_names_do_not_matter(self) -> None:
        one = {"subnet": SUBNET, "ip_address": "FE80::1"}
        other = {"subnet_id": SUBNET, "ip_address": "fe80:0::1"}
        for name, first, second in (
            (
                "fixed_ips",
                [one, {"ip_address": "10.0.0.1"}],
                [{"ip_address": "10.0.0.1"}, other],
            ),
            ("mac_address", "FA:16", "fa:16"),
            ("security_groups", ["b", "a"], ["a", "b"]),
            (
                "allowed_address_pairs",
                [{"ip_address": "10.0.0.1", "mac_address": "FA"}],
                [{"mac_address": "fa", "ip_address": "10.0.0.1"}],
            ),
        ):
            self.assertEqual(
                self.plugin.normalise(name, first),
                self.plugin.normalise(name, second),
            )


class SubnetTest(clouds.CloudTestCase):
    kind = type_data.load_type("OS::Neutron::Subnet")

    def setUp(self) -> None:
        super().setUp()
        self.use(
            clouds.Cloud(
                subnets=clouds.Collection(
                    "subnet", "subnets", defaults={"tags": []}
                )
            )
        )

    def test_an_empty_gateway_is_none(self) -> None:
        context = self.made(network=NET, cidr="10.0.0.0/24", gateway_ip="")

        found = self.cloud.collections["/subnets"].rows[
            context.physical_id or ""
        ]
        self.assertIsNone(found["gateway_ip"])
        live = self.plugin.get_reality(context) or {}
        self.assertEqual(
            self.plugin.normalise("gateway_ip", ""),
            self.plugin.normalise("gateway_ip", live["gateway_ip"]),
        )

    def test_what_is_taken_out_of_the_template_is_taken_from_it(self) -> None:
        pools = [{"start": "10.0.0.9", "end": "10.0.0.19"}]
        context = self.made(
            network=NET,
            cidr="10.0.0.0/24",
            gateway_ip="10.0.0.1",
            allocation_pools=pools,
            dns_nameservers=["10.0.0.2"],
        )

        self.changed(
            context, gateway_ip=None, allocation_pools=None, host_routes=None
        )

        (sent,) = [e.body for e in self.cloud.requests if e.method == "PUT"]
        self.assertEqual(
            {
                "subnet": {
                    "gateway_ip": None,
                    "allocation_pools": [],
                    "host_routes": [],
                }
            },
            sent,
        )

    def test_what_no_service_would_take_is_refused(self) -> None:
        for given in (
            {"cidr": None, "subnetpool": None},
            {"cidr": "10.0.0.0/8", "subnetpool": "p"},
            {"ip_version": 4, "ipv6_ra_mode": "slaac"},
            {
                "ip_version": 6,
                "ipv6_ra_mode": "slaac",
                "ipv6_address_mode": "dhcpv6-stateful",
            },
        ):
            self.assertRaises(errors.Invalid, self.plugin.validate, given)
        self.plugin.validate({"cidr": "10.0.0.0/8", "subnetpool": None})
        self.plugin.validate({"subnetpool": None})

    def test_forms_of_addresses_do_not_matter(self) -> None:
        for name, first, second in (
            ("cidr", "10.0.0.7/8", "10.0.0.0/8"),
            (
                "allocation_pools",
                [{"start": "fe80:0::1", "end": "fe80::2"}],
                [{"end": "fe80::2", "start": "fe80::1"}],
            ),
            ("host_routes", None, []),
        ):
            self.assertEqual(
                self.plugin.normalise(name, first),
                self.plugin.normalise(name, second),
            )
