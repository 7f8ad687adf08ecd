"""Run one operation on a loop: start, plan, tick, the end.

Its changes are in ``changes``, the hook calls around it in ``hook_phases``.
"""

import collections.abc
import contextlib

from oslo_log import log

from orch import clock
from orch.context import request
from orch.db import errors as db_errors
from orch.flow import call_pool
from orch.flow.runner import changes as runner_changes
from orch.flow.runner import hook_phases
from orch.flow.runner import job as jobs
from orch.flow.runner import loop
from orch.flow.runner import messages
from orch.flow.state import conclusion
from orch.flow.state import fence
from orch.flow.tasks import base
from orch.planner import survey as surveys


class SurveyRunner:
    """One survey at a time, on a thread of the call pool.

    :ivar is_on: a survey is running; nothing else is done meanwhile
    """

    def __init__(self, owner: jobs.Owner, pool: call_pool.CallPool) -> None:
        """Start without any survey."""
        self.is_on = False
        self._owner = owner
        self._pool = pool
        self._ticket: call_pool.Ticket | None = None

    def begin(self, requested: jobs.SurveyRequest) -> None:
        """Start the survey; :class:`messages.Surveyed` reports its end."""
        self.is_on = True
        self._ticket = self._pool.submit(
            self._call_of(requested),
            self._notify,
            project_id=self._owner.project_id,
        )

    def give_up(self) -> None:
        """Abandon the survey; its result is dropped."""
        self.is_on = False
        if self._ticket is not None:
            self._pool.give_up(self._ticket)

    def take(self, message: messages.Surveyed) -> surveys.Survey:
        """Return the result of the survey.

        :raises BaseException: an internal error; the errors of physical
            resources that cannot be read are part of the result
        """
        self.is_on = False
        if message.error is not None:
            raise message.error
        assert message.survey is not None
        return message.survey

    def _call_of(
        self, requested: jobs.SurveyRequest
    ) -> collections.abc.Callable[[], surveys.Survey]:
        def call() -> surveys.Survey:
            with self._owner.logged():
                return requested.survey()

        return call

    def _notify(self, answer: object, error: BaseException | None) -> None:
        found = answer if isinstance(answer, surveys.Survey) else None
        self._owner.post(messages.Surveyed(found, error))


BATCH_WINDOW_S = 0.005
"""How long answers are collected while many calls are in progress."""
_MIN_CALLS = 4

# What comes of these messages are calls; their answers are the news.
_NOTHING_TO_WRITE = (
    messages.Poll,
    messages.ChildEnded,
    messages.PollEnded,
    messages.BatchDue,
)

PostAt = collections.abc.Callable[[float, object], None]
"""Has a message arrive at a moment, in monotonic seconds."""


class Batching:
    """Decides whether the messages so far have to be written now."""

    def __init__(self, clock_: clock.Clock, post_at: PostAt) -> None:
        """Start without any message."""
        self._clock = clock_
        self._post_at = post_at
        # Something came in that may have to be written, or lets more begin;
        # answers alone may wait for others.
        self._has_news = False
        self._has_more_than_answers = False
        self._is_batching = False

    def add(self, message: object) -> None:
        """Take in a message that has arrived."""
        if isinstance(message, messages.BatchDue):
            self._has_more_than_answers |= self._is_batching
        elif not isinstance(message, _NOTHING_TO_WRITE):
            self._has_news = True
            if not isinstance(message, messages.Answer):
                self._has_more_than_answers = True

    def is_due(self, under_way: int) -> bool:
        """Whether, once, the messages so far have to be written now.

        :param under_way: calls that have not answered
        """
        if not self._has_news:
            return False
        if self._has_more_than_answers or under_way < _MIN_CALLS:
            self._has_news = self._has_more_than_answers = False
            self._is_batching = False
            return True
        if not self._is_batching:
            self._is_batching = True
            due = self._clock.monotonic() + BATCH_WINDOW_S
            self._post_at(due, messages.BatchDue())
        return False


LOG = log.getLogger(__name__)


