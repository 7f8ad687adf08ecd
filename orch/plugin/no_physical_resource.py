"""Base of the types whose resources are nothing in the world."""

from orch.plugin import call_context
from orch.plugin import resource


class NoPhysicalResource(resource.Resource):
    """A resource that only the rows of its stack know.

    What a lost attempt to make it did is nowhere to be found, and is not
    missed: it is made again.
    """

    def create(
        self, context: call_context.Context
    ) -> call_context.PhysicalId | call_context.CreateResult:
        """Return the physical name; there is nothing behind it."""
        return context.physical_name

    def find(
        self, context: call_context.Context
    ) -> call_context.PhysicalId | call_context.CreateResult | None:
        """Answer that nothing is left: there is nothing in the world."""
        return None
