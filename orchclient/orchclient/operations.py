"""Operations of stacks: their state, progress and failures."""

from orchclient import models
from orchclient import response_parser
from orchclient import stack_lookup
from orchclient import transport
from orchclient.values import lifecycle
from orchclient.values import operations as values

Attempt = values.Attempt
Progress = values.Progress
Step = values.Step
Failure = values.Failure
OpenHold = lifecycle.OpenHold
Operation = values.Operation


class Operations:
    """The operations of stacks; that of a retry is the one that failed."""

    def __init__(self, sender: transport.Transport) -> None:
        self._sender = sender

    def list(self, stack: models.Which) -> tuple[Operation, ...]:
        """Return the operations of a stack, the newest first."""
        found = stack_lookup.identify_stack(self._sender, stack)
        answer = self._sender.get(f"{found.path}/operations")
        return tuple(
            Operation.of(each, found)
            for each in response_parser.get_maps(answer, "operations")
        )

    def find_latest(self, stack: models.Which) -> Operation | None:
        """Return the newest operation of a stack."""
        return next(iter(self.list(stack)), None)

    def find_last_requested(self, stack: models.Which) -> Operation | None:
        """Return the operation of a stack that was requested last.

        That is the newest, unless it is the rollback of one that has failed:
        that is not requested, it follows by itself.
        """
        found = self.list(stack)
        if not found:
            return None
        newest, before = found[0], found[1:2]
        is_consequence = newest.action == "ROLLBACK" and newest.attempt == 1
        if is_consequence and before and before[0].state == "FAILED":
            return before[0]
        return newest

    def show(self, stack: models.Which, operation_id: str) -> Operation:
        """Return an operation with its steps and what each resource did."""
        found = stack_lookup.identify_stack(self._sender, stack)
        part = transport.quote_part(operation_id)
        answer = self._sender.get(f"{found.path}/operations/{part}")
        return Operation.of(
            response_parser.get_map(answer, "operation"), found
        )
