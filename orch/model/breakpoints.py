"""Breakpoints: where the operations of a resource stop and wait.

The environment names them (``hooks``). What has become of each stands in
the row of the resource, with the operation that it is of: another operation
comes to all of them anew.
"""

import collections.abc
import typing

from orch import ids
from orch.model import resource

WAITING: typing.Final = "waiting"
"""Its operation has come to it, and begins nothing behind it."""

RELEASED: typing.Final = "released"
"""A user has cleared it; its operation has not yet continued."""

CLEARED: typing.Final = "cleared"
"""Its operation has gone on."""

NAMES: typing.Final = tuple(
    f"{when}-{action}"
    for when in ("pre", "post")
    for action in ("create", "update", "delete")
)

BEFORE_UPDATE: typing.Final = "pre-update"
"""Stops an update before a resource that it leaves as it is, too."""

_OPERATION = "operation_id"

States = collections.abc.Mapping[str, str]


def states_of(
    row: resource.Resource, operation_id: ids.OperationId
) -> dict[str, str]:
    """Return what has become of those that this operation has come to."""
    if row.hooks.get(_OPERATION) != operation_id:
        return {}
    return {key: row.hooks[key] for key in row.hooks if key != _OPERATION}


def with_states(operation_id: ids.OperationId, known: States) -> States:
    """Return what :func:`states_of` gives, as a row keeps it."""
    return {_OPERATION: operation_id, **known} if known else {}


def with_state(
    row: resource.Resource,
    operation_id: ids.OperationId,
    name: str,
    state: str,
) -> States:
    """Return what the row keeps once one of them has come to a state."""
    known = states_of(row, operation_id)
    return with_states(operation_id, {**known, name: state})


def find_waiting(
    row: resource.Resource, operation_id: ids.OperationId, when: str
) -> str | None:
    """Return the one before or behind which the resource is held.

    :param when: ``pre`` or ``post``
    """
    for name, state in states_of(row, operation_id).items():
        if name.startswith(when) and state in (WAITING, RELEASED):
            return name
    return None
