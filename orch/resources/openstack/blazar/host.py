"""``OS::Blazar::Host``: a host that leases can reserve."""

import collections.abc
import typing

from orch.plugin import call_context
from orch.resources.openstack import base
from orch.resources.openstack import wire

_EXTRA: typing.Final = "extra_capability"
_OWN: typing.Final = frozenset({"id", "name", "links"})
"""Keys of an answer that are neither attributes nor capabilities."""


class Host(base.OpenStackResource):
    """A host of Nova that is reserved by leases alone."""

    def body_of_properties(
        self, context: call_context.Context
    ) -> dict[str, object]:
        """Return the request, with the capabilities beside the name."""
        extra = wire.to_mapping(context.properties.get(_EXTRA))
        return {**extra, **super().body_of_properties(context)}

    def read_attributes(
        self,
        context: call_context.Context,
        names: collections.abc.Collection[str],
    ) -> collections.abc.Mapping[str, object]:
        """Return what the service shows; capabilities are all that is left."""
        body = self.body(context)
        known = {each.name for each in self.attributes} | _OWN
        extra = {key: body[key] for key in body if key not in known}
        return {
            name: extra if name == _EXTRA else body.get(name) for name in names
        }
