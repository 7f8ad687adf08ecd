"""Moves of resources, as the wire shows them."""

from orch.api.views import plans
from orch.rpc import contract

View = dict[str, object]


def moved(facts: contract.Moved) -> View:
    """Return what has moved, and the operations that follow."""
    return {
        "resources": facts["resources"],
        "source": _side(facts["source"]),
        "target": _side(facts["target"]),
    }


def preview(facts: contract.MovePreview) -> View:
    """Return what would move, and the plans of the two stacks then."""
    return {
        "resources": facts["resources"],
        "source": plans.plan(facts["source"]),
        "target": plans.plan(facts["target"]),
    }


def _side(accepted: contract.Accepted) -> View:
    identity = accepted["identity"]
    return {
        "stack_name": identity["stack_name"],
        "stack_id": identity["stack_id"],
        "operation_id": accepted["operation_id"],
    }
