"""The body that asks for an action on a stack."""

import types
import typing

from orch import errors
from orch.api.schemas import drift
from orch.api.schemas import holds
from orch.api.schemas import retry
from orch.api.schemas import stacks
from orch.rpc import contract

RETRY: typing.Final = "retry"

CANCELS: typing.Final = types.MappingProxyType(
    {"cancel_update": True, "cancel_without_rollback": False}
)
"""Actions that end what is under way, and whether the stack goes back."""

ACTIONS: typing.Final = (
    RETRY,
    "suspend",
    "resume",
    "check",
    *CANCELS,
    *holds.ANSWERS,
    *drift.ACTIONS,
)

_OPTIONS = ("keep_going", "timeout_mins")


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


def retry_of(body: stacks.Body, action: str) -> contract.StackOptions | None:
    """Return how the retry runs that the body asks for, if it does.

    :raises orch.errors.Invalid: it brings more than a retry takes, or a
        value is wrong
    """
    value = body[action]
    if action == RETRY:
        return retry.options_of(value)
    if action in CANCELS or not isinstance(value, dict):
        return None
    return retry.find_body_options(typing.cast(stacks.Body, value))


def options_of(body: stacks.Body, action: str) -> contract.StackOptions:
    """Return how the action runs.

    Heat looks at no value, so only a map says anything, and keys that we do
    not know pass.

    :raises orch.errors.Invalid: a value in the map is wrong
    """
    value = body[action]
    if action in CANCELS or not isinstance(value, dict):
        return {}
    return stacks.options_of(
        {key: value[key] for key in _OPTIONS if key in value}
    )
