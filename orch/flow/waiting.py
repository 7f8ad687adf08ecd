"""What of one operation waits: for another try, for room, or for somebody."""

import collections.abc

from orch.flow import delays
from orch.flow import engine
from orch.flow import holds
from orch.flow import parking
from orch.flow import store
from orch.flow.tasks import base

Atoms = collections.abc.Set[base.ChangeTask]


class Waiting:
    """Knows when the operation may give its worker back, and says so.

    :ivar delays: the calls that are made again
    """

    def __init__(
        self,
        run: engine.Engine,
        kept: store.Store,
        gate: holds.Holds | None,
        delayed: delays.Delays,
    ) -> None:
        """Look at one operation.

        :param gate: what holds changes at breakpoints, if anything does
        """
        self.delays = delayed
        self._run = run
        self._store = kept
        self._gate = gate
        self._looks = False
        self._has_gone_on = False
        self._reason = parking.stale_reason(kept.stack, kept.operation)

    def look(self) -> None:
        """Look with the next write whether anything was cleared."""
        self._looks = True

    def may_park(self) -> bool:
        """Answer whether all that is left waits.

        What has failed is told at once: then nothing is waited for.
        """
        blocked = self.delays.blocked
        return (
            (bool(blocked) or self._run.is_holding)
            and not self._run.failures
            and not self._run.is_suspended
            and not self._run.has_ready
            and self._run.running_count == len(blocked)
        )

    def write(self, *, parks: bool = False) -> bool:
        """Write what was noted, and take in what was cleared meanwhile.

        :param parks: the operation is to wait as a row
        :returns: whether it does
        :raises orch.db.errors.LeaseLost: nothing was written, nor will be
        """
        visit = self.visit(parks=parks)
        self._store.flush(visit=visit)
        if visit is None or self._gate is None:
            return visit is not None and visit.is_parked
        if visit.released:
            self._gate.release(visit.released)
            self._run.reconsider()
            self._has_gone_on = True
        return visit.is_parked

    def take_gone_on(self) -> bool:
        """Answer, once, whether something was cleared meanwhile."""
        has_gone_on, self._has_gone_on = self._has_gone_on, False
        return has_gone_on

    def visit(self, *, parks: bool = False) -> parking.Visit | None:
        """Return what a write has to do for what is held, if anything."""
        park = self.delays.park(self._held()) if parks else None
        changed, looked_at = self._of_gate(parks)
        reason, self._reason = self._reason, None
        if not (changed or looked_at or reason or park):
            return None
        return parking.Visit(
            self._store.fence,
            self._store.stack,
            changed=changed,
            looked_at=looked_at,
            reason=reason,
            park=park,
        )

    def give_up(self, busy: Atoms) -> None:
        """Try nothing again once the operation has failed for good.

        With ``keep_going`` that is when nothing else goes on.

        :param busy: what a call is under way of
        """
        if not self._run.failures:
            return
        is_rest = self._run.running_count == len(self.delays.blocked)
        is_last = is_rest and not self._run.has_ready
        if not self._run.is_suspended and not is_last:
            return
        for atom in self.delays.atoms - busy:
            error = self.delays.find_error(atom)
            if error is not None and self._run.is_running(atom):
                self._run.fail(atom, error)

    def _held(self) -> list[tuple[str, str]]:
        """Return the name of each resource at a breakpoint, and which."""
        if self._gate is None:
            return []
        return [
            (self._store.row(resource_id).name, hook)
            for resource_id, hook in self._gate.waiting.items()
        ]

    def _of_gate(
        self, parks: bool
    ) -> tuple[list[parking.Row], list[parking.RowId]]:
        """Return what has to be written, and what has to be looked at."""
        looks, self._looks = self._looks or parks, False
        if self._gate is None:
            return [], []
        looked_at = list(self._gate.waiting) if looks else []
        return self._gate.take_changed(), looked_at
