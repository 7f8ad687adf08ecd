"""What routers lead to: interfaces, routes, floating addresses."""

import dataclasses
import typing

from orch import errors
from orch.clients import rest
from orch.plugin import call_context
from orch.plugin import reality
from orch.resources.openstack import type_data
from tests.unit.resources.openstack import clouds

ROUTER = "11111111-1111-4111-8111-111111111111"
SUBNET = "22222222-2222-4222-8222-222222222222"
PORT = "33333333-3333-4333-8333-333333333333"
NET = "44444444-4444-4444-8444-444444444444"
FLOATING = "55555555-5555-4555-8555-555555555555"
NOT_REACHABLE = {
    "NeutronError": {
        "message": f"External network {NET} is not reachable from subnet"
        f" {SUBNET}. Therefore, cannot associate Port {PORT}"
    }
}


class RouterInterfaceTest(clouds.CloudTestCase):
    kind = type_data.load_type("OS::Neutron::RouterInterface")

    def setUp(self) -> None:
        super().setUp()
        self.use(clouds.Cloud(ports=clouds.Collection("port", "ports")))
        place = f"/routers/{ROUTER}"
        for act in ("add", "remove"):
            path = f"{place}/{act}_router_interface"
            self.cloud.answers["PUT", path] = 200, {}

    def join(self, router: str = ROUTER, subnet: str = SUBNET) -> str:
        """Let the service have the port of an interface."""
        return self.cloud.add(
            "/ports",
            device_id=router,
            device_owner="network:router_interface",
            fixed_ips=[{"subnet_id": subnet}],
            project_id="",
        )

    def joined(self, **given: typing.Any) -> call_context.Context:
        """Return the context of an interface that is there."""
        self.join()
        context = self.context(router=ROUTER, subnet=SUBNET, **given)
        found = self.plugin.create(context)
        self.cloud.requests.clear()
        return dataclasses.replace(context, physical_id=str(found))

    def test_the_id_is_as_in_heat(self) -> None:
        self.assertEqual(
            f"{ROUTER}:subnet_id={SUBNET}", self.joined().physical_id
        )
        found = self.plugin.create(self.context(router=ROUTER, port=PORT))
        self.assertEqual(f"{ROUTER}:port_id={PORT}", found)
        self.assertEqual({"port_id": PORT}, self.cloud.requests[-1].body)

    def test_what_a_lost_attempt_joined_is_found(self) -> None:
        context = self.context(router=ROUTER, subnet=SUBNET)
        self.assertIsNone(self.find_lost(context))
        self.join(subnet="other")
        self.assertIsNone(self.find_lost(context))

        self.join()

        found = self.find_lost(context)
        assert found is not None
        self.assertEqual(f"{ROUTER}:subnet_id={SUBNET}", found.physical_id)
        # After a refusal it is an interface of others.
        self.assertIsNone(self.plugin.find(context))

    def test_one_that_is_parted_has_vanished(self) -> None:
        context = self.joined()
        self.assertEqual(
            {"router": ROUTER, "subnet": SUBNET},
            self.plugin.get_reality(context),
        )

        self.cloud.collections["/ports"].rows.clear()

        self.assertRaises(reality.Vanished, self.plugin.get_reality, context)

    def test_many_are_read_by_one_request(self) -> None:
        contexts = [self.joined() for _ in range(5)]

        found = self.plugin.observe(contexts)

        self.assertEqual(
            [{"router": ROUTER, "subnet": SUBNET}] * 5, list(found or ())
        )
        self.assertEqual(["GET /ports"], self.cloud.find_requests("GET"))

    def test_it_is_parted_once_nobody_needs_it(self) -> None:
        context = self.joined()
        path = f"/routers/{ROUTER}/remove_router_interface"
        self.cloud.refuse("PUT", path, 409)

        self.plugin.delete(context)
        self.assertIsInstance(
            self.plugin.is_deleted(context), call_context.Pending
        )
        self.cloud.collections["/ports"].rows.clear()

        self.assertIsNone(self.plugin.is_deleted(context))
        self.assertEqual([f"PUT {path}"] * 2, self.cloud.find_requests("PUT"))

    def test_it_is_for_one_of_subnet_and_port(self) -> None:
        for given in (
            {"subnet": None, "port": None},
            {"subnet": SUBNET, "port": PORT},
        ):
            self.assertRaises(errors.Invalid, self.plugin.validate, given)
        self.plugin.validate({"subnet": SUBNET, "port": None})
        self.plugin.validate({"router": ROUTER})

    def test_an_id_of_another_form_is_not_there(self) -> None:
        for wrong in ("", "x", f"{ROUTER}:net={NET}"):
            self.assertRaises(
                rest.CloudNotFound,
                self.plugin.handle_adopt,
                self.context(router=ROUTER),
                call_context.AdoptedResource(
                    physical_id=wrong, data={}, metadata={}
                ),
            )


