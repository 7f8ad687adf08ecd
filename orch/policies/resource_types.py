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


def list_rules() -> list[policy.RuleDefault]:
    """Return the rules of types that not everybody may have."""
    return [
        policy.RuleDefault(
            f"{ROOT}{name}",
            base.ADMIN_ANYWHERE,
            f"See {name} and have resources of it.",
            scope_types=[base.SYSTEM, base.PROJECT],
        )
        for name in _OF_ADMINS
    ]
