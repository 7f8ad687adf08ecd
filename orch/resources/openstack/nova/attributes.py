"""The attributes, states and live properties of a server."""

import collections.abc
import typing

from orch import errors
from orch.clients import ports as ports_
from orch.clients import rest
from orch.plugin import call_context
from orch.plugin import reality
from orch.resources.openstack import errors as errors_
from orch.resources.openstack import tokens
from orch.resources.openstack.nova import calls
from orch.resources.openstack.nova import networks

Values = collections.abc.Mapping[str, object]


def live_properties(body: calls.Body, given: Values) -> dict[str, object]:
    """Return what a server's properties are.

    :param body: the server, as it is read
    :param given: its properties, as the template gives them
    :raises orch.plugin.reality.Vanished: it waits to be reclaimed
    """
    if server_state(body) in GONE:
        raise reality.Vanished(f"the server is {server_state(body)}")
    held = dict(body.get("metadata") or {})
    held.pop(tokens.MARK, None)
    found: dict[str, object] = {
        "name": body.get("name"),
        "flavor": body["flavor"].get("id"),
        "key_name": body.get("key_name"),
        "metadata": held,
        "networks": networks.read_reality(body.get("addresses")),
        "tags": sorted(body.get("tags") or ()),
    }
    if isinstance(body.get("image"), dict):
        found["image"] = body["image"].get("id")
    asked: dict[str, object] = {
        "availability_zone": body.get("OS-EXT-AZ:availability_zone"),
        "config_drive": str(body.get("config_drive")) == "True",
        "diskConfig": body.get("OS-DCF:diskConfig"),
        "security_groups": sorted(
            {each["name"] for each in body.get("security_groups") or ()}
        ),
    }
    # Only another server has others; Nova and the ports decide where no user
    # has asked.
    found.update(
        {
            name: value
            for name, value in asked.items()
            if value not in ([], "", None) and given.get(name)
        }
    )
    return found


ACTIVE: typing.Final = "ACTIVE"
RESIZED: typing.Final = "VERIFY_RESIZE"
SUSPENDED: typing.Final = "SUSPENDED"
ERROR: typing.Final = "ERROR"
_PENDING: typing.Final = frozenset(
    {
        "BUILD",
        "HARD_REBOOT",
        "MIGRATING",
        "PASSWORD",
        "REBOOT",
        "REBUILD",
        "RESIZE",
        "REVERT_RESIZE",
        "UNKNOWN",
    }
)
GONE: typing.Final = frozenset({"DELETED", "SOFT_DELETED"})
_TASK: typing.Final = "OS-EXT-STS:task_state"


def server_state(server: calls.Body) -> str:
    """Return the state of a server, in upper case."""
    return str(server.get("status") or "").upper()


def server_task(server: calls.Body) -> str:
    """Return what the service is doing with a server; empty for nothing."""
    return str(server.get(_TASK) or "")


def check_idle(server: calls.Body) -> call_context.Pending | None:
    """Answer ``None`` where nothing is under way with a server.

    :raises InError: it has failed
    """
    state = server_state(server)
    if state == ERROR and not server_task(server):
        raise error_of(server)
    if state in _PENDING or state == ERROR or server_task(server):
        return call_context.Pending(
            note=f"{state} {server_task(server)}".strip()
        )
    return call_context.DONE


def check_state(
    server: calls.Body, desired: str
) -> call_context.Pending | None:
    """Answer ``None`` where a server is in the desired state.

    :raises orch.errors.Permanent: it has failed, or rests in another state
    """
    pending = check_idle(server)
    if pending is None and server_state(server) != desired:
        raise errors.Permanent(
            f"the server is {server_state(server)}, where {desired} is"
            " expected"
        )
    return pending


def error_of(server: calls.Body) -> errors_.InError:
    """Return what is wrong with a server, in the words that Heat has."""
    fault = server.get("fault")
    message = fault if isinstance(fault, dict) else {}
    reason = (
        f"Message: {message.get('message', 'Unknown')}, Code:"
        f" {message.get('code', 'Unknown')}"
    )
    return errors_.InError.of(ERROR, reason)


PLAIN: typing.Final = {
    "accessIPv4": "accessIPv4",
    "accessIPv6": "accessIPv6",
    "instance_name": "OS-EXT-SRV-ATTR:instance_name",
    "name": "name",
    "tags": "tags",
}
CONSOLES: typing.Final = {
    "novnc": "vnc",
    "xvpvnc": "vnc",
    "spice-html5": "spice",
    "rdp-html5": "rdp",
    "serial": "serial",
    "webmks": "mks",
}
_MAC: typing.Final = "OS-EXT-IPS-MAC:mac_addr"


def list_networks(
    server: calls.Body, ports: collections.abc.Sequence[calls.Body]
) -> dict[str, list[str]]:
    """Return the addresses of a server, by name and by id of the network."""
    return {
        name: [str(each.get("addr")) for each in listed]
        for name, listed in list_addresses(server, ports).items()
    }


def list_addresses(
    server: calls.Body, ports: collections.abc.Sequence[calls.Body]
) -> dict[str, list[dict[str, object]]]:
    """Return all that is known of them, by name and by id of the network.

    Each has the id of its ``port``, too.
    """
    by_mac = {str(each.get("mac_address")): each for each in ports}
    found: dict[str, list[dict[str, object]]] = {}
    for name, listed in _addresses(server).items():
        found[name] = [
            {**each, "port": by_mac.get(str(each.get(_MAC)), {}).get("id")}
            for each in listed
        ]
    for name, network_id in _ids(server, ports).items():
        found[network_id] = found[name]
    return found


def find_first_address(server: calls.Body) -> str:
    """Return an address of a server; empty where it has none."""
    for listed in _addresses(server).values():
        for each in listed:
            return str(each.get("addr"))
    return ""


def list_ports(
    ports: ports_.Ports, server: calls.Body
) -> collections.abc.Sequence[calls.Body]:
    """Return the ports of a server; none where it has no addresses."""
    if not _addresses(server):
        return []
    return ports.of_server(str(server["id"]))


def list_consoles(server: calls.Server) -> dict[str, str]:
    """Return where each kind of console is, or why there is none."""
    found = {}
    for kind, protocol in CONSOLES.items():
        try:
            found[kind] = server.console(protocol, kind)
        except rest.CloudRefused as error:
            found[kind] = error.message
    return found


def _addresses(server: calls.Body) -> dict[str, list[calls.Body]]:
    found = server.get("addresses")
    return found if isinstance(found, dict) else {}


def _ids(
    server: calls.Body, ports: collections.abc.Sequence[calls.Body]
) -> dict[str, str]:
    """Return the id of each network, by its name."""
    by_mac = {
        str(each.get("mac_address")): str(each["network_id"]) for each in ports
    }
    found = {}
    for name, listed in _addresses(server).items():
        for each in listed:
            network_id = by_mac.get(str(each.get(_MAC)))
            if network_id:
                found[name] = network_id
    return found
