"""Elastic addresses, network interfaces and security groups."""

import dataclasses
import typing

from orch import errors
from orch.clients import rest
from orch.plugin import call_context
from orch.plugin import reality
from orch.resources.openstack import type_data
from tests.unit.resources.openstack import clouds
from tests.unit.resources.openstack.aws import networks
from tests.unit.resources.openstack.neutron import test_security_group

_SERVER: typing.Final = "7a9f0a58-0c5f-4c4c-9d1e-3f5c1f0d0b01"
_OTHER: typing.Final = "7a9f0a58-0c5f-4c4c-9d1e-3f5c1f0d0b02"
_ADDRESS: typing.Final = "203.0.113.7"
_UNREACHABLE: typing.Final = {
    "NeutronError": {"message": "External network is not reachable"}
}


class _NetworkTestCase(clouds.CloudTestCase):
    def setUp(self) -> None:
        super().setUp()
        self.network = networks.Network()
        self.use(self.network)
        self.ports = [
            self.network.add("/ports", device_id=each)
            for each in (_SERVER, _OTHER)
        ]

    def port_of(self, floating: str | None) -> object:
        return self.network.rows("floatingip")[str(floating)]["port_id"]


class ElasticIpTest(_NetworkTestCase):
    kind = type_data.load_type("AWS::EC2::EIP")

    def test_a_reference_is_its_address(self) -> None:
        context = self.made()

        (found,) = self.network.rows("floatingip").values()
        self.assertEqual(networks.EXTERNAL, found["floating_network_id"])
        self.assertEqual(_ADDRESS, self.plugin.reference_id(context))
        lost = dataclasses.replace(context, physical_id=None, data={})
        self.assertEqual(
            call_context.CreateResult(
                str(context.physical_id), dict(context.data)
            ),
            self.plugin.find(lost),
        )
        given = call_context.AdoptedResource(
            physical_id=context.physical_id, data={}, metadata={}
        )
        self.assertEqual(
            context.data, self.plugin.handle_adopt(lost, given).data
        )
        self.assertEqual({}, self.plugin.get_reality(context))
        self.assertEqual(
            {"AllocationId": context.physical_id},
            self.plugin.read_attributes(context, ["AllocationId"]),
        )

    def test_it_follows_the_server_that_is_given(self) -> None:
        context = self.made(InstanceId=_SERVER)
        self.assertEqual(self.ports[0], self.port_of(context.physical_id))
        self.assertEqual(
            {"InstanceId": _SERVER}, self.plugin.get_reality(context)
        )

        context = self.changed(context, InstanceId=_OTHER)
        self.assertEqual(self.ports[1], self.port_of(context.physical_id))

        context = self.changed(context, InstanceId=None)
        self.assertIsNone(self.port_of(context.physical_id))
        self.plugin.delete(context)
        self.assertIsNone(self.plugin.is_deleted(context))
        self.assertEqual({}, self.network.rows("floatingip"))

    def test_it_waits_until_a_router_leads_to_the_server(self) -> None:
        context = self.context(InstanceId=_SERVER)
        found = self.plugin.create(context)
        assert isinstance(found, call_context.CreateResult)
        context = dataclasses.replace(context, physical_id=found.physical_id)
        self.network.refuse(
            "PUT", f"/floatingips/{found.physical_id}", 404, _UNREACHABLE
        )

        self.assertIsInstance(
            self.plugin.is_created(context), call_context.Pending
        )
        self.assertIsNone(self.plugin.is_created(context))

    def test_the_server_is_read_by_its_port_from_an_older_neutron(
        self,
    ) -> None:
        self.network.has_port_details = False
        context = self.made(InstanceId=_SERVER)

        self.assertEqual(
            {"InstanceId": _SERVER}, self.plugin.get_reality(context)
        )

        floating = self.network.rows("floatingip")[str(context.physical_id)]
        floating["port_id"] = None
        self.assertEqual(
            {"InstanceId": None}, self.plugin.get_reality(context)
        )

    def test_one_that_leads_elsewhere_has_drifted(self) -> None:
        context = self.made(InstanceId=_SERVER)
        floating = self.network.rows("floatingip")[str(context.physical_id)]
        live = self.plugin.get_reality(context)
        assert live is not None

        for port in (None, self.ports[1]):
            floating["port_id"] = port
            self.assertEqual(["InstanceId"], self.differing(context, live))


