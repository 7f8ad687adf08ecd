"""The calls before an operation: each plug-in gives its verdict, in order."""

import collections.abc
import dataclasses
import functools

from oslo_log import log

from orch import clock
from orch.db import engine as db_engine
from orch.db import functions
from orch.db.repositories import leases
from orch.db.repositories import lifecycle as repository_lifecycle
from orch.db.repositories import stacks
from orch.engine.lifecycle import decisions as lifecycle_decisions
from orch.engine.lifecycle import hook_call
from orch.engine.lifecycle import hook_chain as chains
from orch.engine.lifecycle import journal as books
from orch.engine.lifecycle import messages
from orch.engine.lifecycle import post_hooks
from orch.engine.lifecycle import tree_approval
from orch.flow.state import hooks
from orch.flow.state import parking
from orch.flow.state import store
from orch.model import lifecycle as model
from orch.model import operation
from orch.plugin import lifecycle
from orch.plugin import lifecycle_order


class HoldWrite(parking.SideWrites):
    """Parks a held operation, unless its hold was answered meanwhile.

    :ivar found: the hold as it is now
    """

    def __init__(
        self,
        store: store.Store,
        run: model.Run,
        *,
        is_new: bool,
        describe: collections.abc.Callable[[model.Hold], str],
    ) -> None:
        """Prepare :meth:`write`, which may run again.

        :param run: the run with the hold
        :param is_new: whether the hold is new, so that it cannot have an
            answer
        :param describe: returns the status reason of the stack meanwhile
        """
        super().__init__(store.fence, store.stack)
        self._store = store
        self._run = run
        self._is_new = is_new
        self._describe = describe
        self.found = run.hold

    def write(
        self,
        connection: db_engine.Connection,
        stop_reason: operation.StopReason | None,
    ) -> None:
        """Store the hold, or load its answer; the operation is locked."""
        self.is_parked = False
        now = functions.read_clock(connection)
        operation = self._store.operation
        hold = self._run.hold
        assert hold is not None
        if self._is_new:
            left_s = None
            if operation.deadline_at is not None:
                left_s = max(operation.deadline_at - now, 1.0)
            hold = dataclasses.replace(hold, left_s=left_s)
            repository_lifecycle.save_hold(connection, self._run, hold)
        else:
            hold = (
                repository_lifecycle.find_hold(connection, self._run) or hold
            )
            if hold.is_open and hold.deadline_at <= now:
                hold = repository_lifecycle.expire(
                    connection, self._run, hold, now
                )
        self.found = hold
        if stop_reason is not None or not hold.is_open:
            return
        self.is_parked = True
        reason = self._describe(hold)
        leases.park(
            connection,
            operation.id,
            self._store.fence.number,
            reason=reason,
            pause_s=max(hold.deadline_at - now, 0.0),
            options=operation.options,
            stops_time=True,
        )
        stacks.update(connection, self._store.stack.id, status_reason=reason)


LOG = log.getLogger(__name__)

OperationOf = post_hooks.OperationOf


