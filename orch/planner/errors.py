"""What can be wrong with a plan."""

from orch import errors


class Circular(errors.Invalid):
    """Changes wait for one another; nothing can begin."""

    code = "orch.plan.circular"
