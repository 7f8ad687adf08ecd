"""The columns of a row when a change of it starts and completes."""

import collections.abc
import dataclasses
import types
import typing

from orch import clock
from orch import ids
from orch.flow.state import new_rows
from orch.model import breakpoints
from orch.model import leftover
from orch.model import operation
from orch.model import resource
from orch.model import states
from orch.planner import plan
from orch.template.resources import declaration as declarations

STARTED: typing.Final = "state changed"
SKIPPED: typing.Final = "Skipped on request"
USELESS: typing.Final = "Its creation has failed: it is replaced"
GONE: typing.Final = "It does not exist any more: another one is created"
VANISHED_AGAIN: typing.Final = f"{resource.VANISHED}, once again"
_SECOND: typing.Final = 2
ORPHANED: typing.Final = "Orphaned on request"
LEFT_OVER: typing.Final = f"{ORPHANED}: its physical resource is left behind"

ACTIONS: typing.Final = types.MappingProxyType(
    {
        plan.Kind.CREATE: states.Action.CREATE,
        plan.Kind.ADOPT: states.Action.ADOPT,
        plan.Kind.UPDATE: states.Action.UPDATE,
        plan.Kind.CHECK: states.Action.CHECK,
        plan.Kind.SUSPEND: states.Action.SUSPEND,
        plan.Kind.RESUME: states.Action.RESUME,
        plan.Kind.SNAPSHOT: states.Action.SNAPSHOT,
        plan.Kind.KEEP: states.Action.SNAPSHOT,
        plan.Kind.DELETE: states.Action.DELETE,
        plan.Kind.RETAIN: states.Action.DELETE,
    }
)
"""The action that a row shows while a change of this kind is in progress; a
kind that is not here changes no row."""

APPLYING: typing.Final = frozenset(
    {plan.Kind.CREATE, plan.Kind.ADOPT, plan.Kind.UPDATE}
)
"""Kinds after which a resource is what its template says."""


@dataclasses.dataclass(frozen=True, slots=True)
class Effects:
    """What the calls of a change may do.

    :ivar is_free: they have no effect outside
    :ivar is_unchanging: they change no existing physical resource
    """

    is_free: bool = False
    is_unchanging: bool = False


@dataclasses.dataclass(frozen=True, slots=True)
class Terms:
    """What a template declares of a resource for the engine only.

    :ivar requires: names of the resources that it requires
    :ivar required_ids: the current incarnations of those
    :ivar deletion_policy: ``None`` for an external physical resource
    :ivar type_name: the type as it is written; empty for the one it has
    :ivar mapped_type: the type that serves it, where that is another
    """

    requires: tuple[str, ...]
    required_ids: tuple[ids.ResourceId, ...]
    deletion_policy: str | None
    type_name: str = ""
    mapped_type: str | None = None

    def renames(self, row: resource.Resource) -> bool:
        """Whether a row gets another type, as it is written."""
        return self.type_name not in ("", row.type_name)


def resource_terms(
    declared: declarations.Declaration | None,
    current: collections.abc.Mapping[str, ids.ResourceId],
) -> Terms | None:
    """Return the terms of a resource; ``None`` when nothing declares it.

    :param current: the current incarnation of each name
    """
    if declared is None:
        return None
    is_ours = declared.external_id is None
    return Terms(
        declared.requires,
        tuple(current[each] for each in declared.requires if each in current),
        declared.deletion_policy if is_ours else None,
        declared.declared_type,
        new_rows.mapped_type(declared),
    )


def action_of(change: plan.Change) -> states.Action:
    """Return the action that a row shows while a change is in progress."""
    if change.is_unfinished:
        return states.Action.CREATE
    return ACTIONS[change.kind]


def has_begun(change: plan.Change, row: resource.Resource) -> bool:
    """Whether the row shows already that the change has started."""
    return (
        row.action is action_of(change)
        and row.status is states.Status.IN_PROGRESS
    )


