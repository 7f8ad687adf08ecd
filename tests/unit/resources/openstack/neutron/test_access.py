"""Types of Neutron that act on objects of others."""

import dataclasses
import typing

from orch import errors
from orch.plugin import reality
from orch.plugin import traits
from orch.resources.openstack import type_data
from tests.unit.resources.openstack import clouds

Body = dict[str, typing.Any]

_NET: typing.Final = "5d4b3a1e-0000-4000-8000-00000000000a"
_OTHER: typing.Final = "5d4b3a1e-0000-4000-8000-00000000000b"
_ROUTER: typing.Final = "5d4b3a1e-0000-4000-8000-00000000000c"
_SERVER: typing.Final = "5d4b3a1e-0000-4000-8000-00000000000d"


class Trunks(clouds.Cloud):
    """Trunks, which know a sub-port by its port.

    A disabled one takes no change of its sub-ports, and no removal.
    """

    def find_answer(
        self, method: str, path: str, body: typing.Any
    ) -> clouds.Answer:
        place, _, action = path.rpartition("/")
        trunks = self.collections["/trunks"].rows
        is_own = action.endswith("_subports")
        name = place.rpartition("/")[2] if is_own else action
        is_disabled = trunks.get(name, {}).get("admin_state_up") is False
        if is_disabled and (is_own or method == "DELETE"):
            return 409, {"NeutronError": {"message": "currently disabled"}}
        if not is_own:
            return super().find_answer(method, path, body)
        found = trunks[name]
        held = {each["port_id"]: each for each in found["sub_ports"]}
        for each in body["sub_ports"]:
            if action == "remove_subports":
                del held[each["port_id"]]
            elif held.setdefault(each["port_id"], each) is not each:
                return 409, {"NeutronError": {"message": "in use"}}
        found["sub_ports"] = list(held.values())
        return 200, found


def _sub_port(number: int) -> Body:
    return {
        "port": "child",
        "segmentation_id": number,
        "segmentation_type": "vlan",
    }


