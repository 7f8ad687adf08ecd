"""The body that asks for an action on a stack."""

import typing

from orch import errors
from orch.api.schemas import stacks
from orch.rpc import contract

ACTIONS = (
    "retry",
    "suspend",
    "resume",
    "check",
    "cancel_update",
    "cancel_without_rollback",
)


def action_of(body: stacks.Body) -> str:
    """Return the one action that the body names.

    :raises orch.errors.Invalid: it names none, several, or an unknown one
    """
    if len(body) != 1:
        raise errors.Invalid(
            f"Name exactly one action, not {len(body)}: "
            f"one of {', '.join(ACTIONS)}."
        )
    action = next(iter(body))
    if action not in ACTIONS:
        raise errors.Invalid(
            f"Unknown action {action[:80]}: it is none of "
            f"{', '.join(ACTIONS)}."
        )
    return action


def retry_options_of(body: stacks.Body) -> contract.StackOptions:
    """Return how the retried operation runs; empty for as before.

    :raises orch.errors.Invalid: the value is no map, or a value in it is
        wrong
    """
    value = body["retry"]
    if value in (None, ""):
        return {}
    if not isinstance(value, dict):
        raise errors.Invalid("The value of retry must be a map or null.")
    return stacks.options_of(typing.cast(stacks.Body, value))
