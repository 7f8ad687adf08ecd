"""Scan trees of stacks; store the observations and notify of drift.

The caller has claimed the watches before, and releases the claims after: all
is written under them, so that of two workers one writes.
"""

import collections.abc
import dataclasses
import logging

from orch import clock
from orch import errors
from orch import ids
from orch.db import engine as db_engine
from orch.db.repositories import drift_acceptances
from orch.db.repositories import drift_history
from orch.db.repositories import observations
from orch.db.repositories import operations
from orch.db.repositories import stacks
from orch.db.repositories import watches
from orch.engine import plugin_reads
from orch.engine.observer import acceptance
from orch.engine.observer import reality_reader
from orch.engine.observer import repair_policy
from orch.engine.observer import tree as observer_tree
from orch.flow.state import drift_records
from orch.metrics import catalogue
from orch.model import drift_history as history_model
from orch.model import observation
from orch.model import stack
from orch.plugin import registry

LOG = logging.getLogger(__name__)

_Observations = collections.abc.Sequence[drift_records.StackObservations]
_NOT_ALLOWED = (errors.Forbidden, errors.Conflict, errors.AskAnother)
"""Errors of an acceptance that is denied, held, or not judged here."""
Judge = collections.abc.Callable[
    [observer_tree.Tree, acceptance.Write], _Observations | None
]
"""Stores observations that accept drift, once plug-ins have allowed that."""


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """The result of a scan of one tree.

    :ivar observed_at: when it was read, by the database's clock
    :ivar drifted: how many resources have drifted, vanished ones too
    :ivar is_changed: a resource is not as it was at the last scan
    :ivar is_busy: a stack was omitted, as an operation on it is in progress
    :ivar is_written: false where the claim was lost meanwhile
    :ivar repairs: what policies say to repair, and what a failed repair was to
        repair
    :ivar vanished: since when what is to be created anew has vanished
    :ivar paths: paths of the current resources from the root
    """

    root_id: ids.StackId
    observed_at: clock.Timestamp
    drifted: int = 0
    is_changed: bool = False
    is_busy: bool = False
    is_written: bool = True
    repairs: repair_policy.Repairs = dataclasses.field(default_factory=dict)
    vanished: collections.abc.Mapping[ids.ResourceId, clock.Timestamp] = (
        dataclasses.field(default_factory=dict)
    )
    paths: collections.abc.Mapping[ids.ResourceId, str] = dataclasses.field(
        default_factory=dict
    )


