"""The properties of a server as the service tells them."""

import collections.abc

from orch.plugin import reality
from orch.resources.openstack.nova import calls
from orch.resources.openstack.nova import creation
from orch.resources.openstack.nova import networks
from orch.resources.openstack.nova import states

Values = collections.abc.Mapping[str, object]


def live_properties(body: calls.Body, given: Values) -> dict[str, object]:
    """Return what a server's properties are.

    :param body: the server, as it is read
    :param given: its properties, as they are wanted
    :raises orch.plugin.reality.Vanished: it waits to be reclaimed
    """
    if states.server_state(body) in states.GONE:
        raise reality.Vanished(f"the server is {states.server_state(body)}")
    held = dict(body.get("metadata") or {})
    held.pop(creation.MARK, None)
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
    # Only another server has others; Nova and the ports decide where nobody
    # has asked.
    found.update(
        {
            name: value
            for name, value in asked.items()
            if value not in ([], "", None) and given.get(name)
        }
    )
    return found
