"""An operation that can be run, and what its runner asks for it."""

import collections.abc
import dataclasses
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
from orch.model import resource
from orch.planner import survey as surveys

Flush = collections.abc.Callable[[], None]
"""Writes what was noted, with the end of the operation once it came."""


SideWritesOf = collections.abc.Callable[[], parking.SideWrites | None]
"""Says what a write has to do beside."""


def _find_no_call(resource_id: ids.ResourceId) -> None:
    """Know of no earlier call that goes on."""


def _begin_nothing() -> None:
    """Have begun already."""


def _write_nothing() -> None:
    """Have nothing else to write."""


@dataclasses.dataclass(frozen=True, slots=True)
class SurveyRequest:
    """What has to be looked at before an operation can be planned.

    :ivar survey: blocks for the time that the calls take
    """

    survey: collections.abc.Callable[[], surveys.Survey]


@dataclasses.dataclass(frozen=True, slots=True)
class ClosingJob:
    """An operation of which only the end is left.

    :ivar outcome: what has become of it
    :ivar conclude: says how it ends
    :ivar closing: what is called before it does; ``None`` for nothing
    :ivar side_writes: says what its last write has to do beside
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
    :ivar conclude: says how it ends: outcome, and whether somebody asked
        it to end
    :ivar deadline: monotonic seconds at which its time is over
    :ivar waiting: what of it waits
    :ivar check_free: returns only if no earlier call for a resource goes on
    :ivar opening: what is called before any of it; ``None`` for nothing
    :ivar begin: takes up the plan, where there is an opening
    :ivar end: gives what is called behind it, and how it ends then;
        ``None`` for nothing
    :ivar part: ends an operation that has not begun, given what became of
        it, and why where that is not plain; one with an opening has it
    :ivar overtaken: incarnations that are made as they were begun, although
        they are wanted otherwise by now
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
        """Answer whether nothing has failed but what nobody wants any more.

        What is wanted instead was never tried: a new plan makes that. It is
        not made where a call may have left something that nobody can find.
        """
        failed = [atom.change for atom in self.run.failures]
        return (
            bool(failed)
            and self.store.stop_reason is None
            and all(
                each.preserves_properties
                and each.resource_id in self.overtaken
                and not _is_open(self.store.row(each.resource_id))
                for each in failed
            )
        )

    def close(self, known: conclusion.RunOutcome) -> ClosingJob:
        """End the run; return what is left of the operation.

        :param known: what has become of it, as far as nothing has failed
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
            conclude=lambda stop_reason: self.conclude(became, stop_reason),
            side_writes=self.waiting.side_writes,
        )


def _is_open(row: resource.Resource) -> bool:
    """Answer whether a creation may have left a thing without an id."""
    return row.is_outcome_unknown and row.physical_id is None


class Host(typing.Protocol):
    """What a runner asks of the conductor that has it."""

    def prepare(
        self, held: fence.Fence, flush: Flush
    ) -> Job | ClosingJob | SurveyRequest | None:
        """Load and plan; ``None`` when it came to its end doing so.

        Of an operation whose run is over only the end is left. Of one that
        goes by what things are nothing is done before they were looked at.
        """

    def prepare_surveyed(
        self, held: fence.Fence, flush: Flush, survey: surveys.Survey
    ) -> Job | ClosingJob | SurveyRequest | None:
        """Load and plan once :class:`SurveyRequest` has told what there is."""

    def is_halted(self, held: fence.Fence) -> bool:
        """Answer whether somebody has asked the operation to end."""

    def give_back(self, held: fence.Fence) -> None:
        """Let another worker have the operation at once."""

    def abort(
        self, held: fence.Fence, error: Exception, *, calls: bool
    ) -> ClosingJob | None:
        """End the operation as failed for an error of ours.

        :param calls: whoever was called before it is called behind it: the
            end is left to the runner then
        """

    def forget(self, held: fence.Fence) -> None:
        """Know that the runner with this fence has ended, and its calls."""
