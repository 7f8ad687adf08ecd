"""Processor time that template functions take on behalf of one request.

Functions are weighed while they run, but what a weight costs differs from
function to function. So the time of the thread is counted, too, over all
templates and passes of a request, and over all requests of a project. A thread
without a request, such as one of a conductor, counts each outermost block for
itself.
"""

import collections.abc
import contextlib
import contextvars
import dataclasses
import math
import time
import typing

from orch import clock
from orch import project_slots
from orch import token_buckets

_SHARE: typing.Final = 0.5
"""Processor seconds a second that a project has for its functions."""
_BURST_S: typing.Final = 5.0
"""Processor seconds that it has at once, after a pause."""


@dataclasses.dataclass(slots=True)
class _Account:
    """The time of one request; a context manager counts a block.

    :ivar spent_s: of the blocks that have ended
    :ivar since: time of the thread when the current block began; ``None``
        outside of one
    """

    spent_s: float = 0.0
    since: float | None = None

    def __enter__(self) -> None:
        self.since = time.thread_time()

    def __exit__(self, *_: object) -> None:
        assert self.since is not None
        self.spent_s += time.thread_time() - self.since
        self.since = None


_INSIDE: typing.Final = contextlib.nullcontext()
_account: typing.Final[contextvars.ContextVar[_Account | None]] = (
    contextvars.ContextVar("function_time", default=None)
)


@contextlib.contextmanager
def counted() -> collections.abc.Iterator[None]:
    """Add up all blocks of this thread, until this one ends."""
    token = _account.set(_Account())
    try:
        yield
    finally:
        _account.reset(token)


class TimeTaken(project_slots.SlotsTaken):
    """The functions of a project have taken their share of a process."""


class ProjectBudget:
    """Processor time that the functions of each project have in a process."""

    def __init__(self, time: clock.Clock, burst_s: float = _BURST_S) -> None:
        """Start with nothing spent.

        :param burst_s: seconds that a project has at once, after a pause
        """
        self._buckets: token_buckets.TokenBuckets[str | None] = (
            token_buckets.TokenBuckets(burst_s, time)
        )

    @contextlib.contextmanager
    def counted(
        self, project_id: str | None
    ) -> collections.abc.Iterator[None]:
        """Add up all blocks of this thread, and charge a project for them.

        :raises TimeTaken: requests before have taken too much
        """
        if self._buckets.take(project_id, _SHARE, count=0) > 0:
            raise TimeTaken(
                "The functions of templates of this project have taken more"
                " than half of a processor for a while: retry in"
                f" {TimeTaken.retry_after_s} seconds."
            )
        with counted():
            try:
                yield
            finally:
                self._buckets.take(
                    project_id, _SHARE, within_s=math.inf, count=spent_s()
                )


def running() -> contextlib.AbstractContextManager[None]:
    """Count what this thread does until the block ends as functions.

    A block inside of another one adds nothing.
    """
    # It runs for each function of a template: no generator.
    account = _account.get()
    if account is None:
        return _running_alone()
    return account if account.since is None else _INSIDE


@contextlib.contextmanager
def _running_alone() -> collections.abc.Iterator[None]:
    with counted(), running():
        yield


def spent_s() -> float:
    """Return the processor seconds of the request's functions so far."""
    account = _account.get()
    if account is None:
        return 0.0
    if account.since is None:
        return account.spent_s
    return account.spent_s + time.thread_time() - account.since
