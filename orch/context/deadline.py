"""The deadline of the request that a thread serves.

Every loop whose length a caller decides calls :func:`check`, and every wait
for another service lasts no longer than :func:`left_s`: work for a caller that
does not wait any more ends. A thread without a request, such as one of a
conductor, has no deadline, and a new thread inherits none.
"""

import collections.abc
import contextlib
import contextvars
import time
import typing

from orch import errors


class DeadlineExceeded(errors.Unavailable):
    """The request took longer than its caller waits for the answer."""

    code = "orch.deadline_exceeded"


_end: typing.Final[contextvars.ContextVar[float | None]] = (
    contextvars.ContextVar("request_end", default=None)
)


@contextlib.contextmanager
def limited(limit_s: float | None) -> collections.abc.Iterator[None]:
    """Bind this thread to a deadline, until the block ends.

    An earlier deadline of the thread stays.

    :param limit_s: seconds from now; ``None`` adds none
    """
    before = _end.get()
    if limit_s is None:
        yield
        return
    end = time.monotonic() + limit_s
    token = _end.set(end if before is None else min(end, before))
    try:
        yield
    finally:
        _end.reset(token)


@contextlib.contextmanager
def lifted() -> collections.abc.Iterator[None]:
    """Free this thread of its deadline, until the block ends.

    For short work that undoes what a refused request has left.
    """
    token = _end.set(None)
    try:
        yield
    finally:
        _end.reset(token)


def left_s() -> float | None:
    """Return the seconds until the deadline, at least 0.

    :returns: ``None`` without a deadline
    """
    end = _end.get()
    return None if end is None else max(0.0, end - time.monotonic())


def shorten(timeout_s: float) -> float:
    """Return a timeout that ends at the deadline at the latest.

    :param timeout_s: seconds
    :raises DeadlineExceeded: no time is left
    """
    left = left_s()
    if left is None:
        return timeout_s
    check()
    return min(timeout_s, left)


def check() -> None:
    """Raise DeadlineExceeded if the deadline is over.

    :raises DeadlineExceeded: the caller waits no longer
    """
    if left_s() == 0.0:
        raise DeadlineExceeded(
            "The request took longer than its caller waits for the answer"
            " ([api] rpc_timeout of the service), and was ended. Request less"
            " at once."
        )
