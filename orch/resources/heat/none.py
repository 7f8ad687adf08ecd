"""``OS::Heat::None``: stands where a resource is wanted away."""

import collections.abc

from orch.plugin import call_context
from orch.plugin import no_physical_resource


class NoneResource(no_physical_resource.NoPhysicalResource):
    """Nothing, under any properties; map a type to it to switch it off.

    Each of its attributes is null.
    """

    type_name = "OS::Heat::None"
    accepts_any_property = True

    def is_effect_free(
        self, properties: collections.abc.Mapping[str, object]
    ) -> bool:
        """Answer yes, always."""
        return True

    def create(self, context: call_context.Context) -> call_context.PhysicalId:
        """Return an id; there is nothing behind it."""
        return context.token

    def read_attributes(
        self,
        context: call_context.Context,
        names: collections.abc.Collection[str],
    ) -> collections.abc.Mapping[str, object]:
        """Return null for each name."""
        return dict.fromkeys(names)
