"""Record the calls of plug-ins, and what their results mean.

Each result is a move of the state machine; users learn of it by an event,
consumers by a notification where a user has to act.
"""

import collections.abc
import functools

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
        self._settings = settings
        self._store = store
        self._action = store.operation.action.value
        self._override = enforcement.override_of_operation(store.operation)
        self._decided = decided

    def refusal_of(self, run: model.Run) -> str:
        """Return why an operation fails that a plug-in has refused."""
        text = messages.refusal_message(
            run, self._action, has_override=self._override is not None
        )
        return self._store.redact(text)

    def record(
        self, entry: journals.Entry, name: str, result: hook_call.CallResult
    ) -> None:
        """Record the result of a call, and what it means."""
        call = entry.call_record(name, result, self._store.redact)
        if entry.is_opening:
            self._record_pre(entry, call, result)
            return
        is_pre = call.phase == model.PRE
        move = transitions.allow if is_pre else transitions.record
        entry.run = move(entry.run, call)
        if call.error is None and call.ruling in (None, "allow"):
            self._record_passed(call)
        elif is_pre:
            self._store.record_stack(messages.objection_message(call))
        else:
            text = messages.post_hook_failed_message(call, self._action)
            self._notify(text, LOG.warning)

    def _record_pre(
        self,
        entry: journals.Entry,
        call: model.Call,
        result: hook_call.CallResult,
    ) -> None:
        """Record the verdict of a plug-in, or that it gave none."""
        name, verdict = call.plugin, result.verdict
        call, ruling = enforcement.judge(
            self._settings.members, call, self._override
        )
        if verdict is None:
            self._decided.withdraw(name)
        if ruling is lifecycle.Ruling.DENY:
            entry.run = transitions.refuse(entry.run, call)
            self._notify(self.refusal_of(entry.run), LOG.warning)
            return
        self._decided.put(name, self.locate(name, result.decisions))
        if ruling is lifecycle.Ruling.HOLD:
            assert verdict is not None
            self._hold(entry, call, verdict)
            return
        entry.run = transitions.allow(entry.run, call)
        if call.ruling == lifecycle.Ruling.ALLOW:
            self._record_passed(call)
        else:
            self._record_verdict(call, self._action)

    def _hold(
        self,
        entry: journals.Entry,
        call: model.Call,
        verdict: lifecycle.Verdict,
    ) -> None:
        # Its end is compared with the clock of the database, too.
        now = self._store.write_apart(functions.read_clock)
        limit_s = verdict.deadline_s or self._settings.hold_limit_s
        hold = model.Hold(
            plugin=call.plugin,
            text=call.text,
            requested_at=now,
            deadline_at=clock.Timestamp(now + limit_s),
            needs_other=verdict.needs_other,
            is_separate=verdict.is_separate,
        )
        approval = self._store.write_apart(
            lambda connection: tree_approval.find_approval(
                connection, self._store.stack, self._store.operation, hold
            )
        )
        if approval is not None:
            entry.run = transitions.allow(entry.run, call)
            text = messages.tree_approval_message(self._action, approval)
            self._notify(text, LOG.info)
            return
        entry.run = transitions.hold(entry.run, call, hold)
        text = messages.held_message(self._action, hold)
        self._notify(
            text,
            LOG.info,
            functools.partial(self._store.record_approval, hold),
        )

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
        self._notify(
            describe(self._action, hold),
            write,
            functools.partial(self._store.record_approval, hold),
        )

    def _record_passed(self, call: model.Call) -> None:
        """Record an event of a call without a warning, if configured."""
        if self._settings.members.emits_call_events:
            text = messages.passed_message(call, self._action)
            self._store.record_stack(text)

    def _record_verdict(self, call: model.Call, action: str) -> None:
        """Record a verdict with which an operation continues.

        Consumers learn of overrides.
        """
        record = None
        if call.overridden_by is not None:
            record = functools.partial(self._store.record_override, call)
        is_warning = call.ruling == lifecycle.Ruling.WARN
        self._notify(
            messages.verdict_message(call, action),
            LOG.info if is_warning else LOG.warning,
            record,
        )

    def _notify(
        self,
        text: str,
        write: collections.abc.Callable[..., None],
        record: collections.abc.Callable[[str], None] | None = None,
    ) -> None:
        """Record and log a text.

        :param record: ``None`` for an event of which no consumer has to learn
        """
        text = self._store.redact(text)
        (record or self._store.record_stack)(text)
        write("operation %s: %s", self._store.operation.id, text)

    def record_move(self, run: model.Run) -> None:
        """Record the verdicts before a move: it had no operation then."""
        if run.outcome != lifecycle.Outcome.COMPLETE:
            return
        for call in run.verdicts:
            if call.phase == model.PRE:
                self._record_verdict(call, run.verb)

    def failure_of(self, run: model.Run) -> str | None:
        """Return the message of the first post-op that failed, if any."""
        return next(
            (
                messages.post_hook_failed_message(call, self._action)
                for call in run.calls
                if call.phase == model.POST
                and call.error is not None
                and not self._settings.members.forgives(call.plugin)
            ),
            None,
        )

    def locate(
        self, name: str, values: collections.abc.Mapping[str, object]
    ) -> dict[str, object]:
        """Return decisions by path in the tree; ``""`` is what it sees."""
        member = self._settings.members.find(name)
        is_own = member and member.plugin.scope is lifecycle.Scope.EVERY_STACK
        own = self._decided.path if is_own else ""
        return {path or own: value for path, value in values.items()}