class Scan:
    """Scans trees for the caller that has claimed them."""

    def __init__(
        self,
        database: db_engine.Database,
        types: registry.Types,
        records: drift_records.DriftRecords,
        clock_: clock.Clock,
        notify: collections.abc.Callable[[], None],
        limit: repair_policy.RepairPolicy | None = None,
        judge: Judge | None = None,
    ) -> None:
        """Scan nothing yet.

        :param records: stores what was observed
        :param notify: called after a notification was put into the outbox
        :param limit: how often a resource is repaired in a row; ``None`` for
            any number
        :param judge: asks lifecycle plug-ins where policies accept drift;
            ``None`` for none
        """
        self._database = database
        self._types = types
        self._records = records
        self._clock = clock_
        self._notify = notify
        self._reads = plugin_reads.PluginReads(clock_=clock_)
        self._limit = limit or repair_policy.RepairPolicy()
        self._judge = judge

    def observe(
        self,
        claimed: collections.abc.Sequence[observation.Watch],
        pace: reality_reader.Pace | None = None,
    ) -> dict[ids.StackId, Summary]:
        """Scan trees of one project; each type is listed once for all.

        It blocks for the time that the calls take, and releases no claim.

        :param pace: called before each call of a plug-in; it may block
        :returns: by root; a tree that is gone is missing, and forgotten;
            one that could not be compared or stored is missing too
        :raises orch.db.errors.DatabaseDown: no answer
        """
        by_root = {each.root_id: each for each in claimed}
        trees = self._database.query(
            lambda connection: observer_tree.load_trees(
                connection, list(by_root)
            )
        )
        self._forget(set(by_root) - {tree.root_id for tree in trees})
        members = {
            each.stack.id: each for tree in trees for each in tree.members
        }
        answers = reality_reader.RealityReader(
            self._types,
            lambda row: members[row.stack_id].context_of(row, self._types),
            self._clock,
            self._reads,
            pace=pace,
        ).read([row for tree in trees for row in tree.readable_rows()])
        found: dict[ids.StackId, Summary] = {}
        for tree in trees:
            root_id = tree.root_id
            try:
                found[root_id] = self._finish(tree, by_root[root_id], answers)
            except Exception:
                # The observations of the others are valid nevertheless.
                LOG.exception("stack %s cannot be observed", root_id)
        return found

    def _finish(
        self,
        tree: observer_tree.Tree,
        watch: observation.Watch,
        answers: reality_reader.Answers,
    ) -> Summary:
        """Compare what was read of one tree; store the result and notify."""
        observed = tree.compare(answers, self._types, watch.policy)
        accepted = acceptance.list_accepted(observed)
        if accepted and self._judge is not None:
            try:
                return self._store(tree, watch, observed, self._judge)
            except _NOT_ALLOWED as error:
                LOG.info(
                    "drift of stack %s is not accepted: %s",
                    tree.root_id,
                    error,
                )
                observed = [
                    acceptance.with_reason(each, accepted, error.message)
                    for each in tree.compare(
                        answers, self._types, watch.policy, accepts=False
                    )
                ]
        return self._store(tree, watch, observed, self._write_at_once)

    def _write_at_once(
        self, tree: observer_tree.Tree, write: acceptance.Write
    ) -> _Observations | None:
        """Store observations of which plug-ins judge nothing."""
        return self._database.run(write)

    def _store(
        self,
        tree: observer_tree.Tree,
        watch: observation.Watch,
        observed: _Observations,
        store: Judge,
    ) -> Summary:
        """Store the observations of one tree, and notify of what changed."""
        left = self._limit.find_abandoned(
            lambda since: self._database.query(
                lambda connection: operations.list_since(
                    connection, tree.root_id, since
                )
            ),
            observed,
            repair_policy.repairs_of(observed, watch.policy),
        )
        if left:
            observed = [
                self._limit.with_reasons(each, left) for each in observed
            ]
        written = store(
            tree,
            lambda connection: self._write(connection, watch, tree, observed),
        )
        stored = written or []
        changes = [change for each in stored for change in each.changes]
        if changes:
            self._notify()
        for change in changes:
            catalogue.OBSERVER_DRIFTS.count(change.kind.value)
        # What is observed now is nearer to the truth than what was observed
        # before a repair that failed.
        due = {
            **repair_policy.find_unfinished(tree, watch.policy),
            **repair_policy.repairs_of(stored, watch.policy),
        }
        repairs = {key: due[key] for key in due.keys() - left.keys()}
        after = [one for each in stored for one in each.observations]
        return Summary(
            root_id=tree.root_id,
            observed_at=tree.read_at,
            drifted=sum(
                one.state is observation.State.DRIFTED for one in after
            ),
            is_changed=any(each.is_changed for each in stored),
            is_busy=len(stored) < len(tree.members),
            is_written=written is not None,
            repairs=repairs,
            vanished={
                one.resource_id: one.drifted_at or one.observed_at
                for one in after
                if one.is_vanished and repairs.get(one.resource_id, ()) is None
            },
            paths=tree.paths,
        )

    def _write(
        self,
        connection: db_engine.Connection,
        watch: observation.Watch,
        tree: observer_tree.Tree,
        observed: _Observations,
    ) -> _Observations | None:
        """Store the observations of stacks that have not changed since.

        :returns: what was stored; ``None`` where the claim is lost
        """
        if not watches.lock_claimed(connection, watch):
            return None
        # A check may have stored what it has read later than this scan, and
        # resources with their drift may have moved here.
        marks = {
            each.id: _mark(each)
            for each in stacks.list_trees(connection, [tree.root_id])
            if each.deleted_at is None
        }
        changed = (
            marks.items()
            - {
                each.stack.id: _mark(each.stack) for each in tree.members
            }.items()
        )
        written = [
            each
            for each in sorted(observed, key=lambda one: one.stack.id)
            if marks.get(each.stack.id) == _mark(each.stack)
            and (
                not (each.has_facts or _list_drifted(each))
                or _is_unchanged(connection, each)
            )
        ]
        self._records.save(
            connection, tree.root_id, _look_of(watch), written, tree.read_at
        )
        for each in written:
            self._records.record(
                connection, each.stack, each.changes, tree.read_at
            )
        gone = observations.forget_others(
            connection,
            tree.root_id,
            {
                (row.stack_id, row.id)
                for each in tree.members
                for row in each.rows
            },
            {stack_id for stack_id, _ in changed},
        )
        if gone:
            drift_history.end_all(connection, tree.root_id, gone, tree.read_at)
            drift_acceptances.delete_many(connection, tree.root_id, gone)
        return written

    def _forget(
        self, root_ids: collections.abc.Collection[ids.StackId]
    ) -> None:
        """Delete the observations of trees that are gone."""
        if not root_ids:
            return

        def work(connection: db_engine.Connection) -> None:
            for each in sorted(root_ids):
                observations.forget_tree(connection, each)
                watches.delete_watch(connection, each)

        self._database.run(work)


def _look_of(watch: observation.Watch) -> history_model.Look:
    """Return why a tree was due."""
    since = watch.observed_at or 0.0
    if watch.requested_at is not None and watch.requested_at >= since:
        return history_model.Look.REQUEST
    if watch.notified_at is not None and watch.notified_at >= since:
        return history_model.Look.NOTIFICATION
    return history_model.Look.PERIOD


def _is_unchanged(
    connection: db_engine.Connection, observed: drift_records.StackObservations
) -> bool:
    """Whether a stack is as it was when it was read; lock it.

    Drift that a user has accepted meanwhile must not be stored once more.
    """
    held = stacks.lock(connection, observed.stack.id)
    drifted = _list_drifted(observed)
    stored = observations.list_some(
        connection, held.id, [each.resource_id for each in drifted]
    )
    return (
        _mark(held) == _mark(observed.stack)
        and not operations.find_open(connection, held.id)
        and {each.resource_id: each for each in stored}
        == {each.resource_id: each for each in drifted}
    )


def _list_drifted(
    observed: drift_records.StackObservations,
) -> list[observation.Observation]:
    """Return the last observations of the resources that had drifted."""
    return [
        one.before
        for one in observed.resources
        if one.before is not None and one.before.drifted_at is not None
    ]


def _mark(stack: stack.Stack) -> tuple[object, ...]:
    """Return a value that differs after each operation and retry."""
    return (
        stack.operation_id,
        stack.action,
        stack.status,
        stack.updated_at,
        stack.deleted_at,
    )
