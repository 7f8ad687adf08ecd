"""``OS::Heat::None``: a resource of any type, switched off."""

import collections.abc

from orch.plugin import call_context
from orch.plugin import no_physical_resource
from orch.plugin import type_files


@type_files.described("OS::Heat::None")
class NoneResource(no_physical_resource.EffectFreeResource):
    """No physical resource, under any properties; map a type to it.

    Each of its attributes is null.
    """

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
