"""The body that asks for an action on a stack."""

import types
import typing

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


def rule_of(body: stacks.Body) -> str | None:
    """Return the rule of the one action of a body; ``None`` for no such."""
    action, value = next(iter(body.items()), ("", None))
    if len(body) != 1 or action not in ACTIONS:
        return None
    rule = f"actions:{action}"
    if action in CANCELS or not isinstance(value, dict):
        return rule
    return retry.rule_of(value, rule)


def options_of(action: str, value: typing.Any) -> contract.StackOptions:
    """Return how an action runs, or how its retry does.

    Heat looks at no value, so only a map says anything, and keys that we do
    not know are ignored.

    :raises orch.errors.Invalid: a value in the map is wrong, or it is more
        than a retry takes
    """
    if action == RETRY:
        return retry.options_of(value)
    if action in CANCELS or not isinstance(value, dict):
        return {}
    return retry.run_options_of(value)
