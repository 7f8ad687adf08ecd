"""What all tasks share: a change, its collaborators, start and watch.

A task is TaskFlow's: any engine may run :meth:`ChangeTask.execute`. Our own
engine calls the parts of it instead, so that no thread is held while the
world takes its time.
"""

import abc
import collections.abc
import dataclasses
import functools
import math
import time
import typing

import orjson
from taskflow import task
from taskflow.types import notifier

from orch import errors
from orch import ids
from orch.flow.state import adoptions
from orch.flow.state import desired
from orch.flow.state import snapshot_data as state_snapshot_data
from orch.model import resource as model_resource
from orch.planner import plan
from orch.plugin import call_context
from orch.plugin import resource

_POLL_S = 0.05


class BadAnswer(errors.Permanent):
    """A plug-in returned something that its contract does not know."""

    code = "orch.resource.bad_answer"


class ChangeRefused(errors.Permanent):
    """A change is not allowed; nothing was begun, so nothing has changed.

    :cvar shown_as: what people are told that it is
    """

    code = "orch.resource.refused"
    shown_as = "ResourceActionRestricted"


class Unfinished(ChangeRefused):
    """What is to be checked never stood; its row says why, and still does."""

    code = "orch.resource.unfinished"
    shown_as = "ResourceUnfinished"


@dataclasses.dataclass(frozen=True, slots=True)
class Step:
    """How far a call has brought a change.

    :ivar created: id and data, as soon as they are known
    :ivar pending: set while the world is still at work
    :ivar attributes: values that others read, once it is complete
    :ivar snapshot_data: what the plug-in keeps of a snapshot
    :ivar properties: how the world has them, where that was read
    :ivar metadata: those that it has from now on, where they are others
    :ivar baseline: how the thing is right after the change; ``None`` where
        nobody can tell
    :ivar has_baseline: the change has looked for it
    :ivar reason: why it is complete, where that is not plain
    """

    created: call_context.CreateResult | None = None
    pending: call_context.Pending | None = None
    attributes: collections.abc.Mapping[str, object] | None = None
    snapshot_data: collections.abc.Mapping[str, object] | None = None
    properties: collections.abc.Mapping[str, object] | None = None
    metadata: collections.abc.Mapping[str, object] | None = None
    baseline: collections.abc.Mapping[str, object] | None = None
    has_baseline: bool = False
    reason: str = ""

    def to_result(self) -> dict[str, object]:
        """Return what travels through the flow: JSON values only."""
        result: dict[str, object] = {}
        if self.created is not None:
            result["physical_id"] = self.created.physical_id
            result["data"] = dict(self.created.data)
        if self.attributes is not None:
            result["attributes"] = dict(self.attributes)
        if self.snapshot_data is not None:
            result["snapshot_data"] = dict(self.snapshot_data)
        if self.properties is not None:
            result["properties"] = dict(self.properties)
        if self.metadata is not None:
            result["metadata"] = dict(self.metadata)
        if self.has_baseline:
            known = self.baseline
            result["baseline"] = None if known is None else dict(known)
        if self.reason:
            result["status_reason"] = self.reason
        return result


class Resources(typing.Protocol):
    """What tasks need of the operation they belong to (``flow.store``).

    :ivar adoptions: what is to be done with things that stand already
    :ivar desired_state: what the template says of each resource
    """

    adoptions: adoptions.Adoptions
    desired_state: desired.DesiredState

    def row(self, resource_id: ids.ResourceId) -> model_resource.Resource:
        """Return what is known of one incarnation now."""

    def plugin(self, row: model_resource.Resource) -> resource.Resource:
        """Return the plug-in of the row.

        :raises orch.errors.NotFound: no plug-in serves the type
        """

    def context(
        self, row: model_resource.Resource
    ) -> tuple[resource.Resource, call_context.Context]:
        """Return the plug-in of the row and what it may know.

        :raises orch.errors.NotFound: no plug-in serves the type
        """

    def acting(self, change: plan.Change) -> plan.Change | None:
        """Return what a change turned out to be; ``None`` for nothing."""

    def resolve_change(
        self, change: plan.Change, kind: plan.Kind | None
    ) -> plan.Change | None:
        """Know what an uncertain change turned out to be."""

    def record_created(
        self, change: plan.Change, created: call_context.CreateResult
    ) -> None:
        """Keep the id of a thing that is still in the making."""

    def record_snapshot_data(
        self,
        change: plan.Change,
        snapshot_data: collections.abc.Mapping[str, object],
    ) -> None:
        """Keep what a plug-in tells of a snapshot in the making."""

    def list_snapshot_data(
        self, snapshot_id: str
    ) -> collections.abc.Sequence[state_snapshot_data.SnapshotData]:
        """Return what plug-ins keep of a snapshot of the stack.

        :raises orch.errors.NotFound: no plug-in serves one of the types
        """

    def check_held(self) -> None:
        """Return only if calls may be made for this operation now.

        :raises orch.flow.state.fence.NotHeld: the lease ran out
        """


