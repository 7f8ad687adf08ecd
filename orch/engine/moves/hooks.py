"""Call lifecycle plug-ins before a move, and notify them of its outcome.

A move is one transaction, so the pre-ops are called before it, while the
caller waits; that they may have been called is stored first. The post-ops of a
completed move are left, in that transaction, to the updates that follow it.
"""

import collections.abc
import contextlib
import dataclasses
import functools
import typing

from oslo_log import log

from orch import clock
from orch import errors
from orch import ids
from orch.context import outside
from orch.context import request
from orch.db import engine as db_engine
from orch.db.repositories import decisions
from orch.db.repositories import lifecycle as runs
from orch.db.repositories import stacks
from orch.engine import dependencies
from orch.engine import tree_paths
from orch.engine.lifecycle import coordinator
from orch.engine.lifecycle import dry_run
from orch.engine.lifecycle import hook_call
from orch.engine.lifecycle import hook_chain as chains
from orch.engine.lifecycle import messages
from orch.engine.lifecycle import request_info
from orch.engine.lifecycle import views
from orch.engine.moves import model as move_model
from orch.engine.secrets import tree_secrets
from orch.model import lifecycle as model
from orch.model import operation as operation_model
from orch.model import stack as stack_model
from orch.plugin import lifecycle
from orch.plugin import lifecycle_operation
from orch.plugin import lifecycle_order

LOG = log.getLogger(__name__)

SWEEP_AGE_S: typing.Final = 900.0
"""Seconds after which an unfinished move counts as not done."""

_ACTION: typing.Final = "move"
_LOST: typing.Final = "It was not done: its worker was lost."

Operations = collections.abc.Mapping[ids.StackId, operation_model.Operation]


class MoveDenied(errors.Conflict):
    """A lifecycle plug-in denies the move; no resource has moved."""

    code = "orch.lifecycle.denied"


@dataclasses.dataclass(slots=True)
class _Side:
    """One root stack of a move, and the calls of plug-ins for it."""

    stack: stack_model.Stack
    operation: operation_model.Operation
    chain: chains.HookChain
    view: lifecycle_operation.LifecycleOperation
    redact: hook_call.Redact
    decided: dict[str, collections.abc.Mapping[str, object]]


