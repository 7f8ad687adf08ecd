"""Who may look at events."""

from orch.policies import base

_STACK = "/stacks/{stack_name}/{stack_id}"

RULES = (
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
)
