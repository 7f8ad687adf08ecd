"""Notify workers of child-stack operations, which no API request dispatches.

All messages are hints: without them a worker polls by itself, only later. So
they are sent by a thread of their own, and a bus that is down blocks no
operation.
"""

import collections.abc
import functools
import queue
import threading
import typing

from oslo_log import log

from orch import errors
from orch import ids
from orch.context import request
from orch.rpc import contract
from orch.rpc import proxy
from orch.rpc import transport as rpc_transport

LOG = log.getLogger(__name__)

_STOP_S: typing.Final = 5.0
_MAX_QUEUED: typing.Final = 10_000
_OPERATIONS_PER_HINT: typing.Final = 8
"""Operations that one hint to one worker names."""

Hint = collections.abc.Callable[[], None]


class PeerHints:
    """Sends hints to other workers, in order."""

    def __init__(
        self, transport: rpc_transport.Transport, timeout_s: float
    ) -> None:
        """Create the queue; :meth:`start` connects."""
        self._operations = proxy.proxy(
            contract.Operations, rpc_transport.Caller(transport, timeout_s)
        )
        self._waiting: queue.Queue[Hint | None] = queue.Queue(_MAX_QUEUED)
        self._thread = threading.Thread(
            target=self._send, name="orch-cast", daemon=True
        )

    def start(self) -> None:
        """Start the thread that sends."""
        self._thread.start()

    def stop(self) -> None:
        """Send queued hints, for a few seconds at most, and stop."""
        self._put(None)
        self._thread.join(_STOP_S)

    def wake(
        self, operation_ids: collections.abc.Sequence[ids.OperationId]
    ) -> None:
        """Notify some workers that operations wait, each of a few."""
        for first in range(0, len(operation_ids), _OPERATIONS_PER_HINT):
            some = operation_ids[first : first + _OPERATIONS_PER_HINT]
            self._put(
                functools.partial(
                    self._operations.run_some, request.RequestContext(), some
                )
            )

    def notify_end(
        self, around_id: ids.StackId, child_id: ids.StackId
    ) -> None:
        """Notify all workers that an operation of a child stack has ended."""
        self._put(
            lambda: self._operations.child_ended(
                request.RequestContext(), around_id, child_id
            )
        )

    def _put(self, hint: Hint | None) -> None:
        try:
            self._waiting.put_nowait(hint)
        except queue.Full:
            LOG.warning("a hint is dropped: the bus takes none")

    def _send(self) -> None:
        while (hint := self._waiting.get()) is not None:
            try:
                hint()
            except errors.OrchError as error:
                LOG.warning("a hint is lost: %s", error)
            except Exception:
                LOG.exception("a hint is lost")
