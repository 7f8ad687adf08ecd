"""Makes what a runner runs of an operation that is planned."""

import collections.abc
import dataclasses

from orch import clock
from orch.db import engine as db_engine
from orch.engine.conductor import closing
from orch.engine.conductor import preparation
from orch.engine.execution import outcome
from orch.engine.lifecycle import hook_sequence as ceremonies
from orch.flow.engine import assembly
from orch.flow.engine import breakpoints
from orch.flow.runner import job
from orch.flow.runner import open_calls
from orch.flow.runner import retries
from orch.flow.runner import retry_policy
from orch.flow.runner import signal_waits
from orch.flow.runner import waiting
from orch.flow.state import conclusion
from orch.flow.state import store
from orch.model import operation
from orch.planner import plan

Note = collections.abc.Callable[
    [store.Store, conclusion.Ending, operation.Halt | None], None
]
"""Takes notice of how an operation is about to end."""


@dataclasses.dataclass(frozen=True, slots=True)
class Maker:
    """Puts jobs together.

    :ivar group_s: how long effect-free changes are gathered
    :ivar note: called with the end of an operation, before it is committed
    :ivar retries: which calls that failed are made again
    """

    database: db_engine.Database
    clock: clock.Clock
    group_s: float
    retries: retry_policy.Policy
    note: Note

    def make(
        self,
        prepared: preparation.Prepared,
        flush: job.Flush,
        deadline: float | None,
    ) -> job.Job:
        """Return the job of an operation.

        :param deadline: monotonic seconds at which its time is over
        """
        kept = prepared.store
        gate = breakpoints.Holds(kept, prepared.hooks_of)
        run = assembly.assemble(
            prepared.plan,
            kept,
            clock_=self.clock,
            group_s=self.group_s,
            flush=flush,
            gate=gate,
        )
        delayed = retries.Delays(self.retries, kept, self.clock)
        made = job.Job(
            run=run,
            kept=kept,
            waiting=waiting.Waiting(
                run,
                kept,
                gate,
                delayed,
                signal_waits.Listening(kept, self.clock),
            ),
            conclude=lambda ended, halt: self._conclude(kept, ended, halt),
            deadline=deadline,
            check_free=open_calls.OpenCalls(
                self.database, kept.operation.stack_id
            ).check,
            overtaken=plan.overtaken(prepared.plan),
        )
        if prepared.ceremony is None:
            return made
        return self._surrounded(made, prepared, prepared.ceremony)

    def noted(self, found: job.Parting) -> job.Parting:
        """Return the end of an operation so that it is taken notice of."""

        def conclude(halt: operation.Halt | None) -> conclusion.Ending:
            ended = found.conclude(halt)
            self.note(found.kept, ended, halt)
            return ended

        return dataclasses.replace(found, conclude=conclude)

    def _conclude(
        self,
        kept: store.Store,
        became: conclusion.Outcome,
        halt: operation.Halt | None,
    ) -> conclusion.Ending:
        ended = outcome.conclude(kept, became, halt, self.clock.now())
        self.note(kept, ended, halt)
        return ended

    def _surrounded(
        self,
        made: job.Job,
        prepared: preparation.Prepared,
        ceremony: ceremonies.Ceremony,
    ) -> job.Job:
        """Return the job with the calls before and behind it."""
        kept = made.kept

        def end(became: conclusion.Outcome, visit: job.VisitOf) -> job.Parting:
            found = job.Parting(
                kept,
                became,
                lambda halt: outcome.conclude(
                    kept, became, halt, self.clock.now()
                ),
                ceremony.close(became),
                visit,
            )
            return self.noted(closing.minding(found, self.clock))

        def part(
            became: conclusion.Outcome, reason: str | None
        ) -> job.Parting:
            return self.noted(
                closing.unbegun(kept, ceremony, self.clock, became, reason)
            )

        return dataclasses.replace(
            made,
            opening=ceremony.opening,
            begin=prepared.begin,
            end=end,
            part=part,
        )
