"""The types of Neutron on a real control plane."""

import json
import typing

from tests.cloud import cases
from tests.cloud import short_set
from tests.support import waiting

Json = dict[str, typing.Any]

_RULES: Json = {
    "rules": [
        {"protocol": "tcp", "port_range_min": 22, "port_range_max": 22},
        {"protocol": "icmp"},
        {"remote_mode": "remote_group_id"},
    ]
}


def kind(name: str, **properties: object) -> Json:
    """Return a resource of a type of Neutron."""
    return {"type": f"OS::Neutron::{name}", "properties": properties}


def reference_to(name: str) -> Json:
    """Return a reference."""
    return {"get_resource": name}


def site() -> Json:
    """Return a network with all that makes it reachable.

    Nothing in it says that the port needs the subnet, nor that the floating
    address needs the interface of the router.
    """
    return {
        "net": kind("Net", tags=["blue", "red"]),
        "subnet": kind(
            "Subnet",
            network=reference_to("net"),
            cidr="10.7.0.0/24",
            dns_nameservers=["192.0.2.1"],
            host_routes=[
                {"destination": "10.9.0.0/16", "nexthop": "10.7.0.9"}
            ],
        ),
        "group": kind("SecurityGroup", description="ssh", **_RULES),
        "rule": {
            **kind(
                "SecurityGroupRule",
                security_group=reference_to("other_group"),
                protocol="udp",
                port_range_min=53,
                port_range_max=53,
                remote_ip_prefix="10.0.0.0/8",
            )
        },
        "other_group": kind("SecurityGroup"),
        "port": kind(
            "Port",
            network=reference_to("net"),
            security_groups=[reference_to("group")],
            fixed_ips=[{"subnet": reference_to("subnet")}],
            tags=["web"],
        ),
        "router": kind("Router", external_gateway_info={"network": "public"}),
        "interface": kind(
            "RouterInterface",
            router=reference_to("router"),
            subnet=reference_to("subnet"),
        ),
        "routes": kind(
            "ExtraRouteSet",
            router=reference_to("router"),
            routes=[{"destination": "10.8.0.0/16", "nexthop": "10.7.0.8"}],
        ),
        "address": kind(
            "FloatingIP",
            floating_network="public",
            port_id=reference_to("port"),
        ),
    }