class MoveHooks:
    """The calls of lifecycle plug-ins around a move.

    :ivar operations: the updates that follow it
    """

    def __init__(
        self,
        deps: dependencies.Dependencies,
        ctxt: request.RequestContext,
        move: move_model.Move,
        begun: Operations,
    ) -> None:
        """Prepare the calls, and make none yet.

        :raises orch.errors.AskAnother: the worker does not have the plug-ins
            in force
        """
        deps.plugins.check_active()
        self._deps = deps
        self._members = deps.plugin_order.chain(coordinator.MOVE, 0)
        self.operations = begun
        self._sides: list[_Side] = []
        if not self._members:
            return
        self.operations = {
            key: _updates_with_hooks(each) if key in move.outermost else each
            for key, each in begun.items()
        }
        self._sides = [
            self._side(ctxt, side, self.operations[key], move)
            for key, side in move.outermost.items()
        ]

    def ask(self) -> None:
        """Raise MoveDenied if a plug-in denies the move.

        :raises MoveDenied: a plug-in denies it; the earlier ones were notified
        :raises orch.project_slots.SlotsTaken: too many requests wait
        """
        if not self._sides:
            return
        with outside.awaited().slot():
            self._ask_each()

    def _ask_each(self) -> None:
        self._save()
        until = self._deps.clock.monotonic() + dry_run.TIME_LIMIT_S
        for side in self._sides:
            for member in self._members:
                reason = self._rule(side, member, until)
                if reason is not None:
                    self.close(lifecycle.Outcome.DENIED, reason)
                    raise MoveDenied(reason)

    def commit(self, connection: db_engine.Connection) -> None:
        """Store the verdicts; the updates call the post-ops of the move."""
        for side in self._sides:
            side.chain.begin()
            side.chain.close(
                lifecycle.Outcome.COMPLETE.value, "Resources were moved"
            )
            runs.save(connection, side.chain.run)
            for plugin, values in side.decided.items():
                decisions.save(
                    connection, side.stack, side.operation, plugin, values
                )

    def move(
        self, connection: db_engine.Connection, move: move_model.Move
    ) -> None:
        """Transfer the decisions for the resources to the target."""
        if not self._deps.plugin_order.members:
            return
        source, target = move.source.stack, move.target.stack
        known = decisions.list_(connection, source.root_id)
        if not known:
            return
        old, new = (
            tree_paths.path_of(connection, each) for each in (source, target)
        )
        for before, after in zip(move.moving, move.moved, strict=True):
            decisions.transfer(
                connection,
                known,
                tree_paths.below(old, before.name),
                target,
                tree_paths.below(new, after.name),
            )

    def close(self, outcome: lifecycle.Outcome, reason: str) -> None:
        """Call the post-ops of a move that was not done."""
        for side in reversed(self._sides):
            side.chain.close(outcome.value, reason)
            finish_post_hooks(self._deps, side.chain, side.view, side.redact)

    def is_done(self) -> bool:
        """Whether the move was committed.

        The answer to a commit may have got lost.
        """
        found = self._deps.database.query(
            lambda connection: [
                stored
                for side in self._sides
                for stored in runs.list_(connection, side.operation.id)
            ]
        )
        return any(each.stage is model.Stage.CLOSING for each in found)

    @property
    def is_silent(self) -> bool:
        """Whether no plug-in was to be called."""
        return not self._sides

    def _side(
        self,
        ctxt: request.RequestContext,
        side: move_model.Side,
        operation: operation_model.Operation,
        move: move_model.Move,
    ) -> _Side:
        run = model.Run(
            operation_id=operation.id,
            attempt=1,
            verb=coordinator.MOVE,
            stack_id=side.stack.id,
            project_id=side.stack.project_id,
            chain=tuple(each.plugin.name for each in self._members),
            began_at=self._deps.clock.now(),
        )
        chain = chains.HookChain(run, is_resumed=False)
        chain.go_ahead()
        view = lifecycle_operation.LifecycleOperation(
            request_info.request_info(operation, coordinator.MOVE),
            views.PreviewView(
                self._deps,
                ctxt,
                side.stack,
                move.plans[side.stack.id],
            ),
        )
        redact = move.plans[side.stack.id].redacts.text
        return _Side(side.stack, operation, chain, view, redact, {})

    def _save(self) -> None:
        def work(connection: db_engine.Connection) -> None:
            for side in self._sides:
                runs.save(connection, side.chain.run)

        self._deps.database.run(work)

    def _rule(
        self, side: _Side, member: lifecycle_order.OrderedPlugin, until: float
    ) -> str | None:
        """Return why a plug-in denies the move; ``None`` if it does not."""
        name = member.plugin.name
        heard = _call_result(
            self._deps,
            functools.partial(
                hook_call.call_pre_hook, member, side.view, self._deps.clock
            ),
            min(until, self._deps.clock.monotonic() + member.time_limit_s),
        )
        call = hook_call.call_record(
            heard, name, model.PRE, is_repeat=False, redact=side.redact
        )
        verdict = heard.verdict
        if verdict is None and not member.is_fail_open:
            side.chain.refuse(call)
            return messages.unanswered_message(name, _ACTION, call.error or "")
        if verdict is not None:
            if verdict.ruling is lifecycle.Ruling.DENY:
                side.chain.refuse(call)
                return messages.denied_message(name, _ACTION, call.text)
            if verdict.ruling is lifecycle.Ruling.HOLD:
                side.chain.refuse(call)
                return messages.cannot_hold_message(name, _ACTION, call.text)
            side.decided[name] = heard.decisions
        side.chain.allow(call)
        return None


