"""Types of AWS on a real control plane."""

import typing

from tests.cloud import cases
from tests.cloud import short_set

Json = dict[str, typing.Any]

_ZONE: typing.Final = "nova"
_TAGS: typing.Final = [{"Key": "role", "Value": "web"}]


def _ref(name: str) -> Json:
    return {"get_resource": name}


def _ec2(noun: str, **properties: object) -> Json:
    return {"type": f"AWS::EC2::{noun}", "properties": properties}


class VpcTests(cases.RigTestCase):
    services = ("network", "compute", "image", "block-storage")
    limit_s = 900
    wait_s = 400

    def resources(self, flavor: str = "m1.tiny", port: str = "80") -> Json:
        """Return a server in a VPC, with an address and a volume."""
        web = {
            "IpProtocol": "tcp",
            "FromPort": port,
            "ToPort": port,
            "CidrIp": "0.0.0.0/0",
        }
        return {
            "vpc": _ec2("VPC", CidrBlock="10.30.0.0/16"),
            "subnet": _ec2(
                "Subnet", VpcId=_ref("vpc"), CidrBlock="10.30.1.0/24"
            ),
            "gateway": _ec2("InternetGateway"),
            "attached": _ec2(
                "VPCGatewayAttachment",
                VpcId=_ref("vpc"),
                InternetGatewayId=_ref("gateway"),
            ),
            "table": _ec2("RouteTable", VpcId=_ref("vpc")),
            "pair": _ec2(
                "SubnetRouteTableAssociation",
                SubnetId=_ref("subnet"),
                RouteTableId=_ref("table"),
            ),
            "group": _ec2(
                "SecurityGroup",
                GroupDescription="web",
                VpcId=_ref("vpc"),
                SecurityGroupIngress=[web],
            ),
            "interface": _ec2(
                "NetworkInterface",
                SubnetId=_ref("subnet"),
                GroupSet=[_ref("group")],
                PrivateIpAddress="10.30.1.7",
            ),
            "server": _ec2(
                "Instance",
                ImageId="cirros",
                InstanceType=flavor,
                NetworkInterfaces=[_ref("interface")],
                Tags=_TAGS,
            ),
            "address": _ec2("EIP"),
            "bound": _ec2(
                "EIPAssociation",
                AllocationId={"get_attr": ["address", "AllocationId"]},
                NetworkInterfaceId=_ref("interface"),
            ),
            "disk": _ec2("Volume", AvailabilityZone=_ZONE, Size=1, Tags=_TAGS),
            "inside": _ec2(
                "VolumeAttachment",
                InstanceId=_ref("server"),
                VolumeId=_ref("disk"),
                Device="/dev/vdb",
            ),
        }

    @short_set.case_of(
        "AWS::EC2::EIP",
        "AWS::EC2::EIPAssociation",
        "AWS::EC2::Instance",
        "AWS::EC2::InternetGateway",
        "AWS::EC2::NetworkInterface",
        "AWS::EC2::RouteTable",
        "AWS::EC2::SecurityGroup",
        "AWS::EC2::Subnet",
        "AWS::EC2::SubnetRouteTableAssociation",
        "AWS::EC2::VPC",
        "AWS::EC2::VPCGatewayAttachment",
        "AWS::EC2::Volume",
        "AWS::EC2::VolumeAttachment",
    )
    def test_a_server_in_a_vpc_lives_and_goes(self) -> None:
        outputs = {
            "inner": {"value": {"get_attr": ["server", "PublicIp"]}},
            "outer": {"value": _ref("address")},
        }
        stack = self.made(self.resources(), outputs=outputs)
        shown = {
            each["output_key"]: each["output_value"]
            for each in self.here.show(stack)["outputs"]
        }
        self.assertIn(shown["inner"], ("10.30.1.7", shown["outer"]))
        self.assertTrue(shown["outer"].startswith("203.0.113."))
        ids = {
            name: self.physical_id(stack, name) for name in self.resources()
        }
        network = self.user.network
        floating = network.get_ip(ids["address"])
        self.assertEqual(ids["interface"], floating.port_id)
        table = network.get_router(ids["table"])
        self.assertTrue(table.external_gateway_info)
        self.act(stack, "check")

        self.updated(
            stack,
            self.resources(flavor="m1.small", port="443"),
            outputs=outputs,
        )

        self.assertEqual(ids["server"], self.physical_id(stack, "server"))
        server = self.user.compute.get_server(ids["server"])
        self.assertEqual("web", server.metadata["role"])
        rules = network.security_group_rules(security_group_id=ids["group"])
        self.assertEqual(
            [443],
            [each.port_range_max for each in rules if each.port_range_max],
        )
        self.act(stack, "check")
        self.removed(stack)
        self.assertIsNone(network.find_network(ids["vpc"]))
        self.assertIsNone(network.find_ip(ids["address"]))
        self.assertIsNone(self.user.compute.find_server(ids["server"]))
        self.assertEqual(
            [], [each.id for each in network.routers() if each.name == "vpc"]
        )

    def test_a_replaced_association_keeps_its_address(self) -> None:
        wanted = self.resources()
        for name in ("disk", "inside"):
            del wanted[name]
        stack = self.made(wanted)
        address = self.physical_id(stack, "address")
        path = f"{stack.path}/resources/bound"

        self.here.ask("PATCH", path, {"mark_unhealthy": True})
        self.updated(stack, wanted)

        self.assertEqual(
            self.physical_id(stack, "interface"),
            self.user.network.get_ip(address).port_id,
        )


