"""``OS::Neutron::RBACPolicy``: an object that other projects may use."""

import collections.abc

from orch.clients import lookup
from orch.plugin import call_context
from orch.resources.openstack import base

_OBJECT = "object_id"


class RBACPolicy(base.OpenStackResource):
    """Access to an object, whose kind another property names."""

    def sent(
        self,
        context: call_context.Context,
        names: collections.abc.Iterable[str],
        *,
        is_change: bool = False,
    ) -> dict[str, object]:
        """Return properties as requests have them, the object as its id."""
        body = super().sent(context, names, is_change=is_change)
        if _OBJECT in body:
            kind = lookup.KINDS[f"neutron.{context.properties['object_type']}"]
            cloud = self.cloud(context)
            body[_OBJECT] = lookup.find_id(cloud, kind, str(body[_OBJECT]))
        return body
