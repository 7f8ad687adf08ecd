"""Limits the cost of a stack to a budget, and records the cost."""

import json
import pathlib

from orch import errors
from orch.plugin import lifecycle
from orch.plugin import lifecycle_operation


class Budget(lifecycle.LifecyclePlugin):
    """Denies stacks that cost too much, and warns of those that nearly do.

    Its settings have ``prices`` by resource type and a ``budget``; with a
    ``ledger``, what each operation has left is added to that file.
    """

    verbs = frozenset({"create", "update", "delete"})
    supports_preview = True
    needs_settings = True

    def __init__(self, name: str, settings: object) -> None:
        """Read the settings."""
        super().__init__(name, settings)
        if not isinstance(settings, dict) or "budget" not in settings:
            raise errors.Invalid("budget: say how much a stack may cost")
        self._budget = float(settings["budget"])
        self._prices = dict(settings.get("prices", {}))
        self._ledger = settings.get("ledger")

    def pre_operation(
        self, operation: lifecycle_operation.LifecycleOperation
    ) -> lifecycle.Verdict:
        """Add up all resources of the tree in its desired state."""
        cost = self._cost(operation.after)
        if cost > self._budget:
            return lifecycle.deny(
                f"it would cost {cost:g}, and the budget is {self._budget:g}"
            )
        # A decision for the path "" is stored for the stack itself.
        decisions = {"": {"cost": cost}}
        if cost > 0.8 * self._budget:
            return lifecycle.warn(
                f"it costs {cost:g} of {self._budget:g}", decisions
            )
        return lifecycle.allow(decisions)

    def post_operation(
        self,
        operation: lifecycle_operation.LifecycleOperation,
        ended: lifecycle.OperationResult,
    ) -> None:
        """Record the current cost, whatever the outcome of the operation."""
        if self._ledger is None:
            return
        line = {
            # The same operation and attempt may come again after a crash.
            "operation": [
                operation.request.operation_id,
                operation.request.attempt,
            ],
            "stack": operation.stack.name,
            "verb": operation.request.verb,
            "outcome": ended.outcome.value,
            "cost": self._cost(operation.after),
        }
        with pathlib.Path(self._ledger).open("a") as ledger:
            ledger.write(json.dumps(line) + "\n")

    def _cost(self, view: lifecycle_operation.StackView | None) -> float:
        if view is None:
            return 0.0
        return sum(
            self._prices.get(each.type_name, 0.0) for each in view.walk()
        )
