"""What an operation has read of physical resources, until it is written.

A check stores all that it reads. An update stores what it reads after a change
where drift of the resource is known, or is left: so that stays known.
"""

import collections.abc
import dataclasses
import threading

from orch import ids
from orch.db import engine as db_engine
from orch.db import functions
from orch.db.repositories import drift_history
from orch.db.repositories import observations
from orch.db.repositories import stacks
from orch.db.repositories import watches
from orch.events import recorder
from orch.flow.state import drift_records
from orch.model import drift_history as history_model
from orch.model import operation as operation_model
from orch.model import resource
from orch.model import stack as stack_model
from orch.model import states
from orch.planner import drift
from orch.plugin import reality
from orch.plugin import registry

Rows = collections.abc.Mapping[ids.ResourceId, resource.Resource]


@dataclasses.dataclass(frozen=True, slots=True)
class Reading:
    """What was read of the physical resource of a row."""

    row: resource.Resource
    answer: reality.Answer


class Readings:
    """Collects readings, and writes those whose changes have ended."""

    def __init__(
        self,
        records: drift_records.DriftRecords | None,
        stack: stack_model.Stack,
        operation: operation_model.Operation,
        types: registry.Types,
    ) -> None:
        """Start without any reading.

        :param records: ``None`` where no reading is stored
        """
        self._records = records
        self._stack = stack
        self._operation = operation
        self._types = types
        self._answers: dict[ids.ResourceId, reality.Answer] = {}
        self._path: tuple[str, ...] | None = None
        self._lock = threading.Lock()

    @property
    def is_root_check(self) -> bool:
        """Whether it checks a root: with its child stacks, all of a tree."""
        return self._is_check and self._stack.parent_id is None

    @property
    def _is_check(self) -> bool:
        return self._operation.action is states.Action.CHECK

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

    def take(self, rows: Rows) -> list[Reading]:
        """Return, once, the readings of resources whose changes have ended."""
        with self._lock:
            ended = [
                each
                for each in self._answers
                if rows[each].status is not states.Status.IN_PROGRESS
            ]
            return [
                Reading(rows[each], self._answers.pop(each)) for each in ended
            ]

    def write(
        self,
        connection: db_engine.Connection,
        taken: collections.abc.Sequence[Reading],
        newest: int,
    ) -> recorder.Facts:
        """Store readings as observations; return the facts of their drift.

        Their rows are stored already.

        :param newest: number of the newest event of the stack
        """
        assert self._records is not None
        before = {
            each.resource_id: each
            for each in observations.list_some(
                connection, self._stack.id, [each.row.id for each in taken]
            )
        }
        if not self._is_check:
            drifted = {
                each.resource_id
                for each in before.values()
                if each.drifted_at is not None
            }
            taken = [
                each
                for each in taken
                if each.row.id in drifted or self._has_drift(each)
            ]
        if not taken:
            return recorder.Facts((), ())
        watch = watches.lock(
            connection, self._stack.root_id, self._stack.project_id
        )
        if self._path is None:
            self._path = tuple(
                stacks.list_names_above(connection, self._stack)
            )
        now = functions.read_clock(connection)
        comparison = drift.Comparison(
            self._stack.root_id, self._types, watch.policy, now
        )
        observed = drift_records.StackObservations(
            stack=self._stack,
            operation=self._operation,
            resources=tuple(
                comparison.compare(
                    each.row,
                    "/".join((*self._path, each.row.name)),
                    each.answer,
                    before.get(each.row.id),
                )
                for each in taken
            ),
        )
        look = (
            history_model.Look.CHECK
            if self._is_check
            else history_model.Look.UPDATE
        )
        root_id = self._stack.root_id
        self._records.save(connection, root_id, look, [observed], now)
        return self._records.build_facts(connection, observed, newest, now)

    def end_removed(
        self,
        connection: db_engine.Connection,
        rows: collections.abc.Iterable[resource.Resource],
    ) -> None:
        """End the history of resources that an update has removed."""
        removed = [
            row.id
            for row in rows
            if row.action is states.Action.DELETE
            and row.status is states.Status.COMPLETE
        ]
        if removed and self._operation.action is not states.Action.DELETE:
            now = functions.read_clock(connection)
            drift_history.end_all(
                connection, self._stack.root_id, removed, now
            )

    def _has_drift(self, reading: Reading) -> bool:
        plugin = self._types.find(reading.row.plugin_type)
        return plugin is not None and bool(
            drift.find_drift(plugin, reading.row, reading.answer).differences
        )
