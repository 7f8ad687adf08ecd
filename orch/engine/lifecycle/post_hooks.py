"""The calls after an operation: each plug-in learns its outcome."""

import abc
import collections.abc
import functools
import typing

from oslo_log import log

from orch import clock
from orch.engine.lifecycle import hook_call
from orch.engine.lifecycle import hook_chain as chains
from orch.engine.lifecycle import journal as books
from orch.engine.lifecycle import messages
from orch.flow.state import hooks
from orch.flow.state import store
from orch.model import lifecycle as model
from orch.model import operation
from orch.plugin import lifecycle
from orch.plugin import lifecycle_operation
from orch.plugin import lifecycle_order

LOG = log.getLogger(__name__)

MOVE: typing.Final = "move"
"""The request that plug-ins rule on before there is an operation."""

_BESIDE: typing.Final = frozenset({MOVE, "cancel"})
"""Requests whose post-ops change the outcome of another one only."""

OperationOf = collections.abc.Callable[
    [lifecycle_order.OrderedPlugin], lifecycle_operation.LifecycleOperation
]
"""Returns the operation as one plug-in sees it."""

Failures = collections.abc.Callable[
    [], tuple[collections.abc.Mapping[str, object], ...]
]
"""Returns the failures of the operation as plug-ins see them."""


def result_of_call(
    answer: object,
    error: BaseException | None,
    member: lifecycle_order.OrderedPlugin,
    clock_: clock.Clock,
) -> hook_call.CallResult:
    """Return the result of a call, or the error or timeout as a result."""
    if isinstance(answer, hook_call.CallResult):
        return answer
    text = hook_call.error_text(error) if error else "it gave no answer"
    is_late = isinstance(error, hooks.HookTimeout)
    if isinstance(error, hooks.HookTimeout):
        text = error.message
    limit_s = member.time_limit_s
    began_at = clock.Timestamp(clock_.now() - limit_s)
    return hook_call.CallResult(began_at, limit_s, error=text, is_late=is_late)


class _Calls(abc.ABC):
    """Make the calls of one chain, one after another."""

    def __init__(
        self,
        chain: chains.HookChain,
        *,
        members: lifecycle_order.PluginOrder,
        operation_of: OperationOf,
        store: store.Store,
        clock_: clock.Clock,
    ) -> None:
        """Make no call yet."""
        self.chain = chain
        self._members = members
        self._operation_of = operation_of
        self._store = store
        self._clock = clock_
        self._called: lifecycle_order.OrderedPlugin | None = None

    def find_next(self) -> lifecycle_order.OrderedPlugin | None:
        """Return the plug-in of the next call; ``None`` when all were made.

        Plug-ins that are missing are recorded and passed over.
        """
        while (name := self._next_name()) is not None:
            member = self._members.find(name)
            if member is not None:
                return member
            self._note(
                name,
                hook_call.missing_plugin_result(
                    self._clock, messages.plugin_gone_message()
                ),
            )
        return None

    def next_call(self) -> hooks.HookCall | None:
        """Return the next call; ``None`` when all were made."""
        self._called = member = self.find_next()
        if member is None:
            return None
        return hooks.HookCall(self._function(member), member.time_limit_s)

    def take(self, answer: object, error: BaseException | None) -> None:
        """Record how a call ended."""
        member, self._called = self._called, None
        assert member is not None
        heard = result_of_call(answer, error, member, self._clock)
        self._note(member.plugin.name, heard)

    def _record_passed(self, call: model.Call) -> None:
        """Record an event of a call without a warning, if configured."""
        if self._members.emits_call_events:
            action = self._store.operation.action.value
            self._store.record_stack(
                messages.passed_message(
                    call.plugin, call.phase, action, call.seconds
                )
            )

    @abc.abstractmethod
    def _next_name(self) -> str | None:
        """Return the name of the plug-in that is called next."""

    @abc.abstractmethod
    def _function(
        self, member: lifecycle_order.OrderedPlugin
    ) -> collections.abc.Callable[[], object]:
        """Return the function of a plug-in that is called."""

    @abc.abstractmethod
    def _note(self, name: str, heard: hook_call.CallResult) -> None:
        """Record the result of a call."""


