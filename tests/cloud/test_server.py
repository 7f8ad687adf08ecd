"""Servers, made, changed and removed on a real control plane."""

import typing

from tests.cloud import cases
from tests.cloud import short_set

Json = dict[str, typing.Any]


def site(**server: object) -> Json:
    """Return the resources of a server in a network of its own."""
    return {
        "net": {"type": "OS::Neutron::Net"},
        "subnet": {
            "type": "OS::Neutron::Subnet",
            "properties": {
                "network": {"get_resource": "net"},
                "cidr": "10.9.0.0/24",
            },
        },
        "server": {
            "type": "OS::Nova::Server",
            "properties": {
                "flavor": "m1.tiny",
                "image": "cirros",
                "user_data_format": "RAW",
                "networks": [{"network": {"get_resource": "net"}}],
                "metadata": {"role": "web"},
                "tags": ["blue"],
                **server,
            },
        },
    }


OUTPUTS = {
    "first": {"value": {"get_attr": ["server", "first_address"]}},
    "networks": {"value": {"get_attr": ["server", "networks"]}},
    "addresses": {"value": {"get_attr": ["server", "addresses"]}},
    "name": {"value": {"get_attr": ["server", "name"]}},
    "consoles": {"value": {"get_attr": ["server", "console_urls"]}},
    "show": {"value": {"get_attr": ["server", "show"]}},
}


class ServerTests(cases.RigTestCase):
    services = ("compute", "network", "image")
    limit_s = 500
    wait_s = 200

    def server(self, server_id: str) -> Json:
        return dict(self.user.compute.get_server(server_id).to_dict())

    def writes(self, server_id: str) -> list[str]:
        """Return what the server was asked for so far, the oldest first."""
        found = self.user.compute.server_actions(server_id)
        return [str(each.action) for each in found][::-1]

    @short_set.case_of("OS::Nova::Server")
    def test_it_is_made_changed_in_place_and_removed(self) -> None:
        stack = self.made(site(), outputs=OUTPUTS)

        server_id = self.physical_id(stack, "server")
        server = self.server(server_id)
        self.assertEqual("ACTIVE", server["status"])
        self.assertEqual("web", server["metadata"]["role"])
        self.assertEqual(["blue"], server["tags"])
        told = self.here.outputs(stack)
        self.assertEqual(server["name"], told["name"])
        net_id = self.physical_id(stack, "net")
        self.assertEqual([told["first"]], told["networks"][net_id])
        self.assertTrue(told["addresses"][net_id][0]["port"])
        self.assertEqual(server_id, told["show"]["id"])
        # Each kind has a text, be it that the cloud has no such console.
        self.assertIn("novnc", told["consoles"])
        self.assertTrue(all(told["consoles"].values()))

        changed = site(
            name="another",
            flavor="m1.small",
            metadata={"role": "db", "rack": 7},
            tags=["red", "green"],
        )
        self.updated(stack, changed, outputs=OUTPUTS)

        self.assertEqual(server_id, self.physical_id(stack, "server"))
        server = self.server(server_id)
        self.assertEqual("ACTIVE", server["status"])
        self.assertEqual("another", server["name"])
        self.assertEqual(
            {"role": "db", "rack": "7"},
            {
                key: value
                for key, value in server["metadata"].items()
                if key != "orch:token"
            },
        )
        self.assertEqual(["green", "red"], sorted(server["tags"]))
        self.assertEqual(
            ["create", "resize", "confirmResize"], self.writes(server_id)
        )
        self.removed(stack)
        self.assertIsNone(self.user.compute.find_server(server_id))

    def test_it_rests_wakes_and_is_checked(self) -> None:
        stack = self.made(site())
        server_id = self.physical_id(stack, "server")

        self.act(stack, "suspend")
        self.assertEqual("SUSPENDED", self.server(server_id)["status"])
        self.act(stack, "resume")
        self.act(stack, "check")
        self.assertEqual("ACTIVE", self.server(server_id)["status"])

        self.openstack("server", "stop", server_id)
        self.user.compute.wait_for_server(
            self.user.compute.get_server(server_id), "SHUTOFF", wait=60
        )
        self.act(stack, "check", status="FAILED")

        shown = self.here.resources(stack)["server"]
        self.assertIn("SHUTOFF", str(shown["resource_status_reason"]))

    def test_it_moves_between_networks_and_has_ports_of_its_own(self) -> None:
        resources = site(
            networks=[
                {
                    "subnet": {"get_resource": "subnet"},
                    "fixed_ip": "10.9.0.77",
                }
            ]
        )
        stack = self.made(resources)
        server_id = self.physical_id(stack, "server")
        (own,) = self.user.network.ports(device_id=server_id)
        self.assertEqual("10.9.0.77", own.fixed_ips[0]["ip_address"])

        resources["port"] = {
            "type": "OS::Neutron::Port",
            "properties": {"network": {"get_resource": "net"}},
        }
        resources["server"]["properties"]["networks"] = [
            {"port": {"get_resource": "port"}}
        ]
        resources["port"]["depends_on"] = "subnet"
        self.updated(stack, resources)

        self.assertEqual(server_id, self.physical_id(stack, "server"))
        (port,) = self.user.network.ports(device_id=server_id)
        self.assertEqual(self.physical_id(stack, "port"), port.id)
        self.assertIsNone(self.user.network.find_port(own.id))

    def test_a_snapshot_is_gone_back_to(self) -> None:
        stack = self.made(site())
        server_id = self.physical_id(stack, "server")
        before = self.server(server_id)["image"]["id"]

        self.here.ask("POST", f"{stack.path}/snapshots", {"name": "first"})
        self.here.wait(stack, "SNAPSHOT_COMPLETE", timeout_s=self.wait_s)
        (kept,) = self.here.get(f"{stack.path}/snapshots", "snapshots")
        path = f"{stack.path}/snapshots/{kept['id']}"
        self.here.ask("POST", f"{path}/restore")
        self.here.wait(stack, "RESTORE_COMPLETE", timeout_s=self.wait_s)

        self.assertEqual(server_id, self.physical_id(stack, "server"))
        after = self.server(server_id)["image"]["id"]
        self.assertNotEqual(before, after)
        image = self.user.image.get_image(after)
        self.assertTrue(image.name.endswith(str(kept["id"])), image.name)
        self.removed(stack)
        self.assertIsNone(self.user.image.find_image(after))
