"""A task that orders other changes, and does nothing itself."""

from orch.flow.tasks import base


class CleanUpTask(base.ChangeTask):
    """Is complete as soon as it may run."""

    def pre_execute(self) -> None:
        """Mark the task as effect-free."""
        self.is_effect_free = True

    def begin(self) -> base.Step:
        """Return a complete step."""
        return base.Step()

    def poll(self) -> base.Step:
        """Return a complete step."""
        return base.Step()
