"""Call lifecycle plug-ins before a move, and notify them of its outcome.

A move is one transaction, so the pre-ops are called before it, while the
caller waits. The post-ops of a completed move are left, in that transaction,
to the updates that follow it.
"""

import collections.abc

from orch import ids
from orch.context import request
from orch.db import engine as db_engine
from orch.db.repositories import decisions
from orch.engine import dependencies
from orch.engine import tree_paths
from orch.engine.judged_requests import hooks
from orch.engine.lifecycle import situation
from orch.engine.lifecycle import views
from orch.engine.moves import model as move_model
from orch.model import lifecycle
from orch.model import operation as operation_model

Operations = collections.abc.Mapping[ids.StackId, operation_model.Operation]


class MoveHooks(hooks.RequestHooks):
    """The calls of lifecycle plug-ins around a move, for both trees.

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
        super().__init__(
            deps,
            ctxt,
            lifecycle.MOVE,
            "Resources were moved",
            leaves_post_ops=True,
        )
        self.operations = begun
        if not self._members:
            return
        self.operations = {
            key: hooks.with_earlier_calls(each)
            if key in move.outermost
            else each
            for key, each in begun.items()
        }
        self.judged += [
            self._judged(ctxt, side, self.operations[key], move)
            for key, side in move.outermost.items()
        ]

    def commit(self, connection: db_engine.Connection) -> None:
        """Store the verdicts; the updates call the post-ops of the move."""
        self.allow(connection)
        for each in self.judged:
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
    ) -> hooks.JudgedStack:
        stack, planned = side.stack, move.plans[side.stack.id]
        operation_of = views.show_preview(
            self._deps,
            ctxt,
            situation.request_info(operation, lifecycle.MOVE),
            stack,
            planned,
            "",
        )
        return hooks.JudgedStack(
            stack,
            self.new_entry(stack, operation.id),
            lambda run: operation_of,
            planned.redacts.text,
        )
