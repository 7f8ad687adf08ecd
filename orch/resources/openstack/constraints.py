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

_ADDRESS_SCOPE: typing.Final = lookup.Kind(
    noun="address_scope",
    service="network",
    version="2.0",
    path="/address-scopes",
    plural="address_scopes",
)
_BACKUP: typing.Final = lookup.Kind(
    noun="backup",
    service="block-storage",
    version="3",
    path="/backups",
    plural="backups",
)
_KEYSTONE_SERVICE: typing.Final = lookup.Kind(
    noun="service",
    service="identity",
    version="3",
    path="/services",
    plural="services",
    allows_id_lookup=True,
)


def _of_kind(kind: lookup.Kind, said: str) -> constraints.Check:
    """Return what checks that there is such a resource.

    :param said: where there is none, with ``{}`` for the value
    """

    def check(cloud: "connection.Connection", value: str) -> None:
        try:
            if lookup.is_id(value):
                _get(cloud, kind, value)
            else:
                lookup.find_id(cloud, kind, value)
        except (rest.CloudNotFound, rest.NoPath):
            raise constraints.NotAccepted(said.format(value)) from None
        except lookup.Ambiguous as error:
            raise constraints.NotAccepted(error.message) from error

    return check


def _by_name_alone(
    service: str, version: str, path: str, said: str
) -> constraints.Check:
    """Return what checks for things whose names are their ids."""
    kind = lookup.Kind(
        noun="", service=service, version=version, path=path, plural=""
    )

    def check(cloud: "connection.Connection", value: str) -> None:
        try:
            _get(cloud, kind, value)
        except (rest.CloudNotFound, rest.NoPath):
            raise constraints.NotAccepted(said.format(value)) from None

    return check


def _get(
    cloud: "connection.Connection", kind: lookup.Kind, identifier: str
) -> None:
    service = rest.service_of(cloud, kind.service, version=kind.version)
    rest.send_request(
        service, "GET", f"{kind.path}/{rest.path_segment(identifier)}"
    )


def _entities(
    kinds: collections.abc.Mapping[str, tuple[lookup.Kind, str]],
) -> dict[str, constraints.Check]:
    return {
        name: _of_kind(kind, _ENTITY.format(noun))
        for name, (kind, noun) in kinds.items()
    }


CONSTRAINTS: typing.Final[constraints.Table] = {
    "nova.flavor": _of_kind(lookup.FLAVOR, _FLAVOR),
    "nova.keypair": _by_name_alone(
        "compute", "2.1", "/os-keypairs", _ENTITY.format("Key")
    ),
    "keystone.region": _by_name_alone(
        "identity", "3", "/regions", _ENTITY.format("KeystoneRegion")
    ),
    **{
        f"neutron.{name}": _of_kind(kind, _NETWORK.format(kind.noun))
        for name, kind in (
            ("address_scope", _ADDRESS_SCOPE),
            ("network", lookup.NETWORK),
            ("port", lookup.PORT),
            ("qos_policy", lookup.QOS_POLICY),
            ("router", lookup.ROUTER),
            ("security_group", lookup.SECURITY_GROUP),
            ("segment", lookup.SEGMENT),
            ("subnet", lookup.SUBNET),
            ("subnetpool", lookup.SUBNET_POOL),
        )
    },
    **_entities(
        {
            "cinder.backup": (_BACKUP, "Volume backup"),
            "cinder.snapshot": (lookup.VOLUME_SNAPSHOT, "VolumeSnapshot"),
            "cinder.volume": (lookup.VOLUME, "Volume"),
            "cinder.vtype": (lookup.VOLUME_TYPE, "VolumeType"),
            "glance.image": (lookup.IMAGE, "Image"),
            "keystone.domain": (lookup.DOMAIN, "KeystoneDomain"),
            "keystone.group": (lookup.GROUP, "KeystoneGroup"),
            "keystone.project": (lookup.PROJECT, "KeystoneProject"),
            "keystone.role": (lookup.ROLE, "KeystoneRole"),
            "keystone.service": (_KEYSTONE_SERVICE, "KeystoneService"),
            "keystone.user": (lookup.USER, "KeystoneUser"),
            "nova.server": (lookup.SERVER, "Server"),
        }
    ),
}
