"""Heartbeat of a worker; it also deletes the rows of dead workers."""

import math

from oslo_log import log

from orch import clock
from orch import ids
from orch.db import engine as db_engine
from orch.db import errors as db_errors
from orch.db.repositories import named_leases
from orch.db.repositories import services
from orch.flow.runner import open_calls
from orch.model import service
from orch.rpc import contract

LOG = log.getLogger(__name__)

BINARY = "orch-engine"
FORGET_AFTER_REPORTS = 360
"""Missed reports after which a service is no longer listed."""


class Heartbeat:
    """Writes the worker's row at an interval."""

    def __init__(
        self,
        database: db_engine.Database,
        worker_id: ids.WorkerId,
        host: str,
        interval_s: int,
        clock_: clock.Clock,
    ) -> None:
        """Report nothing before :meth:`beat`."""
        self._database = database
        self._worker_id = worker_id
        self._host = host
        self._interval_s = interval_s
        self._clock = clock_
        self._due = -math.inf

    def beat(self) -> None:
        """Report if it is time to; never raises."""
        now = self._clock.monotonic()
        if now < self._due:
            return
        try:
            self._database.run(self._report)
        except db_errors.DatabaseDown as error:
            LOG.warning("no report: %s", error)
        except Exception:
            LOG.exception("no report")
        else:
            self._due = now + self._interval_s

    def _report(self, connection: db_engine.Connection) -> None:
        now = self._clock.now()
        services.save_report(
            connection,
            service.Service(
                id=self._worker_id,
                host=self._host,
                binary=BINARY,
                topic=contract.TOPIC,
                report_interval_s=self._interval_s,
                created_at=now,
                updated_at=now,
            ),
        )
        silence_s = FORGET_AFTER_REPORTS * self._interval_s
        services.forget_dead(connection, silence_s)
        # Its calls ended with the worker; no other code releases them.
        named_leases.forget(connection, open_calls.PREFIX, silence_s)
