"""The last part of an operation: plug-ins are told, then it ends."""

import dataclasses

from orch import clock
from orch.engine.execution import outcome
from orch.engine.lifecycle import hook_sequence as ceremonies
from orch.flow.runner import job
from orch.flow.state import conclusion
from orch.flow.state import store
from orch.model import operation


def new_closing_job(
    store: store.Store,
    hook_sequence: ceremonies.HookSequence | None,
    became: conclusion.RunOutcome,
    conclude: conclusion.Conclude,
    reason: str | None = None,
) -> job.ClosingJob:
    """Return what is left of an operation of which this has become.

    :param conclude: says how it ends, if no plug-in fails
    :param reason: why, where that is not plain
    """
    closing = hook_sequence.close(became, reason) if hook_sequence else None
    return job.ClosingJob(store, became, conclude, closing)


def closing_of_unstarted(
    store: store.Store,
    hook_sequence: ceremonies.HookSequence,
    clock_: clock.Clock,
    became: conclusion.RunOutcome,
    reason: str | None,
) -> job.ClosingJob:
    """Return what is left of an operation that does not begin.

    :param reason: why, where that is not plain
    """
    store.results.resume_end()

    def conclude(
        stop_reason: operation.StopReason | None,
    ) -> conclusion.Conclusion:
        return outcome.stop_operation(
            store, reason, stop_reason, clock_.now(), outcome=became
        )

    return new_closing_job(store, hook_sequence, became, conclude, reason)


def resume_closing(
    store: store.Store,
    hook_sequence: ceremonies.HookSequence,
    clock_: clock.Clock,
) -> job.ClosingJob:
    """Return what is left of an operation whose worker was lost at its end.

    What had become of it is stored.
    """
    run = hook_sequence.ended
    assert run is not None
    became = ceremonies.outcome_of_run(run)
    store.results.resume_end()
    closing = hook_sequence.close(became, run.reason)

    def conclude(
        stop_reason: operation.StopReason | None,
    ) -> conclusion.Conclusion:
        if not ceremonies.has_run_begun(run):
            return outcome.stop_operation(
                store, run.reason, stop_reason, clock_.now(), outcome=became
            )
        if became is conclusion.RunOutcome.COMPLETE:
            return outcome.conclude_operation(
                store, became, stop_reason, clock_.now()
            )
        return outcome.conclude_operation(
            store, became, stop_reason, clock_.now(), run.reason
        )

    found = job.ClosingJob(store, became, conclude, closing)
    return dataclasses.replace(
        found, conclude=fail_by_post_hook(found, clock_).conclude
    )


def fail_by_post_hook(
    found: job.ClosingJob, clock_: clock.Clock
) -> job.ClosingJob:
    """Return the end of an operation that a failed post-op makes a failure.

    One that has failed anyway, or that a newer request has ended, stays so.
    """
    closing = found.closing
    if closing is None or found.outcome is not conclusion.RunOutcome.COMPLETE:
        return found

    def conclude(
        stop_reason: operation.StopReason | None,
    ) -> conclusion.Conclusion:
        if closing.failure is None:
            return found.conclude(stop_reason)
        return outcome.stop_operation(
            found.store, closing.failure, stop_reason, clock_.now()
        )

    return dataclasses.replace(found, conclude=conclude)