class PreHooks:
    """Call the pre-ops of one chain, until one denies or holds the operation.

    Before that the due post-ops of earlier attempts are called: their worker
    was lost, and another one has started anew.
    """

    def __init__(
        self,
        chain: chains.HookChain,
        owed: collections.abc.Sequence[post_hooks.PostHooks],
        *,
        members: lifecycle_order.PluginOrder,
        operation_of: OperationOf,
        store: store.Store,
        book: books.Journal,
        clock_: clock.Clock,
        hold_limit_s: float,
    ) -> None:
        """Make no call yet.

        :param owed: the post-ops of earlier attempts
        :param hold_limit_s: seconds after which a hold counts as rejected,
            unless the plug-in sets a deadline
        """
        self._chain = chain
        self._owed = list(owed)
        self._members = members
        self._operation_of = operation_of
        self._store = store
        self._book = book
        self._clock = clock_
        self._hold_limit_s = hold_limit_s
        self._called_member: lifecycle_order.OrderedPlugin | None = None
        self._announced_hold: model.Hold | None = None
        self._posting: post_hooks.PostHooks | None = None
        self.rejection_reason: str | None = None
        self._load_rejection()
        self._record_hold_answer()

    @property
    def needs_write(self) -> bool:
        """Whether a write is needed before the next call."""
        if self._chain.next_pre() is None:
            return self._book.is_due
        if not self._chain.is_ahead:
            self._chain.go_ahead()
        return self._book.is_due or not self._book.has_ahead(self._chain)

    def next_call(self) -> hooks.HookCall | None:
        """Return the next call; ``None`` when there is none."""
        while self._owed:
            self._posting = self._owed[0]
            found = self._posting.next_call()
            if found is not None:
                return found
            self._posting.end()
            if self._posting.chain.run.verb == post_hooks.MOVE:
                # The move that its failure concerns is part of this
                # operation's history.
                self.rejection_reason = (
                    self.rejection_reason or self._posting.failure
                )
            self._posting = None
            self._owed.pop(0)
        if self.rejection_reason is not None:
            return None
        while (name := self._chain.next_pre()) is not None:
            member = self._members.find(name)
            if member is not None:
                self._called_member = member
                return hooks.HookCall(
                    functools.partial(
                        hook_call.call_pre_hook,
                        member,
                        self._operation_of(member),
                        self._clock,
                        self._save_decisions,
                    ),
                    member.time_limit_s,
                )
            self._unanswered(
                name,
                hook_call.missing_plugin_result(
                    self._clock, messages.plugin_gone_message()
                ),
            )
        return None

    def take(self, answer: object, error: BaseException | None) -> None:
        """Record the verdict of a plug-in, or the end of a post-op."""
        if self._posting is not None:
            self._posting.take(answer, error)
            return
        member, self._called_member = self._called_member, None
        assert member is not None
        heard = post_hooks.result_of_call(answer, error, member, self._clock)
        name = member.plugin.name
        verdict = heard.verdict
        if verdict is None:
            self._unanswered(name, heard)
            return
        call = self._call(name, heard)
        if verdict.ruling is lifecycle.Ruling.DENY:
            self._deny(name, call)
            return
        self._book.decide(name, self._located(member, heard.decisions))
        if verdict.ruling is lifecycle.Ruling.HOLD:
            self._hold(name, call, verdict)
            return
        if verdict.ruling is lifecycle.Ruling.WARN:
            self._notify(
                messages.warning_message(name, self._action, call.text),
                LOG.info,
            )
        elif self._members.emits_call_events:
            self._store.record_stack(
                messages.passed_message(
                    name, call.phase, self._action, call.seconds
                )
            )
        self._chain.allow(call)

    def side_writes(self) -> parking.SideWrites | None:
        """Return the writes that park a held operation, if it is held."""
        hold = self._chain.run.hold
        if not self._chain.is_held or hold is None:
            return None
        return HoldWrite(
            self._store,
            self._chain.run,
            is_new=self._announced_hold is hold,
            describe=functools.partial(
                messages.held_message, hold.plugin, self._action
            ),
        )

    def look(self, side_writes: parking.SideWrites) -> None:
        """Load the answer to a hold that the side writes found."""
        assert isinstance(side_writes, HoldWrite)
        self._chain.know_hold(side_writes.found)
        self._record_hold_answer()

    def open(self) -> None:
        """Record that all plug-ins allowed the operation: it begins."""
        self._chain.begin()
        self._book.has_begun = True
        LOG.info(
            "operation %s: %d lifecycle plug-ins let it pass",
            self._chain.run.operation_id,
            len(self._chain.run.chain),
        )

    @property
    def _action(self) -> str:
        return self._store.operation.action.value

    def _load_rejection(self) -> None:
        """Load the rejection that an earlier worker has stored."""
        run = self._chain.run
        if not run.is_refused or run.is_rejected:
            return
        call = run.calls[-1]
        if call.ruling is None:
            self.rejection_reason = messages.unanswered_message(
                call.plugin, self._action, call.error or ""
            )
        else:
            self.rejection_reason = messages.denied_message(
                call.plugin, self._action, call.text
            )

    def _record_hold_answer(self) -> None:
        """Record, once, how a hold was answered."""
        run = self._chain.run
        hold = run.hold
        if (
            hold is None
            or hold.is_open
            or run.stage is not (model.Stage.OPENING)
        ):
            return
        is_news = not self._book.has_stored(self._chain)
        if run.is_rejected:
            self.rejection_reason = messages.rejected_message(
                self._action, hold
            )
            if is_news:
                self._notify(self.rejection_reason, LOG.warning, hold)
        elif is_news:
            self._notify(
                messages.approved_message(self._action, hold), LOG.info, hold
            )

    def _hold(
        self, name: str, call: model.Call, verdict: lifecycle.Verdict
    ) -> None:
        limit_s = verdict.deadline_s or self._hold_limit_s
        # Its end is compared with the clock of the database, too.
        now = self._store.write_apart(functions.read_clock)
        hold = model.Hold(
            plugin=name,
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
            self._chain.allow(call)
            self._notify(
                messages.tree_approval_message(self._action, approval),
                LOG.info,
            )
            return
        self._chain.hold(call, hold)
        self._announced_hold = hold
        self._notify(
            messages.held_message(name, self._action, hold), LOG.info, hold
        )

    def _deny(self, name: str, call: model.Call) -> None:
        self._chain.refuse(call)
        self._reject(messages.denied_message(name, self._action, call.text))

    def _unanswered(self, name: str, heard: hook_call.CallResult) -> None:
        """Count a plug-in that gave no verdict as a denial.

        One that fails open is passed over.
        """
        call = self._call(name, heard)
        if self._members.forgives(name):
            self._notify(
                messages.passed_over_message(
                    name, self._action, call.error or ""
                ),
                LOG.warning,
            )
            self._chain.allow(call)
            return
        self._chain.refuse(call)
        self._reject(
            messages.unanswered_message(name, self._action, call.error or "")
        )

    def _reject(self, reason: str) -> None:
        self.rejection_reason = self._notify(reason, LOG.warning)

    def _call(self, name: str, heard: hook_call.CallResult) -> model.Call:
        return hook_call.call_record(
            heard,
            name,
            model.PRE,
            is_repeat=self._chain.was_called_before,
            redact=self._store.redact,
        )

    def _notify(
        self,
        text: str,
        write: collections.abc.Callable[..., None],
        hold: model.Hold | None = None,
    ) -> str:
        """Record and log a text; consumers learn of holds and answers."""
        text = self._store.redact(text)
        if hold is None:
            self._store.record_stack(text)
        else:
            self._store.record_approval(hold, text)
        write("operation %s: %s", self._chain.run.operation_id, text)
        return text

    def _save_decisions(
        self, name: str, decisions: collections.abc.Mapping[str, object]
    ) -> bool:
        """Save decisions that depend on the decisions for other trees."""
        member = self._members.find(name)
        assert member is not None
        return lifecycle_decisions.save_decisions(
            self._store,
            self._book,
            self._operation_of(member),
            name,
            self._located(member, decisions),
        )

    def _located(
        self,
        member: lifecycle_order.OrderedPlugin,
        decisions: collections.abc.Mapping[str, object],
    ) -> dict[str, object]:
        """Return decisions by path in the tree; ``""`` is what it sees."""
        is_own = member.plugin.scope is lifecycle.Scope.EVERY_STACK
        own = self._book.path if is_own else ""
        return {path or own: value for path, value in decisions.items()}
