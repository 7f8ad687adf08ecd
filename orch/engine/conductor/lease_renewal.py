"""Renew the leases of running operations, and report lost ones."""

import collections.abc

from orch import clock
from orch import ids
from orch.db import engine as db_engine
from orch.db.repositories import leases
from orch.flow.runner import messages
from orch.flow.runner import runner

HeldRunners = collections.abc.Callable[
    [], dict[ids.OperationId, runner.Runner]
]


class LeaseRenewal:
    """Renews all leases of one worker in one transaction."""

    def __init__(
        self,
        database: db_engine.Database,
        worker_id: ids.WorkerId,
        ttl_s: float,
        clock_: clock.Clock,
        held: HeldRunners,
    ) -> None:
        """Renew no lease yet.

        :param ttl_s: seconds for which each renewal is valid
        :param held: returns the runner of each operation of this worker
        """
        self._database = database
        self._worker_id = worker_id
        self._ttl_s = ttl_s
        self._clock = clock_
        self._held = held

    def beat(self) -> None:
        """Renew the leases; notify runners that lost one or are to stop.

        :raises orch.db.errors.DatabaseDown: the next beat tries again
        """
        held = self._held()
        if not held:
            return
        until = self._clock.monotonic() + self._ttl_s

        def work(
            connection: db_engine.Connection,
        ) -> tuple[set[ids.OperationId], list[ids.OperationId]]:
            renewed = leases.renew(
                connection, self._worker_id, self._ttl_s, list(held)
            )
            return renewed, leases.list_halted(connection, renewed)

        renewed, halted = self._database.run(work)
        for operation_id in halted:
            # It may wait long before it would check by itself.
            held[operation_id].post(messages.NextTick())
        for operation_id, each in held.items():
            if operation_id in renewed:
                each.fence.renew(until)
                if each.is_holding:
                    each.post(messages.CheckRows())
            else:
                each.fence.lose()
                each.post(messages.LeaseLost())
