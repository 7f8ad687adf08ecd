"""Make the hook calls around one operation, on its runner's loop."""

from orch import clock
from orch import errors
from orch.context import outside
from orch.flow import call_pool
from orch.flow.runner import changes
from orch.flow.runner import job as jobs
from orch.flow.runner import messages
from orch.flow.state import conclusion
from orch.flow.state import fence
from orch.flow.state import hooks
from orch.flow.state import store as state_store
from orch.model import operation

_RESULT_OF = {
    operation.StopReason.CANCELLED: conclusion.RunOutcome.CANCELLED,
    operation.StopReason.SUPERSEDED: conclusion.RunOutcome.CANCELLED,
}


class HookPhases:
    """The hook calls before and after one operation, one at a time."""

    def __init__(
        self, owner: jobs.Owner, pool: call_pool.CallPool, clock_: clock.Clock
    ) -> None:
        """Start without any hook to call."""
        self._owner = owner
        self._pool = pool
        self._clock = clock_
        self._job: jobs.Job | None = None
        self._closing_job: jobs.ClosingJob | None = None
        self._phase: hooks.HookSequence | None = None
        self._ticket: call_pool.Ticket | None = None
        self._limit_s = 0.0
        self._number = 0
        self._is_stopping = False
        self._is_late = False
        self._looks = False

    @property
    def is_on(self) -> bool:
        """Whether a phase of hooks is active, so that the run waits."""
        return self._phase is not None or self._closing_job is not None

    def open(self, job: jobs.Job) -> None:
        """Start the pre-hooks of a job; it has some."""
        self._job = job
        self._phase = job.opening

    def part(self, closing_job: jobs.ClosingJob) -> None:
        """Call the post-hooks of an operation, then finish it."""
        self.drop()
        self._closing_job = closing_job
        self._phase = closing_job.closing
        self._looks = self._phase is not None
        self._owner.post(messages.NextTick())

    def drop(self) -> None:
        """Discard the phase; the answer of a running call is ignored."""
        self._job = self._closing_job = self._phase = self._ticket = None
        self._number += 1

    def stop(self) -> None:
        """Make no further call; a running one may answer."""
        self._is_stopping = True

    def look(self) -> None:
        """Read the stop reason and the answers before the next call."""
        self._looks = self._looks or self._job is not None

    def run_out_of_time(self) -> bool:
        """Note that the operation's time is over.

        :returns: whether that ends it here: it has not begun
        """
        self._is_late = self._job is not None
        return self.is_on

    def take(
        self,
        message: messages.HookAnswer
        | messages.HookOverdue
        | messages.HookRetry,
    ) -> None:
        """Handle the answer of a call, its timeout, or its new moment."""
        if self._phase is None or message.number != self._number:
            return
        ticket = self._ticket
        assert ticket is not None
        if isinstance(message, messages.HookRetry):
            self._ticket = None
            return
        if isinstance(message, messages.HookAnswer):
            if isinstance(message.error, fence.NotHeld):
                self._wait_for_lease()
                return
            self._ticket = None
            self._phase.take(message.answer, message.error)
            return
        since = self._pool.began_at(ticket)
        now = self._clock.monotonic()
        due = (now if since is None else since) + self._limit_s
        if due > now:
            self._owner.post_at(due, message)
            return
        self._pool.give_up(ticket)
        self._ticket = None
        self._number += 1
        self._phase.take(
            None,
            hooks.HookTimeout(f"it gave no answer within {self._limit_s:g} s"),
        )

    def _wait_for_lease(self) -> None:
        """Make the call once the lease was renewed; end if it was lost."""
        if self._owner.fence.is_lost:
            self._leave(gives_back=False)
            return
        self._number += 1
        due = self._clock.monotonic() + changes.LEASE_RETRY_PAUSE_S
        self._owner.post_at(due, messages.HookRetry(self._number))

    def walk(self) -> None:
        """Make the next call, if none is running, or end the phase.

        :raises orch.db.errors.LeaseLost: another worker has the operation
        """
        if self._ticket is not None and not self._withdraw(self._ticket):
            return
        if self._job is not None:
            self._walk_opening(self._job)
        elif self._closing_job is not None:
            self._walk_closing(self._closing_job)

    def _withdraw(self, ticket: call_pool.Ticket) -> bool:
        """Whether the phase has to read rows before the next call.

        A call that still waits for a thread would delay that, too.
        """
        is_wanted = self._looks or self._is_stopping or self._is_late
        if not is_wanted or not self._pool.withdraw(ticket):
            return False
        self._ticket = None
        self._number += 1
        return True

    def _walk_opening(self, job: jobs.Job) -> None:
        opening = job.opening
        assert opening is not None
        is_wanted = self._looks or self._is_stopping
        while opening.advance() or is_wanted:
            self._looks = is_wanted = False
            if self._write(job, opening):
                return
        stop_reason = job.store.stop_reason
        if self._is_stopping and stop_reason is None:
            self._leave(gives_back=True)
        elif opening.rejection_reason is not None:
            self._part(
                job, conclusion.RunOutcome.FAILED, opening.rejection_reason
            )
        elif stop_reason is not None:
            self._part(job, _RESULT_OF[stop_reason])
        elif self._is_late:
            self._part(job, conclusion.RunOutcome.TIMED_OUT)
        elif not self._call(opening, job.store):
            self._open(job, opening)

    def _open(self, job: jobs.Job, opening: hooks.PreHooks) -> None:
        """Start the plan, unless the operation has to wait for approval."""
        if opening.side_writes() is None:
            self._job = self._phase = None
            opening.open()
            try:
                job.begin()
            except errors.OrchError as error:
                # A resource's type is refused: nothing may be written of it.
                self._owner.crash(error)
                return
            self._owner.go_on()
            self._owner.post(messages.NextTick())
        elif not self._write(job, opening):
            self._owner.post(messages.NextTick())

    def _write(self, job: jobs.Job, opening: hooks.PreHooks) -> bool:
        """Write the progress of the calls.

        A hold is written with the call that demands it: else the next
        worker would make the call again.

        :returns: whether the operation waits as a row now
        """
        side_writes = opening.side_writes()
        job.store.flush(side_writes=side_writes)
        if side_writes is None:
            return False
        if side_writes.is_parked:
            self._leave(gives_back=False)
            return True
        opening.look(side_writes)
        return False

    def _part(
        self,
        job: jobs.Job,
        outcome: conclusion.RunOutcome,
        reason: str | None = None,
    ) -> None:
        """End an operation that has not started."""
        assert job.part is not None
        self.part(job.part(outcome, reason))

    def _walk_closing(self, closing_job: jobs.ClosingJob) -> None:
        closing = closing_job.closing
        if closing is not None:
            if self._looks:
                self._looks = False
                closing_job.store.flush()
                closing.know(closing_job.store.stop_reason)
            if closing.advance() or self._is_stopping:
                closing_job.store.flush()
            if self._is_stopping:
                self._leave(gives_back=True)
                return
            if self._call(closing, closing_job.store):
                return
        self.drop()
        self._owner.finish(closing_job)

    def _leave(self, *, gives_back: bool) -> None:
        self.drop()
        self._owner.leave(gives_back=gives_back)

    def _call(
        self, calling: hooks.HookSequence, store: state_store.Store
    ) -> bool:
        """Make the next call, if there is one."""
        wanted = calling.next_call()
        if wanted is None:
            return False
        self._number += 1
        number = self._number

        def call() -> object:
            asked = outside.OutsideCalls(self._owner.project_id)
            with self._owner.logged(), outside.limited(asked):
                # It may have waited for a thread until the lease ended.
                store.check_held()
                return wanted.function()

        def done(answer: object, error: BaseException | None) -> None:
            self._owner.post(messages.HookAnswer(number, answer, error))

        self._limit_s = wanted.limit_s
        self._ticket = self._pool.submit(
            call, done, project_id=self._owner.project_id
        )
        due = self._clock.monotonic() + wanted.limit_s
        self._owner.post_at(due, messages.HookOverdue(number))
        return True
