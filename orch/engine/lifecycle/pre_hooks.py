"""The calls before an operation: each plug-in rules, in order."""

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
from orch.flow.state import hooks
from orch.flow.state import parking
from orch.flow.state import store
from orch.model import lifecycle as model
from orch.model import operation
from orch.plugin import lifecycle
from orch.plugin import lifecycle_operation
from orch.plugin import lifecycle_order


class HeldVisit(parking.Visit):
    """Gives the worker back, unless somebody has answered meanwhile.

    :ivar found: the hold as it is now
    """

    def __init__(
        self,
        kept: store.Store,
        run: model.Run,
        *,
        is_new: bool,
        describe: collections.abc.Callable[[model.Hold], str],
    ) -> None:
        """Be ready for :meth:`write`; it may run again.

        :param run: with the hold
        :param is_new: nobody can have answered it yet
        :param describe: gives what the stack says meanwhile
        """
        super().__init__(kept.fence, kept.stack)
        self._kept = kept
        self._run = run
        self._is_new = is_new
        self._describe = describe
        self.found = run.hold

    def write(
        self, connection: db_engine.Connection, halt: operation.Halt | None
    ) -> None:
        """Write and look; the caller holds the lock of the operation."""
        self.is_parked = False
        now = functions.read_clock(connection)
        asked = self._kept.operation
        hold = self._run.hold
        assert hold is not None
        if self._is_new:
            left_s = None
            if asked.deadline_at is not None:
                left_s = max(asked.deadline_at - now, 1.0)
            hold = dataclasses.replace(
                hold,
                asked_at=now,
                deadline_at=clock.Timestamp(
                    now + hold.deadline_at - hold.asked_at
                ),
                left_s=left_s,
            )
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
        if halt is not None or not hold.is_open:
            return
        self.is_parked = True
        reason = self._describe(hold)
        leases.park(
            connection,
            asked.id,
            self._kept.fence.number,
            reason=reason,
            pause_s=max(hold.deadline_at - now, 0.0),
            options=asked.options,
            stops_time=True,
        )
        stacks.update(connection, self._kept.stack.id, status_reason=reason)


LOG = log.getLogger(__name__)


