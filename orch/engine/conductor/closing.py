"""The last part of an operation: plug-ins are told, then it ends."""

import dataclasses

from orch import clock
from orch.engine.execution import outcome
from orch.engine.lifecycle import hook_sequence as ceremonies
from orch.flow.runner import job
from orch.flow.state import conclusion
from orch.flow.state import store
from orch.model import operation


def parting(
    kept: store.Store,
    ceremony: ceremonies.Ceremony | None,
    became: conclusion.Outcome,
    conclude: conclusion.Conclude,
    reason: str | None = None,
) -> job.Parting:
    """Return what is left of an operation of which this has become.

    :param conclude: says how it ends, if no plug-in fails
    :param reason: why, where that is not plain
    """
    closing = ceremony.close(became, reason) if ceremony else None
    return job.Parting(kept, became, conclude, closing)


def unbegun(
    kept: store.Store,
    ceremony: ceremonies.Ceremony,
    clock_: clock.Clock,
    became: conclusion.Outcome,
    reason: str | None,
) -> job.Parting:
    """Return what is left of an operation that does not begin.

    :param reason: why, where that is not plain
    """
    kept.results.resume_end()

    def conclude(halt: operation.Halt | None) -> conclusion.Ending:
        return outcome.stop(kept, reason, halt, clock_.now(), outcome=became)

    return parting(kept, ceremony, became, conclude, reason)


def resumed(
    kept: store.Store, ceremony: ceremonies.Ceremony, clock_: clock.Clock
) -> job.Parting:
    """Return what is left of an operation whose worker was lost at its end.

    What had become of it is stored.
    """
    run = ceremony.ended
    assert run is not None
    became = ceremonies.outcome_of(run)
    kept.results.resume_end()
    closing = ceremony.close(became, run.reason)

    def conclude(halt: operation.Halt | None) -> conclusion.Ending:
        if not ceremonies.has_begun(run):
            return outcome.stop(
                kept, run.reason, halt, clock_.now(), outcome=became
            )
        if became is conclusion.Outcome.COMPLETE:
            return outcome.conclude(kept, became, halt, clock_.now())
        return outcome.conclude(kept, became, halt, clock_.now(), run.reason)

    found = job.Parting(kept, became, conclude, closing)
    return dataclasses.replace(found, conclude=minding(found, clock_).conclude)


def minding(found: job.Parting, clock_: clock.Clock) -> job.Parting:
    """Return the end of an operation that a failed post-op makes a failure.

    One that has failed anyway, or that a newer request has ended, stays so.
    """
    closing = found.closing
    if closing is None or found.outcome is not conclusion.Outcome.COMPLETE:
        return found

    def conclude(halt: operation.Halt | None) -> conclusion.Ending:
        if closing.failure is None:
            return found.conclude(halt)
        return outcome.stop(found.kept, closing.failure, halt, clock_.now())

    return dataclasses.replace(found, conclude=conclude)
