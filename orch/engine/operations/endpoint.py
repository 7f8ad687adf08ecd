"""RPC endpoint of the ``operation`` namespace."""

import collections.abc
import typing

import oslo_messaging as messaging

from orch import ids
from orch.context import request
from orch.engine import dependencies
from orch.engine.operations import query
from orch.rpc import contract


class Operations:
    """RPC methods of operations, and hints that one waits."""

    target: typing.ClassVar[messaging.Target] = messaging.Target(
        namespace="operation", version=contract.VERSION
    )

    def __init__(self, deps: dependencies.Dependencies) -> None:
        self._deps = deps

    def run(self, ctxt: request.RequestContext, *, operation_id: str) -> None:
        """Wake the conductor of this worker for an operation."""
        self._deps.conductor.wake(ids.OperationId(operation_id))

    def run_some(
        self,
        ctxt: request.RequestContext,
        *,
        operation_ids: collections.abc.Sequence[str],
    ) -> None:
        """Wake the conductor of this worker for several operations."""
        for each in operation_ids:
            self._deps.conductor.wake(ids.OperationId(each))

    def child_ended(
        self,
        ctxt: request.RequestContext,
        *,
        stack_id: str,
        child_id: str,
    ) -> None:
        """Wake a parent's operation that waits for a child stack."""
        self._deps.conductor.look_at_child(
            ids.StackId(stack_id), ids.StackId(child_id)
        )

    def list(
        self, ctxt: request.RequestContext, *, stack_id: str
    ) -> list[contract.OperationFacts]:
        """Return the operations of a stack, the newest first."""
        return query.list_operations(self._deps, ctxt, stack_id)

    def show(
        self,
        ctxt: request.RequestContext,
        *,
        stack_id: str,
        operation_id: str,
    ) -> contract.OperationFacts:
        """Return one operation of a stack."""
        return query.show_operation(self._deps, ctxt, stack_id, operation_id)
