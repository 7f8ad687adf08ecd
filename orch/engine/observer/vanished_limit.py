"""Stop the repairs of a project of which too much has vanished at once.

A service that has lost its data, or answers for another cloud, would get all
of a project a second time. Repairs go on once a later look finds enough of it,
or a user says so.
"""

import collections.abc
import logging

from orch import clock
from orch.db import engine as db_engine
from orch.db.repositories import drift_pauses
from orch.db.repositories import events
from orch.db.repositories import observations
from orch.db.repositories import operations
from orch.db.repositories import outbox
from orch.db.repositories import resources
from orch.db.repositories import stacks
from orch.engine.observer import repair_policy
from orch.engine.observer import scan
from orch.events import drifts
from orch.flow.state import drift_records
from orch.flow.state import submit

LOG = logging.getLogger(__name__)

Summaries = collections.abc.Collection[scan.Summary]


def may_repair(
    conn: db_engine.Connection,
    limit: repair_policy.RepairPolicy,
    project_id: str,
    summaries: Summaries,
) -> bool:
    """Whether repairs of a project may be submitted; stop or allow them.

    :param summaries: of trees of this project
    """
    pause = drift_pauses.find(conn, project_id)
    if pause.paused_at is not None:
        return False
    resumed_at = pause.resumed_at or 0.0
    moments = [
        each
        for summary in summaries
        for each in summary.vanished.values()
        if each > resumed_at
    ]
    if pause.stopped_at is not None:
        moments.append(pause.stopped_at)
    if not moments:
        return True
    since = max(min(moments) - limit.vanished_window_s, resumed_at)
    vanished, observed = observations.count_vanished(
        conn, project_id, clock.Timestamp(since)
    )
    if not limit.is_exceeded(vanished, observed):
        if pause.stopped_at is not None:
            drift_pauses.allow_repairs(conn, project_id)
        return True
    if drift_pauses.stop_repairs(conn, project_id):
        reason = (
            f"Repairs of the project are stopped: {vanished} of {observed}"
            " physical resources have vanished at once, this one too; they go"
            " on once enough are found again, or by orch drift resume"
        )
        LOG.warning("project %s: %s", project_id, reason)
        for each in sorted(summaries, key=lambda one: one.root_id):
            _record(conn, each, reason)
    return False


def _record(
    conn: db_engine.Connection, summary: scan.Summary, reason: str
) -> None:
    """Store an event and a notification that a tree is not repaired."""
    if not summary.vanished:
        return
    root = stacks.lock(conn, summary.root_id)
    if root.operation_id is None or operations.find_open(conn, root.id):
        return
    tree = [each.id for each in stacks.list_tree(conn, root.id)]
    rows = [
        row
        for row in resources.list_of_stacks(conn, tree)
        if row.id in summary.vanished
    ]
    facts = drift_records.facts_of(
        conn,
        root,
        operations.get(conn, root.operation_id),
        submit.find_newest_event(conn, root.id),
        [
            drifts.Change(
                kind=drifts.Kind.REPAIRS_STOPPED,
                row=row,
                path=summary.paths.get(row.id, row.name),
                reason=reason,
            )
            for row in sorted(rows, key=lambda each: each.name)
        ],
        summary.observed_at,
    )
    events.insert_many(conn, facts.events)
    outbox.insert_many(conn, facts.notifications)
