"""``OS::Cinder::QoSSpecs``: limits that volume types are associated with."""

from orch.plugin import call_context
from orch.resources.openstack import base
from orch.resources.openstack import elements
from orch.resources.openstack import wire

_SPECS = "specs"
_CONSUMER = "consumer"


class QoSSpecs(base.OpenStackResource):
    """Specs, which requests have beside the name.

    Answers have the consumer beside the specs, which properties have within.
    """

    def body_of_properties(
        self, context: call_context.Context
    ) -> dict[str, object]:
        """Return the request that creates them."""
        specs = wire.to_texts(context.properties.get(_SPECS))
        return {**specs, **super().body_of_properties(context)}

    def body_to_update(
        self,
        context: call_context.Context,
        before: elements.Values,
        changed: elements.Names,
    ) -> dict[str, object]:
        """Return the request that sets them."""
        return dict(wire.to_texts(context.properties.get(_SPECS)))

    def settles(self, changed: elements.Names) -> bool:
        """Whether :meth:`settle` is needed for these properties."""
        return _SPECS in changed

    def settle(
        self,
        context: call_context.Context,
        body: wire.Body,
        changed: elements.Names,
        before: elements.Values,
    ) -> None:
        """Remove the specs that are not given any more."""
        desired = wire.to_texts(context.properties.get(_SPECS))
        gone = sorted((body.get(_SPECS) or {}).keys() - desired.keys())
        if gone:
            calls = self.api_collection(context)
            place = calls.place(self.id_of(context))
            calls.ask("PUT", f"{place}/delete_keys", {"keys": gone})

    def remove(self, context: call_context.Context) -> None:
        """Disassociate all volume types first: Cinder refuses otherwise."""
        calls = self.api_collection(context)
        place = calls.place(self.id_of(context))
        calls.ask("GET", f"{place}/disassociate_all")
        super().remove(context)

    def reality_of(
        self, context: call_context.Context, body: wire.Body
    ) -> dict[str, object]:
        """Return the properties that answers tell."""
        found = super().reality_of(context, body)
        given = context.properties.get(_SPECS)
        specs = dict(body.get(_SPECS) or {})
        if _CONSUMER in wire.to_texts(given) and _CONSUMER in body:
            specs[_CONSUMER] = body[_CONSUMER]
        return {**found, _SPECS: specs}
