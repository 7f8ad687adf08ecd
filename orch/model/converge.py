"""Updates that compare with the observed state, not the last request."""

import typing

from orch.model import operation
from orch.model import states

OPTION: typing.Final = "converge"
"""Option of an operation; it holds for the stacks in the stack, too."""

_ACTIONS: typing.Final = frozenset(
    {states.Action.UPDATE, states.Action.ROLLBACK}
)


def is_convergence_requested(asked: operation.Operation) -> bool:
    """Answer whether things are looked at before the operation is planned."""
    return asked.action in _ACTIONS and bool(asked.options.get(OPTION))