class AccessTest(clouds.CloudTestCase):
    def use_type(self, type_name: str, cloud: clouds.Cloud) -> None:
        self.kind = type_data.load_type(type_name)  # type: ignore[misc]
        self.use(cloud)

    def test_a_sub_port_with_another_number_leaves_first(self) -> None:
        kept = clouds.Collection("trunk", "trunks", defaults={"sub_ports": []})
        ports = clouds.Collection("port", "ports")
        self.use_type("OS::Neutron::Trunk", Trunks(trunks=kept, ports=ports))
        self.cloud.add("/ports", id="child-1", name="child")

        context = self.made(port=_NET, sub_ports=[_sub_port(101)])

        (found,) = kept.rows.values()
        self.assertEqual(
            {
                "port_id": "child-1",
                "segmentation_id": 101,
                "segmentation_type": "vlan",
            },
            found["sub_ports"][0],
        )
        self.changed(context, sub_ports=[_sub_port(102)])
        self.assertEqual(
            [102], [each["segmentation_id"] for each in found["sub_ports"]]
        )

    def test_a_disabled_trunk_is_enabled_for_its_changes(self) -> None:
        kept = clouds.Collection("trunk", "trunks", defaults={"sub_ports": []})
        ports = clouds.Collection("port", "ports")
        self.use_type("OS::Neutron::Trunk", Trunks(trunks=kept, ports=ports))
        self.cloud.add("/ports", id="child-1", name="child")
        context = self.made(
            port=_NET, admin_state_up=False, sub_ports=[_sub_port(101)]
        )

        (found,) = kept.rows.values()
        self.assertEqual(1, len(found["sub_ports"]))
        self.assertIs(False, found["admin_state_up"])
        after = self.changed(context, sub_ports=[])
        self.assertEqual([], found["sub_ports"])
        self.assertIs(False, found["admin_state_up"])
        self.plugin.delete(after)
        self.assertIsNone(self.plugin.is_deleted(after))
        self.assertEqual({}, kept.rows)

    def test_a_trunk_that_others_disabled_stays_so(self) -> None:
        kept = clouds.Collection("trunk", "trunks", defaults={"sub_ports": []})
        ports = clouds.Collection("port", "ports")
        self.use_type("OS::Neutron::Trunk", Trunks(trunks=kept, ports=ports))
        self.cloud.add("/ports", id="child-1", name="child")
        context = self.made(port=_NET)
        (found,) = kept.rows.values()
        found["admin_state_up"] = False

        self.changed(context, sub_ports=[_sub_port(101)])

        self.assertEqual(1, len(found["sub_ports"]))
        self.assertIs(False, found["admin_state_up"])

    def test_a_gateway_is_removed_unless_it_leads_elsewhere(self) -> None:
        kept = clouds.Collection("router", "routers")
        self.use_type("OS::Neutron::RouterGateway", clouds.Cloud(routers=kept))
        self.cloud.add("/routers", id=_ROUTER, external_gateway_info=None)
        router = kept.rows[_ROUTER]

        context = self.made(router_id=_ROUTER, network=_NET)

        self.assertEqual({"network_id": _NET}, router["external_gateway_info"])
        live = self.plugin.get_reality(context) or {}
        self.assertEqual(_NET, live["network"])
        self.assertIsNone(self.plugin.check(context))
        router["external_gateway_info"] = {"network_id": _OTHER}
        self.assertRaises(reality.Vanished, self.plugin.check, context)
        self.assertIsNone(self.plugin.is_deleted(context))
        self.assertEqual(
            {"network_id": _OTHER}, router["external_gateway_info"]
        )
        router["external_gateway_info"] = {"network_id": _NET}
        self.assertIsNone(self.plugin.is_deleted(context))
        self.assertEqual({}, router["external_gateway_info"])

    def test_a_gateway_waits_for_floating_ips_that_need_it(self) -> None:
        kept = clouds.Collection("router", "routers")
        self.use_type("OS::Neutron::RouterGateway", clouds.Cloud(routers=kept))
        self.cloud.add("/routers", id=_ROUTER, external_gateway_info=None)
        context = self.made(router_id=_ROUTER, network=_NET)
        for _ in range(2):
            self.cloud.refuse("PUT", f"/routers/{_ROUTER}", 409)

        self.plugin.delete(context)
        pending = self.plugin.is_deleted(context)

        self.assertIn("refused", pending.note if pending else "")
        self.clock.time += 1000
        self.assertRaises(errors.Busy, self.plugin.is_deleted, context)
        self.assertIsNone(self.plugin.is_deleted(context))
        self.assertEqual({}, kept.rows[_ROUTER]["external_gateway_info"])

    def test_floating_ips_come_after_the_gateway_of_their_network(
        self,
    ) -> None:
        kind = type_data.load_type("OS::Neutron::FloatingIP")

        self.assertIn(
            traits.ComesAfter(
                "OS::Neutron::RouterGateway", "floating_network", "network"
            ),
            kind.comes_after,
        )

    def test_a_policy_names_an_object_of_its_kind(self) -> None:
        self.use_type(
            "OS::Neutron::RBACPolicy",
            clouds.Cloud(
                rbac_policies=clouds.Collection(
                    "rbac_policy", "rbac_policies"
                ),
                qos__policies=clouds.Collection("policy", "policies"),
            ),
        )
        gold = self.cloud.add("/qos/policies", name="gold")

        self.made(
            object_type="qos_policy",
            object_id="gold",
            action="access_as_shared",
            target_tenant="*",
        )

        (found,) = self.cloud.collections["/rbac-policies"].rows.values()
        self.assertEqual(gold, found["object_id"])

    def test_a_forward_that_no_router_allows_yet_is_tried_again(self) -> None:
        path = f"/floatingips/{_NET}/port_forwardings"
        self.use_type("OS::Neutron::FloatingIPPortForward", clouds.Cloud())
        self.cloud.collections[path] = clouds.Collection(
            "port_forwarding", "port_forwardings"
        )
        given = {
            "floating_ip": _NET,
            "internal_ip_address": "10.0.0.4",
            "internal_port": _OTHER,
            "internal_port_number": 80,
            "external_port": 8080,
            "protocol": "tcp",
        }
        for message, expected in (
            ("is not reachable from subnet", errors.Busy),
            ("is in use", errors.Permanent),
        ):
            self.cloud.refuse(
                "POST", path, 400, {"NeutronError": {"message": message}}
            )
            self.assertRaises(
                expected, self.plugin.create, self.context(**given)
            )

        context = self.made(**given)

        (found,) = self.cloud.collections[path].rows.values()
        self.assertEqual(80, found["internal_port"])
        self.assertEqual(_OTHER, found["internal_port_id"])
        self.assertEqual(
            context.physical_id,
            self.plugin.find(dataclasses.replace(context, physical_id=None)),
        )

    def test_an_address_goes_to_the_first_port_of_a_server(self) -> None:
        self.use_type(
            "OS::Nova::FloatingIPAssociation",
            clouds.Cloud(
                floatingips=clouds.Collection("floatingip", "floatingips"),
                ports=clouds.Collection("port", "ports"),
            ),
        )
        self.cloud.add("/floatingips", id=_NET, port_id=None)
        found = self.cloud.collections["/floatingips"].rows[_NET]
        context = self.context(floating_ip=_NET, server_id=_SERVER)
        self.plugin.create(context)
        self.assertRaises(errors.Busy, self.plugin.is_created, context)
        port = self.cloud.add("/ports", device_id=_SERVER)

        context = self.made(floating_ip=_NET, server_id=_SERVER)

        self.assertEqual(port, found["port_id"])
        live = self.plugin.get_reality(context)
        assert live is not None
        self.assertEqual(_SERVER, live["server_id"])
        self.cloud.answers["GET", "/servers"] = (
            200,
            {"servers": [{"id": _SERVER, "name": "web"}]},
        )
        named = self.context(floating_ip=_NET, server_id="web")
        found_again = self.plugin.get_reality(named)
        assert found_again is not None
        self.assertEqual("web", found_again["server_id"])
        for each in (port, self.cloud.add("/ports", device_id=_SERVER)):
            found["port_id"] = each
            self.assertIsNone(self.plugin.is_deleted(context))
            self.assertIsNone(found["port_id"])
        elsewhere = self.cloud.add("/ports", device_id=_NET)
        found["port_id"] = elsewhere
        self.assertEqual(["server_id"], self.differing(context, live))
        self.assertIsNone(self.plugin.is_deleted(context))
        self.assertEqual(elsewhere, found["port_id"])