class ElasticIpAssociationTest(_NetworkTestCase):
    kind = type_data.load_type("AWS::EC2::EIPAssociation")

    def setUp(self) -> None:
        super().setUp()
        self.floating = self.network.add("/floatingips")
        self.spare = self.network.add(
            "/floatingips", floating_ip_address="203.0.113.8"
        )

    def test_an_address_or_id_is_given_to_a_server_or_port(self) -> None:
        for given in (
            {"EIP": _ADDRESS, "InstanceId": _SERVER},
            {"AllocationId": self.floating, "InstanceId": _SERVER},
            {
                "AllocationId": self.floating,
                "NetworkInterfaceId": self.ports[0],
            },
        ):
            context = self.made(**given)

            self.assertEqual(self.floating, context.physical_id)
            self.assertEqual(self.ports[0], self.port_of(self.floating))
            self.assertEqual(given, self.plugin.get_reality(context))
            self.assertIsNone(self.plugin.check(context))
            self.assertIsNone(self.plugin.is_deleted(context))
            self.assertIsNone(self.port_of(self.floating))
            self.assertRaises(
                reality.Vanished, self.plugin.get_reality, context
            )

    def test_another_server_or_address_takes_its_place(self) -> None:
        context = self.made(EIP=_ADDRESS, InstanceId=_SERVER)

        context = self.changed(context, InstanceId=_OTHER)
        self.assertEqual(self.ports[1], self.port_of(self.floating))

        after = self.changed(context, EIP=None, AllocationId=self.spare)
        self.assertIsNone(self.port_of(self.floating))
        self.assertEqual(self.ports[1], self.port_of(self.spare))
        live = self.plugin.get_reality(after)
        assert live is not None
        self.network.rows("floatingip")[self.spare]["port_id"] = "p"
        self.assertEqual(["InstanceId"], self.differing(after, live))

    def test_any_port_of_the_server_will_do(self) -> None:
        second = self.network.add("/ports", device_id=_SERVER)
        context = self.made(EIP=_ADDRESS, InstanceId=_SERVER)
        live = self.plugin.get_reality(context)
        assert live is not None

        self.network.rows("floatingip")[self.floating]["port_id"] = second

        self.assertEqual([], self.differing(context, live))
        self.assertIsNone(self.plugin.is_deleted(context))
        self.assertIsNone(self.port_of(self.floating))

    def test_a_former_address_that_is_gone_is_left_out(self) -> None:
        context = self.made(EIP=_ADDRESS, InstanceId=_SERVER)
        del self.network.rows("floatingip")[self.floating]

        self.changed(context, EIP="203.0.113.8")

        self.assertEqual(self.ports[0], self.port_of(self.spare))

    def test_many_are_read_by_one_list(self) -> None:
        first, second = (
            self.made(EIP=address, InstanceId=server)
            for address, server in (
                (_ADDRESS, _SERVER),
                ("203.0.113.8", _OTHER),
            )
        )
        adopted = dataclasses.replace(second, physical_id="203.0.113.8")
        for contexts in ([first, second], [first, adopted]):
            self.assertEqual(
                [each.properties for each in contexts],
                [
                    {**each.properties, **self.body(found)}
                    for each, found in zip(
                        contexts,
                        self.plugin.observe(contexts) or (),
                        strict=True,
                    )
                ],
            )
        self.network.requests.clear()
        self.plugin.observe([first, second])
        self.assertEqual(
            ["GET /floatingips"], self.network.find_requests("GET")
        )

        del self.network.rows("floatingip")[self.floating]

        gone, there = self.plugin.observe([first, second]) or ()
        self.assertIs(reality.UNLISTED, gone)
        self.assertEqual("203.0.113.8", self.body(there)["EIP"])

    def body(self, found: object) -> dict[str, object]:
        assert isinstance(found, dict)
        return found

    def test_what_leads_to_another_server_stays(self) -> None:
        context = self.made(EIP=_ADDRESS, InstanceId=_SERVER)
        self.network.rows("floatingip")[self.floating]["port_id"] = self.ports[
            1
        ]

        self.assertIsNone(self.plugin.is_deleted(context))

        self.assertEqual(self.ports[1], self.port_of(self.floating))

    def test_its_successor_keeps_the_address(self) -> None:
        context = self.made(EIP=_ADDRESS, InstanceId=_SERVER)

        succeeded = dataclasses.replace(context, successor=context.properties)
        self.assertIsNone(self.plugin.is_deleted(succeeded))

        self.assertEqual(self.ports[0], self.port_of(self.floating))

    def test_an_address_that_is_not_there_is_told(self) -> None:
        error = self.assertRaises(
            rest.CloudNotFound,
            self.plugin.create,
            self.context(EIP="203.0.113.9", InstanceId=_SERVER),
        )

        self.assertIn("203.0.113.9", error.message)

    def test_what_names_no_address_or_target_is_refused(self) -> None:
        for given, said in (
            ({"InstanceId": "s"}, "Exactly one of EIP and AllocationId"),
            (
                {"EIP": "a", "AllocationId": "b", "InstanceId": "s"},
                "Exactly one of EIP and AllocationId",
            ),
            ({"AllocationId": "b"}, "InstanceId, NetworkInterfaceId"),
            (
                {"EIP": "a", "NetworkInterfaceId": "p"},
                "Must specify 'InstanceId'",
            ),
        ):
            error = self.assertRaises(
                errors.Invalid,
                self.plugin.validate,
                self.context(**given).properties,
            )
            self.assertIn(said, error.message)
        self.plugin.validate({"EIP": "a"})


