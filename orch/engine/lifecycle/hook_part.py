"""One phase of the calls of a chain of plug-ins: pre-ops, or post-ops."""

from orch.engine.lifecycle import journal as journals
from orch.engine.lifecycle import situation
from orch.engine.lifecycle import transitions
from orch.model import lifecycle as model
from orch.plugin import lifecycle_order


class HookPart:
    """The calls of one phase of a chain.

    :ivar is_late: pre-ops that cannot stop the operation any more
    """

    def __init__(
        self,
        entry: journals.Entry,
        phase: str,
        operation_of: situation.OperationOf,
        *,
        is_late: bool = False,
    ) -> None:
        self.entry = entry
        self.phase = phase
        self.operation_of = operation_of
        self.is_late = is_late
        # A lost worker may have called any of these post-ops.
        loaded = entry.loaded
        self.is_repeat = (
            loaded is not None and loaded.stage is model.Stage.CLOSING
        )

    @property
    def run(self) -> model.Run:
        """Return the state of the calls."""
        return self.entry.run

    @property
    def is_opening(self) -> bool:
        """Whether they decide if the operation begins."""
        return self.phase == model.PRE and not self.is_late

    @property
    def next_name(self) -> str | None:
        """Return the name of the plug-in that is called next, if any."""
        if self.phase == model.POST:
            return transitions.next_post(self.run)
        return transitions.next_pre(self.run)

    def expect(self, member: lifecycle_order.OrderedPlugin) -> bool:
        """Expect the next call, and return whether that must be stored first.

        Once a post-op is called, no worker may call a pre-op of the chain.
        """
        stored = self.entry.stored
        if self.phase == model.POST:
            return stored is None or stored.stage is model.Stage.OPENING
        if not member.is_recorded:
            return False
        self.entry.run = transitions.expect(self.run)
        return stored is None or stored.ahead <= self.run.passed
