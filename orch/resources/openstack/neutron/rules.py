"""Rules of security groups: their form in templates and on the wire.

A rule is known by what it lets through; no two of a group are the same.
"""

import collections.abc
import typing

import orjson

from orch.resources.openstack import wire

Rule = collections.abc.Mapping[str, typing.Any]

_KEYS: typing.Final = (
    "direction",
    "ethertype",
    "protocol",
    "port_range_min",
    "port_range_max",
    "remote_ip_prefix",
    "remote_group_id",
)
_EGRESS: typing.Final = "egress"
_OF_GROUP: typing.Final = "remote_group_id"
_ICMP: typing.Final = ("icmp", "icmpv6", "ipv6-icmp", "58")
_SELF: typing.Final = "self"
_ALL_OUT: typing.Final = tuple(
    {"direction": _EGRESS, "ethertype": each} for each in ("IPv4", "IPv6")
)
NOTHING_OUT: typing.Final = {
    "direction": _EGRESS,
    "ethertype": "IPv4",
    "remote_ip_prefix": "0.0.0.0/32",
}
"""Lets out what goes nowhere: the rule of a group that lets nothing out."""


def with_egress(rules: list[Rule]) -> list[Rule]:
    """Return the rules that a group has, by those that are given.

    Where none of them is about what leaves, everything may.
    """
    if any(each.get("direction") == _EGRESS for each in rules):
        return rules
    return [*rules, *_ALL_OUT]


def normalise_rule(rule: Rule) -> dict[str, object]:
    """Return what a rule lets through, each value in its usual form.

    :param rule: of a template or of Neutron; ``remote_group_id`` is ``self``
        for the group itself
    """
    found = {key: rule[key] for key in _KEYS if rule.get(key) is not None}
    if rule.get("remote_mode") == _OF_GROUP and _OF_GROUP not in found:
        found[_OF_GROUP] = _SELF
    found.setdefault("direction", "ingress")
    found.setdefault("ethertype", "IPv4")
    if "protocol" in found:
        found["protocol"] = _protocol(found)
    if "remote_ip_prefix" in found:
        found["remote_ip_prefix"] = wire.FORMS["cidr"](
            found["remote_ip_prefix"]
        )
    for key in ("port_range_min", "port_range_max"):
        if key in found:
            found[key] = int(found[key])
    return found


def _protocol(rule: Rule) -> str:
    """Return the protocol; that of ICMP for IPv6 has several names."""
    found = str(rule["protocol"]).lower()
    is_of_six = rule["ethertype"] == "IPv6"
    return "ipv6-icmp" if is_of_six and found in _ICMP else found


def rule_text(rule: Rule) -> str:
    """Return what a rule lets through as one text, to compare it by."""
    return orjson.dumps(
        normalise_rule(rule), option=orjson.OPT_SORT_KEYS
    ).decode()


def from_wire(rule: Rule, group_id: str) -> dict[str, object]:
    """Return a rule of Neutron as a template has it."""
    found = normalise_rule(rule)
    if found.get(_OF_GROUP) == group_id:
        del found[_OF_GROUP]
        found["remote_mode"] = _OF_GROUP
    elif _OF_GROUP in found:
        found["remote_mode"] = _OF_GROUP
    return found


def all_from_wire(
    rules: collections.abc.Iterable[Rule], group_id: str
) -> list[dict[str, object]]:
    """Return all rules of a group as a template has them."""
    found = [from_wire(each, group_id) for each in rules]
    if any(each["direction"] == _EGRESS for each in found):
        return found
    return [*found, dict(NOTHING_OUT)]


def normalise_rules(value: object) -> object:
    """Return rules in the form that like is compared in."""
    given = value if isinstance(value, list) else []
    return sorted({rule_text(each) for each in with_egress(given)})


def to_wire(rule: Rule, group_id: str) -> dict[str, object]:
    """Return the request that makes a rule."""
    found = normalise_rule(rule)
    if found.get(_OF_GROUP) == _SELF:
        found[_OF_GROUP] = group_id
    return {**found, "security_group_id": group_id}