@functools.cache
def _class_shape(kind: type[task.Task]) -> dict[str, object]:
    """Return what TaskFlow learns of a class by looking at its methods.

    It is the same for every task of the class, and looking takes longer
    than all else that making a task costs.
    """
    probe = kind.__new__(kind)
    task.Task.__init__(probe, name="probe")
    return dict(probe.__dict__)


class ChangeTask(task.Task):
    """One change of a plan as an atom of a flow.

    :ivar change: the change
    :ivar is_effect_free: the engine may run it on its own thread, many a
        transaction; known after :meth:`pre_execute`
    """

    def __init__(self, change: plan.Change, resources: Resources) -> None:
        """Make the task of a change; nothing is called yet."""
        self.__dict__.update(_class_shape(type(self)))
        self.name = change.key
        self.change = change
        self.is_effect_free = False
        self._resources = resources
        self._notifier = notifier.RestrictedNotifier(self.TASK_EVENTS)

    @abc.abstractmethod
    def pre_execute(self) -> None:
        """Learn what the intent must hold; calls nothing outside."""

    def expected(
        self,
    ) -> tuple[resource.Resource, call_context.Context] | None:
        """Return whom to tell that :meth:`begin` follows; often nobody."""
        return None

    @abc.abstractmethod
    def begin(self) -> Step:
        """Start the change; safe to run again after a crash."""

    @abc.abstractmethod
    def poll(self) -> Step:
        """Look how far the change is; only after ``begin`` said pending."""

    def note(self, step: Step) -> None:
        """Keep what is known of a thing that is still in the making."""
        if step.created is not None:
            self._resources.record_created(self.change, step.created)
        if step.snapshot_data is not None:
            self._resources.record_snapshot_data(
                self.change, step.snapshot_data
            )

    def execute(self) -> dict[str, object]:
        """Bring the change to its end, and wait for it on this thread."""
        self._resources.check_held()
        step = self.begin()
        while step.pending is not None:
            self.note(step)
            time.sleep(step.pending.after_s or _POLL_S)
            step = self.poll()
        return step.to_result()

    def _row(self) -> model_resource.Resource:
        acting = self._resources.acting(self.change) or self.change
        return self._resources.row(acting.resource_id)


def with_created(
    context: call_context.Context, created: call_context.CreateResult
) -> call_context.Context:
    """Return what a plug-in may know once it has told what it made."""
    return dataclasses.replace(
        context, physical_id=created.physical_id, data=created.data
    )


def check_pending(
    answer: object, operation: str
) -> call_context.Pending | None:
    """Return the answer of a watch.

    :param operation: the method that gave it, for the error
    :raises BadAnswer: it is neither ``None`` nor ``Pending``
    """
    if isinstance(answer, call_context.Pending):
        _check_pause(answer.after_s, operation)
        return answer
    if answer is None:
        return answer
    raise BadAnswer(
        f"{operation} returned {type(answer).__name__}, not Pending or None"
    )


def check_json(value: object, what: str) -> None:
    """Return only if a value is JSON.

    :param what: it is, for the error
    :raises BadAnswer: it is not
    """
    try:
        orjson.dumps(value)
    except TypeError as error:
        raise BadAnswer(f"{what} is not JSON: {error}") from error


def _check_pause(after_s: object, operation: str) -> None:
    if after_s is None:
        return
    if not isinstance(after_s, int | float) or not math.isfinite(after_s):
        raise BadAnswer(f"{operation} wants to be asked after {after_s!r} s")
