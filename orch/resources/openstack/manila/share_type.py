"""``OS::Manila::ShareType``: what shares of a type have in common."""

import collections.abc
import typing

from orch.plugin import call_context
from orch.resources.openstack import base
from orch.resources.openstack import elements
from orch.resources.openstack import wire

_SPECS: typing.Final = "extra_specs"
_OWN: typing.Final = ("driver_handles_share_servers", "snapshot_support")
"""Properties that are extra specifications in requests and answers."""


class ShareType(base.OpenStackResource):
    """A type of shares."""

    def settles(self, changed: collections.abc.Collection[str]) -> bool:
        """Whether extra specifications are to be set."""
        return _SPECS in changed

    def settle(
        self,
        context: call_context.Context,
        body: wire.Body,
        changed: collections.abc.Collection[str],
        before: collections.abc.Mapping[str, object],
    ) -> None:
        """Set the extra specifications that differ; remove former ones."""
        calls = self.api_collection(context)
        held = wire.to_texts(body.get(_SPECS))
        former = wire.to_texts(before.get(_SPECS))
        desired = wire.to_texts(context.properties.get(_SPECS))
        elements.settle_entries(
            calls,
            f"{calls.place(self.id_of(context))}/{_SPECS}",
            _SPECS,
            {
                key: value
                for key, value in held.items()
                if key in former or key in desired
            },
            desired,
        )

    def reality_of(
        self, context: call_context.Context, body: wire.Body
    ) -> dict[str, object]:
        """Return the properties; specifications of others are left out."""
        found = super().reality_of(context, body)
        held = wire.to_texts(body.get(_SPECS))
        given = wire.to_texts(context.properties.get(_SPECS))
        found[_SPECS] = {key: held[key] for key in given if key in held}
        for name in _OWN:
            if name in held:
                found[name] = held[name].lower() == "true"
        return found
