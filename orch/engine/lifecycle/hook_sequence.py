"""What is called around one attempt of an operation: pre-ops and post-ops.

Whether anything is called at all, and how far workers before this one came,
is found out in ``around``.
"""

import collections.abc
import dataclasses
import typing

from orch import clock
from orch.engine.execution import failures
from orch.engine.execution import outcome as outcomes
from orch.engine.execution import planning
from orch.engine.lifecycle import hook_chain as chains
from orch.engine.lifecycle import journal as books
from orch.engine.lifecycle import post_hooks
from orch.engine.lifecycle import pre_hooks
from orch.engine.lifecycle import request_info
from orch.flow.state import conclusion
from orch.flow.state import store
from orch.model import lifecycle as model
from orch.model import operation
from orch.plugin import lifecycle
from orch.plugin import lifecycle_operation
from orch.plugin import lifecycle_order
from orch.plugin import read_only_values

CANCEL: typing.Final = "cancel"
_LOST: typing.Final = "Its worker was lost."

_OUTCOMES: typing.Final = {
    conclusion.Outcome.COMPLETE: lifecycle.Outcome.COMPLETE,
    conclusion.Outcome.FAILED: lifecycle.Outcome.FAILED,
    conclusion.Outcome.TIMED_OUT: lifecycle.Outcome.TIMED_OUT,
    conclusion.Outcome.CANCELLED: lifecycle.Outcome.CANCELLED,
}
_REFUSED: typing.Final = frozenset(
    {lifecycle.Outcome.DENIED, lifecycle.Outcome.REJECTED}
)


@dataclasses.dataclass(frozen=True, slots=True)
class Situation:
    """An operation, as whoever shows it to plug-ins comes upon it.

    :ivar loaded: what its plan depends on
    :ivar kept: its rows, as they are whenever somebody looks
    :ivar path: of its stack in the tree
    :ivar decided: what holds in the tree, by path, then by plug-in; as it
        is whenever somebody looks
    """

    asked: operation.Operation
    loaded: planning.Loaded
    kept: store.Store
    path: str
    decided: collections.abc.Mapping[str, collections.abc.Mapping[str, object]]


class Views(typing.Protocol):
    """How operations are shown to plug-ins."""

    def before_run(self, found: Situation) -> lifecycle_operation.Source:
        """Return what a pre-op sees."""

    def after_run(self, found: Situation) -> lifecycle_operation.Source:
        """Return what a post-op sees."""


@dataclasses.dataclass(frozen=True, slots=True)
class Terms:
    """What holds for the calls of one worker.

    :ivar members: the plug-ins of the worker
    :ivar hold_limit_s: after which a hold counts as rejected, unless the
        plug-in says
    """

    members: lifecycle_order.Roster
    views: Views
    clock: clock.Clock
    hold_limit_s: float

    def new_chain(
        self,
        asked: operation.Operation,
        verb: str,
        wanted: collections.abc.Iterable[lifecycle_order.Member],
    ) -> chains.Chain:
        """Return a chain of which nobody was called."""
        run = model.Run(
            operation_id=asked.id,
            attempt=asked.attempt,
            verb=verb,
            stack_id=asked.stack_id,
            project_id=asked.project_id,
            chain=tuple(each.plugin.name for each in wanted),
            began_at=self.clock.now(),
        )
        return chains.Chain(run, is_resumed=False)

    def new_cancelling(
        self, asked: operation.Operation, depth: int
    ) -> chains.Chain | None:
        """Return the chain of a request to cancel, if it has one."""
        wanted = self.members.chain(CANCEL, depth)
        return self.new_chain(asked, CANCEL, wanted) if wanted else None


