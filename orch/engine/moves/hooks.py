"""Call lifecycle plug-ins before a move, and notify them of its outcome.

A move is one transaction, so the pre-ops are called before it, while the
caller waits. The post-ops of a completed move are left, in that transaction,
to the updates that follow it.
"""

import collections.abc
import contextlib

from orch import ids
from orch.context import request
from orch.db import engine as db_engine
from orch.db.repositories import decisions
from orch.engine import dependencies
from orch.engine import tree_paths
from orch.engine.judged_requests import hooks as request_hooks
from orch.engine.lifecycle import hook_call
from orch.engine.lifecycle import hook_caller
from orch.engine.lifecycle import plugin_views
from orch.engine.lifecycle import request_info
from orch.engine.lifecycle import views
from orch.engine.moves import model as move_model
from orch.model import operation as operation_model
from orch.plugin import lifecycle

Operations = collections.abc.Mapping[ids.StackId, operation_model.Operation]


class MoveHooks:
    """The calls of lifecycle plug-ins around a move.

    :ivar operations: the updates that follow it
    :ivar hooks: the calls for both trees
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
        self._deps = deps
        self.operations = begun
        self.hooks = request_hooks.RequestHooks(deps, ctxt, hook_caller.MOVE)
        if not deps.plugin_order.chain(hook_caller.MOVE):
            return
        self.operations = {
            key: request_hooks.with_earlier_calls(each)
            if key in move.outermost
            else each
            for key, each in begun.items()
        }
        self.hooks.judged += [
            self._judged(ctxt, side, self.operations[key], move)
            for key, side in move.outermost.items()
        ]

    def commit(self, connection: db_engine.Connection) -> None:
        """Store the verdicts; the updates call the post-ops of the move."""
        self.hooks.allow(
            connection, lifecycle.Outcome.COMPLETE, "Resources were moved"
        )
        for each in self.hooks.judged:
            for plugin, values in each.decided.items():
                decisions.save(
                    connection,
                    each.stack,
                    self.operations[each.stack.id],
                    plugin,
                    values,
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

    def _judged(
        self,
        ctxt: request.RequestContext,
        side: move_model.Side,
        operation: operation_model.Operation,
        move: move_model.Move,
    ) -> request_hooks.JudgedStack:
        stack, planned = side.stack, move.plans[side.stack.id]
        operation_of = plugin_views.operations_by_scope(
            self._deps,
            ctxt,
            request_info.request_info(operation, hook_caller.MOVE),
            views.PreviewView(self._deps, ctxt, stack, planned),
            stack,
            "",
        )
        return request_hooks.JudgedStack(
            stack,
            self.hooks.new_entry(stack, operation.id),
            lambda run: operation_of,
            planned.redacts.text,
        )


@contextlib.contextmanager
def around_move(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    move: move_model.Move,
    begun: Operations,
) -> collections.abc.Iterator[MoveHooks]:
    """Call pre-ops before a move, and post-ops if it was not done.

    :raises orch.engine.judged_requests.hooks.RequestDenied: a plug-in denies
        it
    :raises orch.engine.judged_requests.hooks.CannotHold: a plug-in holds it
    """
    judged = MoveHooks(deps, ctxt, move, begun)
    judged.hooks.ask()
    try:
        yield judged
    except Exception as error:
        judged.hooks.close_unless_allowed(hook_call.error_text(error))
        raise
    judged.hooks.close_unless_allowed("A stack has changed meanwhile.")
