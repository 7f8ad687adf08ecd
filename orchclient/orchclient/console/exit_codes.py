"""Exit codes: one for each class of failures, so that scripts can act."""

import enum
import typing

from orchclient import drift
from orchclient import errors
from orchclient import operation_errors
from orchclient import push_errors


class Exit(enum.IntEnum):
    """The exit code of a command."""

    DONE = 0
    ERROR = 1
    USAGE = 2
    FAILED = 3
    SUPERSEDED = 4
    NOT_FOUND = 5
    CONFLICT = 6
    INVALID = 7
    NOT_ALLOWED = 8
    UNREACHABLE = 9
    TIMED_OUT = 10
    CHANGES = 11
    HELD = 12
    DRIFTED = 13
    UNKNOWN = 14
    DENIED = 15
    DETACHED = 130


# The first that fits counts.
_BY_ERROR: typing.Final[tuple[tuple[type[errors.Error], Exit], ...]] = (
    (operation_errors.OperationSupersededError, Exit.SUPERSEDED),
    (operation_errors.OperationError, Exit.FAILED),
    (operation_errors.WaitTimeoutError, Exit.TIMED_OUT),
    (drift.ObservationTimeoutError, Exit.TIMED_OUT),
    (operation_errors.OperationHeldError, Exit.HELD),
    (errors.NotFoundError, Exit.NOT_FOUND),
    (errors.ConflictError, Exit.CONFLICT),
    (errors.PreconditionFailedError, Exit.CONFLICT),
    (errors.BadRequestError, Exit.INVALID),
    (errors.TooLargeError, Exit.INVALID),
    (errors.UnprocessableError, Exit.INVALID),
    (errors.PackagingError, Exit.INVALID),
    (errors.UnauthorizedError, Exit.NOT_ALLOWED),
    (errors.ForbiddenError, Exit.NOT_ALLOWED),
    (errors.LoginError, Exit.NOT_ALLOWED),
    (errors.ConnectError, Exit.UNREACHABLE),
    (errors.UnavailableError, Exit.UNREACHABLE),
    (errors.RateLimitedError, Exit.UNREACHABLE),
)


class UsageError(Exception):
    """The command line is wrong; the text says why."""


def exit_code_of(error: Exception) -> Exit:
    """Return the exit code of an error."""
    if isinstance(error, UsageError):
        return Exit.USAGE
    if isinstance(error, push_errors.PushError):
        cause = error.__cause__
        return (
            exit_code_of(cause)
            if isinstance(cause, errors.Error)
            else Exit.CONFLICT
        )
    for kind, code in _BY_ERROR:
        if isinstance(error, kind):
            return code
    return Exit.ERROR
