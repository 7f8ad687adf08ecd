"""What a client needs of the bus: ways to call, and to send hints."""

import collections.abc
import contextlib
import threading
import typing

from orch import errors
from orch.context import request


class Caller(typing.Protocol):
    """Sends to the workers; ``orch.rpc.transport`` has the real one."""

    def call(
        self,
        ctxt: request.RequestContext,
        namespace: str,
        method: str,
        **kwargs: object,
    ) -> object:
        """Return the answer of any worker.

        :raises orch.errors.Unavailable: no worker answered in time
        :raises orch.errors.OrchError: what the worker said went wrong
        """

    def cast(
        self,
        ctxt: request.RequestContext,
        namespace: str,
        method: str,
        **kwargs: object,
    ) -> None:
        """Send a hint that no answer comes to; it may be lost.

        :raises orch.errors.Unavailable: the bus did not take it
        """

    def broadcast(
        self,
        ctxt: request.RequestContext,
        namespace: str,
        method: str,
        **kwargs: object,
    ) -> None:
        """Send a hint to all workers; it may be lost.

        :raises orch.errors.Unavailable: the bus did not take it
        """


_STALLED: typing.Final = 2
"""Calls without an answer, one after the other, by which it has stalled."""


class SearchCaller:
    """A caller of the search service, whose errors name that service.

    While it gives no answers only one call at a time waits for one; all others
    are refused at once. Safe for several threads.
    """

    def __init__(self, caller: Caller) -> None:
        self._caller = caller
        self._unanswered = 0
        self._problem = ""
        self._probe = threading.Lock()

    def call(
        self,
        ctxt: request.RequestContext,
        namespace: str,
        method: str,
        **kwargs: object,
    ) -> object:
        """Return the answer of the search service.

        :raises orch.errors.Unavailable: that service, or what keeps its
            index, gives no answer, or has given none to the last calls
        """
        with self._admitted():
            try:
                answer = self._caller.call(ctxt, namespace, method, **kwargs)
            except errors.Unavailable as error:
                self._unanswered += 1
                self._problem = error.message
                raise _unanswered(error.message) from error
            except errors.OrchError:
                self._unanswered = 0
                raise
            self._unanswered = 0
            return answer

    @contextlib.contextmanager
    def _admitted(self) -> collections.abc.Iterator[None]:
        """Let one call at a time through, unless the last ones were answered.

        :raises orch.errors.Unavailable: another one waits for an answer
        """
        if self._unanswered < _STALLED:
            yield
            return
        if not self._probe.acquire(blocking=False):
            raise _unanswered(self._problem)
        try:
            yield
        finally:
            self._probe.release()

    def cast(
        self,
        ctxt: request.RequestContext,
        namespace: str,
        method: str,
        **kwargs: object,
    ) -> None:
        """Send a hint to the search service."""
        self._caller.cast(ctxt, namespace, method, **kwargs)

    def broadcast(
        self,
        ctxt: request.RequestContext,
        namespace: str,
        method: str,
        **kwargs: object,
    ) -> None:
        """Send a hint to all processes of the search service."""
        self._caller.broadcast(ctxt, namespace, method, **kwargs)


def _unanswered(problem: str) -> errors.Unavailable:
    return errors.Unavailable(f"The search service gives no answer: {problem}")