def begun_columns(
    change: plan.Change,
    row: resource.Resource,
    terms: Terms | None,
    effects: Effects,
    now: clock.Timestamp,
) -> dict[str, object]:
    """Return the columns of an intent: the next calls may change the world.

    A row that is in progress already retains its start and attempt. While
    its physical resource may exist the resource requires what it did and what
    it will: what it has released is not known yet.
    """
    was_begun = has_begun(change, row)
    columns: dict[str, object] = {
        "action": action_of(change),
        "status": states.Status.IN_PROGRESS,
        "status_reason": _reason_begun(change, row),
        "started_at": row.started_at if was_begun else now,
        "updated_at": now,
    }
    if effects.is_unchanging:
        columns["changed_at"] = row.changed_at or row.updated_at
    if change.kind is plan.Kind.CREATE:
        may_be_lost = row.physical_id is None and not effects.is_free
        is_lost = row.is_outcome_unknown and row.physical_id is None
        columns["attempt"] = row.attempt + (not was_begun or is_lost)
        columns["is_outcome_unknown"] = row.is_outcome_unknown or may_be_lost
    if ACTIONS[change.kind] is states.Action.SNAPSHOT and not was_begun:
        columns["snapshot_data"] = None
    if change.kind is plan.Kind.SUSPEND:
        columns["is_at_rest"] = True
    if change.kind is plan.Kind.RETAIN:
        # The next attempt has to leave the physical resource, too.
        columns["deletion_policy"] = "Retain"
    if change.kind in APPLYING and terms is not None:
        columns.update(
            _joined_columns(row, terms)
            if row.is_there
            else settled_columns(row, terms)
        )
    return columns


def _reason_begun(change: plan.Change, row: resource.Resource) -> str:
    if not change.is_vanished:
        return STARTED
    if row.status_reason.startswith((resource.RETURNED, VANISHED_AGAIN)):
        return VANISHED_AGAIN
    return resource.VANISHED


def returned_columns(reason: str, now: clock.Timestamp) -> dict[str, object]:
    """Return the columns of a vanished resource that is left in place.

    :param reason: for people; begins with :data:`orch.model.resource.RETURNED`
    """
    return {
        "action": states.Action.UPDATE,
        "status": states.Status.COMPLETE,
        "status_reason": reason,
        "updated_at": now,
    }


def completed_columns(
    change: plan.Change,
    row: resource.Resource,
    terms: Terms | None,
    result: collections.abc.Mapping[str, object],
    now: clock.Timestamp,
) -> dict[str, object]:
    """Return the columns of a change that is complete.

    :param result: :meth:`orch.flow.tasks.base.Step.to_result`
    """
    columns: dict[str, object] = {
        "status": states.Status.COMPLETE,
        "status_reason": STARTED,
        "is_outcome_unknown": False,
        "updated_at": now,
        **result,
    }
    if change.kind is plan.Kind.ADOPT and not change.takes_over:
        # Heat checks what it has taken over; we did both in one.
        columns["action"] = states.Action.CHECK
    if change.kind is plan.Kind.RESUME:
        columns["is_at_rest"] = False
    if change.kind is plan.Kind.UPDATE:
        columns["desired_properties"] = None
        if row.desired_properties is not None:
            columns["properties"] = row.desired_properties
        columns.update(settled_columns(row, terms))
    return columns


def skipped_columns(
    row: resource.Resource, now: clock.Timestamp
) -> dict[str, object]:
    """Return the columns of a resource that the operation skips.

    It stays unfinished, so that a later operation takes it up again; one that
    was not begun, or is marked already, has none.
    """
    is_marked = row.status_reason.startswith(SKIPPED)
    if row.action is states.Action.INIT or is_marked:
        return {}
    return {
        "status": states.Status.FAILED,
        "status_reason": f"{SKIPPED}; {row.status_reason}",
        "updated_at": now,
    }


def orphaned_columns(
    row: resource.Resource, now: clock.Timestamp
) -> dict[str, object]:
    """Return the columns of an orphaned incarnation."""
    return {
        "action": states.Action.DELETE,
        "status": states.Status.COMPLETE,
        "status_reason": LEFT_OVER if leftover.is_left(row) else ORPHANED,
        "is_outcome_unknown": False,
        "updated_at": now,
    }


def useless_columns(
    row: resource.Resource, is_gone: bool, now: clock.Timestamp
) -> dict[str, object]:
    """Return the columns of a failed creation that is to be replaced.

    Its removal counts as begun, so that every later plan completes it. One
    that is gone is removed already; but calls whose answers were lost may have
    made more, and this attempt is itself the second.
    """
    is_removed = is_gone and row.attempt <= _SECOND
    return {
        "action": states.Action.DELETE,
        "status": (
            states.Status.COMPLETE if is_removed else states.Status.IN_PROGRESS
        ),
        "status_reason": GONE if is_gone else USELESS,
        "is_outcome_unknown": False,
        "started_at": now,
        "updated_at": now,
    }


