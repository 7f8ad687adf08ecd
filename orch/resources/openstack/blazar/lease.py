"""``OS::Blazar::Lease``: hosts or instances that are reserved for a time."""

import collections.abc
import typing

from orch.plugin import call_context
from orch.resources.openstack import base

_RESERVATIONS: typing.Final = "reservations"
_KIND: typing.Final = "resource_type"
_INSTANCE: typing.Final = "virtual:instance"
_OF_KINDS: typing.Final = {
    "physical:host": (
        "min",
        "max",
        "hypervisor_properties",
        "resource_properties",
        "before_end",
    ),
    _INSTANCE: (
        "amount",
        "vcpus",
        "memory_mb",
        "disk_gb",
        "affinity",
        "resource_properties",
    ),
}


class Lease(base.OpenStackResource):
    """Hosts or instances that are reserved for a time."""

    def body_of_properties(
        self, context: call_context.Context
    ) -> dict[str, object]:
        """Return the request; reservations have what their kind takes."""
        body = super().body_of_properties(context)
        given = body[_RESERVATIONS]
        assert isinstance(given, list)
        return {**body, _RESERVATIONS: list(map(_build_reservation, given))}


def _build_reservation(
    given: collections.abc.Mapping[str, object],
) -> dict[str, object]:
    taken = (_KIND, *_OF_KINDS[str(given[_KIND])])
    return {name: given[name] for name in taken if given.get(name) is not None}
