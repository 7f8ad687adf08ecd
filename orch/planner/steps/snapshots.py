"""Snapshots before removals, and removals of a stack's snapshots."""

import dataclasses

from orch import ids
from orch.model import resource
from orch.model import states
from orch.planner import draft
from orch.planner import plan


def add_final_snapshots(situation: draft.Situation, work: draft.Draft) -> None:
    """Add a snapshot before each removal where the policy requires one.

    It waits for all that the removal waits for. A removal that has begun
    had its snapshot.
    """
    rows = {row.id: row for row in situation.existing}
    removals = [
        change
        for change in work.changes.values()
        if change.kind is plan.Kind.DELETE
    ]
    for change in removals:
        row = rows[change.resource_id]
        if change.is_vanished or not _needs_snapshot(situation, row):
            continue
        snapshot_change = _final_snapshot(change, row)
        work.changes[snapshot_change.key] = snapshot_change
        work.edges[snapshot_change.key] = list(work.edges[change.key])
        work.edges[change.key] = [snapshot_change.key]
        if change.key in work.weak:
            work.weak[snapshot_change.key] = work.weak.pop(change.key)


def add_snapshot_deletions(
    situation: draft.Situation, work: draft.Draft
) -> None:
    """Remove a stack's snapshots with the stack; abandoned ones stay."""
    if situation.action is not states.Action.DELETE or situation.abandons:
        return
    for snapshot_id in situation.snapshots:
        change = plan.Change(
            kind=plan.Kind.FORGET,
            name=snapshot_id,
            type_name="",
            resource_id=ids.ResourceId(""),
            requires=(),
            reason="goes with its stack",
        )
        work.changes[change.key] = change
        work.edges[change.key] = []


def _needs_snapshot(
    situation: draft.Situation, row: resource.Resource
) -> bool:
    if row.deletion_policy.lower() != "snapshot" or row.physical_id is None:
        return False
    is_stored = (
        row.action is states.Action.SNAPSHOT
        and row.is_complete
        and row.operation_id == situation.operation_id
    )
    was_made = row.is_in_place or row.action is states.Action.CHECK
    return was_made and not is_stored


def _final_snapshot(
    removal: plan.Change, row: resource.Resource
) -> plan.Change:
    return dataclasses.replace(
        removal,
        kind=plan.Kind.KEEP,
        reason="is removed with a snapshot",
        is_repeated=row.action is states.Action.SNAPSHOT
        and not row.is_complete,
    )