class Runner(loop.LoopMember):
    """One operation, from the lease to its end."""

    def __init__(
        self,
        held: fence.Fence,
        host: jobs.Host,
        prepare: jobs.Prepare,
        serving: loop.Loop,
        pool: call_pool.CallPool,
        clock_: clock.Clock,
        depth: int = 0,
        requested_by: request.RequestContext | None = None,
        around: call_pool.CallPool | None = None,
        project_id: str = "",
    ) -> None:
        """Do nothing until :class:`messages.Begin` arrives.

        :param prepare: called once, and once more with a survey
        :param depth: of the stack in the tree, 0 for a root
        :param requested_by: whose request log lines belong to
        :param around: makes the hook calls around the operation; ``None`` for
            the pool that makes those of its changes
        :param project_id: the project whose turns it takes
        """
        self.fence = held
        self.depth = depth
        self.project_id = project_id
        self._requested_by = requested_by
        self._host = host
        self._prepare: jobs.Prepare | None = prepare
        self._loop = serving
        self._pool = pool
        self._clock = clock_
        self._changing: runner_changes.Changes | None = None
        # Those whose call has not answered, also once all else is over.
        self._under_way: set[base.ChangeTask] = set()
        self._is_stopping = False
        self._has_ended = False
        self._batching = Batching(clock_, self.post_at)
        self._survey_runner = SurveyRunner(self, around or pool)
        self._phases = hook_phases.HookPhases(self, around or pool, clock_)
        # An internal error, until it is reported.
        self._error: Exception | None = None
        self._was_aborted = False

    @property
    def is_holding(self) -> bool:
        """Whether changes wait for a breakpoint or a signal."""
        if self._changing is None:
            return False
        job = self._changing.job
        return job.run.order.is_holding or bool(job.waiting.signal_waits.atoms)

    @property
    def is_stopping(self) -> bool:
        """Whether no new call is to start."""
        return self._is_stopping

    def post(self, message: object) -> None:
        """Queue a message for the loop; from any thread."""
        self._loop.post(self, message)

    def post_at(self, due: float, message: object) -> None:
        """Queue a message for a moment; from the loop's thread only.

        :param due: monotonic seconds
        """
        self._loop.post_at(due, self, message)

    def logged(self) -> contextlib.AbstractContextManager[None]:
        """Bind log lines to the request of the operation."""
        if self._requested_by is None:
            return contextlib.nullcontext()
        return self._requested_by.logged()

    def receive(self, message: object) -> None:
        """Handle one message."""
        if isinstance(message, messages.Answer):
            self._under_way.discard(message.atom)
        if self._has_ended:
            if isinstance(message, messages.Answer):
                self._leave()
            return
        self._batching.add(message)
        match message:
            case messages.Begin():
                self._begin()
            case messages.Surveyed():
                if self._survey_runner.is_on:
                    self._take_up(self._survey_runner.take(message))
            case messages.CheckRows():
                if self._survey_runner.is_on and self._host.is_halted(
                    self.fence
                ):
                    self._survey_runner.give_up()
                    self._take_up(surveys.Survey())
                self._phases.look()
                if self._changing is not None:
                    self._changing.job.waiting.look()
            case messages.NextTick():
                self._phases.look()
            case (
                messages.HookAnswer()
                | messages.HookOverdue()
                | messages.HookRetry()
            ):
                try:
                    self._phases.take(message)
                except db_errors.LeaseLost as error:
                    self._lose(error)
            case messages.Deadline():
                self._run_out_of_time()
            case messages.Stop():
                self._phases.stop()
                self._stop()
            case messages.LeaseLost():
                self._end()
            case _:
                if self._changing is not None:
                    self._changing.receive(message)

    def tick(self) -> None:
        """Write what was noted, start what is ready, or end."""
        if self._phases.is_on:
            self._walk()
            return
        changes = self._changing
        if changes is None or self._has_ended:
            return
        if not self._batching.is_due(len(self._under_way)):
            return
        job = changes.job
        changes.give_up()
        try:
            begun = job.run.tick()
        except db_errors.LeaseLost as error:
            self._lose(error)
            return
        if self._changing is None:
            return
        if job.store.stop_reason is not None and not self._is_stopping:
            changes.take_back(begun)
            self._stop()
        else:
            changes.begin(begun)
        changes.go_on()
        has_stopped = self._is_stopping and not self._under_way
        if has_stopped or job.waiting.has_resumed or job.run.has_ready:
            self._loop.post(self, messages.NextTick())

    def crash(self, error: Exception) -> None:
        """End as failed, for an internal error, once no call is running."""
        if not self._has_ended:
            self._error = error
            self._end()

    def flush(self) -> None:
        """Write what was noted, and the end of the operation if it came."""
        changes = self._changing
        assert changes is not None
        job = changes.job
        if changes.is_idle and job.waiting.may_park():
            if job.waiting.write(parks=True):
                self._end()
            return
        if not job.run.is_finished:
            job.waiting.write()
            return
        if self._is_stopping and not job.run.is_complete:
            job.waiting.write()
            if job.store.stop_reason is not None:
                self._part(job.close(changes.outcome))
            else:
                self.leave(gives_back=True)
            return
        if (
            changes.outcome is conclusion.RunOutcome.COMPLETE
            and job.is_overtaken
        ):
            # The operation is planned anew from its rows.
            job.waiting.write()
            self.leave(gives_back=True)
            return
        self._part(job.close(changes.outcome))

    def _part(self, closing_job: jobs.ClosingJob) -> None:
        """Close the operation, once its post-hooks were called."""
        self._changing = None
        if closing_job.closing is None:
            self.finish(closing_job)
        else:
            self._phases.part(closing_job)

    def finish(self, closing_job: jobs.ClosingJob) -> None:
        """Write the end of the operation with its last rows."""
        store = closing_job.store
        ended = store.flush(closing_job.conclude, closing_job.side_writes())
        assert ended is not None
        conclusion.count_end(
            store.operation, closing_job.outcome, store.stop_reason, ended
        )
        LOG.info(
            "operation %s has ended: %s",
            self.fence.operation_id,
            closing_job.outcome.value,
        )
        self._end()

    def leave(self, *, gives_back: bool) -> None:
        """End the run here: the operation is parked, or for other workers."""
        if gives_back:
            self._host.give_back(self.fence)
        self._end()

    def _walk(self) -> None:
        """Advance the hook calls around the operation."""
        try:
            self._phases.walk()
        except db_errors.LeaseLost as error:
            self._lose(error)

    def _lose(self, error: db_errors.LeaseLost) -> None:
        """End at once: another worker has the operation."""
        LOG.warning("%s", error)
        self.fence.lose()
        self._end()

    def _begin(self) -> None:
        if self._is_stopping:
            # The worker was stopped before this had its turn.
            self.leave(gives_back=True)
        else:
            self._take_up(None)

    def _take_up(self, survey: surveys.Survey | None) -> None:
        """Prepare the operation, and start what came of it."""
        assert self._prepare is not None
        found = self._prepare(self.flush, survey)
        if isinstance(found, jobs.SurveyRequest):
            self._survey_runner.begin(found)
            return
        # It may hold all rows as they were.
        self._prepare = None
        if isinstance(found, jobs.ClosingJob):
            self._part(found)
            return
        self._changing = runner_changes.Changes(
            self, found, self._pool, self._clock, self._under_way
        )
        LOG.info(
            "operation %s of stack %s begins",
            self.fence.operation_id,
            found.store.stack.id,
        )
        if found.opening is not None:
            self._phases.open(found)
        else:
            self.go_on()
        if found.deadline is None:
            return
        if found.deadline <= self._clock.monotonic():
            self._run_out_of_time()
        else:
            self.post_at(found.deadline, messages.Deadline())

    def go_on(self) -> None:
        """Start the changes of the plan."""
        assert self._changing is not None
        job = self._changing.job
        job.run.open()
        if job.store.stop_reason is not None:
            self._stop()

    def _end(self) -> None:
        self._has_ended = True
        # What is still to arrive would keep all rows in memory till then.
        self._changing = None
        self._phases.drop()
        self._leave()

    def _leave(self) -> None:
        """End the runner once no call is running; late answers are dropped.

        No other worker may look for what a call of ours is still about to
        make. So an internal error is reported only then, too: another
        operation may follow it.
        """
        if self._under_way:
            return
        error, self._error = self._error, None
        if error is not None and self._is_closing_after(error):
            return
        self._host.forget(self.fence)

    def _is_closing_after(self, error: Exception) -> bool:
        """Whether hooks have still to be called after an error."""
        is_first, self._was_aborted = not self._was_aborted, True
        closing_job = self._host.abort(self.fence, error, calls=is_first)
        if closing_job is None:
            return False
        self._has_ended = False
        self._part(closing_job)
        return True

    def _run_out_of_time(self) -> None:
        if self._phases.run_out_of_time() or self._changing is None:
            return
        self._changing.run_out_of_time()

    def _stop(self) -> None:
        """Start no call and end all waits; running calls may answer."""
        self._is_stopping = True
        if self._survey_runner.is_on:
            self._survey_runner.give_up()
            self.leave(gives_back=True)
        elif self._changing is not None and not self._phases.is_on:
            self._changing.stop()
