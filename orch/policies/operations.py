"""Who may look at operations."""

from oslo_policy import policy

from orch.policies import base

_OPERATIONS = "/stacks/{stack_name}/{stack_id}/operations"


def list_rules() -> list[policy.RuleDefault]:
    """Return the rules of group ``operations``."""
    return [
        base.rule(
            "operations:index",
            base.READER,
            "List the operations of a stack.",
            f"GET {_OPERATIONS}",
        ),
        base.rule(
            "operations:show",
            base.READER,
            "Show an operation.",
            f"GET {_OPERATIONS}/{{operation_id}}",
        ),
    ]
