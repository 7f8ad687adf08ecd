"""Addresses and VPCs through the engine, on a fake of Neutron."""

import typing

from tests.functional import remote
from tests.support import catalogue
from tests.support import rest
from tests.unit.resources.openstack.aws import networks

Json = dict[str, typing.Any]

_SUBNET: typing.Final = {"Ref": "Subnet"}
_SERVER: typing.Final = "7a9f0a58-0c5f-4c4c-9d1e-3f5c1f0d0b01"


def _ref(name: str) -> Json:
    return {"get_resource": name}


def _template(**resources: tuple[str, Json]) -> Json:
    return {
        "heat_template_version": "2021-04-16",
        "resources": {
            name: {"type": kind, "properties": given}
            for name, (kind, given) in resources.items()
        },
    }


class FakeNeutronTests(remote.CloudTestCase):
    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        cls.network = cls.use(
            networks.Network(str(cls.user.current_project_id))
        )
        version = {
            "id": "v2.0",
            "status": "CURRENT",
            "links": [{"rel": "self", "href": cls.network.url}],
        }
        cls.network.answers["GET", ""] = 200, {"versions": [version]}
        cls.use(
            catalogue.Published(
                cls.cloud, "neutron", "network", cls.network.url
            )
        )

    def update(self, stack: rest.Stack, wanted: Json) -> None:
        self.here.ask("PUT", stack.path, {"template": wanted})
        self.here.wait(stack, "UPDATE_COMPLETE")

    def replace(self, stack: rest.Stack, name: str, wanted: Json) -> None:
        """Let an update replace a resource that is marked unhealthy."""
        path = f"{stack.path}/resources/{name}"
        before = self.creations_of(stack, name)
        self.here.ask("PATCH", path, {"mark_unhealthy": True})
        self.update(stack, wanted)
        after = self.here.ask("GET", path)["resource"]
        self.assertEqual("CREATE_COMPLETE", after["resource_status"])
        self.assertEqual(before + 1, self.creations_of(stack, name))

    def creations_of(self, stack: rest.Stack, name: str) -> int:
        return sum(
            each["resource_name"] == name
            and each["resource_status"] == "CREATE_COMPLETE"
            for each in self.here.events(stack)
        )

    def port_of(self, floating: str) -> object:
        return self.network.rows("floatingip")[floating]["port_id"]

    def test_a_replaced_association_keeps_its_address(self) -> None:
        floating = self.network.add("/floatingips")
        address = self.network.rows("floatingip")[floating]
        address["floating_ip_address"] = "203.0.113.20"
        port = self.network.add("/ports", device_id="")
        server_port = self.network.add("/ports", device_id=_SERVER)
        for name, kind, given, expected in (
            (
                "native",
                "OS::Neutron::FloatingIPAssociation",
                {"floatingip_id": floating, "port_id": port},
                port,
            ),
            (
                "by_id",
                "AWS::EC2::EIPAssociation",
                {"AllocationId": floating, "NetworkInterfaceId": port},
                port,
            ),
            (
                "by_address",
                "AWS::EC2::EIPAssociation",
                {"EIP": "203.0.113.20", "InstanceId": _SERVER},
                server_port,
            ),
        ):
            wanted = _template(pair=(kind, given))
            stack = self.here.create(f"{self.name}-{name}", wanted)
            self.here.wait(stack, "CREATE_COMPLETE")
            self.assertEqual(expected, self.port_of(floating), name)

            self.replace(stack, "pair", wanted)

            self.assertEqual(expected, self.port_of(floating), name)
            self.here.delete(stack)
            self.wait_until_gone(self.here, stack)
            self.assertIsNone(self.port_of(floating), name)

    def test_a_vpc_of_a_cfn_template_lives_and_goes(self) -> None:
        vpc = {"VpcId": {"Ref": "Vpc"}}
        declared: Json = {
            "Vpc": ("VPC", {"CidrBlock": "10.0.0.0/16"}),
            "Subnet": ("Subnet", {**vpc, "CidrBlock": "10.0.1.0/24"}),
            "Gateway": ("InternetGateway", {}),
            "Attached": (
                "VPCGatewayAttachment",
                {**vpc, "InternetGatewayId": {"Ref": "Gateway"}},
            ),
            "Table": ("RouteTable", vpc),
            "Pair": (
                "SubnetRouteTableAssociation",
                {"RouteTableId": {"Ref": "Table"}, "SubnetId": _SUBNET},
            ),
            "Interface": ("NetworkInterface", {"SubnetId": _SUBNET}),
            "Address": ("EIP", {"Domain": "vpc"}),
            "Bound": (
                "EIPAssociation",
                {
                    "AllocationId": {
                        "Fn::GetAtt": ["Address", "AllocationId"]
                    },
                    "NetworkInterfaceId": {"Ref": "Interface"},
                },
            ),
        }
        wanted: Json = {
            "AWSTemplateFormatVersion": "2010-09-09",
            "Resources": {
                name: {"Type": f"AWS::EC2::{kind}", "Properties": given}
                for name, (kind, given) in declared.items()
            },
            "Outputs": {"Address": {"Value": {"Ref": "Address"}}},
        }
        before = {
            noun: set(self.network.rows(noun))
            for noun in ("network", "subnet", "router", "port", "floatingip")
        }

        stack = self.created(wanted)

        ids = {
            name: str(found["physical_resource_id"])
            for name, found in self.here.resources(stack).items()
        }
        self.assertEqual("203.0.113.7", self.here.outputs(stack)["Address"])
        self.assertEqual(ids["Interface"], self.port_of(ids["Address"]))
        self.assertEqual(
            [(ids["Table"], ids["Subnet"])], self.network.connected()
        )
        for router in set(self.network.rows("router")) - before["router"]:
            self.assertEqual(networks.EXTERNAL, self.network.gateway(router))
        self.here.delete(stack)
        self.wait_until_gone(self.here, stack)
        for noun, there in before.items():
            self.assertEqual(there, set(self.network.rows(noun)), noun)
