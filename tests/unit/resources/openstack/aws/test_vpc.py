"""A VPC with its subnets, route tables and gateway."""

import dataclasses
import typing

from orch import errors
from orch.clients import rest
from orch.plugin import call_context
from orch.plugin import reality
from orch.resources.openstack import errors as cloud_errors
from orch.resources.openstack import type_data
from orch.resources.openstack.aws import routers
from tests.unit.resources.openstack import clouds
from tests.unit.resources.openstack.aws import networks


class VpcTest(clouds.CloudTestCase):
    kind = type_data.load_type("AWS::EC2::VPC")

    def setUp(self) -> None:
        super().setUp()
        self.network = networks.Network()
        self.use(self.network)

    def context(self, **given: typing.Any) -> call_context.Context:
        context = super().context(**given)
        return dataclasses.replace(context, stack_project=networks.PROJECT)

    def use_type(self, name: str) -> None:
        self.use_kind(type_data.load_type(f"AWS::EC2::{name}"))

    def resource(
        self, name: str, called: str, **given: object
    ) -> call_context.Context:
        self.use_type(name)
        context = self.context(called=called, **given)
        named = dataclasses.replace(context, physical_name=f"shop-{called}-x")
        found = self.plugin.create(named)
        assert isinstance(found, str)
        made = dataclasses.replace(named, physical_id=found)
        self.assertIsNone(self.plugin.is_created(made))
        return made

    def removed(self, name: str, context: call_context.Context) -> None:
        self.use_type(name)
        self.plugin.delete(context)
        self.assertIsNone(self.plugin.is_deleted(context))
        self.plugin.delete(context)
        self.assertIsNone(self.plugin.is_deleted(context))

    def make_vpc(self) -> call_context.Context:
        return self.resource("VPC", "vpc", CidrBlock="10.0.0.0/16")

    def make_subnet(self, vpc: call_context.Context) -> call_context.Context:
        return self.resource(
            "Subnet",
            "subnet",
            VpcId=vpc.physical_id,
            CidrBlock="10.0.1.0/24",
            AvailabilityZone="nova",
        )

    def find_router(self, name: str) -> str:
        (found,) = (
            router_id
            for router_id, each in self.network.rows("router").items()
            if each["name"] == name
        )
        return found

    def test_a_vpc_is_a_network_and_a_router_of_its_name(self) -> None:
        vpc = self.make_vpc()

        found = self.network.rows("network")[str(vpc.physical_id)]
        self.assertEqual("shop-vpc-x", found["name"])
        self.find_router("shop-vpc-x")
        self.assertIsNone(self.plugin.is_created(vpc))
        self.assertEqual(1, len(self.network.rows("router")))
        lost = dataclasses.replace(vpc, physical_id=None)
        self.assertEqual(vpc.physical_id, self.plugin.find(lost))
        self.removed("VPC", vpc)
        self.assertEqual({}, self.network.rows("router"))
        self.assertEqual([networks.EXTERNAL], [*self.network.rows("network")])

    def test_a_vpc_waits_for_its_network_and_router(self) -> None:
        self.network.collections["/networks"].defaults["status"] = "BUILD"
        context = self.context()
        made = dataclasses.replace(
            context, physical_id=str(self.plugin.create(context))
        )
        network = self.network.rows("network")[str(made.physical_id)]

        self.assertIsInstance(
            self.plugin.is_created(made), call_context.Pending
        )
        self.assertEqual({}, self.network.rows("router"))
        network["status"] = "ACTIVE"
        self.network.collections["/routers"].defaults["status"] = "ALLOCATING"
        self.assertIsInstance(
            self.plugin.is_created(made), call_context.Pending
        )
        (router,) = self.network.rows("router").values()
        router["status"] = "ERROR"
        self.assertRaises(cloud_errors.InError, self.plugin.is_created, made)

    def test_a_router_without_its_network_is_removed(self) -> None:
        vpc = self.make_vpc()
        del self.network.rows("network")[str(vpc.physical_id)]

        self.removed("VPC", vpc)

        self.assertEqual({}, self.network.rows("router"))

    def test_two_routers_of_the_name_are_not_taken(self) -> None:
        vpc = self.make_vpc()
        self.network.add(
            "/routers", name="shop-vpc-x", project_id=networks.PROJECT
        )

        error = self.assertRaises(rest.CloudRefused, self.plugin.delete, vpc)

        self.assertIn("Multiple routers", error.message)

    def test_routers_of_other_projects_are_left_alone(self) -> None:
        other, foreign_table = (
            self.network.add("/routers", project_id="other", **given)
            for given in (
                {"name": "shop-vpc-x"},
                {"description": routers.describe_table("net")},
            )
        )
        self.network.add("/networks", id="net", name="shop-vpc-x")

        vpc = self.make_vpc()
        self.use_type("VPCGatewayAttachment")
        attached = self.context(VpcId="net", physical_id="net")
        self.assertIsNone(self.plugin.is_created(attached))
        for each in (other, foreign_table):
            self.assertIsNone(self.network.gateway(each))
        self.removed("VPC", vpc)

        self.assertEqual(
            {other, foreign_table}, self.network.rows("router").keys()
        )

    def connect(self, router: str, subnet: call_context.Context) -> None:
        """Let another router have the interface in a subnet."""
        (port,) = (
            each
            for each in self.network.rows("port").values()
            if each["fixed_ips"] == [{"subnet_id": subnet.physical_id}]
        )
        port["device_id"] = router

    def test_the_router_of_another_is_not_disconnected(self) -> None:
        vpc = self.make_vpc()
        subnet = self.make_subnet(vpc)
        table = self.resource("RouteTable", "table", VpcId=vpc.physical_id)
        pair = {
            "RouteTableId": table.physical_id,
            "SubnetId": subnet.physical_id,
        }
        shared, foreign = (
            self.network.add("/routers", name="foreign", project_id=each)
            for each in (networks.PROJECT, "other")
        )
        self.network.add(
            "/ports",
            device_id=shared,
            device_owner="network:router_interface",
            network_id=self.network.add("/networks", name="plain"),
            fixed_ips=[{"subnet_id": "plain"}],
        )
        for router in (shared, foreign):
            self.connect(router, subnet)

            self.use_type("Subnet")
            self.plugin.delete(subnet)
            self.assertIsInstance(
                self.plugin.is_deleted(subnet), call_context.Pending
            )
            self.use_type("SubnetRouteTableAssociation")
            self.assertRaises(
                errors.Busy, self.plugin.is_created, self.context(**pair)
            )

            self.assertIn(
                (router, str(subnet.physical_id)), self.network.connected()
            )

    def test_a_route_table_of_heat_gives_way(self) -> None:
        vpc = self.make_vpc()
        subnet = self.make_subnet(vpc)
        table = self.resource("RouteTable", "table", VpcId=vpc.physical_id)
        unmarked = self.network.add("/routers", project_id=networks.PROJECT)
        self.connect(unmarked, subnet)

        self.resource(
            "SubnetRouteTableAssociation",
            "pair",
            RouteTableId=table.physical_id,
            SubnetId=subnet.physical_id,
        )

        pair = (str(table.physical_id), str(subnet.physical_id))
        self.assertEqual([pair], self.network.connected())
        self.connect(unmarked, subnet)
        self.removed("Subnet", subnet)
        self.assertEqual([], self.network.connected())

    def test_a_gateway_of_heat_is_that_of_its_route_tables(self) -> None:
        vpc = self.make_vpc()
        subnet = self.make_subnet(vpc)
        unmarked = self.network.add(
            "/routers",
            project_id=networks.PROJECT,
            external_gateway_info={"network_id": networks.EXTERNAL},
        )
        self.connect(unmarked, subnet)
        self.use_type("VPCGatewayAttachment")

        attached = self.context(
            VpcId=vpc.physical_id, physical_id=vpc.physical_id
        )

        self.assertIsNone(self.plugin.check(attached))

    def add_interface(self, router: str, network: str) -> None:
        self.network.add(
            "/ports",
            device_id=router,
            device_owner="network:router_interface",
            network_id=network,
            fixed_ips=[{"subnet_id": "elsewhere"}],
        )

    def test_a_default_router_with_another_network_is_released(self) -> None:
        vpc = self.make_vpc()
        subnet = self.make_subnet(vpc)
        router = self.find_router("shop-vpc-x")
        self.add_interface(router, self.network.add("/networks", name="b"))
        self.network.requests.clear()

        self.removed("Subnet", subnet)

        self.assertEqual([(router, "elsewhere")], self.network.connected())

    def test_a_router_of_another_network_is_no_default_router(self) -> None:
        foreign = self.network.add(
            "/routers", name="shop-vpc-x", project_id=networks.PROJECT
        )
        self.add_interface(foreign, self.network.add("/networks", name="b"))

        vpc = self.make_vpc()
        subnet = self.make_subnet(vpc)

        self.assertEqual(2, len(self.network.rows("router")))
        self.assertEqual(
            [(foreign, "elsewhere")],
            [each for each in self.network.connected() if foreign in each],
        )
        self.removed("Subnet", subnet)
        self.removed("VPC", vpc)
        self.assertEqual([foreign], [*self.network.rows("router")])

    def test_a_subnet_is_read_once(self) -> None:
        vpc = self.make_vpc()
        subnet = self.make_subnet(vpc)
        place = f"GET /subnets/{subnet.physical_id}"
        self.network.requests.clear()

        self.assertIsNone(self.plugin.is_created(subnet))

        self.assertEqual(1, self.network.find_requests("GET").count(place))
        self.network.requests.clear()
        self.plugin.delete(subnet)
        self.assertEqual(1, self.network.find_requests("GET").count(place))

    def test_a_subnet_is_removed_whatever_routers_there_are(self) -> None:
        subnet = self.make_subnet(self.make_vpc())
        self.network.add(
            "/routers", name="shop-vpc-x", project_id=networks.PROJECT
        )

        self.removed("Subnet", subnet)

        self.assertEqual({}, self.network.rows("subnet"))

    def test_a_subnet_is_connected_with_the_router_of_its_vpc(self) -> None:
        vpc = self.make_vpc()
        router = self.find_router("shop-vpc-x")

        subnet = self.make_subnet(vpc)

        pair = (router, str(subnet.physical_id))
        self.assertEqual([pair], self.network.connected())
        self.assertIsNone(self.plugin.is_created(subnet))
        self.assertEqual(
            {"AvailabilityZone": "nova"},
            self.plugin.read_attributes(subnet, ["AvailabilityZone"]),
        )
        self.assertEqual(
            {"CidrBlock": "10.0.1.0/24", "VpcId": vpc.physical_id},
            self.plugin.get_reality(subnet),
        )
        self.removed("Subnet", subnet)
        self.assertEqual([], self.network.connected())
        self.assertEqual({}, self.network.rows("subnet"))

    def test_a_network_without_a_router_can_have_subnets(self) -> None:
        net = self.network.add("/networks", name="plain")

        self.resource("Subnet", "subnet", VpcId=net, CidrBlock="10.0.1.0/24")

        self.assertEqual([], self.network.connected())

    def test_a_route_table_takes_a_subnet_and_gives_it_back(self) -> None:
        vpc = self.make_vpc()
        subnet = self.make_subnet(vpc)
        table = self.resource("RouteTable", "table", VpcId=vpc.physical_id)
        default = self.find_router("shop-vpc-x")
        given = {
            "RouteTableId": table.physical_id,
            "SubnetId": subnet.physical_id,
        }

        pair = self.resource("SubnetRouteTableAssociation", "pair", **given)

        connected = (str(table.physical_id), str(subnet.physical_id))
        self.assertEqual([connected], self.network.connected())
        self.assertIsNone(self.plugin.is_created(pair))
        self.assertEqual(given, self.plugin.get_reality(pair))
        succeeded = dataclasses.replace(pair, successor=given)
        self.assertIsNone(self.plugin.is_deleted(succeeded))
        self.assertEqual([connected], self.network.connected())
        self.removed("SubnetRouteTableAssociation", pair)
        self.assertEqual(
            [(default, str(subnet.physical_id))], self.network.connected()
        )
        self.assertRaises(reality.Vanished, self.plugin.get_reality, pair)
        self.removed("RouteTable", table)

    def test_what_another_route_table_has_taken_stays(self) -> None:
        vpc = self.make_vpc()
        subnet = self.make_subnet(vpc)
        one, other = (
            self.resource("RouteTable", each, VpcId=vpc.physical_id)
            for each in ("one", "other")
        )
        pairs = [
            self.resource(
                "SubnetRouteTableAssociation",
                "pair",
                RouteTableId=each.physical_id,
                SubnetId=subnet.physical_id,
            )
            for each in (one, other)
        ]

        self.removed("SubnetRouteTableAssociation", pairs[0])

        self.assertEqual(
            [(str(other.physical_id), str(subnet.physical_id))],
            self.network.connected(),
        )

    def test_a_gateway_is_that_of_all_routers_of_the_vpc(self) -> None:
        vpc = self.make_vpc()
        table = self.resource("RouteTable", "table", VpcId=vpc.physical_id)
        foreign = self.network.add("/routers", name="foreign")
        gateway = self.resource("InternetGateway", "gateway")
        self.assertEqual("shop-gateway-x", gateway.physical_id)
        given = {
            "VpcId": vpc.physical_id,
            "InternetGatewayId": gateway.physical_id,
        }

        attached = self.resource("VPCGatewayAttachment", "attached", **given)

        self.assertEqual(vpc.physical_id, attached.physical_id)
        default = self.find_router("shop-vpc-x")
        ids = (default, str(table.physical_id))
        for each in ids:
            self.assertEqual(networks.EXTERNAL, self.network.gateway(each))
        self.assertIsNone(self.network.gateway(foreign))
        self.assertIsNone(self.plugin.check(attached))
        later = self.resource("RouteTable", "later", VpcId=vpc.physical_id)
        self.assertEqual(
            networks.EXTERNAL, self.network.gateway(str(later.physical_id))
        )
        self.use_type("VPCGatewayAttachment")
        self.assertIsNone(
            self.plugin.is_deleted(
                dataclasses.replace(attached, successor=given)
            )
        )
        self.assertEqual(networks.EXTERNAL, self.network.gateway(default))
        self.removed("VPCGatewayAttachment", attached)
        for each in ids:
            self.assertIsNone(self.network.gateway(each))
        self.assertRaises(rest.CloudNotFound, self.plugin.check, attached)
        self.removed("InternetGateway", gateway)

    def test_a_gateway_in_use_is_removed_later(self) -> None:
        vpc = self.make_vpc()
        attached = self.resource(
            "VPCGatewayAttachment", "attached", VpcId=vpc.physical_id
        )
        router = self.find_router("shop-vpc-x")
        self.network.refuse("PUT", f"/routers/{router}", 409)

        self.assertIsInstance(
            self.plugin.is_deleted(attached), call_context.Pending
        )
        self.clock.time += 600
        self.network.refuse("PUT", f"/routers/{router}", 409)
        self.assertRaises(errors.Busy, self.plugin.is_deleted, attached)
        self.assertIsNone(self.plugin.is_deleted(attached))

    def test_an_internet_gateway_needs_one_external_network(self) -> None:
        self.network.add("/networks", name="b", **{"router:external": True})
        self.use_type("InternetGateway")

        error = self.assertRaises(
            routers.NoExternalNetwork, self.plugin.create, self.context()
        )

        self.assertIn("Expected 1 external network, found 2", error.message)
        self.assertFalse(self.plugin.has_reality)
