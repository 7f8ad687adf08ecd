"""Waits for operations to end, and reports why one failed."""

import collections.abc
import time
import typing

from orchclient import errors
from orchclient import models
from orchclient import operation_errors
from orchclient import operations
from orchclient import retry
from orchclient import stack_lookup
from orchclient import transport

INTERVAL_S: typing.Final = 1.0
_RETRY_LIMIT_S: typing.Final = 60.0

Operations = collections.abc.Iterator[operations.Operation]


class Waiters:
    """Waits by polling."""

    def __init__(
        self, sender: transport.Transport, clock: retry.Clock = time
    ) -> None:
        self._sender = sender
        self._operations = operations.Operations(sender)
        self._clock = clock
        self._retry_policy = retry.RetryPolicy(_RETRY_LIMIT_S, clock)

    def watch(
        self,
        stack: models.Which,
        operation_id: str | None = None,
        *,
        interval_s: float = INTERVAL_S,
        timeout_s: float | None = None,
    ) -> Operations:
        """Yield an operation whenever it has changed, at last as it ended.

        :param operation_id: ``None``: the one that was requested last; not
            the rollback that follows when that fails
        :param timeout_s: ``None`` waits as long as it takes
        :raises orchclient.operation_errors.WaitTimeoutError: it goes on after
            that
        :raises orchclient.errors.NotFoundError: there is none
        """
        limit = self._limit(timeout_s)
        found = self._ask(lambda: self._identify(stack))
        if operation_id is None:
            operation_id = self._ask(lambda: self._last_requested(found))
        chosen = operation_id
        last: operations.Operation | None = None
        while True:
            shown = self._ask(lambda: self._operations.show(found, chosen))
            if shown != last:
                yield shown
            if shown.is_over:
                return
            last = shown
            left = limit - self._clock.monotonic()
            if left <= 0:
                raise operation_errors.WaitTimeoutError(
                    f"{shown.action} of {found.name} goes on after"
                    f" {timeout_s:g} seconds, {shown.state}.",
                    shown,
                )
            self._clock.sleep(min(interval_s, left))

    def wait(
        self,
        stack: models.Which,
        operation_id: str | None = None,
        *,
        interval_s: float = INTERVAL_S,
        timeout_s: float | None = None,
    ) -> operations.Operation:
        """Wait until an operation is complete, and return it.

        :param operation_id: as of :meth:`watch`
        :param timeout_s: ``None`` waits as long as it takes
        :raises orchclient.operation_errors.OperationFailedError: it has
            failed; the error has the root cause
        :raises orchclient.operation_errors.OperationSupersededError: a newer
            one has ended it
        :raises orchclient.operation_errors.WaitTimeoutError: it goes on after
            that
        """
        *_, ended = self.watch(
            stack, operation_id, interval_s=interval_s, timeout_s=timeout_s
        )
        self.check(ended)
        return ended

    def check(self, operation: operations.Operation) -> None:
        """Raise OperationError if an operation that is over is not complete.

        :param operation: one that is over; errors as of :meth:`wait`
        """
        if operation.is_complete:
            return
        what = f"{operation.action} of {operation.stack.name}"
        if operation.state == "SUPERSEDED":
            raise operation_errors.OperationSupersededError(
                f"{what} was superseded by a newer operation,"
                f" {operation.superseded_by}.",
                operation,
            )
        failures = self.failures(operation)
        why = failures[0].text if failures else operation.reason
        raise operation_errors.OperationFailedError(
            f"{what} failed: {why}", operation, failures
        )

    def failures(
        self, operation: operations.Operation
    ) -> tuple[operations.Failure, ...]:
        """Return the failures of an operation, the root cause first.

        Instead of a resource that is a child stack those are listed that
        failed in it. An operation of a list is read anew.
        """
        found = operation.failures
        if found is None:
            shown = self._ask(
                lambda: self._operations.show(operation.stack, operation.id)
            )
            found = shown.failures or ()
        return found

    def _identify(self, stack: models.Which) -> models.StackIdentity:
        return stack_lookup.identify_stack(self._sender, stack)

    def _last_requested(self, stack: models.StackIdentity) -> str:
        found = self._operations.find_last_requested(stack)
        if found is None:
            raise errors.NotFoundError(
                errors.ErrorDetails(
                    status=404, message=f"{stack} has no operations."
                )
            )
        return found.id

    def _limit(self, timeout_s: float | None) -> float:
        if timeout_s is None:
            return float("inf")
        return self._clock.monotonic() + timeout_s

    def _ask(
        self, question: collections.abc.Callable[[], retry.Answer]
    ) -> retry.Answer:
        return self._retry_policy.ask(question)
