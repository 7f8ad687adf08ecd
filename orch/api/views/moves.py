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
        "updates": [_side(each) for each in facts["updates"]],
    }


def preview(facts: contract.MovePreview) -> View:
    """Return what would move, and the plans of the two stacks then."""
    return {
        "resources": facts["resources"],
        "source": plans.plan(facts["source"]),
        "target": plans.plan(facts["target"]),
        "updates": [
            {**_identity(each["identity"]), **plans.plan(each["plan"])}
            for each in facts["updates"]
        ],
    }


def _side(accepted: contract.Accepted) -> View:
    return {
        **_identity(accepted["identity"]),
        "operation_id": accepted["operation_id"],
    }


def _identity(identity: contract.StackIdentity) -> View:
    return {
        "stack_name": identity["stack_name"],
        "stack_id": identity["stack_id"],
    }
