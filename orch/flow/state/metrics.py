"""Counts what becomes of operations and of their steps, for the metrics."""

import typing

from orch.flow.state import conclusion as endings
from orch.metrics import catalogue
from orch.model import operation
from orch.model import states
from orch.planner import plan
from orch.template.environment import registry

NO_RESOURCE: typing.Final = "none"
"""In place of the type, for a step that is of no resource."""

_TEMPLATE: typing.Final = "template"
"""In place of a type that is a template: people give those any names."""

_BECAME: typing.Final = {
    states.OperationState.COMPLETE: "complete",
    states.OperationState.SUPERSEDED: "superseded",
}
_KEPT: typing.Final = {
    endings.Outcome.TIMED_OUT: "timed_out",
    endings.Outcome.CANCELLED: "cancelled",
}


class End:
    """The end of one operation, counted once it is written."""

    def __init__(
        self,
        asked: operation.Operation,
        outcome: endings.Outcome,
        conclude: endings.Conclude,
    ) -> None:
        """Know of no end yet."""
        self._operation = asked
        self._outcome = outcome
        self._conclude = conclude
        self._halt: operation.Halt | None = None
        self._ending: endings.Ending | None = None

    def conclude(self, halt: operation.Halt | None) -> endings.Ending:
        """Say how it ends; the last one that was said counts."""
        self._halt = halt
        self._ending = self._conclude(halt)
        return self._ending

    def count(self) -> None:
        """Know that this was written."""
        asked, ended = self._operation, self._ending
        assert ended is not None
        labels = asked.action.value, self._became(ended)
        catalogue.OPERATIONS_ENDED.count(*labels)
        finished_at = ended.operation_columns["finished_at"]
        if asked.started_at is not None and isinstance(finished_at, float):
            catalogue.OPERATION_S.observe(
                finished_at - asked.started_at, *labels
            )

    def _became(self, ended: endings.Ending) -> str:
        state = states.OperationState(str(ended.operation_columns["state"]))
        if state in _BECAME:
            return _BECAME[state]
        if self._halt is operation.Halt.CANCELLED:
            return _KEPT[endings.Outcome.CANCELLED]
        return _KEPT.get(self._outcome, "failed")


def count_step(plugin_type: str, kind: plan.Kind, outcome: str) -> None:
    """Count a step that has ended.

    :param plugin_type: the type that serves its resource
    """
    if registry.is_template(plugin_type):
        plugin_type = _TEMPLATE
    catalogue.RESOURCE_STEPS.count(plugin_type, kind.value, outcome)
