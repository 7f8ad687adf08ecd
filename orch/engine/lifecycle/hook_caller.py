"""The calls of plug-ins around one attempt of an operation, one at a time.

Whether there are any, and how far earlier workers came, is found out in
``hook_loading``; the runner makes the calls.
"""

import collections.abc
import dataclasses
import functools
import typing

from oslo_log import log

from orch.engine.execution import outcome as outcomes
from orch.engine.lifecycle import hold_write
from orch.engine.lifecycle import hook_call
from orch.engine.lifecycle import journal as journals
from orch.engine.lifecycle import situation
from orch.engine.lifecycle import transitions
from orch.flow.state import conclusion
from orch.flow.state import hooks
from orch.flow.state import parking
from orch.model import lifecycle as model
from orch.model import operation as operation_model
from orch.plugin import lifecycle
from orch.plugin import lifecycle_operation
from orch.plugin import lifecycle_order
from orch.plugin import read_only_values

LOG = log.getLogger(__name__)

_CAPTURE_LIMIT_S: typing.Final = 60.0
_STOPPABLE: typing.Final = frozenset(
    {
        lifecycle.Outcome.FAILED,
        lifecycle.Outcome.TIMED_OUT,
        lifecycle.Outcome.CANCELLED,
    }
)
"""Outcomes that a cancellation changes."""
_FAILURE_KEYS: typing.Final = ("name", "type", "physical_id", "reason")


