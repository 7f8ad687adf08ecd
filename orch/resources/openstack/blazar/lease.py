"""``OS::Blazar::Lease``: hosts or instances that are reserved for a time."""

import collections.abc
import typing

from orch.plugin import call_context
from orch.resources.openstack import base

_RESERVATIONS: typing.Final = "reservations"
_KIND: typing.Final = "resource_type"
_BEFORE_END: typing.Final = "before_end"
_TEXTS: typing.Final = ("hypervisor_properties", "resource_properties")
_HOST: typing.Final = "physical:host"
_NEEDED: typing.Final = {
    _HOST: ("min", "max", *_TEXTS),
    "virtual:instance": (
        "amount",
        "vcpus",
        "memory_mb",
        "disk_gb",
        "affinity",
        "resource_properties",
    ),
}
"""Keys that the service refuses a reservation of a kind without."""


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
    kind = given[_KIND]
    found: dict[str, object] = {_KIND: kind}
    for name in _NEEDED[str(kind)]:
        value = given.get(name)
        found[name] = "" if value is None and name in _TEXTS else value
    if kind == _HOST and given.get(_BEFORE_END) is not None:
        found[_BEFORE_END] = given[_BEFORE_END]
    return found
