"""Count the ends of operations and of their steps, for the metrics."""

import typing

from orch.flow.state import conclusion as endings
from orch.metrics import catalogue
from orch.model import operation as operation_model
from orch.model import states
from orch.planner import plan
from orch.template.environment import registry

NO_RESOURCE: typing.Final = "none"
"""In place of the type, for a step without a resource."""

_TEMPLATE: typing.Final = "template"
"""In place of a type that is a template: people give those any names."""

_STATE_LABELS: typing.Final = {
    states.OperationState.COMPLETE: "complete",
    states.OperationState.SUPERSEDED: "superseded",
}
_OUTCOME_LABELS: typing.Final = {
    endings.RunOutcome.TIMED_OUT: "timed_out",
    endings.RunOutcome.CANCELLED: "cancelled",
}


class OperationCount:
    """The end of one operation, counted once it is written."""

    def __init__(
        self,
        operation: operation_model.Operation,
        outcome: endings.RunOutcome,
        conclude: endings.Conclude,
    ) -> None:
        """Store what the count is made of; count nothing yet."""
        self._operation = operation
        self._outcome = outcome
        self._conclude = conclude
        self._stop_reason: operation_model.StopReason | None = None
        self._ending: endings.Conclusion | None = None

    def conclude(
        self, stop_reason: operation_model.StopReason | None
    ) -> endings.Conclusion:
        """Return the conclusion; the last one returned is counted."""
        self._stop_reason = stop_reason
        self._ending = self._conclude(stop_reason)
        return self._ending

    def count(self) -> None:
        """Count the end that was written."""
        operation, ended = self._operation, self._ending
        assert ended is not None
        labels = operation.action.value, self._became(ended)
        catalogue.OPERATIONS_ENDED.count(*labels)
        finished_at = ended.operation_columns["finished_at"]
        if operation.started_at is not None and isinstance(finished_at, float):
            catalogue.OPERATION_S.observe(
                finished_at - operation.started_at, *labels
            )

    def _became(self, ended: endings.Conclusion) -> str:
        state = states.OperationState(str(ended.operation_columns["state"]))
        if state in _STATE_LABELS:
            return _STATE_LABELS[state]
        if self._stop_reason is operation_model.StopReason.CANCELLED:
            return _OUTCOME_LABELS[endings.RunOutcome.CANCELLED]
        return _OUTCOME_LABELS.get(self._outcome, "failed")


def count_step(plugin_type: str, kind: plan.Kind, outcome: str) -> None:
    """Count a step that has ended.

    :param plugin_type: the type that serves its resource
    """
    if registry.is_template(plugin_type):
        plugin_type = _TEMPLATE
    catalogue.RESOURCE_STEPS.count(plugin_type, kind.value, outcome)
