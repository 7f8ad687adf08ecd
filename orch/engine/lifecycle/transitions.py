"""The state machine of the plug-in calls around one attempt of an operation.

Its state is a :class:`orch.model.lifecycle.Run`; each function returns the
next one, or answers a question about it. Nothing here calls, reads or writes.
What a lost worker may have called is stored before the call, so that no call
is forgotten, and no plug-in that was not called gets a post-op.
"""

import collections.abc
import dataclasses
import types
import typing

from orch.model import lifecycle as model
from orch.plugin import lifecycle

_MOVES: typing.Final = types.MappingProxyType(
    {
        model.Stage.OPENING: {model.Stage.IN_PROGRESS, model.Stage.CLOSING},
        model.Stage.IN_PROGRESS: {model.Stage.CLOSING},
        # A post-op that fails changes the outcome.
        model.Stage.CLOSING: {model.Stage.CLOSING, model.Stage.CLOSED},
        model.Stage.CLOSED: set(),
    }
)
"""The stages that may follow each stage."""


def next_name(run: model.Run) -> str | None:
    """Return the name of the plug-in whose pre-op or post-op is next.

    :returns: ``None`` when all pre-ops allow the operation, one denies it, or
        a hold has to be answered; when all post-ops were called; and in the
        stages without calls
    """
    if run.stage is model.Stage.CLOSING:
        done = {
            each.plugin
            for each in run.calls
            if each.phase == model.POST and each.outcome in ("", run.outcome)
        }
        return next((each for each in owed(run) if each not in done), None)
    is_decided = is_allowed(run) or run.is_refused or is_held(run)
    if run.stage is not model.Stage.OPENING or is_decided:
        return None
    return run.chain[run.passed]


def is_held(run: model.Run) -> bool:
    """Whether the operation waits for an approval."""
    is_open = run.hold is not None and run.hold.is_open
    return is_open and _has_requested_hold(run)


def is_allowed(run: model.Run) -> bool:
    """Whether all pre-ops allow the operation, which has not begun."""
    return run.stage is model.Stage.OPENING and run.passed == len(run.chain)


def has_begun(run: model.Run) -> bool:
    """Whether any change of the plan may have been made."""
    return (
        run.stage is not model.Stage.OPENING
        and not run.is_refused
        and run.passed == len(run.chain)
    )


def owed(run: model.Run) -> list[str]:
    """Return the plug-ins whose post-op is due, in order of the calls.

    Those that allowed it, the one that requested an approval, and later ones
    if a lost worker may have called them. Not the one that denied it.
    """
    called = run.chain[: max(run.passed, run.ahead)]
    is_denied = run.is_refused and not run.is_rejected
    denied = run.chain[run.passed] if is_denied else None
    return [each for each in reversed(called) if each != denied]


def corrected_outcome(run: model.Run) -> str:
    """Return the outcome that post-ops received before, if another."""
    return next(
        (
            each.outcome
            for each in run.calls
            if each.phase == model.POST
            and each.outcome not in ("", run.outcome)
        ),
        "",
    )


def expect(run: model.Run) -> model.Run:
    """Record that the next pre-op may be called from now on."""
    return dataclasses.replace(run, ahead=max(run.ahead, run.passed + 1))


def allow(run: model.Run, call: model.Call) -> model.Run:
    """Record that a pre-op allows the operation."""
    return dataclasses.replace(record(run, call), passed=run.passed + 1)


def refuse(run: model.Run, call: model.Call) -> model.Run:
    """Record that a pre-op denies the operation."""
    return dataclasses.replace(record(run, call), is_refused=True)


def hold(run: model.Run, call: model.Call, requested: model.Hold) -> model.Run:
    """Record that a pre-op holds the operation until it is approved."""
    return dataclasses.replace(expect(record(run, call)), hold=requested)


def answer(run: model.Run, found: model.Hold | None) -> model.Run:
    """Apply a hold as it is stored: once it is approved, the plug-in allows.

    A second call with the same hold changes nothing.
    """
    if found is None or not _has_requested_hold(run) or run.is_refused:
        return run
    is_approved = found.answer == model.APPROVED
    return dataclasses.replace(
        run,
        hold=found,
        passed=run.passed + is_approved,
        is_refused=not (found.is_open or is_approved),
    )


def extend(run: model.Run, names: collections.abc.Iterable[str]) -> model.Run:
    """Add plug-ins that are in force now, where nothing has begun or ended.

    They are called after all others.
    """
    if run.stage is not model.Stage.OPENING or run.is_refused:
        return run
    added = tuple(each for each in names if each not in run.chain)
    return dataclasses.replace(run, chain=run.chain + added)


def begin(run: model.Run) -> model.Run:
    """Record that no pre-op denied the operation: its run begins."""
    return _move(run, model.Stage.IN_PROGRESS)


def close(run: model.Run, outcome: str, reason: str) -> model.Run:
    """Record the outcome of the operation; post-ops follow."""
    return dataclasses.replace(
        _move(run, model.Stage.CLOSING), outcome=outcome, reason=reason
    )


def record(run: model.Run, call: model.Call) -> model.Run:
    """Record a call that has ended."""
    return dataclasses.replace(run, calls=(*run.calls, call))


def end(run: model.Run, failure: str | None) -> model.Run:
    """Record that all calls of a phase were made.

    Post-ops follow the pre-ops of a cancellation. Where a post-op has changed
    the outcome, all of them follow again.

    :param failure: what the first post-op that failed means
    """
    if run.stage is model.Stage.OPENING:
        return close(run, lifecycle.Outcome.COMPLETE.value, "")
    is_complete = run.outcome == lifecycle.Outcome.COMPLETE
    if failure and is_complete and run.verb not in model.BESIDE:
        return close(run, lifecycle.Outcome.FAILED.value, failure)
    return _move(run, model.Stage.CLOSED)


def _move(run: model.Run, stage: model.Stage) -> model.Run:
    """Return the run in a stage that may follow its own.

    After the opening, pre-ops that no worker has called count as never called.

    :raises ValueError: it may not follow
    """
    if stage not in _MOVES[run.stage]:
        raise ValueError(f"no run goes from {run.stage} to {stage}")
    ahead = run.ahead
    if run.stage is model.Stage.OPENING:
        ahead = max(run.passed + _has_requested_hold(run), run.maybe)
    return dataclasses.replace(run, stage=stage, ahead=ahead)


def _has_requested_hold(run: model.Run) -> bool:
    """Whether the next pre-op has requested an approval."""
    return (
        run.hold is not None
        and run.stage is model.Stage.OPENING
        and run.passed < len(run.chain)
        and run.hold.plugin == run.chain[run.passed]
    )
