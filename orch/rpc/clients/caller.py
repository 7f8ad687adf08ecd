"""What a client needs of the bus: one way to ask, one way to tell."""

import typing

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
        """Return the answer of whichever worker took the question.

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


class Client:
    """One noun's half of the contract: the namespace, and who carries it."""

    namespace: typing.ClassVar[str]

    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def _call(
        self, ctxt: request.RequestContext, method: str, **kwargs: object
    ) -> object:
        return self._caller.call(ctxt, self.namespace, method, **kwargs)
