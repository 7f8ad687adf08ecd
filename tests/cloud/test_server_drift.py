"""Drift of servers and volumes: somebody changes them by the usual client."""

from tests.cloud import drifting
from tests.cloud import test_server
from tests.cloud import test_volume
from tests.support import waiting


class ServerDriftTests(drifting.DriftTestCase):
    services = ("compute", "network", "image", "block-storage")
    limit_s = 500
    wait_s = 200

    def test_d2_a_servers_metadata_and_a_lost_server_are_named_and_put_back(
        self,
    ) -> None:
        wanted = test_server.site()
        wanted["other"] = wanted["server"]
        wanted["disk"] = test_volume.volume(metadata={"a": "1"})
        stack = self.made(wanted)
        kept, lost = (
            self.physical_id(stack, name) for name in ("server", "other")
        )
        disk = self.physical_id(stack, "disk")
        clean = self.observe(stack)
        self.assertEqual({}, self.drifted(clean), clean)
        self.assertEqual("in_sync", clean["state"], clean)
        self.assertEqual([], self.plan(stack, wanted))
        log = drifting.Log("nova-api")
        self.updated(stack, wanted, converge=True)
        self.assertEqual([], log.writes(kept, lost))

        self.openstack(
            *("server", "set", "--property", "role=evil"),
            *("--property", "extra=1", kept),
        )
        self.openstack("server", "delete", "--wait", lost)
        self.openstack("volume", "set", "--size", "2", disk)

        self.assertEqual(
            {"server": ["metadata"], "other": None, "disk": ["size"]},
            self.drifted(self.observe(stack)),
        )
        self.openstack("volume", "delete", disk)
        log = drifting.Log("nova-api")
        self.updated(stack, wanted, converge=True)

        self.assertEqual(kept, self.physical_id(stack, "server"))
        self.assertEqual(
            [
                f"POST /v2.1/servers/{kept}/metadata",
                f"DELETE /v2.1/servers/{kept}/metadata/extra",
                # So that what was made for it goes, too.
                f"DELETE /v2.1/servers/{lost}",
            ],
            sorted(log.writes(kept, lost), key=lambda each: lost in each),
        )
        held = self.user.compute.get_server(kept).metadata
        self.assertEqual({"role", "orch:token"}, set(held))
        self.assertEqual("web", held["role"])
        for name, old in (("other", lost), ("disk", disk)):
            self.assertNotEqual(old, self.physical_id(stack, name))
        self.assertEqual({}, self.drifted(self.observe(stack)))

    def test_d4_the_ports_of_a_lost_server_go_before_it_is_made_anew(
        self,
    ) -> None:
        address = "10.9.0.77"
        wanted = test_server.site(
            networks=[
                {"subnet": {"get_resource": "subnet"}, "fixed_ip": address}
            ]
        )
        stack = self.made(wanted)
        lost = self.physical_id(stack, "server")
        net_id = self.physical_id(stack, "net")
        (port,) = self.user.network.ports(device_id=lost)

        self.openstack("server", "delete", "--wait", lost)
        self.assertEqual(port.id, self.user.network.get_port(port.id).id)
        self.updated(stack, wanted, converge=True)

        server_id = self.physical_id(stack, "server")
        self.assertNotEqual(lost, server_id)
        self.assertIsNone(self.user.network.find_port(port.id))
        (made,) = self.user.network.ports(device_id=server_id)
        self.assertEqual(
            (net_id, address),
            (made.network_id, made.fixed_ips[0]["ip_address"]),
        )

    def test_d1_another_size_tags_and_interface_are_put_back_in_place(
        self,
    ) -> None:
        wanted = test_server.site()
        stack = self.made(wanted)
        server_id = self.physical_id(stack, "server")
        (port,) = self.user.network.ports(device_id=server_id)
        self.openstack("server", "resize", "--flavor", "m1.small", server_id)
        self.user.compute.wait_for_server(
            self.user.compute.get_server(server_id), "VERIFY_RESIZE", wait=60
        )
        self.openstack("server", "resize", "confirm", server_id)
        self.user.compute.wait_for_server(
            self.user.compute.get_server(server_id), "ACTIVE", wait=60
        )
        self.openstack("server", "set", "--tag", "red", server_id)
        self.openstack("server", "remove", "port", server_id, port.id)
        self.wait_for_ports(server_id, 0)

        self.assertEqual(
            {"server": ["flavor", "networks", "tags"]},
            self.drifted(self.observe(stack)),
        )
        self.updated(stack, wanted, converge=True)

        self.assertEqual(server_id, self.physical_id(stack, "server"))
        server = self.user.compute.get_server(server_id)
        self.assertEqual("m1.tiny", server.flavor.original_name)
        self.assertEqual(["blue"], server.tags)
        (again,) = self.user.network.ports(device_id=server_id)
        self.assertEqual(self.physical_id(stack, "net"), again.network_id)

    def wait_for_ports(self, server_id: str, count: int) -> None:
        waiting.wait_for(
            lambda: (
                len(list(self.user.network.ports(device_id=server_id)))
                == count
            ),
            "the ports",
            limit_s=60,
        )