class PostHooks(_Calls):
    """Call the post-ops of one chain whose operation has ended.

    :ivar failure: the message of the first one that raised
    """

    def __init__(
        self,
        chain: chains.HookChain,
        *,
        members: lifecycle_order.PluginOrder,
        operation_of: OperationOf,
        store: store.Store,
        failures: Failures,
        clock_: clock.Clock,
    ) -> None:
        """Make no call yet; the chain has the outcome."""
        super().__init__(
            chain,
            members=members,
            operation_of=operation_of,
            store=store,
            clock_=clock_,
        )
        self.failure: str | None = None
        self._failures = failures
        stored = chain.stored
        self._is_repeat = (
            stored is not None and stored.stage is model.Stage.CLOSING
        )
        self._know_failures()

    def _next_name(self) -> str | None:
        return self.chain.next_post()

    def _function(
        self, member: lifecycle_order.OrderedPlugin
    ) -> collections.abc.Callable[[], object]:
        return functools.partial(
            hook_call.call_post_hook,
            member,
            self._operation_of(member),
            self._ended,
            self._clock,
        )

    def needs_correction(self) -> bool:
        """Whether a post-op has changed the outcome: all are called again."""
        run = self.chain.run
        if (
            self.failure is None
            or run.outcome != lifecycle.Outcome.COMPLETE
            or run.stage is not model.Stage.CLOSING
            or run.verb in _BESIDE
        ):
            return False
        self.chain.close(lifecycle.Outcome.FAILED.value, self.failure)
        return True

    def end(self) -> None:
        """Record that all of them were called."""
        if self.chain.run.verb == MOVE:
            self._record_move()
        self.chain.end()
        LOG.info(
            "operation %s: %d lifecycle plug-ins know that it is %s",
            self.chain.run.operation_id,
            len(self.chain.run.chain),
            self.chain.run.outcome,
        )

    def needs_write(self, book: books.Journal) -> bool:
        """Whether a write is needed before the next call.

        Once a post-op was called, no worker may call a pre-op of the chain.
        """
        return not book.has_closed_opening(self.chain)

    def _record_move(self) -> None:
        """Record the verdicts before a move: it had no operation then."""
        run = self.chain.run
        if run.outcome != lifecycle.Outcome.COMPLETE:
            return
        for call in run.verdicts:
            if call.phase != model.PRE:
                continue
            if call.error is None:
                text = messages.warning_message(call.plugin, MOVE, call.text)
            else:
                text = messages.passed_over_message(
                    call.plugin, MOVE, call.error
                )
            self._store.record_stack(text)

    @property
    def _ended(self) -> lifecycle.OperationResult:
        run, corrected = self.chain.run, self.chain.corrected_outcome
        return lifecycle.OperationResult(
            outcome=lifecycle.Outcome(run.outcome),
            reason=run.reason,
            failures=self._failures(),
            corrects=lifecycle.Outcome(corrected) if corrected else None,
        )

    def _know_failures(self) -> None:
        """Load the failures that an earlier worker has stored."""
        for call in self.chain.run.calls:
            if call.phase != model.POST or call.error is None:
                continue
            if not self._members.forgives(call.plugin):
                self.failure = self.failure or self._failure_message(call)

    def _failure_message(self, call: model.Call) -> str:
        """Return the message of a post-op that failed."""
        return messages.post_hook_failed_message(
            call.plugin, self._store.operation.action.value, call.error or ""
        )

    def _note(self, name: str, heard: hook_call.CallResult) -> None:
        call = hook_call.call_record(
            heard,
            name,
            model.POST,
            is_repeat=self._is_repeat,
            redact=self._store.redact,
            outcome=self.chain.run.outcome,
        )
        self.chain.posted(call)
        if call.error is None:
            self._record_passed(call)
            return
        text = self._failure_message(call)
        self._store.record_stack(text)
        LOG.warning("operation %s: %s", self.chain.run.operation_id, text)
        if not self._members.forgives(name):
            self.failure = self.failure or text


class LatePreHooks(_Calls):
    """Call pre-ops whose verdicts cannot stop the operation any more.

    Those of a cancellation are such: what they deny is recorded, and done.
    """

    def _next_name(self) -> str | None:
        return self.chain.next_pre()

    def _function(
        self, member: lifecycle_order.OrderedPlugin
    ) -> collections.abc.Callable[[], object]:
        return functools.partial(
            hook_call.call_pre_hook,
            member,
            self._operation_of(member),
            self._clock,
        )

    def end(self) -> None:
        """Record that all of them were called, and close the chain."""
        if self.chain.run.stage is model.Stage.OPENING:
            self.chain.close(lifecycle.Outcome.COMPLETE.value, "")

    def needs_write(self, book: books.Journal) -> bool:
        """Whether a write is needed before the next call."""
        if self.chain.next_pre() is None:
            return False
        if not self.chain.is_ahead:
            self.chain.go_ahead()
        return not book.has_ahead(self.chain)

    def _note(self, name: str, heard: hook_call.CallResult) -> None:
        call = hook_call.call_record(
            heard,
            name,
            model.PRE,
            is_repeat=self.chain.was_called_before,
            redact=self._store.redact,
        )
        self.chain.allow(call)
        text = call.error or call.text
        if call.ruling == lifecycle.Ruling.ALLOW and not text:
            self._record_passed(call)
            return
        self._store.record_stack(messages.objection_message(name, text))


PartsOf = collections.abc.Callable[
    [operation.StopReason | None],
    collections.abc.Sequence[LatePreHooks | PostHooks],
]


class ClosingHooks:
    """Make all calls after an operation, chain after chain."""

    def __init__(
        self,
        parts_of: PartsOf,
        book: books.Journal,
    ) -> None:
        """Make no call yet.

        :param parts_of: returns the chains, once the stop reason is known
        """
        self._parts_of = parts_of
        self._parts: list[LatePreHooks | PostHooks] = []
        self._book = book
        self.failure: str | None = None

    @property
    def needs_write(self) -> bool:
        """Whether a write is needed before the next call."""
        return self._book.is_due or any(
            part.needs_write(self._book) for part in self._parts[:1]
        )

    def next_call(self) -> hooks.HookCall | None:
        """Return the next call; ``None`` when all were made."""
        return self._parts[0].next_call() if self._parts else None

    def know(self, stop_reason: operation.StopReason | None) -> None:
        """Build the chains, from the stop reason, before the first call."""
        self._parts = list(self._parts_of(stop_reason))
        self._end_parts()

    def take(self, answer: object, error: BaseException | None) -> None:
        """Record how a call ended."""
        self._parts[0].take(answer, error)
        self._end_parts()

    def _end_parts(self) -> None:
        """End the chains whose calls were all made."""
        while self._parts and self._parts[0].find_next() is None:
            part = self._parts[0]
            if isinstance(part, PostHooks) and part.needs_correction():
                continue
            self._parts.pop(0)
            part.end()
            if isinstance(part, PostHooks):
                self.failure = self.failure or part.failure
