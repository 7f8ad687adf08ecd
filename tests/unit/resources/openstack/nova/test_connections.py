"""Ports that are made for servers: once, as long as they are used."""

import dataclasses
import json

from tests.unit.resources import contexts
from tests.unit.resources.openstack.nova import compute
from tests.unit.resources.openstack.nova import servers


class ConnectionsTests(servers.ServerTestCase):
    def test_a_subnet_gets_a_port_that_is_made_once(self) -> None:
        given = {
            "networks": [{"subnet": compute.SUBNET, "fixed_ip": "1.1.1.1"}]
        }
        self.create(**given)
        wanted = self.create(**given)

        ((port_id, port),) = self.cloud.collections["/ports"].rows.items()
        self.assertEqual([{"port": port_id}], wanted["networks"])
        self.assertEqual(compute.NET, port["network_id"])
        self.assertEqual(
            [{"subnet_id": compute.SUBNET, "ip_address": "1.1.1.1"}],
            port["fixed_ips"],
        )
        self.assertIn(contexts.TOKEN, port["description"])

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