class NetworkInterfaceTest(_NetworkTestCase):
    kind = type_data.load_type("AWS::EC2::NetworkInterface")

    def setUp(self) -> None:
        super().setUp()
        self.subnet = self.network.add("/subnets", network_id="net")
        self.groups = [
            "8a9f0a58-0c5f-4c4c-9d1e-3f5c1f0d0b01",
            "8a9f0a58-0c5f-4c4c-9d1e-3f5c1f0d0b02",
        ]

    def port(self, context: call_context.Context) -> clouds.Body:
        return self.network.rows("port")[str(context.physical_id)]

    def test_it_is_a_port_in_the_network_of_its_subnet(self) -> None:
        context = self.made(
            SubnetId=self.subnet,
            PrivateIpAddress="10.0.0.7",
            GroupSet=self.groups[:1],
            Description="first",
        )

        found = self.port(context)
        self.assertEqual("net", found["network_id"])
        self.assertEqual(
            [{"subnet_id": self.subnet, "ip_address": "10.0.0.7"}],
            found["fixed_ips"],
        )
        self.assertEqual(self.groups[:1], found["security_groups"])
        self.assertEqual("first", found["description"])
        self.assertEqual("shop-thing-abcdefghijkl", found["name"])
        self.assertTrue(found["admin_state_up"])
        self.assertEqual(
            {
                "SubnetId": self.subnet,
                "PrivateIpAddress": "10.0.0.7",
                "GroupSet": self.groups[:1],
                "Description": "first",
            },
            self.plugin.get_reality(context),
        )
        self.assertEqual(
            {"PrivateIpAddress": "10.0.0.7"},
            self.plugin.read_attributes(context, ["PrivateIpAddress"]),
        )
        self.assertEqual({}, self.plugin.read_attributes(context, []))

    def test_groups_change_in_place_and_the_default_returns(self) -> None:
        self.network.answers["GET", "/security-groups"] = (
            200,
            {"security_groups": [{"id": "default"}]},
        )
        context = self.made(SubnetId=self.subnet, GroupSet=self.groups[:1])

        context = self.changed(context, GroupSet=self.groups)
        self.assertEqual(self.groups, self.port(context)["security_groups"])

        self.changed(context, GroupSet=None)
        self.assertEqual(["default"], self.port(context)["security_groups"])

    def test_a_replacement_can_have_its_address(self) -> None:
        context = self.made(SubnetId=self.subnet, PrivateIpAddress="10.0.0.7")
        held = self.port(context)["fixed_ips"]
        given = context.properties

        released = self.plugin.properties_to_release(given, given)
        self.plugin.release(context, released)

        self.assertEqual([], self.port(context)["fixed_ips"])
        self.assertEqual(
            released,
            self.plugin.properties_to_release({**given, **released}, given),
        )
        self.assertEqual(
            {},
            self.plugin.properties_to_release(
                given, {**given, "PrivateIpAddress": "10.0.0.8"}
            ),
        )
        self.changed(context, PrivateIpAddress="10.0.0.7")
        self.assertEqual(held, self.port(context)["fixed_ips"])
        del self.network.rows("port")[str(context.physical_id)]
        self.plugin.release(context, released)


