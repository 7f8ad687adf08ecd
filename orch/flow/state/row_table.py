"""The rows of a stack in memory, and which of them have yet to be written.

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
    """Knows the changes that became others, or nothing at all."""

    def __init__(self) -> None:
        """Take every change for what the plan says."""
        self._resolved: dict[str, plan.Change | None] = {}

    def acting(self, change: plan.Change) -> plan.Change | None:
        """Return what a change turned out to be; ``None`` for nothing."""
        if not self._resolved:
            return change
        return self._resolved.get(change.key, change)

    def resolve_change(
        self, change: plan.Change, kind: plan.Kind | None
    ) -> plan.Change | None:
        """Know what an uncertain change turned out to be.

        :param kind: ``None`` when nothing is to be done; ``CREATE`` when the
            thing has to be replaced
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
"""State of a step that the run has found nothing to do for."""

BEGUN = states.Status.IN_PROGRESS.value
COMPLETE = states.Status.COMPLETE.value
FAILED = states.Status.FAILED.value


class StepNotes:
    """Gathers how far such steps are, until it is written."""

    def __init__(self) -> None:
        """Know of none yet."""
        self._noted: dict[tuple[ids.ResourceId, str], str] = {}

    def note(
        self, change: plan.Change, acting: plan.Change | None, state: str
    ) -> None:
        """Note how far a step is, unless its resource tells.

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
        """Know that a step has not begun after all."""
        key = change.resource_id, change.kind.value
        if key in self._noted or change.kind not in transitions.ACTIONS:
            self._noted[key] = step.WAITING

    def take(self) -> list[step.Noted]:
        """Return, once, what is to be written."""
        taken, self._noted = self._noted, {}
        return [
            step.Noted(kind, resource_id, state)
            for (resource_id, kind), state in taken.items()
        ]


class PendingEvents:
    """Gathers what is to be told with the next write.

    :ivar recorder: numbers the facts; whoever ends the operation may add to
        them, once no call is under way
    """

    def __init__(self, recorder_: recorder.Recorder) -> None:
        """Have nothing to tell yet."""
        self.recorder = recorder_
        self._lock = threading.Lock()

    def record(self, row: resource.Resource, now: clock.Timestamp) -> None:
        """Tell how a resource stands."""
        with self._lock:
            self.recorder.record_resource(
                row, row.action, row.status, row.status_reason, now
            )

    def record_row(
        self, row: resource.Resource, now: clock.Timestamp, reason: str
    ) -> None:
        """Tell something of a resource, whose state stays as it is."""
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
        """Tell that a resource waits at a breakpoint, or goes on."""
        with self._lock:
            self.recorder.record_breakpoint(
                stack, row, hook, reason, now, statuses
            )

    def record_stack(
        self, stack: stack.Stack, now: clock.Timestamp, reason: str
    ) -> None:
        """Tell something of the stack, whose state stays as it is."""
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
        """Tell that the stack waits for an approval, or of the answer."""
        with self._lock:
            self.recorder.record_approval(stack, hold, reason, now, statuses)

    def record_refusal(
        self,
        row: resource.Resource,
        action: states.Action,
        reason: str,
        now: clock.Timestamp,
    ) -> None:
        """Tell of an act that is not allowed; the row is as it was."""
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
        """Return, once, what is to be written."""
        with self._lock:
            return self.recorder.take()


_NAMES = tuple(each.name for each in dataclasses.fields(resource.Resource))
_VALUES = operator.attrgetter(*_NAMES)


class RowTable(collections.abc.Mapping[ids.ResourceId, resource.Resource]):
    """All incarnations of a stack's resources, by id.

    :ivar standing: the incarnation that stands for each name
    """

    def __init__(
        self, rows: collections.abc.Iterable[resource.Resource]
    ) -> None:
        """Start from what is stored; nothing of it has to be written."""
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
        """Return the incarnation that stands for a name.

        :raises orch.errors.NotFound: there is none
        """
        try:
            return self._rows[self.current_ids[name]]
        except KeyError:
            raise errors.NotFound(
                f"the resource {name} does not exist yet"
            ) from None

    def insert(self, row: resource.Resource) -> None:
        """Let a new incarnation stand for its name."""
        self.replace(row)
        self.current_ids[row.name] = row.id

    def replace(self, row: resource.Resource) -> None:
        """Take a row as it is now; it is written with the next tick."""
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
        """Keep a row as it is, in case that its intent is taken back.

        What was kept since the last calls were made stays.
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
        """Know that the calls of all intents are made."""
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
