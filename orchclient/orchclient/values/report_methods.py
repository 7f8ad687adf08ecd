"""Methods of drift reports."""

from orchclient.values import drift


class ReportMethods:
    """Methods of the drift report of a tree."""

    __slots__ = ()
    stacks: tuple[drift.StackDrift, ...]

    @property
    def resources(self) -> tuple[drift.DriftResource, ...]:
        """Return all resources, stack by stack."""
        return tuple(each for stack in self.stacks for each in stack.resources)
