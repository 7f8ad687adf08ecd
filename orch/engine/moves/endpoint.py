"""The ``move`` namespace."""

import typing

import oslo_messaging as messaging

from orch.context import request
from orch.engine import dependencies
from orch.engine.acceptance import idempotency
from orch.engine.moves import move
from orch.rpc import contract


class Moves:
    """Resources that go from one stack to another."""

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
        """Move durably; both stacks are updated then."""
        return idempotency.run_once(
            self._deps,
            ctxt,
            lambda: move.submit_move(self._deps, ctxt, stack_id, request),
        )

    def preview(
        self,
        ctxt: request.RequestContext,
        *,
        stack_id: str,
        request: contract.MoveRequest,
    ) -> contract.MovePreview:
        """Return what the same move would do."""
        return move.preview_move(self._deps, ctxt, stack_id, request)
