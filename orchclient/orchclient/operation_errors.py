"""Errors of operations that did not complete."""

import collections.abc

from orchclient import errors
from orchclient import operations


class OperationError(errors.Error):
    """An operation did not complete.

    :ivar operation: as it ended
    :ivar failures: what failed, down to the deepest child stacks; the root
        cause is the first
    """

    def __init__(
        self,
        message: str,
        operation: operations.Operation,
        failures: collections.abc.Sequence[operations.Failure] = (),
    ) -> None:
        super().__init__(message)
        self.operation = operation
        self.failures = tuple(failures)

    @property
    def root_cause(self) -> operations.Failure | None:
        """Return the first failure, where the service reports it."""
        return self.failures[0] if self.failures else None


class OperationFailedError(OperationError):
    """An operation has failed; it can be retried."""


class OperationSupersededError(OperationError):
    """A newer operation of the same stack has ended this one."""


class OperationHeldError(errors.Error):
    """An operation is on hold until it is approved or rejected.

    :ivar operation: as it was read last
    """

    def __init__(self, message: str, operation: operations.Operation) -> None:
        super().__init__(message)
        self.operation = operation


class WaitTimeoutError(errors.Error):
    """The caller waits no longer; the operation goes on.

    :ivar operation: as it was read last
    """

    def __init__(self, message: str, operation: operations.Operation) -> None:
        super().__init__(message)
        self.operation = operation
