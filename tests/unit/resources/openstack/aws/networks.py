"""A fake of Neutron: routers with interfaces, and what blocks removals.

It answers as the reference of the networking API, version 2.0, has it.
"""

import re
import typing

from tests.unit.resources.openstack import clouds

Body = dict[str, typing.Any]

EXTERNAL: typing.Final = "6a9f0a58-0c5f-4c4c-9d1e-3f5c1f0e0001"
PROJECT: typing.Final = "demo"
"""Whose login requests have, unless a test names another."""
_INTERFACE: typing.Final = re.compile(
    r"^/routers/([^/]+)/(add|remove)_router_interface$"
)
_OWNER: typing.Final = "network:router_interface"


class Network(clouds.Cloud):
    """Networks, subnets, routers, ports and floating IP addresses.

    :ivar project_id: of the login that all requests have
    :ivar has_port_details: addresses show the port that they lead to
    """

    def __init__(self, project_id: str = PROJECT) -> None:
        super().__init__(
            **{
                f"{noun}s": clouds.Collection(noun, f"{noun}s")
                for noun in (
                    "network",
                    "subnet",
                    "router",
                    "port",
                    "floatingip",
                )
            }
        )
        self.project_id = project_id
        self.has_port_details = True
        self.collections["/networks"].defaults["status"] = "ACTIVE"
        self.collections["/routers"].defaults["status"] = "ACTIVE"
        self.collections["/floatingips"].defaults.update(
            port_id=None, floating_ip_address="203.0.113.7"
        )
        self.add(
            "/networks",
            id=EXTERNAL,
            name="public",
            **{"router:external": True},
        )

    def rows(self, noun: str) -> dict[str, Body]:
        """Return what there is of a kind, by id."""
        return self.collections[f"/{noun}s"].rows

    def connected(self) -> list[tuple[str, str]]:
        """Return the router and the subnet of each interface."""
        return sorted(
            (each["device_id"], each["fixed_ips"][0]["subnet_id"])
            for each in self.rows("port").values()
            if each.get("device_owner") == _OWNER
        )

    def gateway(self, router_id: str) -> str | None:
        """Return where a router leads to."""
        info = self.rows("router")[router_id].get("external_gateway_info")
        return (info or {}).get("network_id")

    def find_answer(
        self, method: str, path: str, body: object
    ) -> clouds.Answer:
        bare = path.partition("?")[0]
        if self.has_port_details:
            for each in list(self.rows("floatingip").values()):
                port = self.rows("port").get(each["port_id"])
                each["port_details"] = port and {
                    "device_id": port.get("device_id", "")
                }
        found = _INTERFACE.match(bare)
        if found is not None and (method, bare) not in self.refusals:
            desired = typing.cast(Body, body)["subnet_id"]
            return self._change_interface(found[2], found[1], desired)
        if method == "DELETE" and (reason := self._find_use(bare)):
            return 409, {"NeutronError": {"message": reason}}
        return super().find_answer(method, path, body)

    def _make(
        self, kept: clouds.Collection, body: typing.Any
    ) -> clouds.Answer:
        body[kept.key].setdefault("project_id", self.project_id)
        return super()._make(kept, body)

    def _change_interface(
        self, what: str, router: str, subnet: str
    ) -> clouds.Answer:
        there = [
            port_id
            for port_id, each in self.rows("port").items()
            if each.get("device_owner") == _OWNER
            and each["fixed_ips"][0]["subnet_id"] == subnet
            and (what == "add" or each["device_id"] == router)
        ]
        if what == "add":
            if there:
                message = "the address of the gateway is in use"
                return 409, {"NeutronError": {"message": message}}
            self.add(
                "/ports",
                device_id=router,
                device_owner=_OWNER,
                network_id=self.rows("subnet")[subnet]["network_id"],
                fixed_ips=[{"subnet_id": subnet}],
            )
        elif not there:
            return 404, {"NeutronError": {"message": "no interface"}}
        for port_id in there:
            del self.rows("port")[port_id]
        return 200, {"subnet_id": subnet}

    def _find_use(self, path: str) -> str:
        """Return why something cannot be removed; empty if it can."""
        _, noun, identifier = path.split("/", 2)
        pairs = self.connected()
        if noun == "routers" and identifier in [router for router, _ in pairs]:
            return "the router has interfaces"
        if noun == "subnets" and identifier in [subnet for _, subnet in pairs]:
            return "the subnet has ports"
        if noun == "networks" and identifier in [
            each["network_id"] for each in self.rows("subnet").values()
        ]:
            return "the network has subnets"
        return ""
