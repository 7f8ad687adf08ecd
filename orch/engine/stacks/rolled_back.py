"""Bring a stack back to a change that was rolled back, to retry that."""

import dataclasses

from orch import errors
from orch import ids
from orch.db import engine as db_engine
from orch.db.repositories import operations
from orch.db.repositories import stacks
from orch.engine import dependencies
from orch.engine.acceptance import quota
from orch.model import adoption
from orch.model import operation as operation_model
from orch.model import stack as stack_model
from orch.model import states

_RETRIED = (states.Action.CREATE, states.Action.UPDATE)
_ADOPTING = (adoption.CHILD_STACKS, adoption.VERIFY, adoption.NEEDS_IDS)


class RolledBack(errors.Conflict):
    """What was rolled back cannot be retried; it can be requested again."""

    code = "orch.stack.rolled_back"


def find_undone(
    connection: db_engine.Connection,
    stack: stack_model.Stack,
    last: operation_model.Operation,
) -> operation_model.Operation | None:
    """Return the change that a complete rollback of a stack has undone.

    :returns: ``None`` for a stack that is not rolled back
    :raises RolledBack: it cannot be retried
    """
    found = last.options.get(adoption.RELEASES)
    if (
        last.action is not states.Action.ROLLBACK
        or stack.status is not states.Status.COMPLETE
        or stack.action is not last.action
        or not found
    ):
        return None
    try:
        undone = operations.get(connection, ids.OperationId(str(found)))
    except errors.NotFound:
        undone = None
    if undone is None or not _may_be_retried(undone):
        raise RolledBack(
            f"What was rolled back of stack {stack.name} cannot be retried: it"
            " was cut short, or adopts or restores something, or is not stored"
            " any more. Request the change again, by an update."
        )
    # Its rollback has left nothing of what was done.
    return dataclasses.replace(undone, done=0)


def _may_be_retried(undone: operation_model.Operation) -> bool:
    """Whether all that a change needs is stored with its operation."""
    return (
        undone.action in _RETRIED
        and undone.state is states.OperationState.FAILED
        and undone.template_hash is not None
        and not any(key in undone.options for key in _ADOPTING)
    )


def bring_back(
    deps: dependencies.Dependencies,
    connection: db_engine.Connection,
    stack: stack_model.Stack,
    undone: operation_model.Operation,
) -> stack_model.Stack:
    """Give a stack the inputs of a change that was rolled back.

    :raises orch.template.errors.TooLarge: the tree would exceed its limit
    :raises orch.errors.Invalid: the current plug-ins refuse the template
    """
    assert undone.template_hash and undone.environment_hash
    stack = dataclasses.replace(
        stack,
        template_hash=undone.template_hash,
        environment_hash=undone.environment_hash,
    )
    declared = deps.templates.load(connection, stack)
    count = len(declared.resources)
    quota.count_tree(connection, deps, stack, count - stack.resource_count)
    stacks.update(
        connection,
        stack.id,
        template_hash=stack.template_hash,
        environment_hash=stack.environment_hash,
        description=str(declared.description),
        resource_count=count,
    )
    return dataclasses.replace(stack, resource_count=count)