class NeutronTest(cases.RigTestCase):
    limit_s = 420
    services = ("network",)

    @short_set.case_of(
        "OS::Neutron::ExtraRouteSet",
        "OS::Neutron::FloatingIP",
        "OS::Neutron::Net",
        "OS::Neutron::Port",
        "OS::Neutron::Router",
        "OS::Neutron::RouterInterface",
        "OS::Neutron::SecurityGroup",
        "OS::Neutron::SecurityGroupRule",
        "OS::Neutron::Subnet",
    )
    def test_a_site_is_made_checked_and_removed(self) -> None:
        stack = self.made(
            site(),
            outputs={
                "ip": {"value": {"get_attr": ["port", "fixed_ips"]}},
                "cidr": {
                    "value": {"get_attr": ["port", "subnets", 0, "cidr"]}
                },
                "net": {"value": {"get_attr": ["port", "network", "id"]}},
            },
        )

        port = self.shown("port", "show", self.physical_id(stack, "port"))
        self.assertEqual(["web"], port["tags"])
        self.assertEqual(
            [self.physical_id(stack, "group")], port["security_group_ids"]
        )
        address = self.shown(
            "floating", "ip", "show", self.physical_id(stack, "address")
        )
        self.assertEqual(port["id"], address["port_id"])
        router = self.shown(
            "router", "show", self.physical_id(stack, "router")
        )
        self.assertIn("10.8.0.0/16", str(router["routes"]))
        self.assertEqual(3 + 2, len(self.rules_of(stack, "group")))
        shown = {
            each["output_key"]: each["output_value"]
            for each in self.here.show(stack)["outputs"]
        }
        self.assertEqual("10.7.0.0/24", shown["cidr"])
        self.assertEqual(self.physical_id(stack, "net"), shown["net"])
        self.act(stack, "check")
        ids = {name: self.physical_id(stack, name) for name in site()}
        self.removed(stack)
        for name in ("net", "router", "group", "address"):
            self.assertIsNone(self.find(name, ids[name]))

    @short_set.case_of("OS::Neutron::FloatingIPAssociation")
    def test_an_association_leads_an_address_to_another_port(self) -> None:
        wanted = site()
        del wanted["address"]["properties"]["port_id"]
        wanted["second"] = kind(
            "Port",
            network=reference_to("net"),
            fixed_ips=[{"subnet": reference_to("subnet")}],
        )
        wanted["link"] = kind(
            "FloatingIPAssociation",
            floatingip_id=reference_to("address"),
            port_id=reference_to("port"),
        )
        stack = self.made(wanted)
        address = self.physical_id(stack, "address")

        def target() -> object:
            shown = self.user.network.get(f"/floatingips/{address}").json()
            return shown["floatingip"]["port_id"]

        self.assertEqual(self.physical_id(stack, "port"), target())
        wanted["link"]["properties"]["port_id"] = reference_to("second")
        self.updated(stack, wanted)
        self.assertEqual(self.physical_id(stack, "second"), target())
        self.act(stack, "check")
        del wanted["link"]
        self.updated(stack, wanted)
        self.assertIsNone(target())

    def test_changes_are_made_in_place_where_neutron_can(self) -> None:
        wanted = site()
        stack = self.made(wanted)
        before = {name: self.physical_id(stack, name) for name in wanted}
        wanted["net"]["properties"] |= {"tags": ["green"], "name": "blue"}
        wanted["subnet"]["properties"] |= {
            "enable_dhcp": False,
            "dns_nameservers": ["192.0.2.2"],
        }
        wanted["group"]["properties"]["rules"] = [
            {"protocol": "tcp", "port_range_min": 80, "port_range_max": 80}
        ]
        wanted["routes"]["properties"]["routes"] = [
            {"destination": "10.6.0.0/16", "nexthop": "10.7.0.6"}
        ]
        wanted["router"]["properties"]["admin_state_up"] = False
        wanted["rule"]["properties"]["port_range_max"] = 54
        del wanted["address"]["properties"]["port_id"]

        self.updated(stack, wanted)

        after = {name: self.physical_id(stack, name) for name in wanted}
        self.assertEqual(
            ["rule"], [name for name in wanted if after[name] != before[name]]
        )
        net = self.shown("network", "show", after["net"])
        self.assertEqual((["green"], "blue"), (net["tags"], net["name"]))
        subnet = self.shown("subnet", "show", after["subnet"])
        self.assertFalse(subnet["enable_dhcp"])
        self.assertEqual(["192.0.2.2"], subnet["dns_nameservers"])
        self.assertEqual(1 + 2, len(self.rules_of(stack, "group")))
        router = self.shown("router", "show", after["router"])
        self.assertIn("10.6.0.0/16", str(router["routes"]))
        self.assertNotIn("10.8.0.0/16", str(router["routes"]))
        address = self.shown("floating", "ip", "show", after["address"])
        self.assertIsNone(address["port_id"])

    def test_what_a_killed_worker_made_is_made_once(self) -> None:
        names = [f"net-{n}" for n in range(12)]
        stack = self.here.create(
            self.name,
            cases.template({name: kind("Net") for name in names}),
        )
        self.addCleanup(self.removed, stack)
        waiting.wait_for(lambda: len(self.nets()) > 1, "some networks")
        self.system.server.kill()
        self.system.start()

        self.here.wait(stack, "CREATE_COMPLETE", timeout_s=90)

        self.assertEqual(len(names), len(self.nets()))
        self.assertEqual(
            {str(each.id) for each in self.nets()},
            {self.physical_id(stack, name) for name in names},
        )

    def nets(self) -> list[typing.Any]:
        """Return the networks that are named after the stack."""
        return [
            each
            for each in self.user.network.networks()
            if str(each.name).startswith(f"{self.name}-")
        ]

    def test_what_is_abandoned_is_adopted_as_it_stands(self) -> None:
        wanted = {
            name: value
            for name, value in site().items()
            if name
            in ("net", "subnet", "port", "group", "router", "interface")
        }
        stack = self.made(wanted)
        ids = {name: self.physical_id(stack, name) for name in wanted}
        left = self.here.ask("DELETE", f"{stack.path}/abandon")

        adopted = self.here.create(
            f"{self.name}-again",
            cases.template(wanted),
            adopt_stack_data=json.dumps(left),
        )
        self.addCleanup(self.removed, adopted)
        self.here.wait(adopted, "ADOPT_COMPLETE", timeout_s=90)

        self.assertEqual(
            ids, {name: self.physical_id(adopted, name) for name in wanted}
        )
        self.act(adopted, "check")

    def test_a_quota_that_is_raised_lets_the_stack_go_on(self) -> None:
        project = str(self.user.current_project_id)
        self.set_quota(project, 0)
        self.addCleanup(self.set_quota, project, -1)
        wanted = kind("FloatingIP", floating_network="public")
        stack = self.here.create(
            self.name,
            cases.template({f"address-{n}": wanted for n in range(2)}),
        )
        self.addCleanup(self.removed, stack)

        def is_blocked() -> bool:
            reasons = [
                str(each["resource_status_reason"])
                for each in self.here.events(stack)
            ]
            return any("uota exceeded" in each for each in reasons)

        waiting.wait_for(is_blocked, "the quota is told", limit_s=60)
        self.set_quota(project, -1)

        self.here.wait(stack, "CREATE_COMPLETE", timeout_s=150)

    def set_quota(self, project: str, addresses: int) -> None:
        """Let a project have so many addresses; -1 for any number."""
        self.admin.network.put(
            f"/quotas/{project}", json={"quota": {"floatingip": addresses}}
        )

    def rules_of(self, stack: typing.Any, name: str) -> list[Json]:
        """Return the rules of a security group, as Neutron has them."""
        found = self.user.network.get(
            f"/security-groups/{self.physical_id(stack, name)}"
        ).json()
        rules = found["security_group"]["security_group_rules"]
        return typing.cast("list[Json]", rules)

    def find(self, name: str, identifier: str) -> object:
        """Return a thing of Neutron; ``None`` where it is gone."""
        network = self.user.network
        found = {
            "net": network.find_network,
            "router": network.find_router,
            "group": network.find_security_group,
            "address": network.find_ip,
        }[name]
        return found(identifier, ignore_missing=True)
