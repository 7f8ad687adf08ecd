"""Stands between other changes, and does nothing itself."""

from orch.flow.tasks import base


class CleanUpTask(base.ChangeTask):
    """Is complete as soon as it may run."""

    def pre_execute(self) -> None:
        """Nothing outside is touched."""
        self.is_effect_free = True

    def begin(self) -> base.Step:
        """Be complete at once."""
        return base.Step()

    def poll(self) -> base.Step:
        """Be complete, as before."""
        return base.Step()
