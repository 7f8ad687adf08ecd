"""``AWS::ElasticLoadBalancing::LoadBalancer``: a load balancer of Octavia.

Each listener has a pool of its own, whose members are the instances.
"""

import collections.abc
import dataclasses
import re
import typing

from orch import errors
from orch.clients import collection
from orch.clients import ports
from orch.clients import rest
from orch.plugin import call_context
from orch.resources.openstack import base
from orch.resources.openstack import wire
from orch.resources.openstack.aws import routers

_INSTANCES: typing.Final = "Instances"
_LISTENERS: typing.Final = "Listeners"
_CHECK: typing.Final = "HealthCheck"
_GROUPS: typing.Final = "SecurityGroups"
_NOT_SERVED: typing.Final = ("PolicyNames", "SSLCertificateId")
_TARGET: typing.Final = re.compile(
    r"(?P<type>HTTP|TCP):(?P<port>\d{1,5})(?P<path>/\S*)?", re.ASCII
)
_ADDRESSES: typing.Final = ("CanonicalHostedZoneName", "DNSName")
_VIP: typing.Final = "vip_address"

Values = collections.abc.Mapping[str, object]
Names = collections.abc.Collection[str]


@dataclasses.dataclass(frozen=True, slots=True)
class _Place:
    """Where an instance is: an address in a subnet."""

    address: str
    subnet_id: str


class LoadBalancer(base.OpenStackResource):
    """A load balancer with its listeners, pools and members.

    Its address is in the subnet of the first instance, or else in the only
    network of the project.
    """

    def validate(self, properties: Values) -> None:
        """Refuse what the service cannot do.

        :raises orch.errors.Invalid: a health check has another form
        :raises orch.errors.NotSupported: policies or certificates are given
        """
        super().validate(properties)
        for listener in wire.to_maps(properties.get(_LISTENERS)):
            for name in _NOT_SERVED:
                if listener.get(name):
                    raise errors.NotSupported(
                        f"Property {name} not implemented yet"
                    )
        check = properties.get(_CHECK)
        if not isinstance(check, dict):
            return
        if check.keys() >= {"Interval", "Timeout"} and int(
            str(check["Interval"])
        ) < int(str(check["Timeout"])):
            raise errors.Invalid("Interval must be larger than Timeout")
        target = check.get("Target")
        if isinstance(target, str) and not _TARGET.fullmatch(target):
            raise errors.Invalid(
                f"{target!r} is no Target of a {_CHECK}: write HTTP:80/path or"
                " TCP:80"
            )

    def body_of_properties(
        self, context: call_context.Context
    ) -> dict[str, object]:
        """Return the request, with all that belongs to the load balancer."""
        places = self._places(context)
        body = self.sent(context, (_GROUPS,))
        if places:
            body["vip_subnet_id"] = places[0].subnet_id
        else:
            body["vip_network_id"] = self._find_network(context)
        body["listeners"] = [
            {
                "name": _pool_name(each),
                "protocol": each["Protocol"],
                "protocol_port": each["LoadBalancerPort"],
                "default_pool": _build_pool(context, each, places),
            }
            for each in wire.to_maps(context.properties[_LISTENERS])
        ]
        return body

    def update(
        self, context: call_context.Context, before: Values, changed: Names
    ) -> None:
        """Change its security groups; :meth:`is_updated` changes members."""
        if _GROUPS in changed:
            body = self.sent(context, (_GROUPS,), is_change=True)
            self.send_change(context, body)

    def is_updated(
        self, context: call_context.Context
    ) -> call_context.Pending | None:
        """Answer ``None`` once the pools have the instances, and no others.

        The service changes one pool of a load balancer at a time.

        :raises orch.clients.rest.CloudNotFound: a listener has no pool
        """
        pending = self.check_status(self.body(context))
        if pending is not None:
            return pending
        places = self._places(context)
        for each in wire.to_maps(context.properties[_LISTENERS]):
            desired = _build_members(context, each, places)
            name = _pool_name(each)
            pool = self._pools(context).get(name)
            if pool is None:
                raise rest.CloudNotFound(
                    f"The load balancer {context.physical_id} has no pool"
                    f" {name}; replace it."
                )
            if self._addresses(context, pool) != {
                str(member["address"]) for member in desired
            }:
                self.api_collection(context).ask(
                    "PUT", _members_path(pool), {"members": desired}
                )
                return call_context.Pending(note="its members are changed")
        return call_context.DONE

    def remove(self, context: call_context.Context) -> None:
        """Remove it with all that belongs to it."""
        calls = self.api_collection(context)
        place = calls.place(self.id_of(context))
        calls.ask("DELETE", place, None, {"cascade": "true"})

    def reality_of(
        self, context: call_context.Context, body: wire.Body
    ) -> dict[str, object]:
        """Return the instances that all pools have, and other members."""
        found = super().reality_of(context, body)
        pools = self._pools(context)
        listeners = wire.to_maps(context.properties.get(_LISTENERS))
        members = [
            self._addresses(context, pools[name]) if name in pools else set()
            for name in pools.keys() | map(_pool_name, listeners)
        ]
        given = _texts(context.properties.get(_INSTANCES))
        places = {name: self._find_place(context, name) for name in given}
        known = {place.address for place in places.values() if place}
        found[_INSTANCES] = [
            name
            for name, place in places.items()
            if place and all(place.address in each for each in members)
        ] + sorted(set().union(*members) - known)
        return found

    def read_attributes(
        self, context: call_context.Context, names: Names
    ) -> Values:
        """Return its address under its names; others are empty, as in Heat."""
        address = (
            self.body(context)[_VIP]
            if not set(_ADDRESSES).isdisjoint(names)
            else ""
        )
        return {name: address if name in _ADDRESSES else "" for name in names}

    def _places(self, context: call_context.Context) -> list[_Place]:
        """Return where the instances are.

        :raises orch.errors.Busy: one has no address yet
        """
        found = []
        for name in _texts(context.properties.get(_INSTANCES)):
            place = self._find_place(context, name)
            if place is None:
                raise errors.Busy(f"the server {name} has no address")
            found.append(place)
        return found

    def _find_place(
        self, context: call_context.Context, server_id: str
    ) -> _Place | None:
        try:
            port = ports.Ports(self.cloud(context)).first_of_server(server_id)
        except errors.Busy:
            return None
        for each in port.get("fixed_ips") or ():
            return _Place(str(each["ip_address"]), str(each["subnet_id"]))
        return None

    def _find_network(self, context: call_context.Context) -> str:
        calls = routers.Routers.of(self, context)
        found = list(
            calls.networks.listed({"project_id": context.stack_project})
        )
        if len(found) != 1:
            raise rest.CloudRefused(
                f"There are {len(found)} networks that the load balancer may"
                f" be in; name one of {_INSTANCES}, whose subnet it takes."
            )
        return str(found[0]["id"])

    def _pools(self, context: call_context.Context) -> dict[str, str]:
        """Return the ids of its pools, by name."""
        calls = dataclasses.replace(
            self.api_collection(context),
            path="/lbaas/pools",
            key="pool",
            plural="pools",
        )
        filters = {"loadbalancer_id": self.id_of(context)}
        return {
            str(each["name"]): str(each["id"])
            for each in calls.listed(filters)
        }

    def _addresses(self, context: call_context.Context, pool: str) -> set[str]:
        calls: collection.Collection = dataclasses.replace(
            self.api_collection(context),
            path=_members_path(pool),
            key="member",
            plural="members",
        )
        return {str(each["address"]) for each in calls.listed({})}


