"""Who may look at operations."""

from orch.policies import base

_OPERATIONS = "/stacks/{stack_name}/{stack_id}/operations"

RULES = (
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
)
