"""Find the resource of a stack whose signals another one waits for."""

import collections.abc
import threading

from orch import ids
from orch.context import request
from orch.flow.state import contexts
from orch.model import resource as model_resource
from orch.model import stack
from orch.plugin import call_context
from orch.plugin import registry
from orch.plugin import resource

Rows = collections.abc.Mapping[ids.ResourceId, model_resource.Resource]


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

    def context(
        self, row: model_resource.Resource
    ) -> tuple[resource.Resource, call_context.Context]:
        """Return the plug-in of a row and what it may know.

        :raises orch.errors.NotFound: no plug-in serves the type
        """
        plugin = self._types.get(row.plugin_type)
        referred = None
        if plugin.refers_to is not None:
            referred = contexts.find_resource(
                self._stack,
                row.acting_properties.get(plugin.refers_to),
                self._rows.values(),
                self._types,
            )
        return plugin, contexts.build_context(
            self._stack, row, self._request, self.find(plugin, row), referred
        )

    def _look(self) -> None:
        """Learn the references of the resources that have an id by now."""
        for resource_id, row in self._rows.items():
            if resource_id in self._seen or row.physical_id is None:
                continue
            self._seen.add(resource_id)
            plugin = self._types.find(row.plugin_type)
            if plugin is not None and plugin.takes_signals:
                context = contexts.build_context(
                    self._stack, row, self._request
                )
                self._known[plugin.reference_id(context)] = resource_id
