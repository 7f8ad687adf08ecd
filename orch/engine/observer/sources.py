"""The two sources of due trees: the schedule, and requests of callers."""

import abc
import collections.abc
import logging
import typing

from orch import clock
from orch import ids
from orch.db import engine as db_engine
from orch.db import functions
from orch.db.repositories import watch_enrolment
from orch.engine.observer import scan
from orch.engine.observer import schedule
from orch.metrics import catalogue
from orch.model import observation

LOG = logging.getLogger(__name__)

_ENROLMENT_BATCH: typing.Final = 500
_MAX_ENROLMENT_INTERVAL_S: typing.Final = 60.0
_AGAIN_S: typing.Final = 10.0
"""After so many seconds a tree that could not be scanned is due again."""

Watches = collections.abc.Sequence[observation.Watch]
Summaries = collections.abc.Mapping[ids.StackId, scan.Summary]


class TreeRepairer(typing.Protocol):
    """Repairs what policies say to repair."""

    def repair(self, project_id: str, summaries: Summaries) -> None:
        """Submit the repairs of trees of one project."""


class Source(abc.ABC):
    """Which due trees are claimed, and what follows their scan.

    :ivar is_requested: only trees that a caller requested
    :ivar interval_s: seconds between two questions which are due
    :ivar threads: turns at the same time
    :ivar turns_per_project: of them of one project
    :ivar batch_size: trees of one turn
    :ivar ahead_s: seconds that a scan may come early, with others
    :ivar pace: rate limit of the calls; ``None`` for none
    """

    is_requested: bool
    interval_s: float
    threads: int
    turns_per_project: int
    batch_size: int
    ahead_s: float = 0.0
    pace: schedule.RateLimit | None = None

    @abc.abstractmethod
    def next_at(
        self,
        watch: observation.Watch,
        found: scan.Summary | None,
        now: clock.Timestamp,
    ) -> clock.Timestamp | None:
        """Return when a tree is due next; ``None`` for at the next request.

        :param found: ``None`` where it could not be scanned, or was busy
        """

    def prepare(self) -> None:  # noqa: B027 - most have nothing to prepare
        """Do what is due before trees are claimed."""

    def finish(  # noqa: B027 - nothing follows what was only requested
        self,
        project_id: str,
        taken: Watches,
        summaries: Summaries,
        seconds: float,
    ) -> None:
        """Do what follows a turn, once its claims are released."""


class Requests(Source):
    """Trees whose observation was requested; every worker scans them.

    A request wakes one worker; where that hint is lost, the next poll of any
    worker finds the request. A tree with an operation in progress is scanned
    once that has ended.
    """

    is_requested = True
    threads = 4
    turns_per_project = 2
    batch_size = 8

    def __init__(self, interval_s: float) -> None:
        self.interval_s = interval_s

    def next_at(
        self,
        watch: observation.Watch,
        found: scan.Summary | None,
        now: clock.Timestamp,
    ) -> clock.Timestamp | None:
        """Return a moment only for a tree that was not scanned."""
        return clock.Timestamp(now + _AGAIN_S) if found is None else None


class Scheduled(Source):
    """All trees, at the moments of their projects; drift is repaired."""

    is_requested = False
    turns_per_project = 1

    def __init__(
        self,
        database: db_engine.Database,
        repairer: TreeRepairer,
        rhythm: schedule.Schedule,
        clock_: clock.Clock,
    ) -> None:
        """Enrol nothing yet."""
        self._database = database
        self._repairer = repairer
        self._rhythm = rhythm
        self._clock = clock_
        self._enrol_at = 0.0
        self.interval_s = rhythm.scan_interval_s
        self.threads = rhythm.threads
        self.batch_size = rhythm.batch_size
        self.ahead_s = rhythm.ahead_s
        self.pace = schedule.RateLimit(
            rhythm.calls_per_second, rhythm.call_burst, clock_
        )

    def prepare(self) -> None:
        """Enrol new trees, those of a project at the same moment."""
        now = self._clock.monotonic()
        if now < self._enrol_at:
            return
        rhythm = self._rhythm
        self._enrol_at = now + min(
            rhythm.period_s / 4, _MAX_ENROLMENT_INTERVAL_S
        )
        db_now, missing = self._database.query(
            lambda conn: (
                functions.read_clock(conn),
                watch_enrolment.list_missing(conn, _ENROLMENT_BATCH),
            )
        )
        if not missing:
            return
        if len(missing) == _ENROLMENT_BATCH:
            self._enrol_at = 0.0
        roots = [
            (root_id, project_id, rhythm.moment_of(project_id, db_now))
            for root_id, project_id in missing
        ]
        self._database.run(
            lambda conn: watch_enrolment.enroll_watches(conn, roots)
        )

    def next_at(
        self,
        watch: observation.Watch,
        found: scan.Summary | None,
        now: clock.Timestamp,
    ) -> clock.Timestamp:
        """Return the next moment of the tree; soon where it was not read."""
        if found is None:
            return clock.Timestamp(now + self._rhythm.busy_s)
        return self._rhythm.next_at(
            watch,
            is_changed=found.is_changed,
            is_drifted=found.drifted > 0,
            now=now,
        )

    def finish(
        self,
        project_id: str,
        taken: Watches,
        summaries: Summaries,
        seconds: float,
    ) -> None:
        """Count and log what was observed, and repair what has drifted."""
        _count(taken, summaries)
        late_s = max(
            (
                summaries[each.root_id].observed_at - (each.due_at or 0.0)
                for each in taken
                if each.root_id in summaries
            ),
            default=0.0,
        )
        LOG.info(
            "observed %d of %d stacks of project %s in %.1f s, up to %.1f s"
            " late: %d resources have drifted",
            len(summaries),
            len(taken),
            project_id,
            seconds,
            max(0.0, late_s),
            sum(each.drifted for each in summaries.values()),
        )
        self._repairer.repair(project_id, summaries)


def _count(taken: Watches, summaries: Summaries) -> None:
    """Count the outcomes of scans among the metrics."""
    for each in taken:
        found = summaries.get(each.root_id)
        if found is None:
            outcome = "missed"
        elif not found.is_written:
            outcome = "lost"
        else:
            outcome = "busy" if found.is_busy else "seen"
            catalogue.OBSERVER_LATE_S.observe(
                found.observed_at - (each.due_at or found.observed_at)
            )
        catalogue.OBSERVER_SURVEYS.count(outcome)
