"""Build the job that a runner runs of a planned operation."""

import collections.abc
import dataclasses
import functools

from orch import clock
from orch.db import engine as db_engine
from orch.engine.conductor import preparation
from orch.engine.conductor import running
from orch.engine.execution import outcome
from orch.engine.lifecycle import hook_caller
from orch.flow.engine import breakpoints
from orch.flow.engine import engine
from orch.flow.runner import job as runner_job
from orch.flow.runner import open_calls
from orch.flow.runner import retries
from orch.flow.runner import retry_policy
from orch.flow.runner import waiting
from orch.flow.state import conclusion
from orch.flow.state import store
from orch.model import operation
from orch.planner import plan

NoteEnd = collections.abc.Callable[
    [store.Store, conclusion.Conclusion, operation.StopReason | None], None
]
"""Notes the conclusion of an operation before it is committed."""


@dataclasses.dataclass(frozen=True, slots=True)
class JobFactory:
    """Builds the jobs of operations.

    :ivar group_s: seconds for which effect-free changes are batched
    :ivar note: called with the end of an operation, before it is committed
    :ivar retries: which failed calls are retried
    """

    database: db_engine.Database
    clock: clock.Clock
    group_s: float
    retries: retry_policy.RetryPolicy
    note: NoteEnd

    def make(
        self,
        prepared: preparation.Prepared,
        flush: runner_job.Flush,
        deadline: float | None,
    ) -> runner_job.Job:
        """Return the job of an operation.

        :param deadline: monotonic seconds at which it times out
        """
        store = prepared.store
        gate = breakpoints.BreakpointGate(store, prepared.hooks_of)
        run = engine.assemble_engine(
            prepared.plan,
            store,
            clock_=self.clock,
            group_s=self.group_s,
            flush=flush,
            gate=gate,
        )
        delayed = retries.Retries(self.retries, store, self.clock)
        job = runner_job.Job(
            run=run,
            store=store,
            waiting=waiting.Waiting(run, store, gate, delayed, self.clock),
            conclude=functools.partial(self._conclude, store),
            deadline=deadline,
            check_free=open_calls.OpenCalls(
                self.database, store.operation.stack_id
            ).check,
            overtaken=plan.find_overtaken(prepared.plan),
        )
        if prepared.caller is None:
            return job
        return self._surrounded(job, prepared, prepared.caller)

    def noted(self, found: runner_job.ClosingJob) -> runner_job.ClosingJob:
        """Return a closing job whose conclusion is noted before the commit."""

        def conclude(
            stop_reason: operation.StopReason | None,
        ) -> conclusion.Conclusion:
            ended = found.conclude(stop_reason)
            self.note(found.store, ended, stop_reason)
            return ended

        return dataclasses.replace(found, conclude=conclude)

    def _conclude(
        self,
        store: store.Store,
        became: conclusion.RunOutcome,
        stop_reason: operation.StopReason | None,
    ) -> conclusion.Conclusion:
        ended = outcome.conclude_operation(
            store, became, stop_reason, self.clock.now()
        )
        self.note(store, ended, stop_reason)
        return ended

    def _surrounded(
        self,
        job: runner_job.Job,
        prepared: preparation.Prepared,
        caller: hook_caller.HookCaller,
    ) -> runner_job.Job:
        """Return the job with its pre-hooks and post-hooks."""
        store = job.store

        def end(
            became: conclusion.RunOutcome, side_writes: runner_job.SideWritesOf
        ) -> runner_job.ClosingJob:
            found = running.new_closing_job(store, caller, self.clock, became)
            return self.noted(
                dataclasses.replace(found, side_writes=side_writes)
            )

        def part(
            became: conclusion.RunOutcome, reason: str | None
        ) -> runner_job.ClosingJob:
            store.results.resume_end()
            return self.noted(
                running.new_closing_job(
                    store, caller, self.clock, became, reason, has_begun=False
                )
            )

        return dataclasses.replace(
            job,
            opening=caller if caller.is_opening else None,
            begin=prepared.begin,
            end=end,
            part=part,
        )
