"""What the planner knows: the desired state, and the rows."""

import collections.abc

from orch.context import request
from orch.flow.state import contexts
from orch.flow.state import snapshot_data
from orch.model import resource as model_resource
from orch.model import stack
from orch.plugin import registry
from orch.plugin import resource
from orch.template import world


class PlannerKnowledge:
    """A template with its inputs, and the resources of its stack."""

    def __init__(
        self,
        parsed_template: snapshot_data.DeclaredStack,
        types: registry.Types,
        stack: stack.Stack,
        requested_by: request.RequestContext,
    ) -> None:
        """Store one stack and its parsed template."""
        self._parsed_template = parsed_template
        self._types = types
        self._stack = stack
        self._request = requested_by

    def plugin(self, type_name: str) -> resource.Resource:
        """Return the plug-in of a type.

        :raises orch.errors.NotFound: no plug-in serves it
        """
        return self._types.get(type_name)

    def properties(
        self, name: str, world_view: world.World
    ) -> collections.abc.Mapping[str, object]:
        """Return the desired properties, unknown parts marked.

        :raises orch.errors.OrchError: a value is wrong
        """
        return self._parsed_template.resolve_properties(
            name, world_view, marks_unknown=True
        )

    def metadata(
        self, name: str, world_view: world.World
    ) -> collections.abc.Mapping[str, object] | world.Unknown:
        """Return the desired metadata, or that it is not known yet.

        :raises orch.errors.OrchError: a function failed
        """
        try:
            return self._parsed_template.resolve_metadata(name, world_view)
        except world.NotYetKnown:
            return world.UNKNOWN

    def attributes_read(self, name: str) -> collections.abc.Collection[str]:
        """Return the attributes that the template reads of a resource."""
        return self._parsed_template.attributes_read(name)

    def reference_id(self, row: model_resource.Resource) -> object:
        """Return what ``get_resource`` returns of an incarnation."""
        plugin = self._types.get(row.plugin_type)
        return plugin.reference_id(
            contexts.build_context(self._stack, row, self._request)
        )
