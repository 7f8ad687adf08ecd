"""Custom constraints that services of OpenStack check, as a table.

A value is right where the service shows a resource of that id or name to
whoever asks. The words are Heat's. Those of services that are not in the
table are not asked: the service refuses a wrong value when it is used.
"""

import collections.abc
import typing

from orch.clients import lookup
from orch.clients import rest
from orch.plugin import constraints

if typing.TYPE_CHECKING:
    from openstack import connection

_ENTITY: typing.Final = "The {} ({{}}) could not be found."
_FLAVOR: typing.Final = "No Flavor matching {{'name': '{}'}}. (HTTP 404)"
_NETWORK: typing.Final = "Unable to find {} with name or id '{{}}'"


def _of_kind(
    kind: lookup.Kind,
    said: str,
    is_id: collections.abc.Callable[[str], bool] = lookup.is_id,
) -> constraints.Check:
    """Return what checks that there is such a resource.

    :param said: where there is none, with ``{}`` for the value
    :param is_id: whether a value is an id rather than a name
    """

    def check(cloud: "connection.Connection", value: str) -> None:
        try:
            if is_id(value):
                _get(cloud, kind, value)
            else:
                lookup.find_id(cloud, kind, value)
        except (rest.CloudNotFound, rest.NoPath):
            raise constraints.NotAccepted(said.format(value)) from None
        except lookup.Ambiguous as error:
            raise constraints.NotAccepted(error.message) from error

    return check


def _get(
    cloud: "connection.Connection", kind: lookup.Kind, identifier: str
) -> None:
    service = rest.service_of(cloud, kind.service, version=kind.version)
    rest.send_request(
        service,
        "GET",
        f"{kind.path}/{rest.path_segment(identifier)}",
        microversion=kind.microversion,
    )


_NOUNS: typing.Final = {
    "cinder.backup": "Volume backup",
    "cinder.snapshot": "VolumeSnapshot",
    "cinder.volume": "Volume",
    "cinder.vtype": "VolumeType",
    "glance.image": "Image",
    "ironic.node": "Node",
    "ironic.portgroup": "PortGroup",
    "keystone.domain": "KeystoneDomain",
    "keystone.group": "KeystoneGroup",
    "keystone.project": "KeystoneProject",
    "keystone.role": "KeystoneRole",
    "keystone.service": "KeystoneService",
    "keystone.user": "KeystoneUser",
    "nova.server": "Server",
}


def _message(name: str, kind: lookup.Kind) -> str:
    """Return what is said where there is no such resource, as Heat does."""
    if name in _NOUNS:
        return _ENTITY.format(_NOUNS[name])
    if kind.service == "network":
        return _NETWORK.format(kind.noun)
    return _FLAVOR


CONSTRAINTS: typing.Final[constraints.Table] = {
    **{
        name: _of_kind(kind, _message(name, kind))
        for name, kind in lookup.KINDS.items()
    },
    **{
        name: _of_kind(
            lookup.Kind(
                noun="", service=service, version=version, path=path, plural=""
            ),
            _ENTITY.format(noun),
            # Their names are their ids.
            is_id=lambda _: True,
        )
        for name, service, version, path, noun in (
            ("nova.keypair", "compute", "2.1", "/os-keypairs", "Key"),
            ("keystone.region", "identity", "3", "/regions", "KeystoneRegion"),
        )
    },
}
