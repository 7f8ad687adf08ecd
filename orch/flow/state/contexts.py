"""Build the contexts of plug-in calls from the rows."""

import collections.abc

from orch import ids
from orch.context import request
from orch.model import resource as model_resource
from orch.model import stack
from orch.plugin import call_context
from orch.plugin import registry


def build_context(
    stack: stack.Stack,
    row: model_resource.Resource,
    requested_by: request.RequestContext,
    signal_source: model_resource.Resource | None = None,
    referred: call_context.ReferredResource | None = None,
) -> call_context.Context:
    """Return the context of one incarnation, from its row.

    :param requested_by: whose request the operation or the reading is
    :param signal_source: the resource that this one listens to
    :param referred: the resource that this one names
    """
    return call_context.Context(
        request=requested_by,
        stack_id=stack.id,
        stack_name=stack.name,
        name=row.name,
        token=row.id,
        attempt=row.attempt,
        physical_name=physical_name(stack, row),
        physical_id=row.physical_id,
        properties=row.acting_properties,
        metadata=row.metadata,
        data=row.data,
        attributes=row.attributes,
        baseline=row.baseline or {},
        started_at=row.started_at or row.created_at,
        stack_project=stack.project_id,
        signals=(signal_source or row).signals,
        has_signal_source=signal_source is not None,
        referred=referred,
    )


def physical_name(stack: stack.Stack, row: model_resource.Resource) -> str:
    """Return the name of a resource in its service."""
    return build_physical_name(stack.name, row.name, row.id)


def build_physical_name(
    stack_name: str, name: str, resource_id: ids.ResourceId
) -> str:
    """Return the same name, built from its parts."""
    return f"{stack_name}-{name}-{ids.short(resource_id)}"


def find_resource(
    stack: stack.Stack,
    id_or_name: object,
    rows: collections.abc.Iterable[model_resource.Resource],
    types: registry.Types,
) -> call_context.ReferredResource | None:
    """Return the resource of a stack that has this id or name.

    :returns: ``None`` when there is none
    """
    if not isinstance(id_or_name, str):
        return None
    for row in rows:
        known_as = [row.physical_id, physical_name(stack, row)]
        if row.is_current:
            known_as.append(row.name)
        if row.is_gone or id_or_name not in known_as:
            continue
        plugin = types.find(row.plugin_type)
        return call_context.ReferredResource(
            name=row.name,
            type_name=row.plugin_type,
            token=row.id,
            properties=row.acting_properties,
            metadata=row.metadata,
            is_scalable=plugin is not None and plugin.is_scalable,
        )
    return None
