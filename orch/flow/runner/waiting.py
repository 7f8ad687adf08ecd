"""The changes of one operation that wait for retries, quota or users."""

import collections.abc

from orch import clock
from orch.flow.engine import breakpoints
from orch.flow.engine import engine
from orch.flow.runner import blocked_children
from orch.flow.runner import retries
from orch.flow.runner import signal_waits
from orch.flow.state import parking
from orch.flow.state import store
from orch.flow.state import submit
from orch.flow.tasks import base
from orch.model import blocked
from orch.model import operation
from orch.model import stack

Atoms = collections.abc.Set[base.ChangeTask]


class Waiting:
    """Decides when the operation may be parked, and writes so.

    :ivar delays: the calls that are made again
    :ivar signal_waits: the atoms that wait for signals
    :ivar children: those whose child stacks are blocked
    :ivar has_resumed: with the last write a hold was released
    """

    def __init__(
        self,
        run: engine.Engine,
        store: store.Store,
        gate: breakpoints.BreakpointGate,
        delayed: retries.Retries,
        clock_: clock.Clock,
    ) -> None:
        """Start without any wait.

        :param gate: holds changes at breakpoints
        """
        self.delays = delayed
        self.signal_waits = signal_waits.SignalWaits(store, clock_)
        self.children = blocked_children.BlockedChildren(store)
        self._run = run
        self._store = store
        self._gate = gate
        self._checks_signals = False
        self.has_resumed = False
        self._usual = submit.started_stack(
            store.stack, store.operation
        ).status_reason
        # What the row says; after a new operation's start it may be stale.
        self._shown = blocked.Blocked.of(store.stack.blocked)
        self._is_stale = is_stale(store.stack, store.operation)

    def look(self) -> None:
        """Check with the next write whether a hold was released."""
        self._checks_signals = True

    def may_park(self) -> bool:
        """Whether every change that is left waits.

        A failure is reported at once: then the operation is not parked.
        """
        blocked = self.delays.blocked
        listeners = self.signal_waits.atoms
        return (
            (bool(blocked or listeners) or self._run.order.is_holding)
            and not self._run.failures
            and not self._run.is_suspended
            and not self._run.has_ready
            and len(self._run.running) == len(blocked) + len(listeners)
            and (not listeners or self.signal_waits.is_quiet)
        )

    def write(self, *, parks: bool = False) -> bool:
        """Write what was noted, and take in releases and signals.

        :param parks: the operation is to wait as a row
        :returns: whether it does
        :raises orch.db.errors.LeaseLost: nothing was written, nor will be
        """
        self.has_resumed = False
        side_writes = self.side_writes(parks=parks)
        self._store.flush(side_writes=side_writes)
        if side_writes is None:
            return False
        if side_writes.new_signals:
            self.signal_waits.add(side_writes.new_signals)
        if side_writes.released:
            self._gate.release(side_writes.released)
            self._run.reconsider()
            self.has_resumed = True
        return side_writes.is_parked

    def side_writes(self, *, parks: bool = False) -> parking.SideWrites | None:
        """Return the side writes for what is held, if any."""
        park = self._park() if parks else None
        checks_signals, self._checks_signals = (
            self._checks_signals or parks,
            False,
        )
        changed = self._gate.take_changed()
        waits = self._list_blocked()
        shows = self._is_stale or waits != self._shown
        self._shown, self._is_stale = waits, False
        if not (changed or checks_signals or shows or park):
            return None
        return parking.SideWrites(
            self._store.fence,
            self._store.stack,
            changed=changed,
            waiting_ids=list(self._gate.waiting) if checks_signals else [],
            known_signals=self.signal_waits.known if checks_signals else {},
            checks_signals=checks_signals,
            reason=(waits.reason or self._usual) if shows else None,
            waits=waits,
            park=park,
        )

    def give_up(self, busy: Atoms) -> None:
        """End retries and waits once the operation has failed for good.

        Its waits for signals end, too. With ``keep_going`` an operation has
        failed for good once no other change is in progress.

        :param busy: atoms whose call is in progress
        """
        if not self._run.failures:
            return
        if self._run.is_suspended:
            for atom in tuple(self.signal_waits.atoms):
                self.signal_waits.end(atom)
                self._run.forget(atom)
        is_rest = len(self._run.running) == len(self.delays.blocked)
        is_last = is_rest and not self._run.has_ready
        if not self._run.is_suspended and not is_last:
            return
        for atom in self.delays.atoms - busy:
            error = self.delays.find_error(atom)
            if error is not None and atom in self._run.running:
                self._run.fail(atom, error)

    def _list_blocked(self) -> blocked.Blocked:
        """Return what the operation waits for while it has its worker.

        That is shown as soon as a child stack is blocked.
        """
        children = self.children.found
        if not children or self._run.failures:
            return blocked.NOTHING
        own = [*self.delays.list_waits(), *self._waits()]
        return blocked.merge([*children, blocked.of_waits(own)])

    def _park(self) -> parking.Park:
        return self.delays.park(self._waits(), self.signal_waits.next_due)

    def _waits(self) -> list[blocked.Wait]:
        """Return the waits for signals and at breakpoints."""
        return [
            *(
                blocked.Wait(blocked.WaitKind.SIGNAL, name)
                for name in self.signal_waits.names
            ),
            *(
                blocked.Wait(
                    blocked.WaitKind.BREAKPOINT,
                    self._store.rows[resource_id].name,
                    hook,
                )
                for resource_id, hook in self._gate.waiting.items()
            ),
        ]


def is_stale(stack: stack.Stack, operation: operation.Operation) -> bool:
    """Whether a stack still shows that its operation waits."""
    usual = submit.started_stack(stack, operation).status_reason
    return stack.operation_id == operation.id and (
        stack.status_reason != usual or stack.blocked is not None
    )
