"""Park an operation that a plug-in holds, with the write of the hold."""

import dataclasses

from orch.db import engine as db_engine
from orch.db import functions
from orch.db.repositories import leases
from orch.db.repositories import lifecycle as repository_lifecycle
from orch.db.repositories import stacks
from orch.engine.lifecycle import messages
from orch.flow.state import parking
from orch.flow.state import store
from orch.model import lifecycle as model
from orch.model import operation


class HoldWrite(parking.SideWrites):
    """Parks a held operation, unless its hold was answered meanwhile.

    :ivar found: the hold as it is now
    """

    def __init__(
        self,
        store: store.Store,
        run: model.Run,
        *,
        is_new: bool,
    ) -> None:
        """Prepare :meth:`write`, which may run again.

        :param run: the run with the hold
        :param is_new: whether the hold is new, so that it cannot have an
            answer
        """
        super().__init__(store.fence, store.stack)
        self._store = store
        self._run = run
        self._is_new = is_new
        self.found = run.hold

    def write(
        self,
        connection: db_engine.Connection,
        stop_reason: operation.StopReason | None,
    ) -> None:
        """Store the hold, or load its answer; the operation is locked."""
        self.is_parked = False
        now = functions.read_clock(connection)
        operation = self._store.operation
        hold = self._run.hold
        assert hold is not None
        if self._is_new:
            ends_at = operation.deadline_at
            left_s = None if ends_at is None else max(ends_at - now, 1.0)
            hold = dataclasses.replace(hold, left_s=left_s)
            repository_lifecycle.save_hold(connection, self._run, hold)
        else:
            hold = (
                repository_lifecycle.find_hold(connection, self._run) or hold
            )
            if hold.is_open and hold.deadline_at <= now:
                hold = repository_lifecycle.expire(
                    connection, self._run, hold, now
                )
        self.found = hold
        if stop_reason is not None or not hold.is_open:
            return
        self.is_parked = True
        reason = messages.held_message(operation.action.value, hold)
        leases.park(
            connection,
            operation.id,
            self._store.fence.number,
            reason=reason,
            pause_s=max(hold.deadline_at - now, 0.0),
            options=operation.options,
            stops_time=True,
        )
        stacks.update(connection, self._store.stack.id, status_reason=reason)