class SecurityGroupTest(clouds.CloudTestCase):
    kind = type_data.load_type("AWS::EC2::SecurityGroup")
    web: typing.Final = {
        "IpProtocol": "tcp",
        "FromPort": "80",
        "ToPort": "80",
        "CidrIp": "0.0.0.0/0",
    }

    def setUp(self) -> None:
        super().setUp()
        self.use(
            test_security_group.Cloud(
                security_groups=clouds.Collection(
                    "security_group", "security_groups"
                ),
                security_group_rules=clouds.Collection(
                    "security_group_rule", "security_group_rules"
                ),
            )
        )

    def rules(self, direction: str) -> list[clouds.Body]:
        rows = self.cloud.collections["/security-group-rules"].rows
        return [
            {
                key: value
                for key, value in each.items()
                if key not in ("id", "security_group_id", "direction")
            }
            for each in rows.values()
            if each["direction"] == direction
        ]

    def group(self, **given: object) -> call_context.Context:
        return self.made(GroupDescription="web", **given)

    def test_its_rules_are_those_of_neutron(self) -> None:
        other = "8a9f0a58-0c5f-4c4c-9d1e-3f5c1f0d0b01"
        context = self.group(
            SecurityGroupIngress=[
                self.web,
                {"IpProtocol": "icmp", "FromPort": "-1", "ToPort": "-1"},
                {"IpProtocol": "-1", "SourceSecurityGroupId": other},
            ]
        )

        (found,) = self.cloud.collections["/security-groups"].rows.values()
        self.assertEqual("web", found["description"])
        self.assertEqual("shop-thing-abcdefghijkl", found["name"])
        four = {"ethertype": "IPv4"}
        self.assertCountEqual(
            [
                {
                    **four,
                    "protocol": "tcp",
                    "port_range_min": 80,
                    "port_range_max": 80,
                    "remote_ip_prefix": "0.0.0.0/0",
                },
                {**four, "protocol": "icmp"},
                {**four, "remote_group_id": other},
            ],
            self.rules("ingress"),
        )
        self.assertEqual(2, len(self.rules("egress")))
        live = self.plugin.get_reality(context)
        assert live is not None
        self.assertEqual([], self.differing(context, context.properties))
        self.assertNotIn("SecurityGroupEgress", live)

    def test_given_egress_is_all_that_may_leave(self) -> None:
        context = self.group(SecurityGroupEgress=[self.web])
        (rule,) = self.rules("egress")
        self.assertEqual(80, rule["port_range_min"])

        context = self.changed(context, SecurityGroupEgress=[])

        self.assertEqual(
            [{"ethertype": "IPv4"}, {"ethertype": "IPv6"}],
            self.rules("egress"),
        )
        self.assertEqual([], self.rules("ingress"))

    def test_a_rule_that_others_add_is_drift(self) -> None:
        context = self.group(SecurityGroupIngress=[self.web])
        live = self.plugin.get_reality(context)
        assert live is not None
        self.assertEqual([self.web], live["SecurityGroupIngress"])

        self.cloud.add(
            "/security-group-rules",
            security_group_id=context.physical_id,
            direction="ingress",
            ethertype="IPv6",
            remote_ip_prefix="::/0",
        )

        self.assertEqual(
            ["SecurityGroupIngress"], self.differing(context, live)
        )
        self.changed(context, SecurityGroupIngress=[self.web])
        self.assertEqual(1, len(self.rules("ingress")))

    def test_a_port_that_is_no_number_is_refused(self) -> None:
        error = self.assertRaises(
            errors.Invalid,
            self.plugin.validate,
            {"SecurityGroupIngress": [{**self.web, "ToPort": "www"}]},
        )

        self.assertIn("'www'", error.message)
