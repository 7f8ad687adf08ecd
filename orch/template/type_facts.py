"""Facts of a resource type: Heat's answers about it."""

import inspect

from orch.plugin import resource
from orch.plugin import schema
from orch.template import type_template
from orch.template.parameters import constraint_keys

_SHOW = {
    "description": "Everything that the service itself shows of it.",
    "type": "map",
}

Facts = dict[str, object]


def type_facts(
    plugin: resource.Resource, *, with_description: bool = False
) -> Facts:
    """Return the answer of ``GET /resource_types/{type}``."""
    answer: Facts = {
        "resource_type": plugin.type_name,
        "properties": {
            one.name: _property(one)
            for one in plugin.properties
            if not one.is_hidden
        },
        "attributes": {
            **{
                one.name: _attribute(one)
                for one in plugin.attributes
                if not one.is_hidden
            },
            "show": dict(_SHOW),
        },
        "support_status": {
            "status": plugin.support_status,
            "message": None,
            "version": None,
            "previous_status": None,
        },
    }
    if with_description:
        answer["description"] = type_description(plugin)
    return answer


def type_description(plugin: resource.Resource) -> str:
    """Return what a type is, as its documentation says."""
    return inspect.getdoc(type(plugin)) or ""


def template_of_type(plugin: resource.Resource, template_type: str) -> Facts:
    """Return the answer of ``GET /resource_types/{type}/template``.

    :param template_type: ``hot`` or ``cfn``
    """
    if template_type == "hot":
        return type_template.hot_template(plugin)
    return type_template.cfn_template(plugin)


def _property(declared: schema.Property) -> Facts:
    """Return what is told of one property."""
    on_update = declared.on_update
    shown: Facts = {
        "type": declared.type.value,
        "required": declared.required,
        "update_allowed": on_update is schema.OnUpdate.MODIFY,
        "immutable": on_update is schema.OnUpdate.REFUSE,
    }
    if declared.description:
        shown["description"] = declared.description
    if declared.default is not None:
        shown["default"] = declared.default
    if declared.constraints:
        shown["constraints"] = list(
            map(constraint_facts, declared.constraints)
        )
    below = _below(declared)
    if below:
        shown["schema"] = below
    return shown


def _below(declared: schema.Property) -> Facts:
    """Return what is told of the parts of a list or map."""
    if declared.items is not None:
        return {"*": _property(declared.items)}
    return {
        one.name: _property(one)
        for one in declared.fields
        if not one.is_hidden
    }


def constraint_facts(declared: schema.Constraint) -> Facts:
    """Return what is told of one constraint."""
    shown = constraint_keys.as_written(declared)
    if declared.description:
        shown["description"] = declared.description
    return shown


def _attribute(declared: schema.Attribute) -> Facts:
    shown = {
        "description": declared.description,
        "type": declared.type and declared.type.value,
    }
    return {name: text for name, text in shown.items() if text}
