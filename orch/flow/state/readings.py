"""What an operation has read of physical resources, until it is written.

A check stores all that it reads. An update stores what it reads before it is
planned and after each change, of resources that have drifted or had: so that
is known, and what else has drifted of them stays known.
"""

import collections.abc
import dataclasses
import itertools
import operator
import threading

from orch import clock
from orch import ids
from orch.db import engine as db_engine
from orch.db import functions
from orch.db.repositories import drift_history
from orch.db.repositories import observations
from orch.db.repositories import outbox
from orch.db.repositories import stacks
from orch.db.repositories import watches
from orch.events import drifts
from orch.events import recorder
from orch.flow.state import drift_records
from orch.flow.state import row_table
from orch.model import drift_history as history_model
from orch.model import observation
from orch.model import operation as operation_model
from orch.model import resource
from orch.model import stack as stack_model
from orch.model import states
from orch.planner import drift
from orch.planner import survey as surveys
from orch.plugin import reality
from orch.plugin import registry


@dataclasses.dataclass(frozen=True, slots=True)
class Reading:
    """What was read of the physical resource of a row.

    :ivar read_at: when; ``None`` for now
    """

    row: resource.Resource
    answer: reality.Answer
    read_at: clock.Timestamp | None = None


class Readings:
    """Collects readings, and writes those whose changes have ended."""

    def __init__(
        self,
        records: drift_records.DriftRecords | None,
        stack: stack_model.Stack,
        operation: operation_model.Operation,
        types: registry.Types,
        rows: row_table.RowTable,
    ) -> None:
        """Start without any reading.

        :param records: ``None`` where no reading is stored
        """
        self._records = records
        self._stack = stack
        self._operation = operation
        self._types = types
        self._rows = rows
        self._surveyed: list[Reading] = []
        self._answers: dict[ids.ResourceId, reality.Answer] = {}
        self._path: tuple[str, ...] | None = None
        # What an earlier claim of the operation has read waits, too.
        self._may_hold = operation.fence > 1
        # The resources whose drift lasts in the history; read when needed.
        self._drifted: frozenset[ids.ResourceId] | None = None
        self._lock = threading.Lock()

    @property
    def is_root_check(self) -> bool:
        """Whether it checks a root: with its child stacks, all of a tree."""
        return self._is_check and self._stack.parent_id is None

    @property
    def _is_check(self) -> bool:
        return self._operation.action is states.Action.CHECK

    def note_survey(
        self, survey: surveys.Survey | None, now: clock.Timestamp
    ) -> None:
        """Note what was read before an update, of the rows as they are now.

        A survey for the repairs of the observer shows only a part of each
        resource, and nothing that is not known.
        """
        if self._records is None or survey is None or survey.is_narrowed:
            return
        read = {**survey.inspected, **survey.answers}
        self._surveyed = [
            Reading(row, read[row.id], now)
            for row in self._rows.values()
            if row.is_current and row.id in read
        ]

    def note_other_store(self) -> None:
        """Note that another store may have written under the same fence."""
        self._may_hold = True

    def note(
        self, resource_id: ids.ResourceId, answer: reality.Answer
    ) -> None:
        """Note what was read of a resource, in place of what was before.

        It may be called on any thread.
        """
        if self._records is None:
            return
        with self._lock:
            self._answers[resource_id] = answer

    def take(self) -> list[Reading]:
        """Return, once, the readings of resources whose changes have ended.

        What was read before an update comes first.
        """
        with self._lock:
            surveyed, self._surveyed = self._surveyed, []
            ended = [
                each
                for each in self._answers
                if self._rows[each].status is not states.Status.IN_PROGRESS
            ]
            return surveyed + [
                Reading(self._rows[each], self._answers.pop(each))
                for each in ended
            ]

    def write(
        self,
        connection: db_engine.Connection,
        taken: collections.abc.Iterable[Reading],
        newest: int,
    ) -> recorder.Facts:
        """Store readings as observations; return the events of their drift.

        Their rows are stored already. Notifications wait in the outbox until
        the operation ends: they are stored with the observations, so that a
        worker that is lost loses none.

        :param newest: number of the newest event of the stack
        """
        facts = recorder.Facts((), ())
        for read_at, group in itertools.groupby(
            taken, key=operator.attrgetter("read_at")
        ):
            found = self._write(
                connection, list(group), read_at, newest + len(facts.events)
            )
            facts = facts.followed_by(found)
        self._may_hold = self._may_hold or bool(facts.notifications)
        outbox.insert_many(
            connection,
            [
                dataclasses.replace(each, topic=outbox.HELD)
                for each in facts.notifications
            ],
        )
        return recorder.Facts(facts.events, ())

    def conclude(
        self, connection: db_engine.Connection, newest: int
    ) -> recorder.Facts:
        """Return one notification of each kind of drift that was found.

        Those that have waited are deleted.

        :param newest: number of the newest event of the stack
        """
        held = []
        if self._records is not None and self._may_hold:
            held = outbox.take_held(connection, self._stack.id)
        if not held:
            return recorder.Facts((), ())
        return recorder.Facts(
            (),
            drifts.merge_notifications(
                drift_records.facts_about(
                    connection,
                    self._stack,
                    self._operation,
                    newest,
                    functions.read_clock(connection),
                ),
                held,
            ),
        )

    def _write(
        self,
        connection: db_engine.Connection,
        taken: collections.abc.Sequence[Reading],
        read_at: clock.Timestamp | None,
        newest: int,
    ) -> recorder.Facts:
        assert self._records is not None
        root_id, is_check = self._stack.root_id, self._is_check
        before = {
            each.resource_id: each
            for each in observations.list_some(
                connection, self._stack.id, [each.row.id for each in taken]
            )
        }
        if not is_check:
            taken = [
                each
                for each in taken
                if _has_drifted(before.get(each.row.id))
                or drift.has_drifted(self._types, each.row, each.answer)
            ]
        if not taken:
            return recorder.Facts((), ())
        watch = watches.lock(connection, root_id, self._stack.project_id)
        if self._path is None:
            self._path = tuple(
                stacks.list_names_above(connection, self._stack)
            )
        now = functions.read_clock(connection)
        if read_at is not None:
            now = min(now, read_at)
        observed = self._compare(taken, before, watch.policy, now)
        if (
            is_check
            and watch.policy
            and any(
                each.accepted
                for each in self._compare(
                    taken, before, watch.policy, now, accepts=True
                ).resources
            )
        ):
            # An observation follows the check: plug-ins judge what it accepts.
            watches.request_observation(
                connection, root_id, self._stack.project_id
            )
        look = (
            history_model.Look.CHECK if is_check else history_model.Look.UPDATE
        )
        self._records.save(connection, root_id, look, [observed], now)
        self._drifted = None
        return self._records.build_facts(
            connection,
            self._stack,
            self._operation,
            observed.changes,
            newest,
            now,
        )

    def _compare(
        self,
        taken: collections.abc.Sequence[Reading],
        before: collections.abc.Mapping[
            ids.ResourceId, observation.Observation
        ],
        policy: observation.Values,
        now: clock.Timestamp,
        *,
        accepts: bool = False,
    ) -> drift_records.StackObservations:
        """Return what was read, compared with the baselines.

        :param accepts: policies may accept drift
        """
        comparison = drift.Comparison(
            self._stack.root_id, self._types, policy, now, accepts=accepts
        )
        return drift_records.StackObservations(
            stack=self._stack,
            resources=tuple(
                comparison.compare(
                    each.row,
                    "/".join((*(self._path or ()), each.row.name)),
                    each.answer,
                    before.get(each.row.id),
                )
                for each in taken
            ),
        )

    def end_removed(
        self,
        connection: db_engine.Connection,
        rows: collections.abc.Iterable[resource.Resource],
    ) -> None:
        """End the history of resources that an update has removed."""
        if self._operation.action is states.Action.DELETE:
            return
        root_id = self._stack.root_id
        removed = {
            row.id
            for row in rows
            if row.action is states.Action.DELETE
            and row.status is states.Status.COMPLETE
        }
        if removed and self._drifted is None:
            self._drifted = frozenset(
                drift_history.list_open(connection, root_id)
            )
        ended = removed & (self._drifted or frozenset())
        if ended:
            now = functions.read_clock(connection)
            drift_history.end_all(connection, root_id, ended, now)


def _has_drifted(before: observation.Observation | None) -> bool:
    return before is not None and before.drifted_at is not None
