"""Who may have resources of a type: rules named after types.

A type that no rule names is everybody's. An operator may name more of them
in the policy file, and all types of a service as ``OS::Keystone::*``.
"""

import typing

from oslo_policy import policy

from orch.policies import base

ROOT: typing.Final = "resource_types:"
ALL: typing.Final = "*"

_OF_ADMINS: typing.Final = (
    "OS::Blazar::Host",
    "OS::Cinder::EncryptedVolumeType",
    "OS::Cinder::QoSAssociation",
    "OS::Cinder::QoSSpecs",
    "OS::Cinder::Quota",
    "OS::Cinder::VolumeType",
    "OS::Keystone::*",
    "OS::Manila::ShareType",
    "OS::Neutron::ProviderNet",
    "OS::Neutron::QoSBandwidthLimitRule",
    "OS::Neutron::QoSDscpMarkingRule",
    "OS::Neutron::QoSMinimumBandwidthRule",
    "OS::Neutron::QoSMinimumPacketRateRule",
    "OS::Neutron::QoSPolicy",
    "OS::Neutron::Quota",
    "OS::Neutron::Segment",
    "OS::Nova::Flavor",
    "OS::Nova::HostAggregate",
    "OS::Nova::Quota",
    "OS::Octavia::Flavor",
    "OS::Octavia::FlavorProfile",
    "OS::Octavia::Quota",
)
"""Types whose services let only administrators make such things."""

_LOCAL: typing.Final = "Orch::Local::*"
"""Files and processes of the machine that a worker runs on."""


def list_rules(*, is_open: bool = False) -> list[policy.RuleDefault]:
    """Return the rules of types that not everybody may have.

    :param is_open: callers do not log in: all are the local user
    """
    return [
        *(
            _rule(
                name,
                base.ADMIN_ANYWHERE,
                f"See {name} and have resources of it.",
            )
            for name in _OF_ADMINS
        ),
        _rule(
            _LOCAL,
            base.ALLOW_ALL if is_open else base.CLOUD_ADMIN,
            "See the types of files and processes of workers, and have them:"
            " commands run as the user of the worker. With [api] auth = none"
            " all callers may by default.",
        ),
    ]


def _rule(name: str, check: str, description: str) -> policy.RuleDefault:
    return policy.RuleDefault(
        f"{ROOT}{name}",
        check,
        description,
        scope_types=[base.SYSTEM, base.PROJECT],
    )
