"""Record the calls and decisions of plug-ins around an operation.

Each result is a move of the state machine; users learn of it by an event,
consumers by a notification where a user has to act. The states are
written with what the run writes anyway. Only before calls that must not be
forgotten, and after calls that took long, the runner makes a write for them.
"""

import collections.abc
import dataclasses
import functools
import typing

from oslo_log import log

from orch import clock
from orch.db import engine as db_engine
from orch.db import functions
from orch.db.repositories import decisions
from orch.db.repositories import lifecycle as runs
from orch.engine.lifecycle import decisions as tree_decisions
from orch.engine.lifecycle import enforcement
from orch.engine.lifecycle import hook_call
from orch.engine.lifecycle import messages
from orch.engine.lifecycle import situation
from orch.engine.lifecycle import stacks_before
from orch.engine.lifecycle import transitions
from orch.engine.lifecycle import tree_approval
from orch.events import scaling
from orch.flow.state import conclusion as endings
from orch.flow.state import hooks
from orch.flow.state import store as state_store
from orch.model import lifecycle as model
from orch.model import operation as operation_model
from orch.plugin import lifecycle
from orch.plugin import lifecycle_order

LOG = log.getLogger(__name__)

WRITE_AFTER_S: typing.Final = 0.05
"""Calls are stored at least this often, while there are any."""
_LOST: typing.Final = "Its worker was lost."
_UNENDED: typing.Final = frozenset(
    {model.Stage.OPENING, model.Stage.IN_PROGRESS}
)
_DUE: typing.Final = frozenset({model.Stage.OPENING, model.Stage.CLOSING})


@dataclasses.dataclass(slots=True, eq=False)
class Entry:
    """The calls of one chain of plug-ins.

    :ivar run: their state
    :ivar loaded: the state that an earlier worker has stored; ``None`` for
        none
    :ivar stored: the state that is stored; ``None`` for none
    :ivar before: the stacks before the operation, until they are stored
    :ivar is_owed: of an earlier attempt, or of a move before the operation
    """

    run: model.Run
    loaded: model.Run | None = None
    stored: model.Run | None = None
    before: bytes | None = None
    is_owed: bool = False

    @property
    def phase(self) -> str:
        """Return the phase of the calls that are due: ``PRE`` or ``POST``."""
        if self.run.stage is model.Stage.OPENING:
            return model.PRE
        return model.POST

    @property
    def is_resumed(self) -> bool:
        """Whether an earlier worker has stored the outcome."""
        return self.loaded is not None and bool(self.loaded.outcome)

    @property
    def is_cancel(self) -> bool:
        """Whether they are those of a request to cancel the operation."""
        return self.run.verb == model.CANCEL and not self.is_owed

    @property
    def turn(self) -> int:
        """Return the place among all calls of an operation, lowest first.

        Those of a request to cancel it surround the post-ops.
        """
        if self.is_owed:
            return 2
        if self.is_cancel:
            return 0 if self.phase == model.PRE else 4
        return 3 if self.is_opening else 1

    @property
    def is_changed(self) -> bool:
        """Whether the state is not stored yet; no calls have none."""
        return bool(self.run.chain) and self.run != self.stored

    def save_before(self, before: bytes | None) -> None:
        """Store the stacks before the operation with its first changes."""
        self.before = before
        self.run = dataclasses.replace(self.run, has_before=before is not None)

    @property
    def is_opening(self) -> bool:
        """Whether they decide if the operation begins.

        Pre-ops of a request to cancel it cannot stop anything any more.
        """
        return self.phase == model.PRE and self.run.verb != model.CANCEL

    def expect(self, member: lifecycle_order.OrderedPlugin) -> bool:
        """Expect the next call, and return whether that must be stored first.

        Once a post-op is called, no worker may call a pre-op of the chain.
        """
        stored = self.stored
        if self.phase == model.POST:
            return stored is None or stored.stage is model.Stage.OPENING
        if not member.is_recorded:
            return False
        self.run = transitions.expect(self.run)
        return stored is None or stored.ahead <= self.run.passed

    def capture(
        self,
        members: lifecycle_order.PluginOrder,
        operation_of: situation.OperationOf,
    ) -> bytes | None:
        """Return the stacks before the operation, for its post-ops.

        :param operation_of: returns the operation as a plug-in sees it
        :returns: ``None`` where no plug-in has one, or no stack exists yet
        """
        found = map(members.find, self.run.chain)
        return stacks_before.capture_stacks(
            operation_of(each)
            for each in found
            if each is not None and each.has_op(model.POST)
        )

    def call_record(
        self, name: str, result: hook_call.CallResult, redact: hook_call.Redact
    ) -> model.Call:
        """Return the record of a call that has ended.

        A worker that was lost may have called any of the post-ops.
        """
        is_pre = self.phase == model.PRE
        return hook_call.call_record(
            result,
            name,
            self.phase,
            is_repeat=self.run.may_repeat if is_pre else self.is_resumed,
            redact=redact,
            outcome="" if is_pre else self.run.outcome,
        )


