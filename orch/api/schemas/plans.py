"""The body that asks for a plan."""

import types
import typing

from orch import errors
from orch.api.schemas import adoption
from orch.api.schemas import retry
from orch.api.schemas import snapshots
from orch.api.schemas import stacks
from orch.rpc import contract

RULES: typing.Final = types.MappingProxyType(
    {
        "update": "stacks:update",
        "delete": "stacks:delete",
        "rollback": "actions:cancel_update",
        "cancel_update": "actions:cancel_update",
        "retry": "actions:retry",
        "suspend": "actions:suspend",
        "resume": "actions:resume",
        "check": "actions:check",
        "snapshot": "stacks:snapshot",
        "restore": "stacks:restore_snapshot",
    }
)
"""The actions that can be planned, and what whoever asks must be allowed."""

ACTION: typing.Final = "action"


def rule_of(body: stacks.Body) -> str | None:
    """Return the rule of the planned action; ``None`` for no such."""
    return RULES.get(str(body.get(ACTION)))


def snapshot_of(action: str, body: stacks.Body) -> contract.PlanRequest:
    """Return which snapshot is to be restored, or how one is to be called.

    :raises orch.errors.Invalid: it is missing, or too long
    """
    if action == "snapshot":
        name = snapshots.name_of(body)
        return {} if name is None else {"name": name}
    if action != "restore":
        return {}
    if body.get("snapshot_id") is None:
        raise errors.Invalid("restore needs the snapshot_id, a text.")
    return {"snapshot_id": body["snapshot_id"]}


def options_of(action: str, body: stacks.Body) -> contract.StackOptions:
    """Return how the operation would run.

    :raises orch.errors.Invalid: a value is none of those allowed
    """
    given = {key: value for key, value in body.items() if key != ACTION}
    if action == "retry":
        return retry.options_of(given)
    if action == "update":
        return {
            **stacks.update_options_of(given, is_patch=False),
            **adoption.ids_of(given),
        }
    return stacks.options_of(given)
