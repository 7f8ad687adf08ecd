"""What can be wrong with a plan."""

from orch import errors


class CircularPlan(errors.Invalid):
    """Changes wait for one another; nothing can begin."""

    code = "orch.plan.circular"
