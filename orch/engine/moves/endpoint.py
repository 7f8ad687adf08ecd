"""RPC endpoint of the ``move`` namespace."""

import typing

import oslo_messaging as messaging

from orch.context import request
from orch.engine import dependencies
from orch.engine.acceptance import idempotency
from orch.engine.moves import move
from orch.rpc import contract


class Moves:
    """RPC methods of moves of resources between stacks."""

    target: typing.ClassVar[messaging.Target] = messaging.Target(
        namespace="move", version=contract.VERSION
    )

    def __init__(self, deps: dependencies.Dependencies) -> None:
        self._deps = deps

    def move(
        self,
        ctxt: request.RequestContext,
        *,
        stack_id: str,
        request: contract.MoveRequest,
    ) -> contract.Moved:
        """Accept a move durably; both stacks are updated then."""
        return idempotency.run_once(
            self._deps,
            ctxt,
            move.submit_move,
            stack_id,
            request,
        )

    def preview(
        self,
        ctxt: request.RequestContext,
        *,
        stack_id: str,
        request: contract.MoveRequest,
    ) -> contract.MovePreview:
        """Return the plans of the same move; nothing changes."""
        return move.preview_move(self._deps, ctxt, stack_id, request)
