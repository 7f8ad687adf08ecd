"""What the stacks in a stack are made of, as its template says."""

import collections.abc

from orch.template import body as body_
from orch.template import inputs
from orch.template import load_request as setting_
from orch.template import problems
from orch.template.environment import environment as environment_
from orch.template.environment import registry
from orch.template.resources import declaration
from orch.template.resources import nested_type
from orch.template.resources import template_facades


def find_nested_type(
    context: setting_.LoadContext, type_name: str
) -> nested_type.NestedType | None:
    """Return the template that a type is; ``None`` when it is none."""
    try:
        kind = context.kinds.read(type_name)
    except problems.Fault:
        return None
    return kind.nested if kind else None


def nested_file_types(
    body: body_.Body, context: setting_.LoadContext
) -> list[str]:
    """Return the templates among the files that resources are made of.

    Those of the installation are not told of.
    """
    return [
        parsed.declaration.type_name
        for parsed in body.resources.parsed.values()
        if parsed.nested is not None
        and parsed.declaration.type_name in context.files
    ]


def child_inputs(
    declared: declaration.Declaration,
    values: collections.abc.Mapping[str, object],
    metadata: collections.abc.Mapping[str, object],
    template: object,
    context: setting_.LoadContext,
    environment: environment_.Environment,
) -> inputs.Inputs:
    """Return what the stack that a resource holds is made of.

    :param values: of the parameters of that stack
    :param metadata: of the resource
    :param template: that of the stack; ``None`` for the file that is the
        type of the resource
    :param context: what the template around is read in
    :param environment: of the stack around
    """
    if template is None:
        found = find_nested_type(context, declared.type_name)
        assert found is not None
        template = found.source.document.root
    registry_, without = context.type_map.entered(
        declared.name, declared.declared_type
    )
    return inputs.Inputs(
        template,
        {
            "resource_registry": registry.registry_as_written(registry_),
            "parameter_defaults": dict(environment.parameter_defaults),
        },
        {key: one for key, one in values.items() if one is not None},
        context.files,
        around=inputs.ParentContext(
            context.around.depth + 1,
            template_facades.facade_of(declared, dict(metadata)),
            (*context.around.without, *([without] if without else ())),
        ),
    )
