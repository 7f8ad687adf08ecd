"""Moves of resources between stacks, asked for over the bus."""

import typing

from orch.context import request
from orch.rpc import contract
from orch.rpc.clients import caller


class Moves(caller.Client):
    """The ``move`` namespace."""

    namespace = "move"

    def move(
        self,
        ctxt: request.RequestContext,
        stack_id: str,
        request: contract.MoveRequest,
    ) -> contract.Moved:
        """Return once all has moved; the updates of the stacks wait."""
        found = self._call(ctxt, "move", stack_id=stack_id, request=request)
        return typing.cast(contract.Moved, found)

    def preview(
        self,
        ctxt: request.RequestContext,
        stack_id: str,
        request: contract.MoveRequest,
    ) -> contract.MovePreview:
        """Return what the same move would do; nothing changes."""
        found = self._call(ctxt, "preview", stack_id=stack_id, request=request)
        return typing.cast(contract.MovePreview, found)
