"""Heartbeat of a worker; it also deletes the rows of dead workers."""

import collections.abc
import math

from oslo_log import log

from orch import clock
from orch import ids
from orch.db import engine as db_engine
from orch.db import errors as db_errors
from orch.db.repositories import named_leases
from orch.db.repositories import services
from orch.flow.runner import open_calls
from orch.model import plugin_settings
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
        load_report: collections.abc.Callable[
            [], plugin_settings.LoadReport
        ] = plugin_settings.LoadReport,
    ) -> None:
        """Report nothing before :meth:`beat`.

        :param load_report: returns what it says of its plug-in settings
        """
        self._database = database
        self._worker_id = worker_id
        self._host = host
        self._interval_s = interval_s
        self._clock = clock_
        self._load_report = load_report
        self._reported: plugin_settings.LoadReport | None = None
        self._due = -math.inf

    def beat(self) -> None:
        """Report if it is time to, or if there is news; never raises."""
        now = self._clock.monotonic()
        load_report = self._load_report()
        if now < self._due and load_report == self._reported:
            return
        if self._save(load_report, self._interval_s):
            self._reported = load_report
            self._due = now + self._interval_s

    def end(self) -> None:
        """Report the end, so that the worker is down at once."""
        self._save(self._load_report(), 0)

    def _save(
        self, load_report: plugin_settings.LoadReport, interval_s: int
    ) -> bool:
        """Store a report; return whether it is stored."""
        try:
            self._database.run(
                lambda connection: self._report(
                    connection, load_report, interval_s
                )
            )
        except db_errors.DatabaseDown as error:
            LOG.warning("no report: %s", error)
        except Exception:
            LOG.exception("no report")
        else:
            return True
        return False

    def _report(
        self,
        connection: db_engine.Connection,
        load_report: plugin_settings.LoadReport,
        interval_s: int,
    ) -> None:
        now = self._clock.now()
        services.save_report(
            connection,
            service.Service(
                id=self._worker_id,
                host=self._host,
                binary=BINARY,
                topic=contract.TOPIC,
                report_interval_s=interval_s,
                created_at=now,
                updated_at=now,
                settings_number=load_report.number,
                settings_loaded=load_report.loaded,
                settings_loadable=load_report.loadable,
                settings_error=load_report.error,
            ),
        )
        silence_s = FORGET_AFTER_REPORTS * self._interval_s
        services.forget_dead(connection, silence_s)
        # Its calls ended with the worker; no other code releases them.
        named_leases.forget(connection, open_calls.PREFIX, silence_s)
