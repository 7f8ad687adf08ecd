"""What a client needs of the bus: ways to call, and to send hints."""

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


class SearchCaller:
    """A caller of the search service, whose errors name that service."""

    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def call(
        self,
        ctxt: request.RequestContext,
        namespace: str,
        method: str,
        **kwargs: object,
    ) -> object:
        """Return the answer of the search service.

        :raises orch.errors.Unavailable: that service, or what keeps its
            index, gives no answer
        """
        try:
            return self._caller.call(ctxt, namespace, method, **kwargs)
        except errors.Unavailable as error:
            raise errors.Unavailable(
                f"The search service gives no answer: {error.message}"
            ) from error

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
