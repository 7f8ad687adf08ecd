"""What a worker was told to look for, until it looks."""

import queue
import typing

from orch import ids

CLAIM_BATCH: typing.Final = 50
"""Operations that are looked for at once."""


class WakeQueue:
    """Gathers wake-ups; from any thread."""

    def __init__(self) -> None:
        """Know of none."""
        self._queue: queue.SimpleQueue[ids.OperationId | None] = (
            queue.SimpleQueue()
        )

    def put(self, operation_id: ids.OperationId | None) -> None:
        """Have this operation looked for; ``None``: any that waits."""
        self._queue.put(operation_id)

    def wait(self, timeout_s: float) -> list[ids.OperationId]:
        """Return the operations that somebody woke us for; none: scan."""
        operation_ids: list[ids.OperationId] = []
        try:
            first = self._queue.get(timeout=timeout_s)
            while first is not None:
                operation_ids.append(first)
                if len(operation_ids) == CLAIM_BATCH:
                    break
                first = self._queue.get_nowait()
        except queue.Empty:
            return operation_ids
        return operation_ids if first is not None else []
