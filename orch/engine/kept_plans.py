"""Whether what runs is the plan that was kept.

Two things hold an operation to a kept plan. When it is accepted, the stack
must be as it was when the plan was made; when it runs, its plan must come
out the same once more.
"""

import collections.abc
import typing

from orch import errors
from orch import ids
from orch.db import engine as db_engine
from orch.db.repositories import events
from orch.db.repositories import operations
from orch.db.repositories import plans
from orch.engine import planning
from orch.model import kept_plan
from orch.model import operation
from orch.model import resource
from orch.model import stack
from orch.planner import plan

PLAN: typing.Final = "plan_id"
"""Option of an operation that has to run as a kept plan says."""

ATTEMPT: typing.Final = "plan_attempt"
"""Option beside: the attempt that has to; later ones do what is left."""

SIGNATURE: typing.Final = "signature"
"""Key of what is compared, among what is kept of a plan."""

SHOWN: typing.Final = "shown"
"""Key of what is shown, among what is kept of a plan."""

_NEW: typing.Final = "new"

Lines = list[list[object]]


class Stale(errors.Conflict):
    """The stack is not any more what the plan was made for."""

    code = "orch.plan.stale"


def basis(connection: db_engine.Connection, subject: stack.Stack) -> str:
    """Return the state of a stack: another text once it has moved on.

    :param subject: locked, where it must not move on meanwhile
    """
    newest = events.find_newest(connection, subject.id)
    attempt = 0
    if subject.operation_id is not None:
        attempt = operations.get(connection, subject.operation_id).attempt
    parts = (
        subject.operation_id,
        attempt,
        newest.sequence if newest else 0,
        subject.template_hash,
        subject.environment_hash,
    )
    return "/".join(str(each) for each in parts)


def check_basis(
    connection: db_engine.Connection,
    subject: stack.Stack,
    kept: kept_plan.KeptPlan,
) -> None:
    """Return only if the stack is as it was when the plan was made.

    :raises Stale: it has moved on
    """
    if basis(connection, subject) != kept.basis:
        raise _stale(kept.id)


def check(
    database: db_engine.Database,
    asked: operation.Operation,
    loaded: planning.Loaded,
    wanted: plan.Plan,
) -> None:
    """Return only if the operation would do what its kept plan says.

    An operation that has begun is not looked at: a takeover or a retry goes
    on with what is left of the plan.

    :raises Stale: it would do something else; nothing was done yet
    """
    plan_id = asked.options.get(PLAN)
    if plan_id is None or asked.options.get(ATTEMPT) != asked.attempt:
        return
    if _has_begun(asked, loaded):
        return
    kept = database.query(
        lambda connection: plans.get(connection, str(plan_id))
    )
    if kept.changes[SIGNATURE] != signature(wanted, loaded.rows):
        raise _stale(kept.id)


def signature(
    wanted: plan.Plan, rows: collections.abc.Iterable[resource.Resource]
) -> Lines:
    """Return a plan as JSON in which ids that are made anew do not count.

    :param rows: what existed when it was made
    """
    old = {row.id for row in rows}

    def known(resource_id: ids.ResourceId | None) -> str | None:
        if resource_id is None or resource_id in old:
            return resource_id
        return _NEW

    keys: dict[str, str] = {
        each.key: f"{each.kind.value} {each.name} {known(each.resource_id)}"
        for each in wanted.changes
    }
    lines: Lines = [
        [
            keys[each.key],
            each.type_name,
            [keys[key] for key in each.requires],
            each.external_id,
            known(each.replaces),
            each.keeps_properties,
            list(each.changed),
            each.is_certain,
        ]
        for each in wanted.changes
    ]
    lines.append(["unchanged", *wanted.unchanged])
    for each in wanted.returns:
        lines.append(["return", each.name, each.resource_id])
    for kind, left in (("skip", wanted.skipped), ("orphan", wanted.orphans)):
        lines.extend([kind, each.name, each.resource_id] for each in left)
    return lines


def _has_begun(asked: operation.Operation, loaded: planning.Loaded) -> bool:
    """Answer whether the newest event tells of a resource of its own."""
    newest = loaded.newest
    return (
        newest is not None
        and newest.operation_id == asked.id
        and newest.resource_id is not None
    )


def _stale(plan_id: str) -> Stale:
    return Stale(
        f"The stack has moved on since the plan {plan_id} was made, which"
        " therefore does not fit any more: make a new one."
    )
