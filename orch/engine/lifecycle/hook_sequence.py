"""The pre-ops and post-ops around one attempt of an operation.

Whether there are any, and how far earlier workers came, is found out in
``coordinator``.
"""

import collections.abc
import dataclasses
import typing

from orch import clock
from orch.engine.execution import outcome as outcomes
from orch.engine.execution import planning
from orch.engine.lifecycle import hook_chain as chains
from orch.engine.lifecycle import journal as books
from orch.engine.lifecycle import post_hooks
from orch.engine.lifecycle import pre_hooks
from orch.engine.lifecycle import request_info
from orch.engine.lifecycle import stack_views
from orch.flow.state import conclusion
from orch.flow.state import store as state_store
from orch.model import lifecycle as model
from orch.model import operation as operation_model
from orch.plugin import lifecycle
from orch.plugin import lifecycle_operation
from orch.plugin import lifecycle_order
from orch.plugin import read_only_values

OperationOf = post_hooks.OperationOf

CANCEL: typing.Final = "cancel"
_LOST: typing.Final = "Its worker was lost."

_OUTCOMES: typing.Final = {
    conclusion.RunOutcome.COMPLETE: lifecycle.Outcome.COMPLETE,
    conclusion.RunOutcome.FAILED: lifecycle.Outcome.FAILED,
    conclusion.RunOutcome.TIMED_OUT: lifecycle.Outcome.TIMED_OUT,
    conclusion.RunOutcome.CANCELLED: lifecycle.Outcome.CANCELLED,
}
_OVER: typing.Final = frozenset({model.Stage.CLOSING, model.Stage.CLOSED})


@dataclasses.dataclass(frozen=True, slots=True)
class Situation:
    """What the views for plug-ins are built from: an operation and its stack.

    :ivar loaded: what its plan depends on
    :ivar store: its rows, always the current ones
    :ivar path: of its stack in the tree
    :ivar decided: decisions in the tree, by path, then by plug-in; always the
        current ones
    :ivar children: the child stacks before the run; ``None`` where this worker
        has not read them
    """

    operation: operation_model.Operation
    loaded: planning.Loaded
    store: state_store.Store
    path: str
    decided: collections.abc.Mapping[str, collections.abc.Mapping[str, object]]
    children: stack_views.Children | None = None


class Views(typing.Protocol):
    """Builds the views of operations for plug-ins."""

    def before_run(
        self, found: Situation, asked: lifecycle_operation.OperationRequest
    ) -> OperationOf:
        """Return what pre-ops see."""

    def after_run(
        self, found: Situation, asked: lifecycle_operation.OperationRequest
    ) -> OperationOf:
        """Return what post-ops see."""


@dataclasses.dataclass(frozen=True, slots=True)
class HookSettings:
    """Settings for the calls of one worker.

    :ivar members: the plug-ins of the worker
    :ivar hold_limit_s: seconds after which a hold counts as rejected, unless
        the plug-in sets a deadline
    """

    members: lifecycle_order.PluginOrder
    views: Views
    clock: clock.Clock
    hold_limit_s: float

    def new_chain(
        self,
        operation: operation_model.Operation,
        verb: str,
        members: collections.abc.Iterable[lifecycle_order.OrderedPlugin],
    ) -> chains.HookChain:
        """Return a new chain, with no plug-in called yet."""
        run = model.Run(
            operation_id=operation.id,
            attempt=operation.attempt,
            verb=verb,
            stack_id=operation.stack_id,
            project_id=operation.project_id,
            chain=tuple(each.plugin.name for each in members),
            began_at=self.clock.now(),
        )
        return chains.HookChain(run, is_resumed=False)

    def new_cancelling(
        self, operation: operation_model.Operation, *, is_part: bool
    ) -> chains.HookChain | None:
        """Return the chain of a request to cancel, if it has one.

        :param is_part: the parent's operation has cancelled it
        """
        members = self.members.chain(CANCEL, is_part=is_part)
        return self.new_chain(operation, CANCEL, members) if members else None