def _build_pool(
    context: call_context.Context,
    listener: Values,
    places: collections.abc.Sequence[_Place],
) -> dict[str, object]:
    pool: dict[str, object] = {
        "name": _pool_name(listener),
        "protocol": listener["Protocol"],
        "lb_algorithm": "ROUND_ROBIN",
        "members": _build_members(context, listener, places),
    }
    check = context.properties.get(_CHECK)
    if isinstance(check, dict):
        target = _TARGET.fullmatch(str(check["Target"]))
        assert target is not None
        monitor = {
            "type": target["type"],
            "delay": check["Interval"],
            "timeout": check["Timeout"],
            "max_retries": check["HealthyThreshold"],
            "max_retries_down": check["UnhealthyThreshold"],
        }
        if target["type"] == "HTTP":
            monitor["url_path"] = target["path"] or "/"
        pool["healthmonitor"] = monitor
    return pool


def _build_members(
    context: call_context.Context,
    listener: Values,
    places: collections.abc.Sequence[_Place],
) -> list[dict[str, object]]:
    check = context.properties.get(_CHECK)
    target = _TARGET.fullmatch(
        str(check["Target"]) if isinstance(check, dict) else ""
    )
    extra = {"monitor_port": int(target["port"])} if target else {}
    return [
        {
            "address": each.address,
            "subnet_id": each.subnet_id,
            "protocol_port": listener["InstancePort"],
            **extra,
        }
        for each in places
    ]


def _pool_name(listener: Values) -> str:
    """Return the name of the pool, and listener, of a port."""
    return f"port-{listener['LoadBalancerPort']}"


def _members_path(pool: str) -> str:
    return f"/lbaas/pools/{rest.path_segment(pool)}/members"


def _texts(value: object) -> list[str]:
    return [str(each) for each in wire.to_list(value)]