class LoadBalancerTests(cases.RigTestCase):
    services = ("network", "compute", "image", "load-balancer")
    acts_as_admin = True
    limit_s = 900
    wait_s = 400

    def resources(self, *instances: str) -> Json:
        listener = {
            "Protocol": "HTTP",
            "LoadBalancerPort": 80,
            "InstancePort": 8080,
        }
        servers = {
            name: _ec2(
                "Instance",
                ImageId="cirros",
                InstanceType="m1.tiny",
                SubnetId=_ref("subnet"),
            )
            for name in ("one", "two")
        }
        return {
            "vpc": _ec2("VPC"),
            "subnet": _ec2(
                "Subnet", VpcId=_ref("vpc"), CidrBlock="10.31.1.0/24"
            ),
            **servers,
            "balancer": {
                "type": "AWS::ElasticLoadBalancing::LoadBalancer",
                "properties": {
                    "AvailabilityZones": [_ZONE],
                    "Instances": [_ref(each) for each in instances],
                    "Listeners": [
                        listener,
                        {**listener, "LoadBalancerPort": 81},
                    ],
                    "HealthCheck": {
                        "Target": "HTTP:8080/health",
                        "Interval": 10,
                        "Timeout": 5,
                        "HealthyThreshold": 3,
                        "UnhealthyThreshold": 2,
                    },
                },
            },
        }

    @short_set.case_of("AWS::ElasticLoadBalancing::LoadBalancer")
    def test_its_members_are_its_instances(self) -> None:
        outputs = {"name": {"value": {"get_attr": ["balancer", "DNSName"]}}}
        stack = self.made(self.resources("one"), outputs=outputs)
        self.assertIn("10.31.1.", str(self.here.outputs(stack)["name"]))

        self.updated(stack, self.resources("one", "two"), outputs=outputs)

        balancers = self.admin.load_balancer
        balancer = self.physical_id(stack, "balancer")
        pools = list(balancers.pools(loadbalancer_id=balancer))
        self.assertEqual(2, len(pools))
        for pool in pools:
            self.assertEqual(2, len(list(balancers.members(pool))))
            self.assertTrue(pool.health_monitor_id)
        self.act(stack, "check")
        self.removed(stack)
        self.assertIsNone(balancers.find_load_balancer(balancer))


class BucketTests(cases.RigTestCase):
    services = ("object-store",)

    @short_set.case_of("AWS::S3::Bucket")
    def test_a_bucket_is_a_container(self) -> None:
        wanted: Json = {
            "bucket": {
                "type": "AWS::S3::Bucket",
                "properties": {
                    "AccessControl": "PublicRead",
                    "Tags": _TAGS,
                    "WebsiteConfiguration": {"IndexDocument": "index.html"},
                },
            }
        }
        stack = self.made(wanted)
        name = self.physical_id(stack, "bucket")

        found = self.user.object_store.get_container_metadata(name)

        self.assertEqual(".r:*", found.read_ACL)
        self.act(stack, "check")
        self.removed(stack)
