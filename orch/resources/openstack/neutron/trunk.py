"""``OS::Neutron::Trunk``: a port that carries the networks of others."""

import typing

from orch.plugin import call_context
from orch.resources.openstack import base
from orch.resources.openstack import elements
from orch.resources.openstack import wire

_STATE: typing.Final = "admin_state_up"


class Trunk(base.OpenStackResource):
    """A trunk, whose sub-ports Neutron changes only while it is enabled."""

    def settle(
        self,
        context: call_context.Context,
        body: wire.Body,
        changed: elements.Names,
        before: elements.Values,
    ) -> None:
        """Change the sub-ports; a disabled trunk is enabled meanwhile."""
        is_disabled = body.get(_STATE) is False
        if is_disabled:
            self.send_change(context, {_STATE: True})
        super().settle(context, body, changed, before)
        # A lost attempt may have left it enabled.
        if is_disabled or context.properties.get(_STATE) is False:
            self.send_change(context, {_STATE: False})