class HookSequence:
    """The calls of plug-ins around one attempt of an operation.

    :ivar book: the journal of its calls
    :ivar opening: the calls before the run; ``None`` when they are over
    """

    def __init__(
        self,
        terms: HookSettings,
        found: Situation,
        book: books.Journal,
        chain: chains.HookChain | None,
        owed: collections.abc.Sequence[chains.HookChain],
        cancelling: chains.HookChain | None,
        is_cut_short: collections.abc.Callable[[], bool],
    ) -> None:
        """Prepare the calls, and make none yet.

        :param owed: chains of earlier attempts, whose worker was lost
        :param is_cut_short: returns whether the parent's operation has
            cancelled this one, if it was cancelled
        """
        self._is_cut_short = is_cut_short
        self.book = book
        self._terms = terms
        self._found = found
        self._chain = chain
        self._owed = list(owed)
        self._cancelling = cancelling
        for each in (chain, cancelling, *owed):
            if each is not None:
                book.add(each)
        book.has_begun = chain is None or chain.has_begun
        self.opening = self._new_opening()

    @property
    def ended(self) -> model.Run | None:
        """Return the run with the outcome, if the operation has ended."""
        if self._chain is None:
            return None
        run = self._chain.run
        return run if run.stage in _OVER else None

    def close(
        self, outcome: conclusion.RunOutcome, reason: str | None = None
    ) -> post_hooks.ClosingHooks | None:
        """Record the outcome, and return the calls after the operation.

        :param reason: why it ends so, where the outcome alone does not say
        :returns: ``None`` where there are no calls
        """
        cancels = self._terms.members.chain(CANCEL)
        if self._chain is None and not cancels and not self._owed:
            return None
        is_over = self.ended is not None
        if not is_over:
            self._close(outcome, self._found.store.stop_reason, reason)
        return post_hooks.ClosingHooks(
            lambda stop_reason: self._parts(
                None if is_over else outcome, stop_reason, reason
            ),
            self.book,
        )

    def _new_opening(self) -> pre_hooks.PreHooks | None:
        chain = self._chain
        if chain is None or chain.run.stage is not model.Stage.OPENING:
            return None
        return pre_hooks.PreHooks(
            chain,
            self._posts_owed(),
            members=self._terms.members,
            operation_of=self._show(self._terms.views.before_run, chain),
            store=self._found.store,
            book=self.book,
            clock_=self._terms.clock,
            hold_limit_s=self._terms.hold_limit_s,
        )

    def _posts_owed(self) -> list[post_hooks.PostHooks]:
        """Return the post-ops of attempts that no worker has ended."""
        found = []
        for each in self._owed:
            if each.run.stage is model.Stage.CLOSED:
                continue
            if each.run.stage is model.Stage.OPENING and not each.has_owed:
                continue
            if each.run.stage is not model.Stage.CLOSING:
                each.close(lifecycle.Outcome.FAILED.value, _LOST)
            found.append(self._posts(each))
        return found

    def _parts(
        self,
        outcome: conclusion.RunOutcome | None,
        stop_reason: operation_model.StopReason | None,
        reason: str | None,
    ) -> list[post_hooks.LatePreHooks | post_hooks.PostHooks]:
        """Return the chains that are called after the operation.

        :param outcome: ``None`` where the chain has it already
        """
        if outcome is not None:
            self._close(outcome, stop_reason, reason)
        parts: list[post_hooks.LatePreHooks | post_hooks.PostHooks] = []
        chain, cancelling = self._chain, self._cancelling
        is_complete = outcome is conclusion.RunOutcome.COMPLETE or (
            chain is not None
            and chain.run.outcome == lifecycle.Outcome.COMPLETE
        )
        if (
            cancelling is None
            and stop_reason is operation_model.StopReason.CANCELLED
            and not is_complete
        ):
            cancelling = self._terms.new_cancelling(
                self._found.operation, is_part=self._is_cut_short()
            )
            if cancelling is not None:
                self.book.add(cancelling)
        if cancelling is not None:
            parts.append(
                post_hooks.LatePreHooks(
                    cancelling,
                    members=self._terms.members,
                    operation_of=self._show(
                        self._terms.views.before_run, cancelling
                    ),
                    store=self._found.store,
                    clock_=self._terms.clock,
                )
            )
        if chain is not None:
            parts.append(self._posts(chain))
        parts += self._posts_owed()
        if cancelling is not None:
            parts.append(self._posts(cancelling))
        return parts

    def _close(
        self,
        outcome: conclusion.RunOutcome,
        stop_reason: operation_model.StopReason | None,
        reason: str | None,
    ) -> None:
        """Record the outcome and reason that post-ops receive."""
        chain, store = self._chain, self._found.store
        if chain is None:
            return
        plugin_outcome = _OUTCOMES[outcome]
        if stop_reason is operation_model.StopReason.SUPERSEDED:
            plugin_outcome, reason = lifecycle.Outcome.SUPERSEDED, None
        elif chain.run.is_rejected:
            plugin_outcome = lifecycle.Outcome.REJECTED
        elif chain.run.is_refused:
            plugin_outcome = lifecycle.Outcome.DENIED
        elif stop_reason is operation_model.StopReason.CANCELLED and (
            outcome is not conclusion.RunOutcome.COMPLETE
        ):
            outcome = conclusion.RunOutcome.CANCELLED
            plugin_outcome, reason = lifecycle.Outcome.CANCELLED, None
        chain.close(
            plugin_outcome.value,
            reason or outcomes.reason_of(store, outcome, stop_reason),
        )

    def _posts(self, chain: chains.HookChain) -> post_hooks.PostHooks:
        return post_hooks.PostHooks(
            chain,
            members=self._terms.members,
            operation_of=self._show(self._terms.views.after_run, chain),
            store=self._found.store,
            failures=self._failures,
            clock_=self._terms.clock,
        )

    def _failures(
        self,
    ) -> tuple[collections.abc.Mapping[str, object], ...]:
        """Return the failures, as plug-ins see them."""
        return tuple(
            read_only_values.FrozenMapping(
                {
                    key: each[key]
                    for key in ("name", "type", "physical_id", "reason")
                }
            )
            for each in self._found.store.results.list_failures()
        )

    def _show(
        self,
        show: collections.abc.Callable[
            [Situation, lifecycle_operation.OperationRequest],
            OperationOf,
        ],
        chain: chains.HookChain,
    ) -> OperationOf:
        asked = dataclasses.replace(
            request_info.request_info(self._found.operation, chain.run.verb),
            attempt=chain.run.attempt,
        )
        return show(self._found, asked)


def outcome_of_run(run: model.Run) -> conclusion.RunOutcome:
    """Return the outcome of an operation that has ended.

    :param run: the run whose post-ops are called
    """
    for mine, theirs in _OUTCOMES.items():
        if theirs.value == run.outcome:
            return mine
    return conclusion.RunOutcome.FAILED


def has_run_begun(run: model.Run) -> bool:
    """Whether any change of the plan may have been made before it ended."""
    return not run.is_refused and run.passed == len(run.chain)
