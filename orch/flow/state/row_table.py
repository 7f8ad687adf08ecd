"""The rows of a stack in memory, and which of them are not written yet.

Loops and the threads of calls use it at the same time; each method is one
step for all of them.
"""

import collections.abc
import dataclasses
import operator
import threading

from orch import clock
from orch import errors
from orch import ids
from orch.events import payloads
from orch.events import recorder
from orch.flow.state import transitions
from orch.model import lifecycle
from orch.model import resource
from orch.model import signal
from orch.model import stack
from orch.model import states
from orch.model import step
from orch.planner import plan


class ResolvedChanges:
    """The changes that became another kind, or nothing at all."""

    def __init__(self) -> None:
        """Start with every change as the plan has it."""
        self._resolved: dict[str, plan.Change | None] = {}

    def acting(self, change: plan.Change) -> plan.Change | None:
        """Return the change as it was resolved; ``None`` for nothing to do."""
        if not self._resolved:
            return change
        return self._resolved.get(change.key, change)

    def resolve_change(
        self, change: plan.Change, kind: plan.Kind | None
    ) -> plan.Change | None:
        """Resolve an uncertain change to what it turned out to be.

        :param kind: ``None`` when nothing is to be done; ``CREATE`` when the
            physical resource has to be replaced
        :returns: what :meth:`acting` gives from now on
        """
        resolved = None
        if kind is not None:
            resolved = dataclasses.replace(change, kind=kind)
        if resolved is not None and kind is plan.Kind.CREATE:
            assert change.replacement_id is not None
            resolved = dataclasses.replace(
                resolved,
                resource_id=change.replacement_id,
                replaces=change.resource_id,
            )
        self._resolved[change.key] = resolved
        return resolved


UNNEEDED = "UNNEEDED"
"""State of a step that the run found needless."""

BEGUN = states.Status.IN_PROGRESS.value
COMPLETE = states.Status.COMPLETE.value
FAILED = states.Status.FAILED.value


class StepNotes:
    """Collects the states of such steps until they are written."""

    def __init__(self) -> None:
        """Start without any step."""
        self._noted: dict[tuple[ids.ResourceId, str], str] = {}

    def note(
        self, change: plan.Change, acting: plan.Change | None, state: str
    ) -> None:
        """Note the state of a step, unless its resource shows it.

        :param acting: what it turned out to be; ``None`` for nothing
        """
        if change.kind is plan.Kind.CLEAN_UP:
            return
        if acting is None and state == COMPLETE:
            state = UNNEEDED
        elif acting is change and change.kind in transitions.ACTIONS:
            return
        self._noted[change.resource_id, change.kind.value] = state

    def take_back(self, change: plan.Change) -> None:
        """Note that a step has not begun after all."""
        key = change.resource_id, change.kind.value
        if key in self._noted or change.kind not in transitions.ACTIONS:
            self._noted[key] = step.WAITING

    def take(self) -> list[step.Noted]:
        """Return, once, the states to be written."""
        taken, self._noted = self._noted, {}
        return [
            step.Noted(kind, resource_id, state)
            for (resource_id, kind), state in taken.items()
        ]


class PendingEvents:
    """Collects the events of the next write.

    :ivar recorder: numbers the facts; the end of the operation may add to
        them, once no call is in progress
    """

    def __init__(self, recorder_: recorder.Recorder) -> None:
        """Start without any event."""
        self.recorder = recorder_
        self._lock = threading.Lock()

    def record(self, row: resource.Resource, now: clock.Timestamp) -> None:
        """Record the state of a resource."""
        with self._lock:
            self.recorder.record_resource(
                row, row.action, row.status, row.status_reason, now
            )

    def record_row(
        self, row: resource.Resource, now: clock.Timestamp, reason: str
    ) -> None:
        """Record a remark on a resource, whose state stays unchanged."""
        with self._lock:
            self.recorder.record_remark_of(row, reason, now)

    def record_breakpoint(
        self,
        stack: stack.Stack,
        row: resource.Resource,
        hook: tuple[str, str],
        now: clock.Timestamp,
        reason: str,
        statuses: payloads.Statuses,
    ) -> None:
        """Record that a resource waits at a breakpoint, or continues."""
        with self._lock:
            self.recorder.record_breakpoint(
                stack, row, hook, reason, now, statuses
            )

    def record_stack(
        self, stack: stack.Stack, now: clock.Timestamp, reason: str
    ) -> None:
        """Record a remark on the stack, whose state stays unchanged."""
        with self._lock:
            self.recorder.record_remark(stack, reason, now)

    def record_approval(
        self,
        stack: stack.Stack,
        hold: lifecycle.Hold,
        now: clock.Timestamp,
        reason: str,
        statuses: payloads.Statuses,
    ) -> None:
        """Record that the stack waits for an approval, or its answer."""
        with self._lock:
            self.recorder.record_approval(stack, hold, reason, now, statuses)

    def record_refusal(
        self,
        row: resource.Resource,
        action: states.Action,
        reason: str,
        now: clock.Timestamp,
    ) -> None:
        """Record a refused action; the row stays unchanged."""
        with self._lock:
            self.recorder.record_resource(
                row, action, states.Status.FAILED, reason, now
            )

    def record_signals(
        self, unrecorded: collections.abc.Iterable[signal.UnreportedSignal]
    ) -> recorder.Facts:
        """Return the events of signals that came while the operation runs."""
        with self._lock:
            for each in unrecorded:
                self.recorder.record_signal(each)
            return self.recorder.take()

    def take(self) -> recorder.Facts:
        """Return, once, the events to be written."""
        with self._lock:
            return self.recorder.take()


