"""A template to begin with, made of what a resource type takes and shows.

It is Heat's, but where Heat's could never become a stack: a list of maps is
JSON here, a list of texts reaches its property as a list, and a constraint
that asks a service is told by its name.
"""

import collections.abc

from orch.plugin import resource
from orch.plugin import schema
from orch.template.parameters import constraint_keys
from orch.template.parameters import types

Facts = dict[str, object]

_PARAMETER_TYPES: collections.abc.Mapping[schema.Type, str] = {
    schema.Type.STRING: "string",
    schema.Type.INTEGER: "number",
    schema.Type.NUMBER: "number",
    schema.Type.BOOLEAN: "boolean",
    schema.Type.MAP: "json",
    schema.Type.LIST: "comma_delimited_list",
    schema.Type.ANY: "json",
}

_BOOLEANS = ("True", "true", "False", "false")
"""What a parameter of CloudFormation's format takes for a boolean."""


def hot_template(plugin: resource.Resource) -> Facts:
    """Return the template in HOT."""
    name = _name(plugin)
    shown = _shown(plugin)
    properties = {one.name: {"get_param": one.name} for one in shown}
    return {
        "heat_template_version": "2016-10-14",
        "description": f"Initial template of {name}",
        "parameters": {one.name: _hot_parameter(one) for one in shown},
        "resources": {
            name: {"type": plugin.type_name, "properties": properties}
        },
        "outputs": {
            **{
                one: {
                    "description": text,
                    "value": {"get_attr": [name, one]},
                }
                for one, text in _attributes(plugin)
            },
            "OS::stack_id": {"value": {"get_resource": name}},
        },
    }


def cfn_template(plugin: resource.Resource) -> Facts:
    """Return the template in CloudFormation's format."""
    name = _name(plugin)
    shown = _shown(plugin)
    return {
        "HeatTemplateFormatVersion": "2012-12-12",
        "Description": f"Initial template of {name}",
        "Parameters": {one.name: _cfn_parameter(one) for one in shown},
        "Resources": {
            name: {
                "Type": plugin.type_name,
                "Properties": {one.name: _cfn_value(one) for one in shown},
            }
        },
        "Outputs": {
            **{
                one: {
                    "Description": text,
                    "Value": {"Fn::GetAtt": [name, one]},
                }
                for one, text in _attributes(plugin)
            },
            "OS::stack_id": {"Value": {"Ref": name}},
        },
    }


def _name(plugin: resource.Resource) -> str:
    """Return the name that the resource gets in the template."""
    return type(plugin).__name__


def _shown(plugin: resource.Resource) -> list[schema.Property]:
    return [one for one in plugin.properties if not one.is_hidden]


def _attributes(
    plugin: resource.Resource,
) -> collections.abc.Iterator[tuple[str, str]]:
    """Return names and descriptions of what an output can tell."""
    for one in plugin.attributes:
        if not one.is_hidden:
            yield one.name, one.description
    yield "show", "Everything that the service itself shows of it."


def _type(declared: schema.Property) -> types.ParameterType:
    if declared.type is schema.Type.LIST and not _has_texts(declared):
        return types.TYPES["json"]
    return types.TYPES[_PARAMETER_TYPES[declared.type]]


def _hot_parameter(declared: schema.Property) -> Facts:
    parameter: Facts = {"type": _type(declared).name}
    if declared.description:
        parameter["description"] = declared.description
    if declared.default is not None:
        parameter["default"] = declared.default
    constraints = [
        constraint_keys.as_written(one)
        for one in declared.constraints
        if not isinstance(one, schema.Modulo)
    ]
    if constraints:
        parameter["constraints"] = constraints
    return parameter


def _cfn_parameter(declared: schema.Property) -> Facts:
    parameter: Facts = {"Type": _type(declared).shown}
    if declared.description:
        parameter["Description"] = declared.description
    if declared.default is not None:
        parameter["Default"] = declared.default
    if declared.type is schema.Type.BOOLEAN:
        parameter["AllowedValues"] = list(_BOOLEANS)
    for one in declared.constraints:
        parameter.update(constraint_keys.keys_of_constraint(one))
    return parameter


def _cfn_value(declared: schema.Property) -> Facts:
    """Return how a property reads its parameter.

    A list of texts may come as one text too, parted by commas.
    """
    reference: Facts = {"Ref": declared.name}
    if declared.type is schema.Type.LIST and _has_texts(declared):
        return {"Fn::Split": [",", {"Fn::Join": [",", reference]}]}
    return reference


def _has_texts(declared: schema.Property) -> bool:
    items = declared.items
    return items is None or items.type is schema.Type.STRING