class Ceremony:
    """What is called around one attempt of an operation.

    :ivar book: what is written of it
    :ivar opening: what is called before; ``None`` when that is over
    """

    def __init__(
        self,
        terms: Terms,
        found: Situation,
        book: books.Book,
        chain: chains.Chain | None,
        owed: collections.abc.Sequence[chains.Chain],
        cancelling: chains.Chain | None,
    ) -> None:
        """Have called nobody.

        :param owed: chains of earlier attempts, whose worker was lost
        """
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
        """Return what became of the operation, if its run is over."""
        if self._chain is None:
            return None
        run = self._chain.run
        return run if run.stage is model.Stage.CLOSING else None

    def close(
        self, outcome: conclusion.Outcome, reason: str | None = None
    ) -> post_hooks.Closing | None:
        """Return what is called behind the operation.

        :param reason: why it ends so, where that is not plain
        :returns: ``None`` for nothing
        """
        cancels = self._terms.members.chain(
            CANCEL, self._found.loaded.subject.depth
        )
        if self._chain is None and not cancels and not self._owed:
            return None
        is_over = self.ended is not None
        if not is_over:
            self._close(outcome, self._found.kept.halt, reason)
        return post_hooks.Closing(
            lambda halt: self._parts(
                None if is_over else outcome, halt, reason
            ),
            self.book,
        )

    def _new_opening(self) -> pre_hooks.Opening | None:
        chain = self._chain
        if chain is None or chain.run.stage is not model.Stage.OPENING:
            return None
        return pre_hooks.Opening(
            chain,
            self._posts_owed(),
            members=self._terms.members,
            seen=self._seen(self._terms.views.before_run, chain),
            kept=self._found.kept,
            book=self.book,
            clock_=self._terms.clock,
            hold_limit_s=self._terms.hold_limit_s,
        )

    def _posts_owed(self) -> list[post_hooks.Posts]:
        """Return the post-ops of attempts that nobody has ended."""
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
        outcome: conclusion.Outcome | None,
        halt: operation.Halt | None,
        reason: str | None,
    ) -> list[post_hooks.Pres | post_hooks.Posts]:
        """Return the chains that are called behind the operation.

        :param outcome: ``None`` where it stands in the chain already
        """
        if outcome is not None:
            self._close(outcome, halt, reason)
        parts: list[post_hooks.Pres | post_hooks.Posts] = []
        chain, cancelling = self._chain, self._cancelling
        is_complete = outcome is conclusion.Outcome.COMPLETE or (
            chain is not None
            and chain.run.outcome == lifecycle.Outcome.COMPLETE
        )
        if (
            cancelling is None
            and halt is operation.Halt.CANCELLED
            and not is_complete
        ):
            cancelling = self._terms.new_cancelling(
                self._found.asked, self._found.loaded.subject.depth
            )
            if cancelling is not None:
                self.book.add(cancelling)
        if cancelling is not None:
            parts.append(
                post_hooks.Pres(
                    cancelling,
                    members=self._terms.members,
                    seen=self._seen(self._terms.views.before_run, cancelling),
                    kept=self._found.kept,
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
        outcome: conclusion.Outcome,
        halt: operation.Halt | None,
        reason: str | None,
    ) -> None:
        """Note what plug-ins are told of the end."""
        chain, kept = self._chain, self._found.kept
        if chain is None:
            return
        told = _OUTCOMES[outcome]
        if halt is operation.Halt.SUPERSEDED:
            told, reason = lifecycle.Outcome.SUPERSEDED, None
        elif chain.run.is_rejected:
            told = lifecycle.Outcome.REJECTED
        elif chain.run.is_refused:
            told = lifecycle.Outcome.DENIED
        elif halt is operation.Halt.CANCELLED and (
            outcome is not conclusion.Outcome.COMPLETE
        ):
            outcome = conclusion.Outcome.CANCELLED
            told, reason = lifecycle.Outcome.CANCELLED, None
        chain.close(
            told.value, reason or outcomes.reason_of(kept, outcome, halt)
        )

    def _posts(self, chain: chains.Chain) -> post_hooks.Posts:
        return post_hooks.Posts(
            chain,
            members=self._terms.members,
            seen=self._seen(self._terms.views.after_run, chain),
            kept=self._found.kept,
            failures=self._failures,
            clock_=self._terms.clock,
        )

    def _failures(
        self,
    ) -> tuple[collections.abc.Mapping[str, object], ...]:
        """Return what failed, as plug-ins see it."""
        return tuple(
            read_only_values.FrozenMapping(
                {
                    key: each[key]
                    for key in ("name", "type", "physical_id", "reason")
                }
            )
            for each in failures.list_(self._found.kept)
        )

    def _seen(
        self,
        show: collections.abc.Callable[
            [Situation], lifecycle_operation.Source
        ],
        chain: chains.Chain,
    ) -> lifecycle_operation.Pattern:
        asked = dataclasses.replace(
            request_info.asked_of(self._found.asked, chain.run.verb),
            attempt=chain.run.attempt,
        )
        return lifecycle_operation.Pattern(asked, show(self._found))


def outcome_of(run: model.Run) -> conclusion.Outcome:
    """Return what became of an operation whose run is over.

    :param run: of which post-ops are called
    """
    for mine, theirs in _OUTCOMES.items():
        if theirs.value == run.outcome:
            return mine
    return conclusion.Outcome.FAILED


def has_begun(run: model.Run) -> bool:
    """Answer whether anything of the plan was done before it ended."""
    return run.outcome not in _REFUSED
