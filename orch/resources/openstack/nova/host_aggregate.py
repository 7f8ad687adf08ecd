"""``OS::Nova::HostAggregate``: hosts with common metadata."""

from orch.plugin import call_context
from orch.resources.openstack import base
from orch.resources.openstack import elements
from orch.resources.openstack import wire

_METADATA = "metadata"
_ZONE = "availability_zone"
_HOSTS = "hosts"


class HostAggregate(base.OpenStackResource):
    """An aggregate of hosts, whose metadata have a request of their own.

    Its availability zone is among the metadata that Nova shows.
    """

    def settles(self, changed: elements.Names) -> bool:
        """Whether :meth:`settle` is needed for these properties."""
        return _METADATA in changed or super().settles(changed)

    def settle(
        self,
        context: call_context.Context,
        body: wire.Body,
        changed: elements.Names,
        before: elements.Values,
    ) -> None:
        """Set metadata that differ, and the hosts."""
        super().settle(context, body, changed, before)
        if _METADATA not in changed:
            return
        held = _metadata_of(body)
        desired = wire.to_texts(context.properties.get(_METADATA))
        differing: dict[str, object] = {
            name: value
            for name, value in desired.items()
            if held.get(name) != value
        }
        differing |= dict.fromkeys(held.keys() - desired.keys())
        if differing:
            calls = self.api_collection(context)
            calls.ask(
                "POST",
                f"{calls.place(self.id_of(context))}/action",
                {"set_metadata": {_METADATA: differing}},
            )

    def reality_of(
        self, context: call_context.Context, body: wire.Body
    ) -> dict[str, object]:
        """Return the properties that answers tell."""
        found = super().reality_of(context, body)
        return {**found, _METADATA: _metadata_of(body)}

    def remove(self, context: call_context.Context) -> None:
        """Remove all its hosts first: Nova removes only an empty one."""
        field = self.fields[_HOSTS]
        hosts = self.read_elements(context, field, self.body(context)) or {}
        self.dissociate(context, field, list(hosts.values()))
        super().remove(context)


def _metadata_of(body: wire.Body) -> dict[str, str]:
    found = wire.to_texts(body.get(_METADATA))
    found.pop(_ZONE, None)
    return found
