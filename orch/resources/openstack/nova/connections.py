"""The ports created for a server, and the floating IPs on them.

Which networks it is to be in is in ``networks``.
"""

import collections.abc
import dataclasses
import hashlib
import json
import re
import typing

from orch import errors
from orch.clients import lookup
from orch.clients import ports as ports_
from orch.plugin import call_context
from orch.resources.openstack import tokens
from orch.resources.openstack import wire
from orch.resources.openstack.nova import calls
from orch.resources.openstack.nova import networks

_ADOPTED: typing.Final = "internal_ports"
"""Where Heat keeps, as JSON, the ports that it has made for a server."""


_DIGITS: typing.Final = 12
_DIGEST: typing.Final = re.compile(r"-port-\d+-([0-9a-f]{12})\Z")
"""The digest of extra properties in the name of a port."""
_OF_OTHERS: typing.Final = "of others"


class Connections:
    """The ports of one server."""

    def __init__(
        self,
        context: call_context.Context,
        ports: ports_.Ports,
        find_id: networks.FindId,
    ) -> None:
        """Ask for nothing yet.

        :param context: of the server
        :param find_id: asks the cloud for the id of what a name stands for
        """
        self._context = context
        self._ports = ports
        self._find_id = find_id

    def make(self) -> list[networks.RequestedNetwork]:
        """Return its networks; the ports that they need exist then."""
        return [self.with_port(each) for each in self._resolve()]

    def find_unmatched(
        self, there: collections.abc.Sequence[calls.Body]
    ) -> tuple[list[networks.RequestedNetwork], list[calls.Body]]:
        """Return the networks without an interface, and surplus interfaces.

        :param there: the interfaces of the server
        """
        names = {str(each["id"]): str(each["name"]) for each in self._marked()}
        names |= dict.fromkeys(_adopted(self._context), "")
        left, missing = list(there), []
        for each in networks.order_by_exactness(self._resolve()):
            found = next((x for x in left if _is_for(each, x, names)), None)
            if found is None:
                missing.append(each)
            else:
                left.remove(found)
        return missing, left

    def with_port(
        self,
        desired: networks.RequestedNetwork,
        used: collections.abc.Container[str] = (),
    ) -> networks.RequestedNetwork:
        """Return a network with the port that it needs, which exists then.

        :param used: ids of ports that other networks have
        """
        if not desired.has_own_port:
            return desired
        network = desired.network or self._ports.network_of(desired.subnet)
        desired = dataclasses.replace(desired, network=network)
        name = _port_name(self._context, desired)
        for each in self._marked():
            there = {**each, "port_id": each["id"], "net_id": network}
            if (
                each.get("name") == name
                and each["id"] not in used
                and each.get("network_id") == network
                and desired.fits(there)
            ):
                return dataclasses.replace(desired, port=str(each["id"]))
        body = networks.build_port(desired)
        groups = wire.to_list(self._context.properties.get("security_groups"))
        if groups:
            kind = lookup.KINDS["neutron.security_group"]
            body["security_groups"] = [
                self._find_id(kind, str(each)) for each in groups
            ]
        created = self._ports.make(
            {**body, "name": name, "description": self._mark}
        )
        return dataclasses.replace(desired, port=created)

    def _resolve(self) -> list[networks.RequestedNetwork]:
        given = self._context.properties.get("networks")
        return networks.resolve_networks(given, self._find_id)

    def associate(self, server: calls.Server) -> None:
        """Let the floating IPs that it is given lead to it."""
        given = wire.to_maps(self._context.properties.get("networks"))
        if not any(each.get("floating_ip") for each in given):
            return
        there = server.interfaces()
        for each in self._resolve():
            fitting = [one for one in there if each.fits(one)]
            if each.floating_ip and fitting:
                port_id = str(fitting[0]["port_id"])
                self._ports.associate(each.floating_ip, port_id)

    def remove_unused(self, server: calls.Server) -> None:
        """Remove the ports that were made for it, but those that it has."""
        used = {str(each["port_id"]) for each in server.interfaces()}
        self._remove(self._own() - used)

    def release(
        self, server: calls.Server, desired: object, *, is_in_error: bool
    ) -> None:
        """Take the ports and addresses that its replacement is to have.

        Ports that were made for it are removed, others stay.

        :param desired: networks of the replacement
        :param is_in_error: the service takes no port from it, so that only
            ports that were made for it are removed
        :raises orch.errors.Busy: it has some of them still
        """
        held = networks.find_held(
            server.interfaces(),
            networks.resolve_networks(desired, self._find_id),
        )
        if is_in_error:
            self._remove(self._own().intersection(held))
            held = []
        for port_id in held:
            server.detach(port_id)
        if held:
            raise errors.Busy(
                f"the server {server.id} has ports that its replacement needs"
            )
        self.remove_unused(server)

    def remove(self) -> None:
        """Remove all ports that were made for it."""
        self._remove(self._own())

    def _own(self) -> set[str]:
        marked = {str(each["id"]) for each in self._marked()}
        return marked | _adopted(self._context)

    def _marked(self) -> collections.abc.Sequence[calls.Body]:
        return self._ports.marked(self._mark)

    @property
    def _mark(self) -> str:
        return tokens.token_text(self._context)

    def _remove(self, port_ids: collections.abc.Iterable[str]) -> None:
        for port_id in sorted(port_ids):
            self._ports.remove(port_id)


def _port_name(
    context: call_context.Context, desired: networks.RequestedNetwork
) -> str:
    """Return the name of the port that is made for a network.

    What is said of the port beside its addresses is in it as a digest.
    """
    name = f"{context.physical_name}-port-{desired.position}"
    digest = _digest(desired)
    return f"{name}-{digest}" if digest else name


def _digest(desired: networks.RequestedNetwork) -> str:
    """Return what identifies extra properties; empty for none."""
    if not desired.extra:
        return ""
    text = json.dumps(desired.extra, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:_DIGITS]


def _is_for(
    desired: networks.RequestedNetwork,
    there: calls.Body,
    names: collections.abc.Mapping[str, str],
) -> bool:
    """Whether an interface is the one of a network.

    :param names: of the ports that were made for the server, empty for those
        that Heat has made
    """
    if desired.port or not desired.fits(there):
        return desired.fits(there)
    name = names.get(str(there["port_id"]), _OF_OTHERS)
    found = _DIGEST.search(name)
    return not name or (found[1] if found else "") == _digest(desired)


def _adopted(context: call_context.Context) -> set[str]:
    """Return the ports that Heat had made for a server."""
    written = context.data.get(_ADOPTED)
    if not isinstance(written, str):
        return set()
    try:
        found = json.loads(written)
    except ValueError:
        return set()
    return {
        str(each["id"])
        for each in wire.to_list(found)
        if isinstance(each, dict) and each.get("id")
    }
