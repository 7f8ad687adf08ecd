"""Heat's answer to the question what a template is and wants."""

import collections.abc
import dataclasses

from orch.plugin import schema
from orch.template import world
from orch.template.parameters import constraint_keys
from orch.template.parameters import schema as parameter_schema
from orch.template.parameters import values as parameters_


@dataclasses.dataclass(frozen=True)
class TemplateParts:
    """Validation facts of one template.

    :ivar nested: the stacks that its resources hold, by their names; empty
        when it was not requested
    """

    description: object
    parameters: parameters_.Parameters
    groups: object
    nested: "collections.abc.Mapping[str, NestedParts]"


@dataclasses.dataclass(frozen=True)
class NestedParts:
    """Validation facts of a child stack.

    :ivar type_name: type of the resource that holds it
    """

    type_name: str
    parts: TemplateParts


def build_answer(
    parts: TemplateParts,
    environment: dict[str, object],
    templates: collections.abc.Iterable[str],
) -> dict[str, object]:
    """Return the answer of ``POST /validate``.

    :param templates: types of resources that are templates of their own
    """
    registry = environment["resource_registry"]
    assert isinstance(registry, dict)
    for name in templates:
        registry.setdefault(name, name)
    return {**_template_parts(parts), "Environment": environment}


def _template_parts(parts: TemplateParts) -> dict[str, object]:
    """Return what is told of one template."""
    result: dict[str, object] = {
        "Description": parts.description,
        "Parameters": {
            name: _parameter_parts(one, parts.parameters)
            for name, one in parts.parameters.schemas.items()
        },
    }
    if parts.groups:
        result["ParameterGroups"] = parts.groups
    if parts.nested:
        result["NestedParameters"] = {
            name: {"Type": one.type_name, **_template_parts(one.parts)}
            for name, one in parts.nested.items()
        }
    return result


def _parameter_parts(
    one: parameter_schema.ParameterSchema,
    parameters: parameters_.Parameters,
) -> dict[str, object]:
    """Return what is told of one parameter."""
    shown: dict[str, object] = {
        "Type": one.type.shown,
        "Description": one.description,
        "NoEcho": "true" if one.is_hidden else "false",
        "Label": one.label or one.name,
    }
    default = parameters.default(one.name)
    if default is not None:
        shown["Default"] = default
    value = parameters.given.values.get(one.name)
    if value and value is not world.UNKNOWN:
        # Heat shows no value that is empty, zero or false.
        shown["Value"] = parameters_.HIDDEN if one.is_hidden else value
    if one.tags:
        shown["Tags"] = list(one.tags)
    descriptions = []
    for constraint in one.constraints:
        shown.update(_constraint_parts(constraint))
        if constraint.description:
            descriptions.append(constraint.description)
    if descriptions:
        shown["ConstraintDescription"] = " ".join(descriptions)
    return shown


def _constraint_parts(constraint: schema.Constraint) -> dict[str, object]:
    """Return what is told of one constraint."""
    if isinstance(constraint, schema.Modulo):
        return {"Step": constraint.step, "Offset": constraint.offset}
    if isinstance(constraint, schema.CustomConstraint):
        return {"CustomConstraint": constraint.name}
    return constraint_keys.keys_of_constraint(constraint)
