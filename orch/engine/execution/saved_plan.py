"""Check that an operation runs exactly its saved plan.

There are two checks. When the operation is accepted, the stack must be as it
was when the plan was made; when it runs, its plan must be computed the same
again.
"""

import collections.abc
import dataclasses
import hashlib
import typing

from orch import errors
from orch import ids
from orch.db import engine as db_engine
from orch.db.repositories import events
from orch.db.repositories import operations
from orch.db.repositories import plans
from orch.db.repositories import stacks
from orch.engine.execution import planning
from orch.flow.state import conclusion
from orch.flow.state import restoration
from orch.model import operation
from orch.model import resource
from orch.model import saved_plan
from orch.model import stack
from orch.planner import plan

PLAN: typing.Final = "plan_id"
"""Option of an operation that has to run a saved plan."""

ATTEMPT: typing.Final = "plan_attempt"
"""Further option: the attempt that has to; later ones do what is left."""

BEFORE: typing.Final = "plan_before"
"""Further option: columns of the stack before the operation was accepted."""

STALE: typing.Final = "plan_stale"
"""Option of an operation that its saved plan did not fit; it never runs."""

SIGNATURE: typing.Final = "signature"
"""Key of the signature that is compared, in a saved plan."""

SHOWN: typing.Final = "shown"
"""Key of the plan that is shown, in a saved plan."""

_NEW: typing.Final = "new"

Lines = list[list[object]]


class Stale(errors.Conflict):
    """The stack has changed since the plan was made."""

    code = "orch.plan.stale"


def state_basis(connection: db_engine.Connection, stack: stack.Stack) -> str:
    """Return a text of a stack's state, which any operation changes.

    :param stack: locked, where it must not change meanwhile
    """
    newest = events.find_newest(connection, stack.id)
    attempt = 0
    if stack.operation_id is not None:
        attempt = operations.get(connection, stack.operation_id).attempt
    parts = (
        stack.operation_id,
        attempt,
        newest.sequence if newest else 0,
        stack.template_hash,
        stack.environment_hash,
        *_child_basis(connection, stack),
    )
    return "/".join(str(each) for each in parts)


def _child_basis(
    connection: db_engine.Connection, stack: stack.Stack
) -> tuple[str, ...]:
    """Return the state of the child stacks as one digest, if any."""
    below = [
        f"{each.id} {each.operation_id} {each.status}"
        for each in stacks.list_tree(connection, stack.root_id)
        if each.depth > stack.depth and each.deleted_at is None
    ]
    if not below:
        return ()
    text = "\n".join(sorted(below))
    return (hashlib.sha256(text.encode()).hexdigest(),)


def check_basis(
    connection: db_engine.Connection,
    stack: stack.Stack,
    saved: saved_plan.SavedPlan,
) -> None:
    """Raise Stale if the stack has changed since the plan was made.

    :raises Stale: it has changed
    """
    if state_basis(connection, stack) != saved.basis:
        raise _stale(saved.id)


def plan_options(
    plan_id: str, attempt: int, before: stack.Stack
) -> dict[str, object]:
    """Return the options that bind an operation to a saved plan.

    :param before: the stack before the operation was accepted
    """
    return {
        PLAN: plan_id,
        ATTEMPT: attempt,
        BEFORE: {
            **restoration.inputs_of(before),
            **restoration.state_of(before),
            "operation_id": before.operation_id,
        },
    }


def stale_ending(
    found: conclusion.Conclusion,
    stack: stack.Stack,
    operation: operation.Operation,
) -> conclusion.Conclusion:
    """Return the conclusion of an operation that its saved plan does not fit.

    The stack is what it was before, also in its state. The operation itself
    can never be retried; one that was itself a retry can, as before.
    """
    saved = typing.cast("dict[str, typing.Any]", operation.options[BEFORE])
    columns = restoration.ended_columns(saved)
    options = {
        **operation.options,
        **typing.cast(
            "dict[str, object]", found.operation_columns.get("options", {})
        ),
    }
    if operation.attempt == 1:
        options[STALE] = True
    return dataclasses.replace(
        found,
        stack_columns={
            **found.stack_columns,
            **columns,
            "operation_id": saved["operation_id"],
        },
        operation_columns={**found.operation_columns, "options": options},
        tree_change=saved["resource_count"] - stack.resource_count,
    )


def check_retry(failed: operation.Operation) -> None:
    """Raise Stale if a failed operation may not be retried.

    :raises Stale: its saved plan did not fit, and it may run no other
    """
    if failed.options.get(STALE):
        raise _stale(str(failed.options[PLAN]))


def check_plan(
    database: db_engine.Database,
    operation: operation.Operation,
    loaded: planning.Loaded,
    current_plan: plan.Plan,
) -> None:
    """Raise Stale if the operation would not run its saved plan.

    An operation that has begun is not checked: a takeover or a retry does what
    is left of the plan.

    :raises Stale: it would do something else; nothing was done yet
    """
    plan_id = operation.options.get(PLAN)
    if plan_id is None or operation.options.get(ATTEMPT) != operation.attempt:
        return
    if _has_begun(operation, loaded):
        return
    saved = database.query(
        lambda connection: plans.get(connection, str(plan_id))
    )
    if saved.changes[SIGNATURE] != plan_signature(current_plan, loaded.rows):
        raise _stale(saved.id)


def plan_signature(
    current_plan: plan.Plan, rows: collections.abc.Iterable[resource.Resource]
) -> Lines:
    """Return a plan as JSON, without ids that differ each time.

    :param rows: those that existed when it was made
    """
    # A row that an adoption stores when it is accepted has another id each
    # time; its physical id identifies it.
    old = {row.id for row in rows if not row.is_unadopted}

    def known(resource_id: ids.ResourceId | None) -> str | None:
        if resource_id is None or resource_id in old:
            return resource_id
        return _NEW

    keys: dict[str, str] = {
        each.key: f"{each.kind.value} {each.name} {known(each.resource_id)}"
        for each in current_plan.changes
    }
    lines: Lines = [
        [
            keys[each.key],
            each.type_name,
            [keys[key] for key in each.requires],
            each.external_id,
            known(each.replaces),
            each.preserves_properties,
            list(each.changed),
            each.is_certain,
        ]
        for each in current_plan.changes
    ]
    lines.append(["unchanged", *current_plan.unchanged])
    for each in current_plan.returns:
        lines.append(["return", each.name, each.resource_id])
    for kind, left in (
        ("skip", current_plan.skipped),
        ("orphan", current_plan.orphans),
    ):
        lines.extend([kind, each.name, each.resource_id] for each in left)
    return lines


def _has_begun(
    operation: operation.Operation, loaded: planning.Loaded
) -> bool:
    """Whether the newest event is of a resource of this operation."""
    newest = loaded.newest
    return (
        newest is not None
        and newest.operation_id == operation.id
        and newest.resource_id is not None
    )


def _stale(plan_id: str) -> Stale:
    return Stale(
        f"The stack has moved on since the plan {plan_id} was made, which"
        " therefore does not fit any more: make a new one."
    )
