"""A job: an operation that can be run, and what its runner calls."""

import collections.abc
import contextlib
import dataclasses
import functools
import typing

from orch import ids
from orch.flow.engine import engine
from orch.flow.runner import waiting
from orch.flow.state import conclusion
from orch.flow.state import fence
from orch.flow.state import hooks
from orch.flow.state import parking
from orch.flow.state import store as state_store
from orch.model import operation
from orch.planner import plan
from orch.planner import survey as surveys

Flush = collections.abc.Callable[[], None]
"""Writes what was noted, with the end of the operation once it came."""


SideWritesOf = collections.abc.Callable[[], parking.SideWrites | None]
"""Returns the side writes of a flush."""


def _find_no_call(resource_id: ids.ResourceId) -> None:
    """Raise nothing: no earlier call is running."""


def _begin_nothing() -> None:
    """Do nothing: the plan has started already."""


def _write_nothing() -> None:
    """Return no side writes."""


@dataclasses.dataclass(frozen=True, slots=True)
class SurveyRequest:
    """The survey that an operation needs before it can be planned.

    :ivar survey: blocks for the time that the calls take
    """

    survey: collections.abc.Callable[[], surveys.Survey]


@dataclasses.dataclass(frozen=True, slots=True)
class ClosingJob:
    """An operation whose run is over, and that has only to be closed.

    :ivar outcome: how its run ended
    :ivar conclude: returns its conclusion
    :ivar closing: hooks to call before its end; ``None`` for none
    :ivar side_writes: returns the side writes of its last write
    """

    store: state_store.Store
    outcome: conclusion.RunOutcome
    conclude: conclusion.Conclude
    closing: hooks.PostHooks | None = None
    side_writes: SideWritesOf = _write_nothing


@dataclasses.dataclass(frozen=True, slots=True)
class Job:
    """An operation that is loaded and planned.

    :ivar run: the engine of its flow
    :ivar store: its rows
    :ivar conclude: returns its conclusion, given the outcome and the stop
        reason
    :ivar deadline: monotonic seconds at which its time is over
    :ivar waiting: its changes that wait
    :ivar check_free: raises while an earlier call for a resource is running
    :ivar opening: hooks to call before its run; ``None`` for none
    :ivar begin: starts the plan, where there is an opening
    :ivar end: returns the closing job with the hooks after the run;
        ``None`` for none
    :ivar part: ends an operation that has not started, given its outcome,
        and the reason where that is not plain; one with an opening has it
    :ivar overtaken: incarnations that are created as they were begun,
        although their desired state has changed since
    """

    run: engine.Engine
    store: state_store.Store
    conclude: collections.abc.Callable[
        [conclusion.RunOutcome, operation.StopReason | None],
        conclusion.Conclusion,
    ]
    deadline: float | None
    waiting: waiting.Waiting
    check_free: collections.abc.Callable[[ids.ResourceId], None] = (
        _find_no_call
    )
    opening: hooks.PreHooks | None = None
    begin: collections.abc.Callable[[], None] = _begin_nothing
    end: (
        collections.abc.Callable[
            [conclusion.RunOutcome, SideWritesOf], ClosingJob
        ]
        | None
    ) = None
    part: (
        collections.abc.Callable[
            [conclusion.RunOutcome, str | None], ClosingJob
        ]
        | None
    ) = None
    overtaken: collections.abc.Collection[ids.ResourceId] = frozenset()

    @property
    def is_overtaken(self) -> bool:
        """Whether all failures are of incarnations that are replaced.

        What an earlier attempt left is of no use, or nothing was created, and
        the desired state has changed since: a new plan creates it. No plan is
        made where a call may have left something without an id.
        """
        failed = [atom.change for atom in self.run.failures]
        return (
            bool(failed)
            and self.store.stop_reason is None
            and all(self._is_replaced(each) for each in failed)
        )

    def _is_replaced(self, change: plan.Change) -> bool:
        """Whether a new plan replaces the incarnation of a failed change.

        Or leaves it in place, as what had vanished is there.
        """
        if change.is_vanished:
            row = self.store.rows[change.resource_id]
            return (
                not row.is_being_deleted
                and change.resource_id not in self.store.results.refused_ids
            )
        if not change.preserves_properties:
            return False
        row = self.store.rows[change.resource_id]
        if row.is_there:
            return change.replaces_failed and row.is_being_deleted
        return row.id in self.overtaken

    def close(self, known: conclusion.RunOutcome) -> ClosingJob:
        """Close the run; return the closing job of the operation.

        :param known: how the run ended, as far as nothing has failed
        """
        self.run.close()
        stop_reason = self.store.stop_reason
        became = conclusion.decide_outcome(
            known,
            stop_reason,
            is_complete=self.run.is_complete,
            has_failures=bool(self.run.failures),
        )
        why = conclusion.interruption_reason(became, stop_reason)
        if why is not None:
            self.store.results.note_interrupted(why)
        if self.end is not None:
            return self.end(became, self.waiting.side_writes)
        return ClosingJob(
            store=self.store,
            outcome=became,
            conclude=functools.partial(self.conclude, became),
            side_writes=self.waiting.side_writes,
        )


Prepare = collections.abc.Callable[
    [Flush, surveys.Survey | None], Job | ClosingJob | SurveyRequest
]
"""Loads and plans the operation of one runner.

An operation whose run is over has only to be closed. One that is planned by
observed state requests its survey at the first call, and gets it with the
second.
"""


class Owner(typing.Protocol):
    """The part of the runner that its changes, hook phases and survey use."""

    @property
    def fence(self) -> fence.Fence:
        """The fence of the lease under which calls are made."""

    @property
    def project_id(self) -> str:
        """The project whose turn its calls take."""

    @property
    def is_stopping(self) -> bool:
        """Whether no new call is to start."""

    def post(self, message: object) -> None:
        """Queue a message for the loop; from any thread."""

    def post_at(self, due: float, message: object) -> None:
        """Queue a message for a moment; from the loop's thread only.

        :param due: monotonic seconds
        """

    def logged(self) -> contextlib.AbstractContextManager[None]:
        """Bind log lines to the request of the operation."""

    def go_on(self) -> None:
        """Start the changes of the plan."""

    def crash(self, error: Exception) -> None:
        """End the operation as failed, with the error as its reason."""

    def leave(self, *, gives_back: bool) -> None:
        """End the run here: the operation is parked, or for other workers."""

    def finish(self, closing_job: ClosingJob) -> None:
        """Write the end of the operation with its last rows."""


class Host(typing.Protocol):
    """The part of the conductor that a runner uses."""

    def is_halted(self, held: fence.Fence) -> bool:
        """Whether the operation has a stop reason."""

    def give_back(self, held: fence.Fence) -> None:
        """Release the operation, so that another worker takes it at once."""

    def abort(
        self, held: fence.Fence, error: Exception, *, calls: bool
    ) -> ClosingJob | None:
        """End the operation as failed for an internal error.

        :param calls: plug-ins whose pre-hooks were called get their
            post-hooks: the end is left to the runner then
        """

    def forget(self, held: fence.Fence) -> None:
        """Drop the runner with this fence: it and its calls have ended."""
