"""``AWS::EC2::SecurityGroup``: a security group of Neutron."""

import collections.abc
import typing

from orch import errors
from orch.plugin import call_context
from orch.resources.openstack import wire
from orch.resources.openstack.neutron import rules
from orch.resources.openstack.neutron import security_group

_DIRECTIONS: typing.Final = {
    "SecurityGroupIngress": "ingress",
    "SecurityGroupEgress": "egress",
}
_ALL: typing.Final = "-1"
"""The protocol, port or type of ICMP that means all of them."""

Values = collections.abc.Mapping[str, object]
Rule = dict[str, object]


class SecurityGroup(security_group.SecurityGroup):
    """A security group with its rules for IPv4.

    All traffic may leave where no rule is about that.
    """

    rule_names = tuple(_DIRECTIONS)

    def validate(self, properties: Values) -> None:
        """Refuse ports that are no numbers."""
        super().validate(properties)
        for name in _DIRECTIONS:
            for each in wire.to_maps(properties.get(name)):
                for port in ("FromPort", "ToPort"):
                    given = str(each.get(port) or "0")
                    if not given.removeprefix("-").isdecimal():
                        raise errors.Invalid(
                            f"{port} {given!r} of {name} is no number."
                        )

    def rules_of(self, properties: Values) -> list[rules.Rule]:
        """Return the rules that are given, as Neutron has them."""
        return [
            _to_native(each, direction)
            for name, direction in _DIRECTIONS.items()
            for each in wire.to_maps(properties.get(name))
        ]

    def normalise(self, name: str, value: object) -> object:
        """Return a property's value in the form that like is compared in."""
        if name in _DIRECTIONS:
            return sorted(
                rules.rule_text(_to_native(each, _DIRECTIONS[name]))
                for each in wire.to_maps(value)
            )
        return super().normalise(name, value)

    def rules_of_answer(
        self, context: call_context.Context, body: wire.Body
    ) -> dict[str, object]:
        """Return the rules of each direction that has any given."""
        there = [
            rules.normalise_rule(each)
            for each in body[security_group.RULES_THERE]
        ]
        return {
            name: [
                _from_native(each)
                for each in there
                if each["direction"] == direction
            ]
            for name, direction in _DIRECTIONS.items()
            if context.properties.get(name)
        }


def _to_native(rule: Values, direction: str) -> Rule:
    protocol = str(rule.get("IpProtocol") or _ALL)
    group = rule.get("SourceSecurityGroupId") or rule.get(
        "SourceSecurityGroupName"
    )
    found: Rule = {
        "direction": direction,
        "ethertype": "IPv6" if ":" in str(rule.get("CidrIp")) else "IPv4",
        "protocol": None if protocol == _ALL else protocol,
        "port_range_min": _port(rule.get("FromPort")),
        "port_range_max": _port(rule.get("ToPort")),
        "remote_ip_prefix": rule.get("CidrIp"),
        "remote_group_id": group,
    }
    return {key: value for key, value in found.items() if value is not None}


def _from_native(rule: Values) -> Rule:
    names = {
        "IpProtocol": "protocol",
        "FromPort": "port_range_min",
        "ToPort": "port_range_max",
        "CidrIp": "remote_ip_prefix",
        "SourceSecurityGroupId": "remote_group_id",
    }
    return {name: str(rule[key]) for name, key in names.items() if key in rule}


def _port(given: object) -> int | None:
    """Return a port; ``None`` for all of them."""
    found = int(str(given)) if given not in (None, "") else -1
    return None if found < 0 else found
