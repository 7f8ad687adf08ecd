"""State machine of the plug-in calls of one attempt.

Nothing here calls, reads or writes. Before a pre-op is called it is stored
that it may have been; so the call of a lost worker is never forgotten, and no
plug-in that was not called gets a post-op.
"""

import dataclasses

from orch.model import lifecycle as model


class HookChain:
    """The plug-ins of one attempt of an operation, and which were called.

    :ivar run: the state of the calls
    :ivar stored: the state that this worker has loaded; ``None`` where it
        begins the chain
    """

    def __init__(self, run: model.Run, *, is_resumed: bool) -> None:
        """Go on from there."""
        self.run = run
        self.stored = run if is_resumed else None
        # Pre-ops that a worker before this one may have called.
        self._maybe = run.ahead if is_resumed else 0
        self.know_hold(run.hold)

    def next_pre(self) -> str | None:
        """Return the name of the plug-in whose pre-op is next.

        :returns: ``None`` when all of them allow the operation, one denies it,
            or a hold has to be answered
        """
        run = self.run
        if run.stage is not model.Stage.OPENING or run.is_refused:
            return None
        if self.is_held or run.passed == len(run.chain):
            return None
        return run.chain[run.passed]

    def next_post(self) -> str | None:
        """Return the name of the plug-in whose post-op is next, if any."""
        if self.run.stage is not model.Stage.CLOSING:
            return None
        done = {
            each.plugin
            for each in self.run.calls
            if each.phase == model.POST
            and each.outcome in ("", self.run.outcome)
        }
        return next((each for each in self._owed() if each not in done), None)

    @property
    def is_held(self) -> bool:
        """Whether the operation waits for an approval."""
        hold = self.run.hold
        return self._has_requested_hold and hold is not None and hold.is_open

    @property
    def is_ahead(self) -> bool:
        """Whether the next pre-op may have been called."""
        return self.run.ahead > self.run.passed

    @property
    def has_begun(self) -> bool:
        """Whether any change of the plan may have been made."""
        run = self.run
        if run.stage is model.Stage.OPENING or run.is_refused:
            return False
        return run.passed == len(run.chain)

    @property
    def was_called_before(self) -> bool:
        """Whether the next pre-op may have been called before."""
        return self.run.passed < self._maybe

    def go_ahead(self) -> None:
        """Record that the next pre-op may be called from now on."""
        self._put(ahead=self.run.passed + 1)

    def allow(self, call: model.Call) -> None:
        """Record that a pre-op allows the operation."""
        self._note(call)
        self._put(passed=self.run.passed + 1)

    def refuse(self, call: model.Call) -> None:
        """Record that a pre-op denies the operation."""
        self._note(call)
        self._put(is_refused=True)

    def hold(self, call: model.Call, hold: model.Hold) -> None:
        """Record that a pre-op holds the operation until it is approved."""
        self._note(call)
        self._put(hold=hold, ahead=max(self.run.passed + 1, self._maybe))

    def know_hold(self, hold: model.Hold | None) -> None:
        """Apply the answer to a hold: approved, the operation passes."""
        if hold is None or not self._has_requested_hold or self.run.is_refused:
            return
        self._put(hold=hold)
        if hold.answer == model.APPROVED:
            self._put(passed=self.run.passed + 1)
        elif hold.answer is not None:
            self._put(is_refused=True)

    @property
    def _has_requested_hold(self) -> bool:
        """Whether the next pre-op has requested an approval."""
        hold, run = self.run.hold, self.run
        return (
            hold is not None
            and run.stage is model.Stage.OPENING
            and run.passed < len(run.chain)
            and hold.plugin == run.chain[run.passed]
        )

    def begin(self) -> None:
        """Record that no pre-op denied the operation: its run begins."""
        self._settle(model.Stage.IN_PROGRESS)

    def close(self, outcome: str, reason: str) -> None:
        """Record the outcome of the operation; post-ops follow."""
        if self.run.stage is not model.Stage.CLOSING:
            self._settle(model.Stage.CLOSING)
        self._put(outcome=outcome, reason=reason)

    def posted(self, call: model.Call) -> None:
        """Record the call of a post-op."""
        self._note(call)

    @property
    def corrected_outcome(self) -> str:
        """Return the outcome that post-ops received before, if another."""
        return next(
            (
                each.outcome
                for each in self.run.calls
                if each.phase == model.POST
                and each.outcome not in ("", self.run.outcome)
            ),
            "",
        )

    def end(self) -> None:
        """Record that all calls of the chain were made."""
        self._put(stage=model.Stage.CLOSED)

    @property
    def has_owed(self) -> bool:
        """Whether a post-op is still to be called."""
        return bool(self._owed()) or self._maybe > 0

    def _owed(self) -> list[str]:
        """Return the plug-ins whose post-op is due, in order of the calls.

        Those that allowed it, the one that requested an approval, and later
        ones if a lost worker may have called them. Not the one that denied it.
        """
        run = self.run
        found = list(run.chain[: run.passed])
        if run.passed < len(run.chain):
            name = run.chain[run.passed]
            has_requested = run.hold is not None and run.hold.plugin == name
            is_open = not run.is_refused and run.ahead > run.passed
            if has_requested or is_open:
                found.append(name)
            found += run.chain[run.passed + 1 : run.ahead]
        return found[::-1]

    def _settle(self, stage: model.Stage) -> None:
        """Leave the opening stage; later pre-ops count as never called."""
        if self.run.stage is not model.Stage.OPENING:
            self._put(stage=stage)
            return
        called = self.run.passed
        if self.run.hold is not None and called < len(self.run.chain):
            called += self.run.hold.plugin == self.run.chain[called]
        self._put(stage=stage, ahead=max(called, self._maybe))

    def _note(self, call: model.Call) -> None:
        self._put(calls=(*self.run.calls, call))

    def _put(self, **changed: object) -> None:
        self.run = dataclasses.replace(
            self.run,
            # Fields by name, given by the methods of this class alone.
            **changed,  # type: ignore[arg-type]
        )
