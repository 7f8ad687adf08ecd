"""``OS::Barbican::Order``: secrets that the service generates."""

import collections.abc

from orch.clients import rest
from orch.plugin import call_context
from orch.resources.openstack import base
from orch.resources.openstack.barbican import secret

_CONTAINER = "container_ref"
_GENERATED = frozenset(
    {"certificate", "intermediates", "private_key", "public_key"}
)


class Order(base.OpenStackResource):
    """An order; what it generated is in a container of secrets."""

    def read_attributes(
        self,
        context: call_context.Context,
        names: collections.abc.Collection[str],
    ) -> collections.abc.Mapping[str, object]:
        """Return values of what the service shows, and of its secrets.

        ``None`` for a secret that the order does not generate.
        """
        generated = _GENERATED.intersection(names)
        shown = super().read_attributes(
            context, {_CONTAINER, *names} - _GENERATED
        )
        found = {name: shown[name] for name in names if name in shown}
        if not generated or not shown[_CONTAINER]:
            return {**found, **dict.fromkeys(generated)}
        calls = self.api_collection(context)
        container = calls.ask("GET", _path_of("containers", shown[_CONTAINER]))
        refs = {
            each["name"]: _path_of("secrets", each["secret_ref"])
            for each in container["secret_refs"]
        }
        return found | {
            name: secret.read_payload(calls, refs[name])
            if name in refs
            else None
            for name in generated
        }


def _path_of(plural: str, address: object) -> str:
    identifier = str(address).rpartition("/")[2]
    return f"/{plural}/{rest.path_segment(identifier)}"
