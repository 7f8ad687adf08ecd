"""A small Nova in this process: servers that do what they are asked at once.

What an action leaves a server in is set by a test, where it matters.
"""

import re
import typing
import urllib.parse

from tests.unit.resources.openstack import clouds

Body = dict[str, typing.Any]

NET: typing.Final = "6a9f0a58-0c5f-4c4c-9d1e-3f5c1f0d0a01"
OTHER_NET: typing.Final = "6a9f0a58-0c5f-4c4c-9d1e-3f5c1f0d0a02"
SUBNET: typing.Final = "6a9f0a58-0c5f-4c4c-9d1e-3f5c1f0d0a03"
IMAGE: typing.Final = "6a9f0a58-0c5f-4c4c-9d1e-3f5c1f0d0a04"
OTHER_IMAGE: typing.Final = "6a9f0a58-0c5f-4c4c-9d1e-3f5c1f0d0a05"

_PART: typing.Final = re.compile(r"^/servers/([^/]+)/(.+)$")


class Compute(clouds.Cloud):
    """Servers, and the networks, ports and images that they need.

    :ivar status: of servers that are made from now on
    :ivar actions: what servers were asked for, each with its body
    :ivar left_in: action to the state that it leaves a server in
    """

    def __init__(self) -> None:
        super().__init__(
            servers=clouds.Collection("server", "servers"),
            ports=clouds.Collection("port", "ports"),
            floatingips=clouds.Collection("floatingip", "floatingips"),
            subnets=clouds.Collection("subnet", "subnets"),
            images=clouds.Collection("", "images"),
        )
        self.status = "ACTIVE"
        self.actions: list[tuple[str, typing.Any]] = []
        self.newest = "create"
        self.left_in: dict[str, str] = {}
        self.add("/subnets", id=SUBNET, network_id=NET)
        flavors = [
            {"id": "1", "name": "small"},
            {"id": "2", "name": "large"},
        ]
        for each in flavors:
            self.answers["GET", f"/flavors/{each['id']}"] = (
                200,
                {"flavor": each},
            )
        self.answers["GET", "/flavors"] = 200, {"flavors": flavors}

    def server(self, server_id: str | None) -> Body:
        """Return a server as it is kept."""
        return self.collections["/servers"].rows[str(server_id)]

    def find_answer(
        self, method: str, path: str, body: object
    ) -> clouds.Answer:
        bare, _, query = path.partition("?")
        if refused := self.refusals.get((method, bare)):
            return refused.pop(0)
        if bare == "/servers/detail":
            asked = urllib.parse.parse_qs(query)
            return self._list(self.collections["/servers"], asked)
        found = _PART.match(bare)
        if found is not None:
            return self._part(method, found[1], found[2], body)
        if (method, bare) == ("POST", "/servers"):
            return self._boot(typing.cast(Body, body))
        status, answer = super().find_answer(method, path, body)
        if isinstance(answer, dict) and list(answer) == [""]:
            # An image stands in its answer without a key around it.
            answer = answer[""]
        return status, answer

    def _boot(self, body: Body) -> clouds.Answer:
        desired = body["server"]
        server_id = self.add(
            "/servers",
            **{
                **desired,
                "status": self.status,
                "flavor": {"id": desired["flavorRef"]},
                "image": {"id": desired.get("imageRef")},
                "tags": [],
                "addresses": {},
                "security_groups": [{"name": "default"}],
                "interfaces": self._interfaces(desired),
            },
        )
        return 202, {"server": {"id": server_id}}

    def _interfaces(self, desired: Body) -> list[Body]:
        networks = desired.get("networks", [])
        listed = networks if isinstance(networks, list) else []
        return [self._interface(each) for each in listed]

    def _interface(self, nic: Body) -> Body:
        port_id = nic.get("port") or nic.get("port_id")
        if port_id:
            port = self.collections["/ports"].rows[port_id]
            fixed = port.get("fixed_ips", [])
            return {
                "port_id": port_id,
                "net_id": port["network_id"],
                "fixed_ips": fixed,
            }
        net = nic.get("uuid") or nic["net_id"]
        made = self.add("/ports", network_id=net)
        return {"port_id": made, "net_id": net, "fixed_ips": []}

    def _part(
        self, method: str, server_id: str, part: str, body: typing.Any
    ) -> clouds.Answer:
        server = self.collections["/servers"].rows.get(server_id)
        if server is None:
            return 404, {"itemNotFound": {"message": "no server"}}
        if part == "action":
            return self._act(server, body)
        if part == "os-instance-actions":
            return 200, {"instanceActions": [{"action": self.newest}]}
        if part == "os-interface" and method == "POST":
            made = self._interface(body["interfaceAttachment"])
            server["interfaces"].append(made)
            return 200, {"interfaceAttachment": made}
        if part == "os-interface":
            return 200, {"interfaceAttachments": server["interfaces"]}
        if part.startswith("os-interface/"):
            port_id = part.rpartition("/")[2]
            server["interfaces"] = [
                each
                for each in server["interfaces"]
                if each["port_id"] != port_id
            ]
            return 202, None
        if part == "tags":
            server["tags"] = body["tags"]
            return 200, {"tags": body["tags"]}
        if part == "metadata" and method == "PUT":
            server["metadata"] = body["metadata"]
            return 200, {"metadata": server["metadata"]}
        if part == "metadata":
            server["metadata"].update(body["metadata"])
            return 200, {"metadata": server["metadata"]}
        if part.startswith("metadata/"):
            key = urllib.parse.unquote(part.rpartition("/")[2])
            server["metadata"].pop(key)
            return 204, None
        return 404, {"itemNotFound": {"message": part}}

    def _act(self, server: Body, body: Body) -> clouds.Answer:
        ((action, desired),) = body.items()
        self.actions.append((action, desired))
        self.newest = action
        if action in self.left_in:
            server["status"] = self.left_in[action]
        if action == "resize" and self.left_in.get(action) != "ACTIVE":
            server["flavor"] = {"id": desired["flavorRef"]}
        if action == "rebuild":
            server["image"] = {"id": desired["imageRef"]}
        if action == "createImage":
            image_id = self.add("/images", name=desired["name"])
            self.collections["/images"].rows[image_id]["status"] = "queued"
            return 202, {"image_id": image_id}
        return 202, None
