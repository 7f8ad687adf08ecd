"""The network interfaces of databases."""

import typing

from orch import errors
from orch.resources.openstack import wire

_EITHER: typing.Final = ("network", "port")


def validate_networks(value: object) -> None:
    """Refuse interfaces that name not exactly one of network and port.

    :param value: of the property; what is not known yet is absent
    :raises orch.errors.Invalid: there is such an interface
    """
    for each in wire.to_maps(value):
        given = [name for name in _EITHER if each.get(name)]
        if len(given) > 1:
            raise errors.Invalid(
                "Cannot define the following properties at the same time:"
                f" {', '.join(_EITHER)}."
            )
        if each.keys() >= set(_EITHER) and not given:
            raise errors.Invalid("Either network or port must be provided.")
