"""Addresses that templates change or no longer give, on real services."""

import typing

from tests.cloud import cases

Json = dict[str, typing.Any]

_ADDRESS: typing.Final = "10.21.0.50"


def _network(noun: str, **properties: object) -> Json:
    return {"type": f"OS::Neutron::{noun}", "properties": properties}


def _ref(name: str) -> Json:
    return {"get_resource": name}


class AddressTests(cases.RigTestCase):
    services = ("network", "compute")
    wait_s = 240

    def resources(self, **subnet: object) -> Json:
        return {
            "net": _network("Net"),
            "a": _network(
                "Subnet", network=_ref("net"), cidr="10.21.0.0/24", **subnet
            ),
            "b": _network("Subnet", network=_ref("net"), cidr="10.22.0.0/24"),
        }

    def port(self, **properties: object) -> Json:
        fixed = [{"subnet": _ref("a"), "ip_address": _ADDRESS}]
        return _network(
            "Port", network=_ref("net"), fixed_ips=fixed, **properties
        )

    def test_a_port_with_its_address_is_replaced(self) -> None:
        resources = self.resources()
        stack = self.made({**resources, "port": self.port()})
        before = self.physical_id(stack, "port")

        other = self.port(**{"binding:vnic_type": "direct"})
        self.here.ask(
            "PATCH",
            f"{stack.path}/resources/port",
            {"mark_unhealthy": True},
        )
        self.updated(stack, {**resources, "port": other})

        after = self.physical_id(stack, "port")
        self.assertNotEqual(before, after)
        (fixed,) = self.user.network.get_port(after).fixed_ips
        self.assertEqual(_ADDRESS, fixed["ip_address"])

    def test_what_a_subnet_is_not_given_any_more_is_taken_from_it(
        self,
    ) -> None:
        stack = self.made(
            self.resources(
                gateway_ip="10.21.0.9",
                allocation_pools=[
                    {"start": "10.21.0.40", "end": "10.21.0.60"}
                ],
            )
        )

        self.updated(stack, self.resources())

        found = self.user.network.get_subnet(self.physical_id(stack, "a"))
        self.assertIsNone(found.gateway_ip)
        self.assertNotIn(
            {"start": "10.21.0.40", "end": "10.21.0.60"},
            found.allocation_pools,
        )

    def test_a_server_goes_to_the_subnet_and_address_that_it_is_given(
        self,
    ) -> None:
        def server(**network: object) -> Json:
            return {
                **self.resources(),
                "server": {
                    "type": "OS::Nova::Server",
                    "depends_on": ["a", "b"],
                    "properties": {
                        "flavor": "m1.tiny",
                        "image": "cirros",
                        "networks": [network],
                    },
                },
            }

        stack = self.made(server(subnet=_ref("a")))
        server_id = self.physical_id(stack, "server")

        def ports() -> list[typing.Any]:
            return list(self.user.network.ports(device_id=server_id))

        (first,) = ports()
        self.updated(stack, server(network=_ref("net"), subnet=_ref("a")))
        self.assertEqual([first.id], [each.id for each in ports()])

        self.updated(stack, server(subnet=_ref("b")))
        (second,) = ports()
        self.assertEqual(
            [self.physical_id(stack, "b")],
            [each["subnet_id"] for each in second.fixed_ips],
        )

        self.updated(stack, server(subnet=_ref("b"), fixed_ip="10.22.0.77"))
        (third,) = ports()
        self.assertEqual(
            ["10.22.0.77"], [each["ip_address"] for each in third.fixed_ips]
        )

    def test_a_replaced_server_gives_port_and_address_to_the_next_one(
        self,
    ) -> None:
        def server(script: str, **more: object) -> Json:
            return {
                **self.resources(),
                "port": {
                    "type": "OS::Neutron::Port",
                    "properties": {
                        "network": _ref("net"),
                        "fixed_ips": [{"subnet": _ref("a")}],
                    },
                },
                "server": {
                    "type": "OS::Nova::Server",
                    "depends_on": "b",
                    "properties": {
                        "flavor": "m1.tiny",
                        "image": "cirros",
                        "networks": [
                            {"port": _ref("port")},
                            {"subnet": _ref("b"), "fixed_ip": "10.22.0.78"},
                        ],
                        "user_data_format": "RAW",
                        "user_data": script,
                        **more,
                    },
                },
            }

        stack = self.made(server("first"))
        port, former = (
            self.physical_id(stack, name) for name in ("port", "server")
        )

        self.updated(stack, server("second"))

        last = self.physical_id(stack, "server")
        self.assertNotEqual(former, last)
        self.assertIsNone(self.user.compute.find_server(former))
        nowhere = server("second", availability_zone="nowhere")
        self.here.ask(
            "PUT",
            stack.path,
            {"template": cases.template(nowhere), "disable_rollback": False},
        )
        self.here.wait(stack, "ROLLBACK_COMPLETE", timeout_s=self.wait_s)

        self.assertEqual(last, self.physical_id(stack, "server"))
        ports = list(self.user.network.ports(device_id=last))
        self.assertIn(port, [each.id for each in ports])
        self.assertIn(
            "10.22.0.78",
            [each.fixed_ips[0]["ip_address"] for each in ports],
        )
        self.assertEqual(2, len(ports))
