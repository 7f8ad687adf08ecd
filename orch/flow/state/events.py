"""The events of one running operation, until they are written.

Loops and the threads of calls use it at the same time.
"""

import collections.abc
import threading

from orch import clock
from orch.events import payloads
from orch.events import recorder
from orch.model import lifecycle
from orch.model import resource
from orch.model import signal
from orch.model import stack
from orch.model import states


class PendingEvents:
    """Gathers what is to be told with the next write.

    :ivar recorder: numbers the facts; whoever ends the operation may add to
        them, once no call is under way
    """

    def __init__(self, recorder_: recorder.Recorder) -> None:
        """Have nothing to tell yet."""
        self.recorder = recorder_
        self._lock = threading.Lock()

    def record(self, row: resource.Resource, now: clock.Timestamp) -> None:
        """Tell how a resource stands."""
        with self._lock:
            self.recorder.record_resource(
                row, row.action, row.status, row.status_reason, now
            )

    def record_row(
        self, row: resource.Resource, now: clock.Timestamp, reason: str
    ) -> None:
        """Tell something of a resource, whose state stays as it is."""
        with self._lock:
            self.recorder.record_remark_of(row, reason, now)

    def record_breakpoint(
        self,
        stack: stack.Stack,
        row: resource.Resource,
        hook: tuple[str, str],
        now: clock.Timestamp,
        reason: str,
        statuses: payloads.Statuses,
    ) -> None:
        """Tell that a resource waits at a breakpoint, or goes on."""
        with self._lock:
            self.recorder.record_breakpoint(
                stack, row, hook, reason, now, statuses
            )

    def record_stack(
        self, stack: stack.Stack, now: clock.Timestamp, reason: str
    ) -> None:
        """Tell something of the stack, whose state stays as it is."""
        with self._lock:
            self.recorder.record_remark(stack, reason, now)

    def record_approval(
        self,
        stack: stack.Stack,
        hold: lifecycle.Hold,
        now: clock.Timestamp,
        reason: str,
        statuses: payloads.Statuses,
    ) -> None:
        """Tell that the stack waits for an approval, or of the answer."""
        with self._lock:
            self.recorder.record_approval(stack, hold, reason, now, statuses)

    def record_refusal(
        self,
        row: resource.Resource,
        action: states.Action,
        reason: str,
        now: clock.Timestamp,
    ) -> None:
        """Tell of an act that is not allowed; the row is as it was."""
        with self._lock:
            self.recorder.record_resource(
                row, action, states.Status.FAILED, reason, now
            )

    def record_signals(
        self, unrecorded: collections.abc.Iterable[signal.UnreportedSignal]
    ) -> recorder.Facts:
        """Return the events of signals that came while the operation runs."""
        with self._lock:
            for each in unrecorded:
                self.recorder.record_signal(each)
            return self.recorder.take()

    def take(self) -> recorder.Facts:
        """Return, once, what is to be written."""
        with self._lock:
            return self.recorder.take()
