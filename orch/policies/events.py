"""Who may look at events."""

from oslo_policy import policy

from orch.policies import base

_STACK = "/stacks/{stack_name}/{stack_id}"


def list_rules() -> list[policy.RuleDefault]:
    """Return the rules of group ``events``."""
    return [
        base.rule(
            "events:index",
            base.READER,
            "List events.",
            f"GET {_STACK}/events",
            f"GET {_STACK}/resources/{{resource_name}}/events",
        ),
        base.rule(
            "events:show",
            base.READER,
            "Show an event.",
            f"GET {_STACK}/resources/{{resource_name}}/events/{{event_id}}",
        ),
    ]
