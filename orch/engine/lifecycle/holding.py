"""An operation waits, as a row and without a worker, for an approval."""

import collections.abc
import dataclasses

from orch import clock
from orch.db import engine as db_engine
from orch.db import functions
from orch.db.repositories import leases
from orch.db.repositories import lifecycle
from orch.db.repositories import stacks
from orch.flow import parking
from orch.flow import store
from orch.model import lifecycle as model
from orch.model import operation


class HeldVisit(parking.Visit):
    """Gives the worker back, unless somebody has answered meanwhile.

    :ivar found: the hold as it is now
    """

    def __init__(
        self,
        kept: store.Store,
        run: model.Run,
        *,
        is_new: bool,
        describe: collections.abc.Callable[[model.Hold], str],
    ) -> None:
        """Be ready for :meth:`write`; it may run again.

        :param run: with the hold
        :param is_new: nobody can have answered it yet
        :param describe: gives what the stack says meanwhile
        """
        super().__init__(kept.fence, kept.stack)
        self._kept = kept
        self._run = run
        self._is_new = is_new
        self._describe = describe
        self.found = run.hold

    def write(
        self, connection: db_engine.Connection, halt: operation.Halt | None
    ) -> None:
        """Write and look; the caller holds the lock of the operation."""
        self.is_parked = False
        now = functions.read_clock(connection)
        asked = self._kept.operation
        hold = self._run.hold
        assert hold is not None
        if self._is_new:
            left_s = None
            if asked.deadline_at is not None:
                left_s = max(asked.deadline_at - now, 1.0)
            hold = dataclasses.replace(
                hold,
                asked_at=now,
                deadline_at=clock.Timestamp(
                    now + hold.deadline_at - hold.asked_at
                ),
                left_s=left_s,
            )
            lifecycle.save_hold(connection, self._run, hold)
        else:
            hold = lifecycle.find_hold(connection, self._run) or hold
            if hold.is_open and hold.deadline_at <= now:
                hold = lifecycle.expire(connection, self._run, hold, now)
        self.found = hold
        if halt is not None or not hold.is_open:
            return
        self.is_parked = True
        reason = self._describe(hold)
        leases.park(
            connection,
            asked.id,
            self._kept.fence.number,
            reason=reason,
            pause_s=max(hold.deadline_at - now, 0.0),
            options=asked.options,
            stops_time=True,
        )
        stacks.update(connection, self._kept.stack.id, status_reason=reason)
