"""Methods of operations."""

import typing

from orchclient import stack_identity
from orchclient.values import lifecycle

_ENDS: typing.Final = ("COMPLETE", "FAILED", "SUPERSEDED")


class OperationMethods:
    """Methods of an operation."""

    __slots__ = ()
    stack: stack_identity.StackIdentity
    state: str
    hold: lifecycle.Hold | None
    child_holds: tuple[lifecycle.OpenHold, ...]

    @property
    def is_over(self) -> bool:
        """Whether the operation has ended; one that failed can be retried."""
        return self.state in _ENDS

    @property
    def open_holds(self) -> tuple[lifecycle.OpenHold, ...]:
        """Return the holds to approve before the operation goes on."""
        if self.is_over:
            return ()
        if self.hold is None or not self.hold.is_open:
            return self.child_holds
        return (lifecycle.OpenHold(path=(), stack=self.stack, hold=self.hold),)

    @property
    def is_held(self) -> bool:
        """Whether the operation waits for an approval or a rejection."""
        return bool(self.open_holds)

    @property
    def is_complete(self) -> bool:
        """Whether the operation is complete, and no child stack waits."""
        return self.state == "COMPLETE"
