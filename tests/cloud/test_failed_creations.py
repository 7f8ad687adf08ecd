"""What failed creations have left in a cloud: kept, or replaced."""

import typing

from tests.cloud import cases
from tests.cloud import test_neutron
from tests.cloud import test_server
from tests.cloud import test_server_trouble
from tests.cloud import test_volume
from tests.support import rest
from tests.support import waiting

Json = dict[str, typing.Any]

_NOWHERE: typing.Final = {"volume_backend_name": "none"}
"""What no back end of the cloud has: the scheduler finds no place."""


class ServerTests(test_server_trouble.TroubleTestCase):
    def test_r2_a_server_that_needed_longer_is_kept(self) -> None:
        stack = self.here.create(self.name, cases.template(test_server.site()))
        self.addCleanup(self.removed, stack)
        server_id = waiting.wait_for(
            lambda: self.found_id(stack), "the server has an id", limit_s=120
        )
        self.proxy.cut()
        self.wait_until_blocked(stack)
        self.act_failing(stack)
        waiting.wait_for(
            lambda: self.user.compute.get_server(server_id).status == "ACTIVE",
            "the server is built",
            limit_s=120,
        )
        self.proxy.restore()

        self.here.ask("POST", f"{stack.path}/actions", {"retry": {}})
        self.here.wait(stack, "CREATE_COMPLETE", timeout_s=self.wait_s)

        self.assertEqual(server_id, self.physical_id(stack, "server"))
        self.assertEqual(
            [server_id], [each.id for each in self.user.compute.servers()]
        )

    def found_id(self, stack: rest.Stack) -> str:
        row = self.here.resources(stack).get("server", {})
        return str(row.get("physical_resource_id") or "")

    def act_failing(self, stack: rest.Stack) -> None:
        """Cancel the creation, as if its time were over."""
        self.here.ask(
            "POST",
            f"{stack.path}/actions",
            {"cancel_without_rollback": None},
        )
        self.here.wait(stack, "CREATE_FAILED", timeout_s=self.wait_s)


class VolumeTests(cases.RigTestCase):
    services = ("block-storage",)
    limit_s = 300

    def test_r2_a_volume_in_error_is_replaced_and_a_repaired_one_kept(
        self,
    ) -> None:
        kind = self.admin.block_storage.create_type(
            name=self.name, extra_specs=dict(_NOWHERE)
        )
        self.addCleanup(self.admin.block_storage.delete_type, kind)
        stack = self.made(
            {"disk": test_volume.volume(volume_type=kind.name)},
            status="CREATE_FAILED",
        )
        first = self.physical_id(stack, "disk")

        self.here.ask("POST", f"{stack.path}/actions", {"retry": {}})
        self.here.wait(stack, "CREATE_FAILED", timeout_s=self.wait_s)

        second = self.physical_id(stack, "disk")
        self.assertNotEqual(first, second)
        self.assertIsNone(self.user.block_storage.find_volume(first))
        self.admin.block_storage.reset_volume_status(second, "available")

        self.here.ask("POST", f"{stack.path}/actions", {"retry": {}})
        self.here.wait(stack, "CREATE_COMPLETE", timeout_s=self.wait_s)

        self.assertEqual(second, self.physical_id(stack, "disk"))


class PortTests(cases.RigTestCase):
    services = ("network",)
    limit_s = 300

    def test_r2_a_port_frees_its_address_before_the_next_one(self) -> None:
        resources = {
            "net": test_neutron.kind("Net"),
            "subnet": test_neutron.kind(
                "Subnet",
                network=test_neutron.reference_to("net"),
                cidr="10.7.0.0/24",
            ),
            "port": test_neutron.kind(
                "Port",
                network=test_neutron.reference_to("net"),
                fixed_ips=[
                    {
                        "subnet": test_neutron.reference_to("subnet"),
                        "ip_address": "10.7.0.77",
                    }
                ],
                # Neutron refuses it once the port is there.
                tags=["x" * 300],
            ),
        }
        stack = self.made(resources, status="CREATE_FAILED")
        first = self.physical_id(stack, "port")

        self.here.ask(
            "POST", f"{stack.path}/actions", {"retry": {"replace": ["port"]}}
        )
        self.here.wait(stack, "CREATE_FAILED", timeout_s=self.wait_s)

        second = self.physical_id(stack, "port")
        self.assertNotEqual(first, second)
        self.assertIsNone(self.user.network.find_port(first))
        port = self.user.network.get_port(second)
        self.assertEqual("10.7.0.77", port.fixed_ips[0]["ip_address"])

        resources["port"]["properties"]["tags"] = ["web"]
        self.updated(stack, resources)

        self.assertEqual(second, self.physical_id(stack, "port"))
        self.assertEqual(["web"], self.user.network.get_port(second).tags)