_NAMES = tuple(each.name for each in dataclasses.fields(resource.Resource))
_VALUES = operator.attrgetter(*_NAMES)


class RowTable(collections.abc.Mapping[ids.ResourceId, resource.Resource]):
    """All incarnations of a stack's resources, by id.

    :ivar current_ids: the current incarnation of each name
    """

    def __init__(
        self, rows: collections.abc.Iterable[resource.Resource]
    ) -> None:
        """Load the stored rows; none has to be written yet."""
        self._rows = {row.id: row for row in rows}
        self.current_ids = {
            row.name: row.id
            for row in self._rows.values()
            if row.replaced_by is None
        }
        self._dirty: dict[ids.ResourceId, None] = {}
        self._before: dict[ids.ResourceId, resource.Resource] = {}
        self._lock = threading.RLock()

    def __getitem__(self, resource_id: ids.ResourceId) -> resource.Resource:
        return self._rows[resource_id]

    def __iter__(self) -> collections.abc.Iterator[ids.ResourceId]:
        return iter(tuple(self._rows))

    def __len__(self) -> int:
        return len(self._rows)

    def current(self, name: str) -> resource.Resource:
        """Return the current incarnation of a name.

        :raises orch.errors.NotFound: there is none
        """
        try:
            return self._rows[self.current_ids[name]]
        except KeyError:
            raise errors.NotFound(
                f"the resource {name} does not exist yet"
            ) from None

    def insert(self, row: resource.Resource) -> None:
        """Make a new incarnation the current one of its name."""
        self.replace(row)
        self.current_ids[row.name] = row.id

    def replace(self, row: resource.Resource) -> None:
        """Replace a row; it is written with the next tick."""
        with self._lock:
            self._rows[row.id] = row
            self._dirty[row.id] = None

    def put(self, resource_id: ids.ResourceId, **changed: object) -> None:
        """Change columns of a row; they are written with the next tick."""
        with self._lock:
            self.remember(resource_id, **changed)
            self._dirty[resource_id] = None

    def remember(self, resource_id: ids.ResourceId, **known: object) -> None:
        """Change columns of a row that are written once it has begun."""
        with self._lock:
            self._rows[resource_id] = _replace_columns(
                self._rows[resource_id], known
            )

    def save_before(self, resource_id: ids.ResourceId) -> None:
        """Save a row as it is, in case its intent is taken back.

        A row that was saved since the last calls stays as saved.
        """
        self._before.setdefault(resource_id, self._rows[resource_id])

    def take_back(self, resource_id: ids.ResourceId) -> resource.Resource:
        """Return the row as it was before its intent, if it has one."""
        with self._lock:
            before = self._before.pop(resource_id, None)
            if before is not None:
                self.replace(before)
            return self._rows[resource_id]

    def forget_intents(self) -> None:
        """Drop the saved rows of intents: their calls are made."""
        self._before.clear()

    def take_dirty(self) -> list[resource.Resource]:
        """Return the rows that have to be written; they count as written."""
        with self._lock:
            dirty = [self._rows[each] for each in self._dirty]
            self._dirty.clear()
            return dirty


def _replace_columns(
    row: resource.Resource, columns: collections.abc.Mapping[str, object]
) -> resource.Resource:
    """Return the row with other columns.

    As ``dataclasses.replace``, in half the time: a row has many columns, and
    each change of a plan passes here three times.
    """
    values = dict(zip(_NAMES, _VALUES(row), strict=True))
    values.update(columns)
    make: collections.abc.Callable[..., resource.Resource] = resource.Resource
    return make(**values)
