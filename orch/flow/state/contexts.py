"""Build the contexts of plug-in calls from the rows.

A context shows one resource, the one that it names, and the one whose
signals it waits for.
"""

import collections.abc
import threading

from orch import ids
from orch.context import hidden_values
from orch.context import request
from orch.model import resource as model_resource
from orch.model import stack
from orch.plugin import call_context
from orch.plugin import registry
from orch.plugin import resource

Rows = collections.abc.Mapping[ids.ResourceId, model_resource.Resource]


def build_context(
    stack: stack.Stack,
    row: model_resource.Resource,
    requested_by: request.RequestContext,
    signal_source: model_resource.Resource | None = None,
    referred: call_context.ReferredResource | None = None,
    successor: model_resource.Resource | None = None,
) -> call_context.Context:
    """Return the context of one incarnation, from its row.

    :param requested_by: whose request the operation or the reading is
    :param signal_source: the resource that this one listens to
    :param referred: the resource that this one names
    :param successor: what replaced it and is the same physical resource
    """
    # A plug-in may quote any value that it is given.
    hidden_values.add(row.secret_texts)
    return call_context.Context(
        request=requested_by,
        stack_id=stack.id,
        stack_name=stack.name,
        name=row.name,
        token=row.id,
        attempt=row.attempt,
        physical_name=build_physical_name(stack.name, row.name, row.id),
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
        successor=successor.acting_properties if successor else None,
    )


def build_physical_name(
    stack_name: str, name: str, resource_id: ids.ResourceId
) -> str:
    """Return the name of a resource in its service."""
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
        physical_name = build_physical_name(stack.name, row.name, row.id)
        known_as = [row.physical_id, physical_name]
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


class SignalSources:
    """The resources of one stack that take signals, by reference.

    A reference is what ``get_resource`` returns; that of a resource which
    takes signals stays the same from the moment it has a physical id. May be
    used from several threads.
    """

    def __init__(
        self,
        rows: Rows,
        stack: stack.Stack,
        types: registry.Types,
        requested_by: request.RequestContext,
    ) -> None:
        """Use these rows, as they are at each query."""
        self._rows = rows
        self._stack = stack
        self._types = types
        self._request = requested_by
        self._known: dict[str, ids.ResourceId] = {}
        self._seen: set[ids.ResourceId] = set()
        self._lock = threading.Lock()

    def find(
        self, plugin: resource.Resource, row: model_resource.Resource
    ) -> model_resource.Resource | None:
        """Return the resource whose signals this one waits for, if any."""
        if plugin.listens_to is None:
            return None
        target = row.acting_properties.get(plugin.listens_to)
        if not isinstance(target, str):
            return None
        with self._lock:
            if target not in self._known:
                self._look()
            found = self._known.get(target)
        return None if found is None else self._rows.get(found)

    def _look(self) -> None:
        """Learn the references of the resources that have an id by now."""
        for resource_id, row in self._rows.items():
            if resource_id in self._seen or row.physical_id is None:
                continue
            self._seen.add(resource_id)
            plugin = self._types.find(row.plugin_type)
            if plugin is not None and plugin.takes_signals:
                context = build_context(self._stack, row, self._request)
                self._known[plugin.reference_id(context)] = resource_id
