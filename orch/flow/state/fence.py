"""The fence of a lease, as its worker knows it without a query."""

from orch import clock
from orch import errors
from orch import ids
from orch.metrics import catalogue


class NotHeld(errors.OrchError):
    """The lease may have expired; nothing was called or written."""

    code = "orch.lease.not_held"


class Fence:
    """The fence number of a lease, and until when it surely holds.

    The time is this machine's monotonic clock, counted from *before* the
    statement that renewed the lease, so it never outlives the row.

    :ivar is_lost: another worker is known to have taken the lease
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
        self.is_lost = False

    @property
    def left_s(self) -> float:
        """For how many seconds the lease surely holds; none or less: ended."""
        return self._until - self._clock.monotonic()

    def until_after(self, ttl_s: float) -> float:
        """Return until when a renewal that begins now surely holds."""
        return self._clock.monotonic() + ttl_s

    def renew(self, until: float) -> None:
        """Extend the lease to a later moment, in monotonic seconds."""
        self._until = max(self._until, until)

    def lose(self) -> None:
        """Mark the lease as lost: another worker has taken it."""
        if not self.is_lost:
            catalogue.LEASES_LOST.count()
        self.is_lost = True

    def check(self) -> None:
        """Raise NotHeld if the lease may have expired.

        :raises NotHeld: it expired, or was taken
        """
        if self.is_lost or self.left_s <= 0:
            raise NotHeld(
                f"the lease of operation {self.operation_id} is not held"
            )
