"""Changes that compare with the observed state, not the last request."""

import typing

from orch.model import operation
from orch.model import states

OPTION: typing.Final = "converge"
"""Option of an operation; it holds for the stacks in the stack, too."""
STRICT: typing.Final = "strict"
"""Value of the option of an operation that fails where it cannot read."""

_ACTIONS: typing.Final = frozenset(
    {states.Action.CREATE, states.Action.UPDATE, states.Action.ROLLBACK}
)


def may_converge(asked: operation.Operation) -> bool:
    """Whether an operation brings a stack to a template, so it may converge.

    A first attempt of a creation finds nothing to compare with.
    """
    return asked.action in _ACTIONS and asked.template_hash is not None


def is_convergence_requested(asked: operation.Operation) -> bool:
    """Whether things are looked at before the operation is planned."""
    if asked.action is states.Action.CREATE and asked.attempt == 1:
        return False
    return asked.action in _ACTIONS and bool(asked.options.get(OPTION))


def is_strict(asked: operation.Operation) -> bool:
    """Whether an operation fails if a physical resource cannot be read."""
    return (
        is_convergence_requested(asked) and asked.options.get(OPTION) == STRICT
    )
