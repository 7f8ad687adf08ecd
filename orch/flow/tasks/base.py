"""The base of all tasks: a change, its collaborators, begin and poll.

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

import orjson
from taskflow import task
from taskflow.types import notifier

from orch import errors
from orch.flow.state import departures
from orch.flow.state import store
from orch.model import leftover
from orch.model import marked
from orch.model import resource as model_resource
from orch.planner import plan
from orch.plugin import call_context
from orch.plugin import resource

_POLL_S = 0.05


class BadAnswer(errors.Permanent):
    """A plug-in returned a value that its contract does not allow."""

    code = "orch.resource.bad_answer"
    is_verdict = False


class Useless(errors.Permanent):
    """What an earlier attempt has created is of no use; it is replaced.

    :ivar verdict: the error of the plug-in that says so
    :ivar is_gone: it does not exist any more
    """

    code = "orch.resource.useless"
    verdict: errors.OrchError | None = None
    is_gone: bool = False


class Returned(errors.Permanent):
    """A physical resource that had vanished exists, or may exist.

    It is left in place, and the operation is planned anew.
    """

    code = "orch.resource.returned"


class ChangeRefused(errors.Permanent):
    """A change is not allowed; nothing was started or changed.

    :cvar shown_as: the kind of failure that users read
    """

    code = "orch.resource.refused"
    shown_as = "ResourceActionRestricted"


class Unfinished(ChangeRefused):
    """The resource to check was never complete; its row says why."""

    code = "orch.resource.unfinished"
    shown_as = "ResourceUnfinished"


@dataclasses.dataclass(frozen=True, slots=True)
class Step:
    """The progress of a change after a call.

    :ivar created: id and data, as soon as they are known
    :ivar pending: set while the world is still at work
    :ivar begins_again: nothing is known to be made yet: ``begin`` is called
        after the wait, under a new intent
    :ivar attributes: values that others read, once it is complete
    :ivar snapshot_data: what the plug-in stored of a snapshot
    :ivar properties: the live ones, where they were read
    :ivar metadata: those that it has from now on, where they differ
    :ivar baseline: live properties right after the change; ``None`` where
        they cannot be read
    :ivar has_baseline: the change has tried to read it
    :ivar is_verified: the physical resource that is adopted was seen
    :ivar reason: why it is complete, or what it waits for, where that is
        not plain
    :ivar left_over: why a physical resource is left in place by it
    """

    created: call_context.CreateResult | None = None
    pending: call_context.Pending | None = None
    begins_again: bool = False
    attributes: collections.abc.Mapping[str, object] | None = None
    snapshot_data: collections.abc.Mapping[str, object] | None = None
    properties: collections.abc.Mapping[str, object] | None = None
    metadata: collections.abc.Mapping[str, object] | None = None
    baseline: collections.abc.Mapping[str, object] | None = None
    has_baseline: bool = False
    is_verified: bool = False
    reason: str = ""
    left_over: leftover.Cause | None = None

    def to_result(self) -> dict[str, object]:
        """Return the result that the flow carries: JSON values only."""
        result: dict[str, object] = {}
        if self.attributes is not None:
            result["attributes"] = marked.merge(self.attributes)
        if self.properties is not None:
            result["properties"] = marked.merge(self.properties)
        if self.metadata is not None:
            result["metadata"] = marked.merge(self.metadata)
        if self.created is not None:
            result["physical_id"] = self.created.physical_id
            result["data"] = dict(self.created.data)
        if self.snapshot_data is not None:
            result["snapshot_data"] = dict(self.snapshot_data)
        if self.has_baseline:
            known = self.baseline
            result["baseline"] = None if known is None else dict(known)
        if self.is_verified:
            result["is_unverified"] = False
        if self.reason:
            result["status_reason"] = self.reason
        if self.left_over is not None:
            result[departures.RESULT] = self.left_over.value
        return result


@functools.cache
def _class_shape(kind: type[task.Task]) -> dict[str, object]:
    """Return the attributes that TaskFlow derives from a class.

    They are the same for every task of the class, and deriving them takes
    longer than all else that making a task costs.
    """
    probe = kind.__new__(kind)
    task.Task.__init__(probe, name="probe")
    return dict(probe.__dict__)


class ChangeTask(task.Task):
    """One change of a plan as an atom of a flow.

    :ivar change: the change
    :ivar is_effect_free: the engine may run it on its own thread, many a
        transaction; known after :meth:`pre_execute`
    :ivar is_unchanging: no call changes an existing physical resource; known
        then, too
    :ivar lost_calls: how many calls to create it have got no answer
    """

    def __init__(self, change: plan.Change, resources: store.Store) -> None:
        """Make the task of a change; nothing is called yet."""
        self.__dict__.update(_class_shape(type(self)))
        self.name = change.key
        self.change = change
        self.is_effect_free = False
        self.is_unchanging = False
        self.lost_calls = 0
        self._resources = resources
        self._notifier = notifier.RestrictedNotifier(self.TASK_EVENTS)

    @abc.abstractmethod
    def pre_execute(self) -> None:
        """Determine what the intent must hold; no outside call."""

    def expected(
        self,
    ) -> tuple[resource.Resource, call_context.Context] | None:
        """Return the plug-in to notify before :meth:`begin`, if any."""
        return None

    @staticmethod
    def prepare(
        plugin: resource.Resource,
        expected: collections.abc.Sequence[
            tuple["ChangeTask", call_context.Context]
        ],
    ) -> None:
        """Notify a plug-in of several tasks of this class that begin.

        :param expected: tasks whose :meth:`expected` named the plug-in
        :raises Exception: whatever the plug-in raises
        """
        plugin.expect([context for _, context in expected])

    @abc.abstractmethod
    def begin(self) -> Step:
        """Start the change; safe to run again after a crash."""

    @abc.abstractmethod
    def poll(self) -> Step:
        """Check the progress of a change that :meth:`begin` left pending."""

    def note(self, step: Step) -> None:
        """Record what is known of a change that is in progress."""
        if step.reason:
            self._resources.explain(self.change, step.reason)
        if step.created is not None:
            self._resources.record_created(self.change, step.created)
        if step.snapshot_data is not None:
            self._resources.record_snapshot_data(
                self.change, step.snapshot_data
            )

    def execute(self) -> dict[str, object]:
        """Run the change to its end, and wait for it on this thread."""
        self._resources.check_held()
        step = self.begin()
        while step.pending is not None:
            self.note(step)
            time.sleep(step.pending.after_s or _POLL_S)
            step = self.begin() if step.begins_again else self.poll()
        return step.to_result()

    def _resolve_removal(self) -> model_resource.Resource:
        """Return the row of a removal, after resolving an uncertain one.

        Where nothing has replaced the row there is nothing to remove.
        """
        row = self._row()
        if not self.change.is_certain and row.replaced_by is None:
            self._resources.resolve_change(self.change, None)
        return row

    def _row(self) -> model_resource.Resource:
        acting = self._resources.acting(self.change) or self.change
        return self._resources.rows[acting.resource_id]


class CleanUpTask(ChangeTask):
    """Orders other changes; is complete as soon as it may run."""

    def pre_execute(self) -> None:
        """Mark the task as effect-free."""
        self.is_effect_free = True

    def begin(self) -> Step:
        """Return a complete step."""
        return Step()

    def poll(self) -> Step:
        """Return a complete step."""
        return Step()


def with_created(
    context: call_context.Context, created: call_context.CreateResult
) -> call_context.Context:
    """Return the context with the id and data of a creation."""
    return dataclasses.replace(
        context, physical_id=created.physical_id, data=created.data
    )


def check_created(answer: object, operation: str) -> call_context.CreateResult:
    """Return the answer of a creation or find in its long form.

    :param operation: the method that gave it, for the error
    :raises BadAnswer: there is no id in it, or data that is not JSON
    """
    if isinstance(answer, str):
        answer = call_context.CreateResult(answer)
    if not isinstance(answer, call_context.CreateResult) or not (
        isinstance(answer.physical_id, str) and answer.physical_id
    ):
        raise BadAnswer(
            f"{operation} returned {type(answer).__name__}, not a physical id"
        )
    if not isinstance(answer.data, collections.abc.Mapping):
        raise BadAnswer(f"the data that {operation} returned is no map")
    if answer.data:
        check_json(answer.data, f"the data that {operation} returned")
    return answer


def check_pending(
    answer: object, operation: str
) -> call_context.Pending | None:
    """Return the answer of a poll if it is valid.

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
    """Raise BadAnswer if a value is not JSON.

    :param what: the value's name, for the error
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
