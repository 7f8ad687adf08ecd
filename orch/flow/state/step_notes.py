"""What is told of steps that no resource's row or event tells of."""

from orch import ids
from orch.flow.state import transitions
from orch.model import states
from orch.model import step
from orch.planner import plan

UNNEEDED = "UNNEEDED"
"""State of a step that the run has found nothing to do for."""

BEGUN = states.Status.IN_PROGRESS.value
COMPLETE = states.Status.COMPLETE.value
FAILED = states.Status.FAILED.value


class StepNotes:
    """Gathers how far such steps are, until it is written."""

    def __init__(self) -> None:
        """Know of none yet."""
        self._noted: dict[tuple[ids.ResourceId, str], str] = {}

    def note(
        self, change: plan.Change, acting: plan.Change | None, state: str
    ) -> None:
        """Note how far a step is, unless its resource tells.

        :param acting: what it turned out to be; ``None`` for nothing
        """
        if change.kind is plan.Kind.CLEAN_UP:
            return
        if acting is None and state == COMPLETE:
            state = UNNEEDED
        elif acting is change and change.kind in transitions.ACTIONS:
            return
        self._noted[change.resource_id, change.kind.value] = state

    def take_back(self, change: plan.Change) -> None:
        """Know that a step has not begun after all."""
        key = change.resource_id, change.kind.value
        if key in self._noted or change.kind not in transitions.ACTIONS:
            self._noted[key] = step.WAITING

    def take(self) -> list[step.Noted]:
        """Return, once, what is to be written."""
        taken, self._noted = self._noted, {}
        return [
            step.Noted(kind, resource_id, state)
            for (resource_id, kind), state in taken.items()
        ]
