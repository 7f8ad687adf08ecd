"""Where requests go that the service makes because a user named an address."""

import ipaddress
import typing

from oslo_config import cfg
from oslo_config import types

from orch.conf import section


class Network(types.String):
    """An IP network in CIDR notation."""

    def __call__(self, value: typing.Any) -> str:
        """Return the text.

        :raises ValueError: it is no network
        """
        return str(ipaddress.ip_network(str(value).strip()))


SECTION = section.Section(
    "egress",
    "Addresses that users name",
    cfg.ListOpt(
        "allowed_networks",
        default=[],
        item_type=Network(),
        help="Networks, such as 127.0.0.0/8 or 10.1.2.3/32, that requests may"
        " go to in any case when a user names the address: that of a template,"
        " of a Keystone to log in at, of Orch::HTTP::Resource or of an event"
        " sink. Without it no such request reaches the machine itself"
        " (loopback, and each address that it has), hosts on the same link"
        " (169.254.169.254, where clouds serve secrets) and multicast or"
        " reserved addresses. Set it where templates come from the machine"
        " itself. orch-all without"
        " authentication allows its own machine.",
    ),
    cfg.BoolOpt(
        "refuse_private",
        help="Refuse private networks too (10.0.0.0/8, 172.16.0.0/12,"
        " 192.168.0.0/16, 100.64.0.0/10, fc00::/7 and others that are not"
        " public). Where it is not set, they are refused unless auth in [api]"
        " is none. Name in allowed_networks what users need of them; set it to"
        " false where users may reach all that is near the service.",
    ),
    cfg.StrOpt(
        "ca_file",
        default="",
        help="File of certificates, as PEM, that servers at such addresses are"
        " checked by. Set it where these have certificates of an authority of"
        " your own; empty trusts the public ones.",
    ),
)
