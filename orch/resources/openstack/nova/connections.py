"""The ports created for a server, and the floating IPs on them.

Which networks it is to be in is in ``networks``.
"""

import collections.abc
import json
import typing

from orch.clients import lookup
from orch.clients import ports as ports_
from orch.plugin import call_context
from orch.resources.openstack import tokens
from orch.resources.openstack.nova import calls
from orch.resources.openstack.nova import networks

_ADOPTED: typing.Final = "internal_ports"
"""Where Heat keeps, as JSON, the ports that it has made for a server."""


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
        """Return its networks; the ports that they need are there then."""
        given = self._context.properties
        desired = networks.resolve_networks(
            given.get("networks"), self._find_id
        )
        groups = [
            self._find_id(lookup.KINDS["neutron.security_group"], str(each))
            for each in _listed(given.get("security_groups"))
            if any(one.has_own_port for one in desired)
        ]
        return [
            networks.with_port(
                each,
                self._ports,
                f"{self._context.physical_name}-port-{place}",
                tokens.token_text(self._context),
                groups,
            )
            if each.has_own_port
            else each
            for place, each in enumerate(desired)
        ]

    def associate(self, server: calls.Server) -> None:
        """Let the floating IPs that it is given lead to it."""
        given = networks.normalise_items(
            self._context.properties.get("networks")
        )
        if not any(each.get("floating_ip") for each in given):
            return
        there = server.interfaces()
        for each in networks.resolve_networks(given, self._find_id):
            fitting = [one for one in there if each.fits(one)]
            if each.floating_ip and fitting:
                port_id = str(fitting[0]["port_id"])
                self._ports.associate(each.floating_ip, port_id)

    def remove_unused(self, server: calls.Server) -> None:
        """Remove the ports that were made for it, but those that it has."""
        used = {str(each["port_id"]) for each in server.interfaces()}
        self._remove(self._own() - used)

    def remove(self) -> None:
        """Remove all ports that were made for it."""
        self._remove(self._own())

    def _own(self) -> set[str]:
        mark = tokens.token_text(self._context)
        marked = {str(each["id"]) for each in self._ports.marked(mark)}
        return marked | _adopted(self._context)

    def _remove(self, port_ids: collections.abc.Iterable[str]) -> None:
        for port_id in sorted(port_ids):
            self._ports.remove(port_id)


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
        for each in _listed(found)
        if isinstance(each, dict) and each.get("id")
    }


def _listed(found: object) -> collections.abc.Sequence[typing.Any]:
    return found if isinstance(found, list | tuple) else ()
