"""Ports that are made for servers: once, as long as they are used."""

import dataclasses
import json
import typing

from orch import errors
from orch.clients import rest
from orch.plugin import call_context
from tests.unit.resources import contexts
from tests.unit.resources.openstack.nova import compute
from tests.unit.resources.openstack.nova import servers

Json = dict[str, object]

OTHER_SUBNET: typing.Final = "6a9f0a58-0c5f-4c4c-9d1e-3f5c1f0d0a13"


class ConnectionsTests(servers.ServerTestCase):
    def setUp(self) -> None:
        super().setUp()
        self.cloud.add("/subnets", id=OTHER_SUBNET, network_id=compute.NET)

    def test_a_subnet_gets_a_port_that_is_made_once(self) -> None:
        given = {
            "networks": [{"subnet": compute.SUBNET, "fixed_ip": "1.1.1.1"}]
        }
        self.create(**given)
        desired = self.create(**given)

        ((port_id, port),) = self.cloud.collections["/ports"].rows.items()
        self.assertEqual([{"port": port_id}], desired["networks"])
        self.assertEqual(compute.NET, port["network_id"])
        self.assertEqual(
            [{"subnet_id": compute.SUBNET, "ip_address": "1.1.1.1"}],
            port["fixed_ips"],
        )
        self.assertIn(contexts.TOKEN, port["description"])

    def test_ports_of_a_server_that_is_refused_are_removed(self) -> None:
        self.cloud.refuse("POST", "/servers", 400)

        self.assertRaises(
            rest.CloudRefused,
            self.create,
            networks=[{"subnet": compute.SUBNET, "fixed_ip": "1.1.1.1"}],
        )

        self.assertEqual({}, self.cloud.collections["/ports"].rows)

    def test_a_port_that_no_network_needs_any_more_is_removed(self) -> None:
        other = self.cloud.add("/ports", network_id=compute.NET)
        context = self.existing(networks=[{"subnet": compute.SUBNET}])
        ports = self.cloud.collections["/ports"].rows
        (made,) = set(ports) - {other}

        after = self.begun(context, networks=[{"network": compute.OTHER_NET}])
        for _ in range(4):
            if self.plugin.is_updated(after) is None:
                break

        self.assertNotIn(made, ports)
        self.assertIn(other, ports)

    def release(self, desired: Json, **given: object) -> list[str]:
        """Release what a replacement needs; return the ports that are left.

        :param desired: properties of the replacement
        """
        context = dataclasses.replace(
            self.existing(**given), successor=desired
        )
        released = self.plugin.properties_to_release(
            context.properties, desired
        )
        self.assertRaises(errors.Busy, self.plugin.release, context, released)
        self.plugin.release(context, released)
        server = self.cloud.server(context.physical_id)
        return [each["port_id"] for each in server["interfaces"]]

    def test_a_replacement_gets_its_ports_and_addresses(self) -> None:
        port = self.cloud.add("/ports", network_id=compute.NET)
        ports = self.cloud.collections["/ports"].rows
        shared = {"port": port}
        own = {"subnet": compute.SUBNET, "fixed_ip": "1.1.1.1"}

        left = self.release(
            {"networks": [shared, own]},
            networks=[shared, {"network": compute.NET}, own],
        )

        self.assertEqual(1, len(left))
        self.assertNotIn(port, left)
        self.assertEqual({port}, set(ports) - set(left))

    def test_the_same_address_in_another_subnet_is_left(self) -> None:
        here, there = (
            {"subnet": subnet, "fixed_ip": "1.1.1.1"}
            for subnet in (compute.SUBNET, OTHER_SUBNET)
        )

        (left,) = self.release({"networks": [here]}, networks=[here, there])

        (fixed,) = self.cloud.collections["/ports"].rows[left]["fixed_ips"]
        self.assertEqual(OTHER_SUBNET, fixed["subnet_id"])

    def test_a_server_in_error_gives_the_ports_that_were_made_for_it(
        self,
    ) -> None:
        port = self.cloud.add("/ports", network_id=compute.NET)
        desired: Json = {
            "networks": [
                {"port": port},
                {"subnet": compute.SUBNET, "fixed_ip": "1.1.1.1"},
            ]
        }
        context = dataclasses.replace(
            self.existing(**desired), successor=desired
        )
        self.cloud.server(context.physical_id)["status"] = "ERROR"
        ports = self.cloud.collections["/ports"].rows
        self.assertEqual(2, len(ports))

        self.plugin.release(context, {"networks": []})

        self.assertEqual([port], list(ports))
        (removed,) = self.cloud.find_requests("DELETE")
        self.assertIn("/ports/", removed)

    def test_what_a_replacement_does_not_need_is_left(self) -> None:
        for before, after in (
            ([{"network": compute.NET}], [{"network": compute.NET}]),
            (None, [{"port": "p"}]),
            ([{"port": "p"}], None),
        ):
            self.assertEqual(
                {},
                self.plugin.properties_to_release(
                    {"networks": before}, {"networks": after}
                ),
            )

    def test_its_own_ports_go_with_it_and_no_others(self) -> None:
        other = self.cloud.add("/ports", network_id=compute.NET)
        heats = self.cloud.add("/ports", network_id=compute.NET)
        context = self.existing(networks=[{"subnet": compute.SUBNET}])
        context = dataclasses.replace(
            context, data={"internal_ports": json.dumps([{"id": heats}])}
        )

        self.plugin.delete(context)

        self.assertIsNone(self.plugin.is_deleted(context))
        self.assertEqual([other], list(self.cloud.collections["/ports"].rows))

    def test_another_subnet_or_address_is_another_port(self) -> None:
        for before, after in (
            ({"subnet": compute.SUBNET}, {"subnet": OTHER_SUBNET}),
            (
                {"subnet": compute.SUBNET, "fixed_ip": "1.1.1.1"},
                {"subnet": compute.SUBNET, "fixed_ip": "1.1.1.2"},
            ),
            (
                {"subnet": compute.SUBNET, **_extra("normal")},
                {"subnet": compute.SUBNET, **_extra("direct")},
            ),
            (
                {"subnet": compute.SUBNET, **_extra("direct")},
                {"subnet": compute.SUBNET},
            ),
        ):
            context = self.existing(networks=[before])
            (former,) = self.attached(context)
            context = self.brought(context, networks=[after])

            (port_id,) = self.attached(context)
            self.assertNotEqual(former, port_id)
            port = self.cloud.collections["/ports"].rows[port_id]
            (fixed,) = port["fixed_ips"]
            self.assertEqual(after["subnet"], fixed["subnet_id"])
            self.assertEqual(after.get("fixed_ip"), fixed.get("ip_address"))
            self.assertNotIn(former, self.cloud.collections["/ports"].rows)
            self.finish(context)

    def test_a_port_that_fits_a_closer_description_stays(self) -> None:
        for before, after in (
            (
                {"network": compute.NET},
                {"network": compute.NET, "subnet": compute.SUBNET},
            ),
            ({"network": compute.NET}, {"subnet": compute.SUBNET}),
            ({"subnet": compute.SUBNET}, {"network": compute.NET}),
        ):
            context = self.existing(networks=[before])
            (former,) = self.attached(context)
            interface = self.cloud.server(context.physical_id)["interfaces"][0]
            interface["fixed_ips"] = [{"subnet_id": compute.SUBNET}]

            context = self.brought(context, networks=[after])

            self.assertEqual([former], self.attached(context))
            self.assertIn(former, self.cloud.collections["/ports"].rows)
            self.finish(context)

    def test_two_networks_in_one_subnet_have_a_port_each(self) -> None:
        one = {"subnet": compute.SUBNET}
        context = self.existing(networks=[{"subnet": OTHER_SUBNET}, one])

        context = self.brought(context, networks=[one, one])

        self.assertEqual(2, len(set(self.attached(context))))
        self.assertEqual(2, len(self.cloud.collections["/ports"].rows))

    def attached(self, context: call_context.Context) -> list[str]:
        """Return the ids of the ports that a server has."""
        there = self.cloud.server(context.physical_id)["interfaces"]
        return [each["port_id"] for each in there]

    def brought(
        self, context: call_context.Context, **properties: object
    ) -> call_context.Context:
        """Change a server until that is complete."""
        after = self.begun(context, **properties)
        polls = (self.plugin.is_updated(after) for _ in range(9))
        self.assertIn(None, polls)
        return after

    def finish(self, context: call_context.Context) -> None:
        """Remove a server, with its ports."""
        self.plugin.delete(context)
        self.assertIsNone(self.plugin.is_deleted(context))


def _extra(vnic_type: str) -> dict[str, object]:
    return {"port_extra_properties": {"binding:vnic_type": vnic_type}}