def omitted_changes(
    wanted: plan.Plan,
    rows: collections.abc.Mapping[ids.ResourceId, resource.Resource],
    operation_id: ids.OperationId,
    now: clock.Timestamp,
) -> collections.abc.Iterator[tuple[ids.ResourceId, dict[str, object]]]:
    """Yield the changed columns of each row that a plan omits."""
    for each in wanted.skipped:
        columns = skipped_columns(rows[each.resource_id], now)
        if columns:
            yield each.resource_id, columns
    for each in wanted.orphans:
        columns = orphaned_columns(rows[each.resource_id], now)
        yield each.resource_id, {"operation_id": operation_id, **columns}


def refused_row(
    row: resource.Resource,
    operation: operation.Operation,
    action: states.Action,
    reason: str,
    now: clock.Timestamp,
) -> resource.Resource:
    """Return a row that describes a refused action; it is not stored."""
    return dataclasses.replace(
        row,
        action=action,
        status=states.Status.FAILED,
        status_reason=reason,
        operation_id=operation.id,
        updated_at=now,
    )


def failed_snapshot_deletion(
    change: plan.Change,
    operation: operation.Operation,
    reason: str,
    now: clock.Timestamp,
) -> resource.Resource:
    """Return a row that describes a snapshot that could not be removed.

    It belongs to no resource and is not stored.
    """
    return resource.Resource(
        id=ids.ResourceId(change.name),
        stack_id=operation.stack_id,
        name=change.name,
        type_name=change.type_name,
        action=states.Action.DELETE,
        status=states.Status.FAILED,
        status_reason=reason,
        created_at=now,
        updated_at=now,
        operation_id=operation.id,
    )


def interrupted_row(
    row: resource.Resource, reason: str, now: clock.Timestamp
) -> resource.Resource:
    """Return the row of a change that no worker continues.

    Whether a call made something stays as unknown as it was; a check has shown
    nothing.
    """
    is_check = row.action is states.Action.CHECK
    return dataclasses.replace(
        row,
        status=states.Status.FAILED,
        status_reason=reason,
        is_outcome_unknown=row.is_outcome_unknown or is_check,
        updated_at=now,
    )


def settled_columns(
    row: resource.Resource, terms: Terms | None
) -> dict[str, object]:
    """Return the columns in which a row differs from its terms.

    Nothing in the world changes by them.
    """
    if terms is None:
        return {}
    columns: dict[str, object] = {
        "requires": terms.requires,
        "required_ids": terms.required_ids,
    }
    if terms.deletion_policy is not None:
        columns["deletion_policy"] = terms.deletion_policy
    if terms.renames(row):
        columns |= {
            "type_name": terms.type_name,
            "mapped_type": terms.mapped_type,
        }
    return {
        name: value
        for name, value in columns.items()
        if value != getattr(row, name)
    }


def _joined_columns(row: resource.Resource, terms: Terms) -> dict[str, object]:
    """Return the columns of a row that requires what it did and will."""
    return {
        "requires": _union(row.requires, terms.requires),
        "required_ids": _union(row.required_ids, terms.required_ids),
    }


def _union(
    first: collections.abc.Iterable[str], second: collections.abc.Iterable[str]
) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*first, *second)))


def new_row(
    change: plan.Change,
    declared: declarations.Declaration,
    operation: operation.Operation,
    now: clock.Timestamp,
    check_type: declarations.CheckType,
    replaced: resource.Resource | None = None,
) -> resource.Resource:
    """Return the row of a resource that has not begun to exist.

    It has the breakpoint states of the incarnation that it replaces.

    :raises orch.errors.Forbidden: who asks may not have its type
    """
    row = new_rows.new_row(
        change.resource_id, declared, operation, now, check_type
    )
    is_ours = change.external_id is None or change.takes_over
    columns: dict[str, object] = {}
    if replaced is not None:
        columns["hooks"] = _hooks(replaced, operation)
    if not is_ours:
        columns["external_id"] = change.external_id
        columns["deletion_policy"] = "Retain"
    return resource.replace(row, columns) if columns else row


def _hooks(
    replaced: resource.Resource, operation: operation.Operation
) -> breakpoints.States:
    known = breakpoints.states_of(replaced, operation.id)
    # What stands is stopped before, not what takes its place.
    known.pop(breakpoints.BEFORE_UPDATE, None)
    return breakpoints.with_states(operation.id, known)
