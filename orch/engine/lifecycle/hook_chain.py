"""How far the plug-ins of one attempt have been called: a state machine.

Nothing here calls, reads or writes. Before pre-ops are called it is stored
that all of them may have been; so what a lost worker has called is never
forgotten, at the price that something may be called twice.
"""

import dataclasses

from orch.model import lifecycle as model


class HookChain:
    """The plug-ins of one attempt of an operation, in order.

    :ivar run: how far they are
    :ivar stored: how far they were when this worker came to them; ``None``
        where it begins with them
    """

    def __init__(self, run: model.Run, *, is_resumed: bool) -> None:
        """Go on from there."""
        self.run = run
        self.stored = run if is_resumed else None
        # Pre-ops that a worker before this one may have called.
        self._maybe = run.ahead if is_resumed else 0
        self.know_hold(run.hold)

    def next_pre(self) -> str | None:
        """Return whose pre-op is to be called now.

        :returns: ``None`` when all of them let it pass, one was against it,
            or somebody has to be waited for
        """
        run = self.run
        if run.stage is not model.Stage.OPENING or run.is_refused:
            return None
        if self.is_held or run.passed == len(run.chain):
            return None
        return run.chain[run.passed]

    def next_post(self) -> str | None:
        """Return whose post-op is to be called now, ``None`` for nobody's."""
        if self.run.stage is not model.Stage.CLOSING:
            return None
        done = {
            each.plugin for each in self.run.calls if each.phase == model.POST
        }
        return next((each for each in self._owed() if each not in done), None)

    @property
    def is_held(self) -> bool:
        """Answer whether somebody has to approve the operation."""
        hold = self.run.hold
        return self._has_requested_hold and hold is not None and hold.is_open

    @property
    def is_ahead(self) -> bool:
        """Answer whether the next pre-op may have been called."""
        return self.run.ahead > self.run.passed

    @property
    def has_begun(self) -> bool:
        """Answer whether anything of the plan may have been done."""
        run = self.run
        if run.stage is model.Stage.OPENING or run.is_refused:
            return False
        return run.passed == len(run.chain)

    @property
    def was_called_before(self) -> bool:
        """Answer whether the next pre-op may have been called before."""
        return self.run.passed < self._maybe

    def go_ahead(self) -> None:
        """Know that all of the pre-ops may be called from now on."""
        self._put(ahead=len(self.run.chain))

    def allow(self, call: model.Call) -> None:
        """Know that a pre-op lets the operation pass."""
        self._note(call)
        self._put(passed=self.run.passed + 1)

    def refuse(self, call: model.Call) -> None:
        """Know that a pre-op is against the operation."""
        self._note(call)
        self._put(is_refused=True)

    def hold(self, call: model.Call, hold: model.Hold) -> None:
        """Know that a pre-op wants somebody to approve the operation."""
        self._note(call)
        self._put(hold=hold, ahead=max(self.run.passed + 1, self._maybe))

    def know_hold(self, hold: model.Hold | None) -> None:
        """Know what has become of a hold: approved, it passes."""
        if hold is None or not self._has_requested_hold or self.run.is_refused:
            return
        self._put(hold=hold)
        if hold.answer == model.APPROVED:
            self._put(passed=self.run.passed + 1)
        elif hold.answer is not None:
            self._put(is_refused=True)

    @property
    def _has_requested_hold(self) -> bool:
        """Answer whether the next pre-op has asked for an approval."""
        hold, run = self.run.hold, self.run
        return (
            hold is not None
            and run.stage is model.Stage.OPENING
            and run.passed < len(run.chain)
            and hold.plugin == run.chain[run.passed]
        )

    def begin(self) -> None:
        """Know that nobody was against it."""
        self._settle(model.Stage.IN_PROGRESS)

    def close(self, outcome: str, reason: str) -> None:
        """Know what has become of the operation; post-ops follow."""
        if self.run.stage is not model.Stage.CLOSING:
            self._settle(model.Stage.CLOSING)
        self._put(outcome=outcome, reason=reason)

    def posted(self, call: model.Call) -> None:
        """Know that a post-op was called, and how that ended."""
        self._note(call)

    def end(self) -> None:
        """Know that everybody was called who had to be."""
        self._put(stage=model.Stage.CLOSED)

    @property
    def has_owed(self) -> bool:
        """Answer whether there will be a post-op to call."""
        return bool(self._owed()) or self._maybe > 0

    def _owed(self) -> list[str]:
        """Return all whose post-op is due, in the order of these calls.

        Those that let it pass, the one that asked for an approval, and those
        behind, if a lost worker may have called them. Not the one that was
        against it.
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
        """Leave the opening: what was not called is known not to have been."""
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
