"""Record the calls of plug-ins, and what their results mean.

Each result is a move of the state machine; users learn of it by an event,
consumers by a notification where a user has to act.
"""

import collections.abc

from oslo_log import log

from orch import clock
from orch.db import functions
from orch.engine.lifecycle import decisions
from orch.engine.lifecycle import enforcement
from orch.engine.lifecycle import hook_call
from orch.engine.lifecycle import journal as journals
from orch.engine.lifecycle import messages
from orch.engine.lifecycle import situation
from orch.engine.lifecycle import transitions
from orch.engine.lifecycle import tree_approval
from orch.flow.state import store as state_store
from orch.model import lifecycle as model
from orch.plugin import lifecycle

LOG = log.getLogger(__name__)


class CallRecorder:
    """Records the calls around one operation."""

    def __init__(
        self,
        settings: situation.HookSettings,
        store: state_store.Store,
        decided: decisions.TreeDecisions,
    ) -> None:
        """Record nothing yet."""
        self._hold_limit_s = settings.hold_limit_s
        self._members = settings.members
        self._store = store
        self._override = enforcement.override_of_operation(store.operation)
        self._decided = decided

    def refusal_of(self, run: model.Run) -> str:
        """Return why an operation fails that a plug-in has refused."""
        text = messages.refusal_message(
            run, self._action, has_override=self._override is not None
        )
        return self._store.redact(text)

    def record(
        self, part: journals.HookPart, name: str, result: hook_call.CallResult
    ) -> None:
        """Record the result of a call, and what it means."""
        is_pre = part.phase == model.PRE
        call = part.call_record(name, result, self._store.redact)
        if part.is_opening:
            self._record_pre(part, call, result)
            return
        move = transitions.allow if is_pre else transitions.record
        part.entry.run = move(part.run, call)
        if call.error is None and call.ruling in (None, "allow"):
            self._record_passed(call)
            return
        if is_pre:
            self._store.record_stack(messages.objection_message(call))
        else:
            text = messages.post_hook_failed_message(call, self._action)
            self._notify(text, LOG.warning)

    def _record_pre(
        self,
        part: journals.HookPart,
        call: model.Call,
        result: hook_call.CallResult,
    ) -> None:
        """Record the verdict of a plug-in, or that it gave none."""
        name, verdict = call.plugin, result.verdict
        call, ruling = enforcement.judge(self._members, call, self._override)
        if verdict is None:
            self._decided.withdraw(name)
        if ruling is lifecycle.Ruling.DENY:
            part.entry.run = transitions.refuse(part.run, call)
            self._notify(self.refusal_of(part.run), LOG.warning)
            return
        self._decided.put(name, self.locate(name, result.decisions))
        if ruling is lifecycle.Ruling.HOLD:
            assert verdict is not None
            self._hold(part, call, verdict)
            return
        part.entry.run = transitions.allow(part.run, call)
        if call.ruling == lifecycle.Ruling.ALLOW:
            self._record_passed(call)
            return
        text = messages.verdict_message(call, self._action)
        is_normal = call.ruling == lifecycle.Ruling.WARN
        self._notify(text, LOG.info if is_normal else LOG.warning, call=call)

    def _hold(
        self,
        part: journals.HookPart,
        call: model.Call,
        verdict: lifecycle.Verdict,
    ) -> None:
        # Its end is compared with the clock of the database, too.
        now = self._store.write_apart(functions.read_clock)
        hold = model.Hold(
            plugin=call.plugin,
            text=call.text,
            requested_at=now,
            deadline_at=clock.Timestamp(
                now + (verdict.deadline_s or self._hold_limit_s)
            ),
            needs_other=verdict.needs_other,
            is_separate=verdict.is_separate,
        )
        approval = self._store.write_apart(
            lambda connection: tree_approval.find_approval(
                connection, self._store.stack, self._store.operation, hold
            )
        )
        if approval is not None:
            part.entry.run = transitions.allow(part.run, call)
            text = messages.tree_approval_message(self._action, approval)
            self._notify(text, LOG.info)
            return
        part.entry.run = transitions.hold(part.run, call, hold)
        text = messages.held_message(self._action, hold)
        self._notify(text, LOG.info, hold)

    def answer_hold(
        self, main: journals.Entry, found: model.Hold | None
    ) -> None:
        """Apply the answer to a hold; record it once."""
        main.run = transitions.answer(main.run, found)
        hold = main.run.hold
        if hold is None or hold.is_open or not main.is_changed:
            return
        write, describe = LOG.info, messages.approved_message
        if main.run.is_rejected:
            write, describe = LOG.warning, messages.rejected_message
        self._notify(describe(self._action, hold), write, hold)

    def _record_passed(self, call: model.Call) -> None:
        """Record an event of a call without a warning, if configured."""
        if self._members.emits_call_events:
            text = messages.passed_message(call, self._action)
            self._store.record_stack(text)

    def _notify(
        self,
        text: str,
        write: collections.abc.Callable[..., None],
        hold: model.Hold | None = None,
        call: model.Call | None = None,
    ) -> None:
        """Record and log a text.

        Consumers learn of holds, of their answers, and of overrides.
        """
        text = self._store.redact(text)
        if hold is not None:
            self._store.record_approval(hold, text)
        elif call is not None and call.overridden_by is not None:
            self._store.record_override(call, text)
        else:
            self._store.record_stack(text)
        write("operation %s: %s", self._store.operation.id, text)

    def record_move(self, run: model.Run) -> None:
        """Record the verdicts before a move: it had no operation then."""
        if run.outcome != lifecycle.Outcome.COMPLETE:
            return
        for call in run.verdicts:
            if call.phase == model.PRE:
                text = messages.verdict_message(call, run.verb)
                self._notify(text, LOG.info, call=call)

    def failure_of(self, run: model.Run) -> str | None:
        """Return the message of the first post-op that failed, if any."""
        return next(
            (
                messages.post_hook_failed_message(call, self._action)
                for call in run.calls
                if call.phase == model.POST
                and call.error is not None
                and not self._members.forgives(call.plugin)
            ),
            None,
        )

    def locate(
        self, name: str, values: collections.abc.Mapping[str, object]
    ) -> dict[str, object]:
        """Return decisions by path in the tree; ``""`` is what it sees."""
        member = self._members.find(name)
        is_own = member and member.plugin.scope is lifecycle.Scope.EVERY_STACK
        own = self._decided.path if is_own else ""
        return {path or own: value for path, value in values.items()}

    @property
    def _action(self) -> str:
        return self._store.operation.action.value
