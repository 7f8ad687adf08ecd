"""Who may make plans and run them.

What the plan is of needs its own rule as well: whoever may not delete a
stack can neither plan nor run its deletion.
"""

from orch.policies import base

_PLANS = "/stacks/{stack_name}/{stack_id}/plans"
_PLAN = f"{_PLANS}/{{plan_id}}"

RULES = (
    base.rule(
        "plans:create",
        base.MEMBER,
        "Make and keep the plan of an operation.",
        f"POST {_PLANS}",
    ),
    base.rule("plans:index", base.READER, "List plans.", f"GET {_PLANS}"),
    base.rule("plans:show", base.READER, "Show a plan.", f"GET {_PLAN}"),
    base.rule(
        "plans:delete", base.MEMBER, "Forget a plan.", f"DELETE {_PLAN}"
    ),
    base.rule(
        "plans:apply",
        base.READER,
        "Run exactly what a plan says.",
        f"POST {_PLAN}/apply",
    ),
)