class FloatingIPTest(clouds.CloudTestCase):
    kind = type_data.load_type("OS::Neutron::FloatingIP")

    def setUp(self) -> None:
        super().setUp()
        self.use(
            clouds.Cloud(
                floatingips=clouds.Collection(
                    "floatingip",
                    "floatingips",
                    defaults={"port_id": None, "fixed_ip_address": None},
                )
            )
        )

    def test_it_waits_until_a_router_leads_to_the_port(self) -> None:
        context = self.context(floating_network=NET, port_id=PORT)
        made = str(self.plugin.create(context))
        context = dataclasses.replace(context, physical_id=made)
        self.cloud.refuse("PUT", f"/floatingips/{made}", 404, NOT_REACHABLE)

        self.assertIsInstance(
            self.plugin.is_created(context), call_context.Pending
        )
        self.assertIsNone(self.plugin.is_created(context))

        found = self.cloud.collections["/floatingips"].rows[made]
        self.assertEqual(PORT, found["port_id"])
        self.assertEqual(1, len(self.cloud.find_requests("POST")))

    def test_it_does_not_wait_for_ever_nor_for_what_is_wrong(self) -> None:
        context = self.context(floating_network=NET, port_id=PORT)
        made = str(self.plugin.create(context))
        context = dataclasses.replace(context, physical_id=made)
        path = f"/floatingips/{made}"

        self.cloud.refuse("PUT", path, 404)
        self.assertRaises(rest.CloudNotFound, self.plugin.is_created, context)
        self.clock.time += 1000
        self.cloud.refuse("PUT", path, 404, NOT_REACHABLE)
        self.assertRaises(rest.CloudNotFound, self.plugin.is_created, context)

    def test_without_a_port_the_association_is_left_to_others(self) -> None:
        context = self.made(floating_network=NET)
        found = self.cloud.collections["/floatingips"].rows
        found[context.physical_id or ""]["port_id"] = PORT

        self.assertNotIn("port_id", self.plugin.get_reality(context) or {})

    def test_another_port_forgets_the_address_of_the_former(self) -> None:
        context = self.made(floating_network=NET, port_id=PORT)

        self.changed(context, port_id=None)

        self.assertEqual(
            [{"floatingip": {"port_id": None}}],
            [
                each.body
                for each in self.cloud.requests
                if each.method == "PUT"
            ],
        )


class FloatingIPAssociationTest(clouds.CloudTestCase):
    kind = type_data.load_type("OS::Neutron::FloatingIPAssociation")

    def setUp(self) -> None:
        super().setUp()
        self.use(
            clouds.Cloud(
                floatingips=clouds.Collection("floatingip", "floatingips")
            )
        )
        for each in (FLOATING, NET):
            self.cloud.add("/floatingips", id=each, port_id=None)
        self.there = self.cloud.collections["/floatingips"].rows

    def test_it_associates_and_parts(self) -> None:
        context = self.made(floatingip_id=FLOATING, port_id=PORT)
        self.assertEqual(PORT, self.there[FLOATING]["port_id"])

        self.assertIsNone(self.plugin.is_deleted(context))

        self.assertIsNone(self.there[FLOATING]["port_id"])
        self.assertIsNone(self.plugin.is_deleted(context))

    def test_one_that_leads_nowhere_has_vanished(self) -> None:
        context = self.made(floatingip_id=FLOATING, port_id=PORT)
        live = self.plugin.get_reality(context)
        assert live is not None
        self.assertEqual(PORT, live["port_id"])

        self.there[FLOATING]["port_id"] = None

        self.assertRaises(reality.Vanished, self.plugin.get_reality, context)

    def test_another_floating_ip_takes_its_place(self) -> None:
        context = self.made(floatingip_id=FLOATING, port_id=PORT)

        self.changed(context, floatingip_id=NET)

        self.assertIsNone(self.there[FLOATING]["port_id"])
        self.assertEqual(PORT, self.there[NET]["port_id"])

    def test_its_id_is_that_of_the_floating_ip(self) -> None:
        context = self.made(floatingip_id=FLOATING, port_id=PORT)
        self.assertEqual(FLOATING, context.physical_id)
        after = dataclasses.replace(
            context, properties={**context.properties, "floatingip_id": NET}
        )

        self.assertEqual(
            call_context.CreateResult(NET),
            self.plugin.update(after, context.properties, ("floatingip_id",)),
        )

    def test_its_successor_keeps_the_port(self) -> None:
        context = self.made(floatingip_id=FLOATING, port_id=PORT)

        self.assertIsNone(
            self.plugin.is_deleted(
                dataclasses.replace(context, successor=context.properties)
            )
        )

        self.assertEqual(PORT, self.there[FLOATING]["port_id"])

    def test_the_port_of_another_association_stays(self) -> None:
        context = self.made(floatingip_id=FLOATING, port_id=PORT)
        self.there[FLOATING]["port_id"] = NET

        self.assertIsNone(self.plugin.is_deleted(context))

        self.assertEqual(NET, self.there[FLOATING]["port_id"])


