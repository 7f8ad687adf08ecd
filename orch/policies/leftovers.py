"""Who may see, remove and forget left-over physical resources."""

from orch.policies import base

_LEFTOVER = "/leftovers/{leftover_id}"

RULES = (
    base.rule(
        "leftovers:index",
        base.READER,
        "List what stacks have left in place.",
        "GET /leftovers",
    ),
    base.rule(
        "leftovers:show",
        base.READER,
        "Show a left-over physical resource.",
        f"GET {_LEFTOVER}",
    ),
    base.rule(
        "leftovers:sweep",
        base.MEMBER,
        "Remove a left-over physical resource.",
        f"POST {_LEFTOVER}/sweep",
    ),
    base.rule(
        "leftovers:forget",
        base.MEMBER,
        "Forget a left-over physical resource; it stays in place.",
        f"DELETE {_LEFTOVER}",
    ),
)
