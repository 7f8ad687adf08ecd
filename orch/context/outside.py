"""Calls to other services on behalf of the request that a thread serves.

How long such a service takes, a user may decide. So the threads that wait for
one are limited, in all and by project; all calls of one kind have one time
limit in each request; and what has failed is not called again by it.

A kind is the name of what is called for, such as "reads": its limit is that of
callers of :meth:`OutsideCalls.left_s`. Calls of the kind "" have no limit of
their own in a request, and end with its deadline alone.
"""

import collections
import collections.abc
import contextlib
import contextvars
import time
import typing

from orch import errors
from orch import project_slots
from orch.context import deadline

MAX_PER_PROJECT: typing.Final = 2
WAIT_S: typing.Final = 5.0
"""How long a thread waits for a slot that quick calls occupy."""
REFUSALS: typing.Final = (
    project_slots.SlotsTaken,
    deadline.DeadlineExceeded,
)
"""Errors that end a request: no part of an answer is shown instead."""


def make_slots(threads: int) -> project_slots.ProjectSlots:
    """Return the slots of a pool: half of its threads.

    One project leaves a slot to others, where there is more than one.
    """
    limit = max(1, threads // 2)
    return project_slots.ProjectSlots(
        "requests that wait for other services",
        limit,
        max(1, min(MAX_PER_PROJECT, limit - 1)),
    )


class OutsideCalls:
    """The calls to other services of one request; its thread uses them.

    :ivar failures: errors of this request, by what must not be called again
    """

    def __init__(
        self,
        project_id: str | None = None,
        slots: project_slots.ProjectSlots | None = None,
        *,
        is_awaited: bool = False,
    ) -> None:
        """Call nothing yet.

        :param slots: of the pool that the thread belongs to; ``None`` for no
            limit
        :param is_awaited: a caller waits for the answer
        """
        self.project_id = project_id
        self.is_awaited = is_awaited
        self.failures: dict[str, errors.OrchError] = {}
        self._slots = slots
        self._has_slot = False
        self._spent_s: dict[str, float] = collections.defaultdict(float)

    @contextlib.contextmanager
    def slot(self, kind: str = "") -> collections.abc.Iterator[None]:
        """Occupy a slot of the pool while another service is called.

        An inner block of the same request needs none of its own.

        :param kind: of the calls, whose time limit it counts for
        :raises orch.project_slots.SlotsTaken: none is free
        :raises orch.context.deadline.DeadlineExceeded: no caller waits
        """
        deadline.check()
        with contextlib.ExitStack() as held:
            if self._slots is not None and not self._has_slot:
                held.enter_context(
                    self._slots.taken(
                        self.project_id, deadline.shorten(WAIT_S)
                    )
                )
                held.callback(setattr, self, "_has_slot", False)
                self._has_slot = True
            since = time.monotonic()
            try:
                yield
            finally:
                self._spent_s[kind] += time.monotonic() - since

    def left_s(self, kind: str, limit_s: float) -> float:
        """Return how long further calls of a kind may take, at least 0.

        :param limit_s: seconds for all calls of that kind
        :raises orch.context.deadline.DeadlineExceeded: no caller waits
        """
        return deadline.shorten(max(0.0, limit_s - self._spent_s[kind]))


_current: typing.Final[contextvars.ContextVar[OutsideCalls | None]] = (
    contextvars.ContextVar("outside_calls", default=None)
)


def current() -> OutsideCalls:
    """Return the calls of the request that this thread serves.

    A thread that serves none gets new ones each time, without slots.
    """
    return _current.get() or OutsideCalls()


def awaited() -> OutsideCalls:
    """Return the calls of the request, if a caller waits for its answer.

    Else new ones, without slots: the thread is there to wait.
    """
    found = current()
    return found if found.is_awaited else OutsideCalls(found.project_id)


@contextlib.contextmanager
def limited(calls: OutsideCalls) -> collections.abc.Iterator[None]:
    """Bind this thread to the calls of a request, until the block ends."""
    token = _current.set(calls)
    try:
        yield
    finally:
        _current.reset(token)
