"""Base of the types whose resources have no physical resource."""

import collections.abc

from orch.plugin import call_context
from orch.plugin import resource


class NoPhysicalResource(resource.Resource):
    """A resource that exists only in the rows of its stack.

    A lost attempt to create it left nothing to find: it is created again.
    """

    has_late_effects = False

    def create(
        self, context: call_context.Context
    ) -> call_context.PhysicalId | call_context.CreateResult:
        """Return the physical name; no physical resource has it."""
        return context.physical_name

    def find(
        self, context: call_context.Context
    ) -> call_context.PhysicalId | call_context.CreateResult | None:
        """Return ``None``: an earlier attempt left nothing."""
        return None


class EffectFreeResource(NoPhysicalResource):
    """One whose calls do no input or output, whatever its properties are."""

    def is_effect_free(
        self, properties: collections.abc.Mapping[str, object]
    ) -> bool:
        """Return true."""
        return True
