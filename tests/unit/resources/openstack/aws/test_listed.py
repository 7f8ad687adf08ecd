"""What is listed by types of AWS has all that a template of it needs."""

import dataclasses
import typing

from orch.resources.openstack import type_data
from tests.unit.resources.openstack import clouds

_FIXED: typing.Final = {"subnet_id": "s1", "ip_address": "10.0.0.4"}


class ListedTest(clouds.CloudTestCase):
    kind = type_data.load_type("AWS::EC2::VPC")

    def read(
        self, noun: str, collection: clouds.Collection, **body: object
    ) -> object:
        """Return the reality of a physical resource that no stack made."""
        path = collection.plural
        cloud = clouds.Cloud(
            **{path: collection, f"{path}__detail": collection}
        )
        self.use(cloud)
        self.use_kind(type_data.load_type(f"AWS::EC2::{noun}"))
        found = cloud.add(f"/{path}", **body)
        context = dataclasses.replace(
            self.context(), physical_id=found, properties={}
        )
        reality = self.plugin.get_reality(context)
        assert reality is not None
        required = {
            name for name, each in self.plugin.schemas.items() if each.required
        }
        self.assertEqual(set(), required - reality.keys())
        return reality

    def test_a_vpc(self) -> None:
        found = self.read(
            "VPC", clouds.Collection("network", "networks"), name="shop"
        )
        self.assertEqual({}, found)

    def test_a_subnet(self) -> None:
        found = self.read(
            "Subnet",
            clouds.Collection("subnet", "subnets"),
            cidr="10.0.0.0/24",
            network_id="n1",
        )
        self.assertEqual({"CidrBlock": "10.0.0.0/24", "VpcId": "n1"}, found)

    def test_a_network_interface(self) -> None:
        found = self.read(
            "NetworkInterface",
            clouds.Collection("port", "ports"),
            description="d",
            fixed_ips=[_FIXED],
            network_id="n1",
        )
        self.assertEqual({"Description": "d", "SubnetId": "s1"}, found)

    def test_an_elastic_ip(self) -> None:
        found = self.read(
            "EIP",
            clouds.Collection("floatingip", "floatingips"),
            floating_ip_address="203.0.113.4",
            port_id=None,
        )
        self.assertEqual({}, found)

    def test_a_security_group(self) -> None:
        kept = clouds.Collection("security_group", "security-groups")
        found = self.read(
            "SecurityGroup", kept, description="web", security_group_rules=[]
        )
        self.assertEqual({"GroupDescription": "web"}, found)

    def test_those_with_properties_that_none_shows_are_not(self) -> None:
        """Their required properties would be missing in a template."""
        for noun, expected in (
            ("EC2::RouteTable", {"VpcId"}),
            (
                "ElasticLoadBalancing::LoadBalancer",
                {"AvailabilityZones", "Listeners"},
            ),
        ):
            kind = type_data.load_type(f"AWS::{noun}")
            unread = {
                each.name
                for each in kind.properties
                if each.required and not kind.table.fields[each.name].is_read
            }
            self.assertFalse(kind.table.is_listed)
            self.assertEqual(expected, unread)

    def test_a_volume(self) -> None:
        found = self.read(
            "Volume",
            clouds.Collection("volume", "volumes"),
            size=2,
            availability_zone="nova",
            metadata={"a": "b"},
        )
        self.assertEqual(
            {
                "AvailabilityZone": "nova",
                "Size": 2,
                "Tags": [{"Key": "a", "Value": "b"}],
            },
            found,
        )
