"""Operations, woken up and asked for over the bus."""

import collections.abc
import typing

from orch.context import request
from orch.rpc import contract
from orch.rpc.clients import caller


class Operations(caller.Client):
    """The ``operation`` namespace."""

    namespace = "operation"

    def run(self, ctxt: request.RequestContext, operation_id: str) -> None:
        """Hint to the workers that an operation waits.

        The hint may be lost; the workers find the operation by themselves,
        only later.

        :raises orch.errors.Unavailable: the bus did not take it
        """
        self._caller.cast(
            ctxt, self.namespace, "run", operation_id=operation_id
        )

    def run_some(
        self,
        ctxt: request.RequestContext,
        operation_ids: collections.abc.Sequence[str],
    ) -> None:
        """Hint to one worker that some operations wait, as :meth:`run`.

        :raises orch.errors.Unavailable: the bus did not take it
        """
        self._caller.cast(
            ctxt,
            self.namespace,
            "run_some",
            operation_ids=list(operation_ids),
        )

    def child_ended(
        self, ctxt: request.RequestContext, stack_id: str, child_id: str
    ) -> None:
        """Hint to all workers that an inner stack's operation has ended.

        :param stack_id: the stack that holds it
        :raises orch.errors.Unavailable: the bus did not take it
        """
        self._caller.broadcast(
            ctxt,
            self.namespace,
            "child_ended",
            stack_id=stack_id,
            child_id=child_id,
        )

    def list(
        self, ctxt: request.RequestContext, stack_id: str
    ) -> list[contract.OperationFacts]:
        """Return the operations of a stack, the newest first."""
        found = self._call(ctxt, "list", stack_id=stack_id)
        return typing.cast(list[contract.OperationFacts], found)

    def show(
        self, ctxt: request.RequestContext, stack_id: str, operation_id: str
    ) -> contract.OperationFacts:
        """Return one operation of a stack.

        :raises orch.errors.NotFound: the stack has no such operation
        """
        found = self._call(
            ctxt, "show", stack_id=stack_id, operation_id=operation_id
        )
        return typing.cast(contract.OperationFacts, found)
