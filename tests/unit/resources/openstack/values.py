"""Two values of a property, from its schema."""

import typing

from orch.plugin import schema
from orch.resources.openstack import type_table

IDS: typing.Final = (
    "5d4b3a1e-0000-4000-8000-00000000000a",
    "5d4b3a1e-0000-4000-8000-00000000000b",
)
PROJECT: typing.Final = "5d4b3a1e00004000800000000000000b"
_SAMPLES: typing.Final[dict[str, tuple[object, object]]] = {
    "address": ("10.0.0.7", "10.0.0.8"),
    "availability_zone_data": (
        '{"compute_zone": "nova"}',
        '{"compute_zone": "edge"}',
    ),
    "external_gateway_info": ({"enable_snat": False}, {"enable_snat": True}),
    "flavor_data": (
        '{"loadbalancer_topology": "SINGLE"}',
        '{"loadbalancer_topology": "ACTIVE_STANDBY"}',
    ),
    "project": (PROJECT, IDS[0].replace("-", "")),
}
"""Two values of properties, by name; of others by their schema."""
_OF_TYPES: typing.Final[dict[schema.Type, tuple[object, object]]] = {
    schema.Type.BOOLEAN: (True, False),
    schema.Type.INTEGER: (2, 3),
    schema.Type.NUMBER: (2, 3),
    schema.Type.LIST: (["10.0.0.0/8"], ["10.1.0.0/16"]),
    schema.Type.MAP: ({"type": "SOURCE_IP"}, {"type": "HTTP_COOKIE"}),
}


def of_property(
    declared: schema.Property, field: type_table.Field, number: int
) -> object:
    """Return a value that the schema allows.

    :param number: 0 or 1; each has another value
    """
    name = declared.name
    if name in _SAMPLES:
        return _SAMPLES[name][number]
    if declared.type is schema.Type.LIST and declared.items is not None:
        return [of_property(declared.items, field, number)]
    if declared.fields:
        parts = {each.name: each for each in field.parts}
        return {
            each.name: of_property(
                each,
                parts.get(each.name, type_table.Field(name=each.name)),
                number,
            )
            for each in declared.fields
        }
    for each in declared.constraints:
        if isinstance(each, schema.AllowedValues):
            return each.values[number % len(each.values)]
    if field.refers_to is not None:
        return IDS[number]
    return _OF_TYPES.get(declared.type, (f"{name}-0", f"{name}-1"))[number]