class Opening:
    """Asks the plug-ins of one chain, until one is against it or waits.

    Before that the post-ops are called that attempts before this one owe:
    their worker was lost, and somebody has begun anew.
    """

    def __init__(
        self,
        chain: chains.Chain,
        owed: collections.abc.Sequence[post_hooks.Posts],
        *,
        members: lifecycle_order.Roster,
        seen: lifecycle_operation.Pattern,
        kept: store.Store,
        book: books.Book,
        clock_: clock.Clock,
        hold_limit_s: float,
    ) -> None:
        """Have called nobody.

        :param owed: the post-ops of earlier attempts
        :param hold_limit_s: after which a hold counts as rejected, unless
            the plug-in says
        """
        self._chain = chain
        self._owed = list(owed)
        self._members = members
        self._seen = seen
        self._store = kept
        self._book = book
        self._clock = clock_
        self._hold_limit_s = hold_limit_s
        self._asked: lifecycle_order.Member | None = None
        self._told: model.Hold | None = None
        self._posting: post_hooks.Posts | None = None
        self.refusal: str | None = None
        self._know_refusal()
        self._judge_hold()

    @property
    def needs_write(self) -> bool:
        """Answer whether something has to be stored before the next call."""
        if self._chain.next_pre() is None:
            return self._book.is_due
        if not self._chain.is_ahead:
            self._chain.go_ahead()
        return self._book.is_due or not self._book.has_ahead(self._chain)

    def next_call(self) -> hooks.Call | None:
        """Return the next call, ``None`` when there is none any more."""
        while self._owed:
            self._posting = self._owed[0]
            found = self._posting.next_call()
            if found is not None:
                return found
            self._posting.end()
            if self._posting.chain.run.verb == post_hooks.MOVE:
                # What was done is part of what this operation follows.
                self.refusal = self.refusal or self._posting.failure
            self._posting = None
            self._owed.pop(0)
        if self.refusal is not None:
            return None
        while (name := self._chain.next_pre()) is not None:
            member = self._members.find(name)
            if member is not None:
                self._asked = member
                return hooks.Call(
                    functools.partial(
                        hook_call.ask,
                        member,
                        self._seen,
                        self._clock,
                        self._keep,
                    ),
                    member.time_limit_s,
                )
            self._unanswered(
                name, hook_call.nobody(self._clock, messages.gone())
            )
        return None

    def take(self, answer: object, error: BaseException | None) -> None:
        """Know how a plug-in rules."""
        if self._posting is not None:
            self._posting.take(answer, error)
            return
        member, self._asked = self._asked, None
        assert member is not None
        heard = post_hooks.heard_of(answer, error, member, self._clock)
        name = member.plugin.name
        verdict = heard.verdict
        if verdict is None:
            self._unanswered(name, heard)
            return
        call = self._call(name, heard)
        if verdict.ruling is lifecycle.Ruling.DENY:
            self._deny(name, call)
            return
        self._book.decide(name, self._located(heard.decisions))
        if verdict.ruling is lifecycle.Ruling.HOLD:
            self._hold(name, call, verdict)
            return
        if verdict.ruling is lifecycle.Ruling.WARN:
            self._tell(
                messages.warned(name, self._action, call.text), LOG.info
            )
        elif self._members.tells_calls:
            self._store.tell_stack(
                messages.passed(name, call.phase, self._action, call.seconds)
            )
        self._chain.let_pass(call)

    def visit(self) -> parking.Visit | None:
        """Return how the operation waits for somebody, if it has to."""
        hold = self._chain.run.hold
        if not self._chain.is_held or hold is None:
            return None
        return HeldVisit(
            self._store,
            self._chain.run,
            is_new=self._told is hold,
            describe=functools.partial(
                messages.held, hold.plugin, self._action
            ),
        )

    def look(self, visit: parking.Visit) -> None:
        """Know what somebody has answered, as the visit found it."""
        assert isinstance(visit, HeldVisit)
        self._chain.know_hold(visit.found)
        self._judge_hold()

    def open(self) -> None:
        """Know that the operation begins: nobody was against it."""
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

    def _know_refusal(self) -> None:
        """Know what a worker before this one was told, and has stored."""
        run = self._chain.run
        if not run.is_refused or run.is_rejected:
            return
        call = run.calls[-1]
        if call.ruling is None:
            self.refusal = messages.unanswered(
                call.plugin, self._action, call.error or ""
            )
        else:
            self.refusal = messages.denied(
                call.plugin, self._action, call.text
            )

    def _judge_hold(self) -> None:
        """Tell, once, how a hold was answered."""
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
            self.refusal = messages.rejected(self._action, hold)
            if is_news:
                self._tell(self.refusal, LOG.warning, hold)
        elif is_news:
            self._tell(messages.approved(self._action, hold), LOG.info, hold)

    def _hold(
        self, name: str, call: model.Call, verdict: lifecycle.Verdict
    ) -> None:
        limit_s = verdict.deadline_s or self._hold_limit_s
        now = self._clock.now()
        hold = model.Hold(
            plugin=name,
            text=call.text,
            asked_at=now,
            deadline_at=clock.Timestamp(now + limit_s),
        )
        self._chain.hold(call, hold)
        self._told = hold
        self._tell(messages.held(name, self._action, hold), LOG.info, hold)

    def _deny(self, name: str, call: model.Call) -> None:
        self._chain.refuse(call)
        self._refused(messages.denied(name, self._action, call.text))

    def _unanswered(self, name: str, heard: hook_call.Heard) -> None:
        """Let a plug-in that gave no verdict be against it.

        One that fails open is passed over.
        """
        call = self._call(name, heard)
        if self._members.forgives(name):
            self._tell(
                messages.passed_over(name, self._action, call.error or ""),
                LOG.warning,
            )
            self._chain.let_pass(call)
            return
        self._chain.refuse(call)
        self._refused(
            messages.unanswered(name, self._action, call.error or "")
        )

    def _refused(self, reason: str) -> None:
        self.refusal = self._tell(reason, LOG.warning)

    def _call(self, name: str, heard: hook_call.Heard) -> model.Call:
        return hook_call.call_of(
            heard,
            name,
            model.PRE,
            is_repeat=self._chain.was_called_before,
            cover=self._store.cover,
        )

    def _tell(
        self,
        text: str,
        write: collections.abc.Callable[..., None],
        hold: model.Hold | None = None,
    ) -> str:
        """Let people know; consumers are notified of holds and answers."""
        text = self._store.cover(text)
        if hold is None:
            self._store.tell_stack(text)
        else:
            self._store.tell_approval(hold, text)
        write("operation %s: %s", self._chain.run.operation_id, text)
        return text

    def _keep(
        self, name: str, decisions: collections.abc.Mapping[str, object]
    ) -> bool:
        """Keep decisions that depend on what others have decided."""
        return lifecycle_decisions.keep(
            self._store, self._book, self._seen, name, self._located(decisions)
        )

    def _located(
        self, decisions: collections.abc.Mapping[str, object]
    ) -> dict[str, object]:
        """Return decisions by path in the tree; ``""`` is this very stack."""
        own = self._book.path
        return {path or own: value for path, value in decisions.items()}