class HookCaller:
    """Makes the calls of plug-ins around one attempt of an operation.

    First come its pre-ops, until one denies or holds the operation; before
    them the due post-ops of attempts whose worker was lost. After
    :meth:`close` come the post-ops, and the calls of a request to cancel it.
    Whose turn it is follows from the states of all of them, in the journal.
    """

    def __init__(
        self,
        settings: situation.HookSettings,
        found: situation.Situation,
        journal: journals.Journal,
        main: journals.Entry,
        is_cut_short: collections.abc.Callable[[], bool],
    ) -> None:
        """Prepare the calls, and make none yet.

        :param journal: with the calls that are stored, and those to make
        :param main: those around the operation itself; they may be none
        :param is_cut_short: returns whether the parent's operation has
            cancelled this one, if it was cancelled
        """
        self._settings = settings
        self._found = found
        self._store = found.store
        self._journal = journal
        self._main = main
        self._is_cut_short = is_cut_short
        self._next: (
            tuple[journals.Entry, lifecycle_order.OrderedPlugin] | None
        ) = None
        self._is_captured = False
        # The views of a phase are built once.
        self._operation_of = functools.cache(self._show)
        journal.has_begun = transitions.has_begun(main.run)
        journal.answer_hold(main, main.run.hold)

    @property
    def is_opening(self) -> bool:
        """Whether pre-ops are called before the run."""
        return self._main.run.stage is model.Stage.OPENING

    @property
    def ended(self) -> model.Run | None:
        """Return the run with the outcome, if the operation has ended."""
        return self._main.run if self._main.run.outcome else None

    @property
    def failure(self) -> str | None:
        """Return what the first failed post-op means for the operation.

        Those of earlier attempts mean nothing. A move that failed is part of
        the history of the operation, also before that begins.
        """
        return next(
            (
                failure
                for each in self._journal.entries
                if each.run.verb == model.MOVE
                or not (each.is_owed or self.is_opening)
                if (failure := self._journal.failure_of(each.run))
            ),
            None,
        )

    @property
    def rejection_reason(self) -> str | None:
        """Return why the operation must not start, once that is known."""
        run = self._main.run
        return (
            self._journal.refusal_of(run) if run.is_refused else self.failure
        )

    def advance(self) -> bool:
        """Go on to the next call.

        What needs no call is recorded: plug-ins that are not installed any
        more, and those that do nothing.

        :returns: whether a write is needed before the call
        """
        self._next = None
        while (entry := self._journal.find_turn()) is not None:
            name = transitions.next_name(entry.run)
            if entry.is_opening and (
                name is None or self.rejection_reason is not None
            ):
                break
            if name is None:
                self._end(entry)
                continue
            member = self._settings.members.find(name)
            if hook_call.needs_call(member, entry.phase):
                self._next = entry, member
                return entry.expect(member) or self._journal.is_due
            result = hook_call.idle_result(
                member, entry.phase, self._settings.clock
            )
            self._journal.record(entry, name, result)
        return self._journal.is_due

    def next_call(self) -> hooks.HookCall | None:
        """Return the call that :meth:`advance` has found, if any."""
        if self._next is None:
            return self._capture()
        entry, member = self._next
        view = self._operation_of(entry, entry.phase)(member)
        function = functools.partial(
            hook_call.call_hook,
            member,
            view,
            self._settings.clock,
            self._result(entry.run) if entry.phase == model.POST else None,
            functools.partial(self._save_at_once, view, self._next)
            if entry.is_opening
            else None,
        )
        return hooks.HookCall(function, member.time_limit_s)

    def take(self, answer: object, error: BaseException | None) -> None:
        """Record how a call ended."""
        called, self._next = self._next, None
        if called is None:
            self._save_before(answer, error)
            return
        entry, member = called
        result = hook_call.result_of(
            answer, error, member.time_limit_s, self._settings.clock
        )
        self._journal.record(entry, member.name, result)

    def side_writes(self) -> parking.SideWrites | None:
        """Return the writes that park a held operation, if it is held."""
        main = self._main
        if not transitions.is_held(main.run):
            return None
        return hold_write.HoldWrite(
            self._store,
            main.run,
            is_new=main.stored is None or main.stored.hold != main.run.hold,
        )

    def look(self, side_writes: parking.SideWrites) -> None:
        """Apply the answer to a hold that the side writes found."""
        assert isinstance(side_writes, hold_write.HoldWrite)
        self._journal.answer_hold(self._main, side_writes.found)

    def open(self) -> None:
        """Record that all plug-ins allowed the operation: it begins."""
        self._main.run = transitions.begin(self._main.run)
        self._journal.has_begun = True
        LOG.info(
            "operation %s: %d lifecycle plug-ins let it pass",
            self._store.operation.id,
            len(self._main.run.chain),
        )

    def close(
        self, outcome: conclusion.RunOutcome, reason: str | None = None
    ) -> "HookCaller | None":
        """Record the outcome; the calls after the operation follow.

        :param reason: why it ends so, where the outcome alone does not say
        :returns: ``None`` where there are no calls
        """
        has_calls = any(each.run.chain for each in self._journal.entries)
        if not has_calls and not self._settings.members.chain(model.CANCEL):
            return None
        run = self._main.run
        if not run.outcome:
            result = lifecycle.Outcome(outcome.value)
            if run.is_rejected:
                result = lifecycle.Outcome.REJECTED
            elif run.is_refused:
                result = lifecycle.Outcome.DENIED
            reason = reason or outcomes.reason_of(self._store, outcome, None)
            self._main.run = transitions.close(run, result.value, reason)
        self._stop(self._store.stop_reason)
        return self

    def know(self, stop_reason: operation_model.StopReason | None) -> None:
        """Prepare the calls after the operation: its stop reason is known.

        Pre-ops of a request to cancel it cannot stop anything any more.
        """
        self._stop(stop_reason)
        is_complete = self._main.run.outcome == lifecycle.Outcome.COMPLETE
        is_cancelled = stop_reason is operation_model.StopReason.CANCELLED
        is_called = any(each.is_cancel for each in self._journal.entries)
        if is_cancelled and not is_complete and not is_called:
            members = self._settings.members.chain(
                model.CANCEL, is_part=self._is_cut_short()
            )
            self._journal.add_new(model.CANCEL, members)

    def _stop(self, stop_reason: operation_model.StopReason | None) -> None:
        """Change the outcome to that of an operation that was stopped.

        What post-ops of an earlier worker may have received stays.
        """
        main, became = self._main, conclusion.RunOutcome.CANCELLED
        is_superseded = stop_reason is operation_model.StopReason.SUPERSEDED
        is_stopped = is_superseded or main.run.outcome in _STOPPABLE
        if stop_reason is None or main.is_resumed or not is_stopped:
            return
        reason = outcomes.reason_of(self._store, became, stop_reason)
        main.run = transitions.close(main.run, stop_reason.value, reason)

    def _capture(self) -> hooks.HookCall | None:
        """Return the call that captures the stacks before the first change.

        It reads the tree, with its outputs. Only post-ops need it.
        """
        main = self._main
        if self._is_captured or not transitions.is_allowed(main.run):
            return None
        function = functools.partial(
            main.capture,
            self._settings.members,
            self._operation_of(main, model.PRE),
        )
        return hooks.HookCall(function, _CAPTURE_LIMIT_S)

    def _save_before(
        self, answer: object, error: BaseException | None
    ) -> None:
        """Store the captured stacks with the first changes."""
        self._is_captured = True
        if error is not None:
            LOG.warning(
                "operation %s: post-ops are shown the current stack as that"
                " before the operation, which was not read: %s",
                self._store.operation.id,
                self._store.redact(hook_call.error_text(error)),
            )
        self._main.save_before(answer if isinstance(answer, bytes) else None)

    def _show(
        self, entry: journals.Entry, phase: str
    ) -> situation.OperationOf:
        """Return the operation as plug-ins see it in a phase."""
        run = entry.run
        asked = dataclasses.replace(
            situation.request_info(self._store.operation, run.verb),
            attempt=run.attempt,
        )
        if run.verb == model.CANCEL:
            run = self._main.run
        found = dataclasses.replace(self._found, run=run)
        return self._settings.show(found, asked, phase)

    def _end(self, entry: journals.Entry) -> None:
        """End a phase whose calls were all made.

        Where a post-op has changed the outcome, all of them are called again.
        """
        run = entry.run
        entry.run = transitions.end(run, self._journal.failure_of(run))
        if entry.run.stage is not model.Stage.CLOSED:
            return
        if run.verb == model.MOVE:
            self._journal.record_move(run)
        LOG.info(
            "operation %s: %d lifecycle plug-ins know that it is %s",
            run.operation_id,
            len(run.chain),
            run.outcome,
        )

    def _result(self, run: model.Run) -> lifecycle.OperationResult:
        """Return the outcome and the failures, as plug-ins see them."""
        corrected = transitions.corrected_outcome(run)
        return lifecycle.OperationResult(
            outcome=lifecycle.Outcome(run.outcome),
            reason=run.reason,
            failures=tuple(
                read_only_values.FrozenMapping(
                    {key: each[key] for key in _FAILURE_KEYS}
                )
                for each in self._store.results.list_failures()
            ),
            corrects=lifecycle.Outcome(corrected) if corrected else None,
        )

    def _save_at_once(
        self,
        view: lifecycle_operation.LifecycleOperation,
        called: object,
        name: str,
        values: collections.abc.Mapping[str, object],
    ) -> bool:
        """Save decisions that depend on the decisions for other trees.

        :raises orch.flow.state.hooks.HookTimeout: the call has timed out
        """

        def check_awaited() -> None:
            # Another call is awaited, or none.
            if called is not self._next:
                raise hooks.HookTimeout("the operation has gone on without it")

        return self._journal.decided.put_at_once(
            self._store,
            view,
            name,
            self._journal.locate(name, values),
            check_awaited,
        )


def outcome_of_run(run: model.Run) -> conclusion.RunOutcome:
    """Return the outcome of an operation that has ended.

    :param run: the run whose post-ops are called
    """
    outcomes_by_name = {each.value: each for each in conclusion.RunOutcome}
    return outcomes_by_name.get(run.outcome, conclusion.RunOutcome.FAILED)
