"""Find resources of the cloud by a name or an id."""

import collections.abc
import dataclasses
import functools
import re
import typing
import uuid

from orch.clients import rest

if typing.TYPE_CHECKING:
    from openstack import connection


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """A kind of resources of the cloud, and the path of their list.

    :ivar noun: its name in texts for users
    :ivar service: its type in the catalogue
    :ivar version: of its interface; ``None`` for the address of the
        catalogue
    :ivar microversion: asked for in each request
    :ivar path: of the list, below the service
    :ivar plural: around the list of an answer
    :ivar key: around one resource of an answer
    :ivar id_key: of the id of each
    :ivar filters: of the query, in addition to the name
    :ivar allows_id_lookup: its ids need not be UUIDs
    :ivar by_name: the service filters by ``name`` itself
    :ivar has_domain: a name may say of which domain, as ``name{domain}``
    """

    noun: str
    service: str
    path: str
    plural: str
    key: str = ""
    id_key: str = "id"
    version: str | None = None
    microversion: str | None = None
    filters: collections.abc.Mapping[str, str] = dataclasses.field(
        default_factory=dict
    )
    allows_id_lookup: bool = False
    by_name: bool = True
    has_domain: bool = False


class NameNotFound(rest.CloudNotFound):
    """No resource of that name or id exists for the caller."""

    code = "orch.cloud.name_not_found"
    shown_as = "EntityNotFound"


class Ambiguous(rest.CloudRefused):
    """Several resources have that name; only an id identifies one."""

    code = "orch.cloud.name_ambiguous"
    shown_as = "PhysicalResourceNameAmbiguity"


_IN_DOMAIN: typing.Final = re.compile(
    r"(?P<name>.+)\{(?P<domain>[^{}]+)\}", re.DOTALL
)


def is_id(text: str) -> bool:
    """Whether a text has the form of a UUID."""
    try:
        uuid.UUID(text)
    except ValueError:
        return False
    return True


def find_id(
    cloud: "connection.Connection", kind: Kind, name_or_id: str
) -> str:
    """Return the id of the resource that a user names.

    What has the form of a UUID is one: nothing is asked then. As in Heat
    ``name{domain}`` means the one of that name in a domain, which is named by
    its name or id.

    :raises NameNotFound: there is none
    :raises Ambiguous: there are several
    :raises orch.errors.OrchError: see :func:`orch.clients.rest.send_request`
    """
    if is_id(name_or_id):
        return name_or_id
    service = rest.service_of(cloud, kind.service, version=kind.version)
    if kind.allows_id_lookup and _is_there(service, kind, name_or_id):
        return name_or_id
    name, filters = name_or_id, {}
    inside = _IN_DOMAIN.fullmatch(name_or_id) if kind.has_domain else None
    if inside is not None:
        name = inside["name"]
        filters = {
            "domain_id": find_id(
                cloud, KINDS["keystone.domain"], inside["domain"]
            )
        }
    found = [
        str(each[kind.id_key])
        for each in _listed(service, kind, name, filters)
        if each.get("name") == name
    ]
    if not found:
        raise NameNotFound(
            f"The {kind.noun} ({name_or_id}) could not be found."
        )
    if len(found) > 1:
        raise Ambiguous(
            f"Multiple {kind.noun}s were found with name ({name_or_id});"
            " name it by its id."
        )
    return found[0]


def _is_there(service: typing.Any, kind: Kind, identifier: str) -> bool:
    try:
        rest.send_request(
            service,
            "GET",
            f"{kind.path}/{rest.path_segment(identifier)}",
            microversion=kind.microversion,
        )
    except rest.CloudRefused:
        # Some services refuse an id that is none of theirs.
        return False
    return True


def _listed(
    service: typing.Any,
    kind: Kind,
    name: str,
    filters: collections.abc.Mapping[str, str],
) -> list[collections.abc.Mapping[str, typing.Any]]:
    params = {**kind.filters, **filters}
    if kind.by_name:
        params["name"] = name
    body = rest.read_body(
        rest.send_request(
            service,
            "GET",
            kind.path,
            params=params,
            microversion=kind.microversion,
        )
    )
    found = body.get(kind.plural)
    return found if isinstance(found, list) else []


_network = functools.partial(Kind, service="network", version="2.0")
_compute = functools.partial(Kind, service="compute", version="2.1")
_volume = functools.partial(Kind, service="block-storage", version="3")
_identity = functools.partial(
    Kind, service="identity", version="3", allows_id_lookup=True
)
_PORT_GROUPS: typing.Final = "1.23"
"""The first microversion of Ironic with port groups; nodes have names too."""
_bare_metal = functools.partial(
    Kind,
    service="baremetal",
    version="1",
    microversion=_PORT_GROUPS,
    id_key="uuid",
    by_name=False,
)

KINDS: typing.Final[collections.abc.Mapping[str, Kind]] = {
    "cinder.backup": _volume(noun="backup", path="/backups", plural="backups"),
    "cinder.snapshot": _volume(
        noun="snapshot", path="/snapshots", plural="snapshots"
    ),
    "cinder.volume": _volume(noun="volume", path="/volumes", plural="volumes"),
    "cinder.vtype": _volume(
        noun="volume type",
        path="/types",
        plural="volume_types",
        by_name=False,
    ),
    "glance.image": Kind(
        noun="image",
        service="image",
        version="2",
        path="/images",
        plural="images",
    ),
    "ironic.node": _bare_metal(noun="node", path="/nodes", plural="nodes"),
    "ironic.portgroup": _bare_metal(
        noun="port group", path="/portgroups", plural="portgroups"
    ),
    "keystone.domain": _identity(
        noun="domain", path="/domains", plural="domains"
    ),
    "keystone.group": _identity(
        noun="group", path="/groups", plural="groups", has_domain=True
    ),
    "keystone.project": _identity(
        noun="project", path="/projects", plural="projects", has_domain=True
    ),
    "keystone.role": _identity(
        noun="role", path="/roles", plural="roles", has_domain=True
    ),
    "keystone.service": _identity(
        noun="service", path="/services", plural="services"
    ),
    "keystone.user": _identity(
        noun="user", path="/users", plural="users", has_domain=True
    ),
    "neutron.address_scope": _network(
        noun="address_scope", path="/address-scopes", plural="address_scopes"
    ),
    "neutron.network": _network(
        noun="network", path="/networks", plural="networks"
    ),
    "neutron.port": _network(noun="port", path="/ports", plural="ports"),
    "neutron.qos_policy": _network(
        noun="policy", path="/qos/policies", plural="policies"
    ),
    "neutron.router": _network(
        noun="router", path="/routers", plural="routers"
    ),
    "neutron.security_group": _network(
        noun="security_group",
        path="/security-groups",
        plural="security_groups",
    ),
    "neutron.segment": _network(
        noun="segment", path="/segments", plural="segments"
    ),
    "neutron.subnet": _network(
        noun="subnet", path="/subnets", plural="subnets"
    ),
    "neutron.subnetpool": _network(
        noun="subnetpool", path="/subnetpools", plural="subnetpools"
    ),
    "nova.flavor": _compute(
        noun="flavor",
        path="/flavors",
        plural="flavors",
        allows_id_lookup=True,
    ),
    "nova.server": _compute(noun="server", path="/servers", plural="servers"),
    "trove.flavor": Kind(
        noun="flavor",
        service="database",
        path="/flavors",
        plural="flavors",
        # ``id`` is ``null`` where the id is no number.
        id_key="str_id",
        allows_id_lookup=True,
        by_name=False,
    ),
}
"""Kinds of resources by the names that constraints and data files use."""
