"""``OS::Ironic::Port``: a port of a node.

API reference: https://docs.openstack.org/api-ref/baremetal/
"""

import collections.abc
import typing

from orch.plugin import call_context
from orch.resources.openstack import base
from orch.resources.openstack import wire

_ADDRESS: typing.Final = "address"
_NODE: typing.Final = "node_uuid"


class Port(base.OpenStackResource):
    """A port of a node. No two ports have the same address."""

    def list_bearers(self, context: call_context.Context) -> list[wire.Body]:
        """Return the port of the node that has the address."""
        body = self.body_to_create(context)
        address = str(body[_ADDRESS]).lower()
        return [
            each
            for each in self.api_collection(context).listed(
                {_ADDRESS: address}
            )
            if each.get(_ADDRESS) == address and each.get(_NODE) == body[_NODE]
        ]

    def find_all(
        self, context: call_context.Context
    ) -> collections.abc.Sequence[call_context.PhysicalId]:
        """Return nothing: there is one port of an address at most."""
        return ()