class ExtraRouteSetTest(clouds.CloudTestCase):
    kind = type_data.load_type("OS::Neutron::ExtraRouteSet")
    own: typing.Final = {"destination": "10.8.0.0/16", "nexthop": "10.7.0.8"}
    other: typing.Final = {"destination": "10.9.0.0/16", "nexthop": "10.7.0.9"}

    def setUp(self) -> None:
        super().setUp()
        self.use(clouds.Cloud(routers=clouds.Collection("router", "routers")))
        self.cloud.add("/routers", id=ROUTER, routes=[self.other])
        self.add = f"/routers/{ROUTER}/add_extraroutes"
        self.remove = f"/routers/{ROUTER}/remove_extraroutes"
        for path in (self.add, self.remove):
            self.cloud.answers["PUT", path] = 200, {"router": {}}

    def test_its_routes_are_added_and_removed_alone(self) -> None:
        context = self.made(router=ROUTER, routes=[self.own])
        self.assertEqual(ROUTER, context.physical_id)

        self.assertIsNone(self.plugin.is_deleted(context))

        self.assertEqual(
            {"router": {"routes": [self.own]}}, self.cloud.requests[-1].body
        )
        self.assertEqual(
            [f"PUT {self.remove}"], self.cloud.find_requests("PUT")
        )

    def test_what_its_successor_gives_remains(self) -> None:
        third = {"destination": "10.6.0.0/16", "nexthop": "10.7.0.6"}
        context = self.made(router=ROUTER, routes=[self.own, third])
        successor = {"router": "edge", "routes": [third]}

        self.plugin.is_deleted(
            dataclasses.replace(context, successor=successor)
        )

        self.assertEqual(
            [{"router": {"routes": [self.own]}}],
            [each.body for each in self.cloud.requests],
        )

    def test_a_next_hop_that_is_not_connected_yet_is_waited_for(self) -> None:
        context = self.context(
            router=ROUTER, routes=[self.own], physical_id=ROUTER
        )
        self.cloud.refuse(
            "PUT",
            self.add,
            400,
            {
                "NeutronError": {
                    "message": "Invalid format for routes: [], the nexthop"
                    " is not connected with router"
                }
            },
        )

        self.assertIsInstance(
            self.plugin.is_created(context), call_context.Pending
        )
        self.assertIsNone(self.plugin.is_created(context))

    def test_only_its_own_routes_are_told_and_missed(self) -> None:
        context = self.made(router=ROUTER, routes=[self.own])

        self.assertEqual(
            {"router": ROUTER, "routes": []}, self.plugin.get_reality(context)
        )
        self.assertRaises(reality.Vanished, self.plugin.check, context)
        routes = self.cloud.collections["/routers"].rows[ROUTER]["routes"]
        routes.append(self.own)

        self.assertEqual(
            {"router": ROUTER, "routes": [self.own]},
            self.plugin.get_reality(context),
        )
        self.assertIsNone(self.plugin.check(context))

    def test_a_change_removes_only_what_is_not_wanted_any_more(self) -> None:
        context = self.made(router=ROUTER, routes=[self.own, self.other])

        self.changed(context, routes=[self.own])

        self.assertEqual(
            [
                {"router": {"routes": [self.other]}},
                {"router": {"routes": [self.own]}},
            ],
            [each.body for each in self.cloud.requests],
        )