@contextlib.contextmanager
def around_move(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    move: move_model.Move,
    begun: Operations,
) -> collections.abc.Iterator[MoveHooks]:
    """Call pre-ops before a move, and post-ops if it was not done.

    :raises MoveDenied: a plug-in denies it
    """
    judged = MoveHooks(deps, ctxt, move, begun)
    judged.ask()
    try:
        yield judged
    except Exception as error:
        _close_unless_done(judged, hook_call.error_text(error))
        raise
    _close_unless_done(judged, "A stack has changed meanwhile.")


def _close_unless_done(judged: MoveHooks, reason: str) -> None:
    if judged.is_silent:
        return
    try:
        if not judged.is_done():
            judged.close(lifecycle.Outcome.FAILED, reason)
    except errors.OrchError as error:
        LOG.warning(
            "plug-ins are notified later of the outcome of a move: %s", error
        )


def sweep_moves(deps: dependencies.Dependencies) -> None:
    """Notify plug-ins of moves that were started and not done, long ago.

    :raises orch.errors.AskAnother: the worker does not have the plug-ins in
        force, and others have
    """
    if not deps.plugin_order.chain(coordinator.MOVE, 0):
        return
    deps.plugins.check_active()
    left = deps.database.query(
        lambda connection: runs.list_left(
            connection, coordinator.MOVE, SWEEP_AGE_S
        )
    )
    for run in left:
        if run.stage is not model.Stage.OPENING:
            continue
        stack = deps.database.query(
            functools.partial(stacks.find, stack_id=run.stack_id)
        )
        chain = chains.HookChain(run, is_resumed=True)
        chain.close(lifecycle.Outcome.FAILED.value, _LOST)
        view = lifecycle_operation.LifecycleOperation(
            lifecycle_operation.OperationRequest(
                operation_id=run.operation_id,
                action="UPDATE",
                verb=coordinator.MOVE,
                project_id=run.project_id,
            ),
            views.UnchangedView(deps, request.RequestContext(), stack),
        )
        redact: hook_call.Redact = str
        if stack is not None:
            redact = tree_secrets.Redactor(
                deps.database, deps.templates.find, stack
            )
        finish_post_hooks(deps, chain, view, redact)


def finish_post_hooks(
    deps: dependencies.Dependencies,
    chain: chains.HookChain,
    view: lifecycle_operation.LifecycleOperation,
    redact: hook_call.Redact,
) -> None:
    """Call the post-ops of a move that was not done, then delete its run.

    :param redact: redacts the sensitive parts of a text
    """
    run = chain.run
    ended = lifecycle.OperationResult(
        outcome=lifecycle.Outcome(run.outcome), reason=run.reason
    )
    while (name := chain.next_post()) is not None:
        member = deps.plugin_order.find(name)
        heard = hook_call.missing_plugin_result(
            deps.clock, messages.plugin_gone_message()
        )
        if member is not None:
            heard = _call_result(
                deps,
                functools.partial(
                    hook_call.call_post_hook, member, view, ended, deps.clock
                ),
                deps.clock.monotonic() + member.time_limit_s,
            )
        call = hook_call.call_record(
            heard, name, model.POST, is_repeat=False, redact=redact
        )
        if call.error is not None:
            LOG.warning(
                "%s",
                messages.post_hook_failed_message(name, _ACTION, call.error),
            )
        chain.posted(call)
    deps.database.run(lambda connection: runs.forget(connection, run))


def _updates_with_hooks(
    operation: operation_model.Operation,
) -> operation_model.Operation:
    """Return an update that calls the post-ops of the move before it."""
    return dataclasses.replace(
        operation, options={**operation.options, coordinator.UNFINISHED: True}
    )


def _call_result(
    deps: dependencies.Dependencies,
    function: collections.abc.Callable[[], hook_call.CallResult],
    until: float,
) -> hook_call.CallResult:
    since = deps.clock.monotonic()
    try:
        return deps.reads.ask(function, until)
    except errors.OrchError:
        seconds = deps.clock.monotonic() - since
        return hook_call.CallResult(
            clock.Timestamp(deps.clock.now() - seconds),
            seconds,
            error="it gave no answer in time",
            is_late=True,
        )