class Journal:
    """Records the calls and decisions of one operation, until they are stored.

    :ivar entries: the calls
    :ivar decided: the decisions in the tree of the stack
    :ivar has_begun: the plan was begun, by this worker or an earlier one
    """

    def __init__(
        self,
        settings: situation.HookSettings,
        store: state_store.Store,
        decided: tree_decisions.TreeDecisions,
    ) -> None:
        """Begin with nothing to write; the store writes what is added."""
        self.decided = decided
        self.entries: list[Entry] = []
        self.has_begun = True
        self._settings = settings
        self._store = store
        self._action = store.operation.action.value
        self._override = enforcement.override_of_operation(store.operation)
        self._written_at = settings.clock.monotonic()
        store.book = self

    def add(self, run: model.Run, stored: model.Run | None = None) -> Entry:
        """Add calls, whose state is written from now on.

        Those of earlier attempts are over, if their worker was lost.
        """
        operation = self._store.operation
        is_owed = run.verb == model.MOVE or run.attempt != operation.attempt
        if is_owed and run.stage in _UNENDED:
            run = transitions.close(run, lifecycle.Outcome.FAILED.value, _LOST)
        entry = Entry(run, stored, stored, is_owed=is_owed)
        self.entries.append(entry)
        return entry

    def add_new(
        self,
        verb: str,
        members: collections.abc.Iterable[lifecycle_order.OrderedPlugin],
    ) -> Entry:
        """Add the calls of a request; it has begun if there are none."""
        run = self._settings.new_run(self._store.operation, verb, members)
        return self.add(run if run.chain else transitions.begin(run))

    def find_turn(self) -> Entry | None:
        """Return the calls whose turn it is, or whose phase is to end."""
        due = (each for each in self.entries if each.run.stage in _DUE)
        return min(due, key=lambda each: each.turn, default=None)

    @property
    def is_due(self) -> bool:
        """Whether ended calls have waited too long to be stored."""
        waited_s = self._settings.clock.monotonic() - self._written_at
        return waited_s >= WRITE_AFTER_S and any(
            each.is_changed for each in self.entries
        )

    def refusal_of(self, run: model.Run) -> str:
        """Return why an operation fails that a plug-in has refused."""
        return self._store.redact(
            messages.refusal_message(
                run, self._action, has_override=self._override is not None
            )
        )

    def record(
        self, entry: Entry, name: str, result: hook_call.CallResult
    ) -> None:
        """Record the result of a call, and what it means."""
        call = entry.call_record(name, result, self._store.redact)
        if entry.is_opening:
            self._record_verdict(entry, call, result)
        elif call.phase == model.PRE:
            entry.run = transitions.allow(entry.run, call)
            self._report(call, lambda: messages.objection_message(call))
        else:
            entry.run = transitions.record(entry.run, call)
            describe = messages.post_hook_failed_message
            self._report(call, lambda: describe(call, self._action))

    def _record_verdict(
        self, entry: Entry, call: model.Call, result: hook_call.CallResult
    ) -> None:
        """Record the verdict of a plug-in, or that it gave none."""
        name, verdict = call.plugin, result.verdict
        call, ruling = enforcement.judge(
            self._settings.members, call, self._override, self._store.redact
        )
        if verdict is None:
            self.decided.withdraw(name, self._store.operation)
        if ruling is lifecycle.Ruling.DENY:
            entry.run = transitions.refuse(entry.run, call)
            self._notify(self.refusal_of(entry.run), LOG.warning)
            return
        if verdict is not None:
            self.decided.put(name, self.locate(name, verdict.decisions))
        if verdict is not None and ruling is lifecycle.Ruling.HOLD:
            self._hold(entry, call, verdict)
            return
        entry.run = transitions.allow(entry.run, call)
        self._report(
            call, lambda: messages.verdict_message(call, self._action)
        )

    def _hold(
        self,
        entry: Entry,
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
        if approval is None:
            entry.run = transitions.hold(entry.run, call, hold)
            self._notify(
                messages.held_message(self._action, hold),
                LOG.info,
                functools.partial(self._store.record_approval, hold),
            )
        else:
            entry.run = transitions.allow(entry.run, call)
            self._notify(
                messages.tree_approval_message(self._action, approval),
                LOG.info,
            )

    def answer_hold(self, main: Entry, found: model.Hold | None) -> None:
        """Apply the answer to a hold; record it once."""
        before = main.run
        main.run = transitions.answer(before, found)
        hold = main.run.hold
        if hold is None or hold.is_open or main.run == before:
            return
        write, describe = LOG.info, messages.approved_message
        if main.run.is_rejected:
            write, describe = LOG.warning, messages.rejected_message
        self._notify(
            describe(self._action, hold),
            write,
            functools.partial(self._store.record_approval, hold),
        )

    def _report(
        self, call: model.Call, describe: collections.abc.Callable[[], str]
    ) -> None:
        """Record a call that does not stop the operation.

        Consumers learn of overrides. A call without a warning is recorded if
        that is configured.

        :param describe: returns the message of one with a warning
        """
        if call.error is None and call.ruling in (None, "allow"):
            if self._settings.members.emits_call_events:
                self._store.record_stack(
                    messages.passed_message(call, self._action)
                )
            return
        record = self._store.record_stack
        if call.overridden_by is not None:
            record = functools.partial(self._store.record_override, call)
        is_normal = call.ruling == lifecycle.Ruling.WARN
        self._notify(
            describe(), LOG.info if is_normal else LOG.warning, record
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
        is_done = run.outcome == lifecycle.Outcome.COMPLETE
        for call in run.verdicts:
            if is_done and call.phase == model.PRE:
                describe = functools.partial(
                    messages.verdict_message, call, run.verb
                )
                self._report(call, describe)

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
        own = self.decided.path if is_own else ""
        return {path or own: value for path, value in values.items()}

    def of(self, name: str) -> collections.abc.Mapping[str, object]:
        """Return the decisions for a resource of the stack."""
        return self.decided.for_resource(name)

    @property
    def is_empty(self) -> bool:
        """Whether the tree of the stack has no decisions."""
        return not self.decided.values

    def take(self) -> hooks.JournalEntry:
        """Return what is to be written; each change is returned once."""
        store = self._store
        changed = [
            (each.run, each.before) for each in self.entries if each.is_changed
        ]
        for each in self.entries:
            each.stored, each.before = each.run, None
        unsaved = self.decided.take()
        self._written_at = self._settings.clock.monotonic()
        is_resize = scaling.find_data(store.operation) is not None
        settles = self.decided.has_any or is_resize
        drops_before = any(each.run.has_before for each in self.entries)

        def write(
            connection: db_engine.Connection,
            stop_reason: operation_model.StopReason | None,
            ending: endings.Conclusion | None,
        ) -> None:
            for run, before in changed:
                runs.save(connection, run, before)
            for plugin, values in unsaved:
                if values is None:
                    decisions.put_back(connection, store.operation, plugin)
                else:
                    decisions.save(
                        connection,
                        store.stack,
                        store.operation,
                        plugin,
                        values,
                    )
            if ending is not None and drops_before:
                runs.drop_before(connection, store.operation.id)
            if ending is not None and settles:
                tree_decisions.settle(
                    connection,
                    store,
                    self.decided,
                    ending,
                    stop_reason,
                    has_begun=self.has_begun,
                )

        return write
