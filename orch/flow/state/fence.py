"""What a worker knows, without asking, of a lease that it holds."""

import threading

from orch import clock
from orch import errors
from orch import ids
from orch.metrics import catalogue


class NotHeld(errors.OrchError):
    """The lease may have run out; nothing was called or written."""

    code = "orch.lease.not_held"


class Fence:
    """The number that every write bears, and until when it surely holds.

    The time is this machine's monotonic clock, counted from *before* the
    statement that renewed the lease, so it never outlives the row.
    """

    def __init__(
        self,
        operation_id: ids.OperationId,
        number: int,
        until: float,
        clock_: clock.Clock,
    ) -> None:
        """Hold the lease of an operation.

        :param until: monotonic seconds at which it runs out
        """
        self.operation_id = operation_id
        self.number = number
        self._until = until
        self._clock = clock_
        self._lost = threading.Event()

    def renew(self, until: float) -> None:
        """Hold it until a later moment, monotonic seconds."""
        self._until = max(self._until, until)

    def lose(self) -> None:
        """Hold it no more: another worker has taken it."""
        if not self.is_lost:
            catalogue.LEASES_LOST.count()
        self._lost.set()

    @property
    def is_lost(self) -> bool:
        """Answer whether another worker is known to have taken it."""
        return self._lost.is_set()

    def check(self) -> None:
        """Return only if the lease surely holds right now.

        :raises NotHeld: it ran out, or was taken
        """
        if self.is_lost or self._clock.monotonic() >= self._until:
            raise NotHeld(
                f"the lease of operation {self.operation_id} is not held"
            )
