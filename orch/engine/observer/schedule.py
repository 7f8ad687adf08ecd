"""When trees of stacks are scanned: on request, and at times of a schedule.

All trees of a project are scanned at the same moments, a period apart, so that
a service lists its objects once for all of them. Each project has moments of
its own.

A bucket of tokens limits the calls of each project and service, so that a
large project slows down only itself.
"""

import collections.abc
import dataclasses
import logging
import math
import time
import typing
import zlib

from oslo_config import cfg

from orch import clock
from orch import ids
from orch import token_buckets
from orch.db import engine as db_engine
from orch.db import functions
from orch.db.repositories import watches
from orch.engine.observer import scan
from orch.metrics import catalogue
from orch.model import observation

LOG = logging.getLogger(__name__)

_ENROLMENT_BATCH: typing.Final = 500
_MAX_ENROLMENT_INTERVAL_S: typing.Final = 60.0
_AGAIN_S: typing.Final = 10.0
"""After so many seconds a tree that could not be scanned is due again."""
_NEW_DRIFT: typing.Final = 0.5
_UNCHANGED: typing.Final = 1.5
_LATE: typing.Final = 0.25
_EARLY: typing.Final = 0.05
_MAX_BUSY_S: typing.Final = 30.0
Watches = collections.abc.Sequence[observation.Watch]
Summaries = collections.abc.Mapping[ids.StackId, scan.Summary]
Repair = collections.abc.Callable[[str, Summaries], None]
"""Submits the repairs of trees of one project."""
Wait = collections.abc.Callable[[float], object]
"""Returns after so many seconds, or when the observer stops."""


class RateLimit:
    """Rate limit of one worker's calls; several threads may share it.

    :ivar wait: returns after so many seconds, or earlier to end
    """

    def __init__(
        self,
        rate: float,
        burst: int,
        clock_: clock.Clock,
        wait: Wait = time.sleep,
    ) -> None:
        """Let ``burst`` calls through at once, then ``rate`` a second.

        :param rate: tokens a second of one project and service, on all workers
            together
        """
        self._rate = rate
        self.wait = wait
        self._workers = 1
        self._buckets: token_buckets.TokenBuckets[tuple[str, str]] = (
            token_buckets.TokenBuckets(burst, clock_)
        )

    def share(self, workers: int) -> None:
        """Use an equal share of the rate.

        :param workers: how many there are, this one included
        """
        self._workers = max(1, workers)

    def __call__(
        self, project_id: str, type_name: str, within_s: float = math.inf
    ) -> bool:
        """Block until a call may be made, or return false at once if too late.

        :param type_name: the type of the resources that the call is about;
            those of one service differ in the last part of their names
        :param within_s: seconds in which its turn has to come
        """
        service = type_name.rpartition("::")[0] or type_name
        rate = self._rate / self._workers
        pause_s = self._buckets.take((project_id, service), rate, within_s)
        if pause_s > within_s:
            return False
        if pause_s > 0:
            self.wait(pause_s)
        return True


@dataclasses.dataclass(frozen=True, kw_only=True)
class Load:
    """How many due trees are scanned at the same time, and when next.

    :ivar is_requested: only trees that a caller requested
    :ivar scan_interval_s: seconds between two questions which trees are due
    :ivar threads: turns of projects at the same time
    :ivar turns_per_project: of them of one project
    :ivar batch_size: trees of one turn
    :ivar ahead_s: seconds that a scan may come early, with others of its
        project
    """

    is_requested: bool = False
    scan_interval_s: float = 1.0
    threads: int = 1
    turns_per_project: int = 1
    batch_size: int = 1
    ahead_s: float = 0.0

    def next_at(
        self,
        watch: observation.Watch,
        found: scan.Summary | None,
        now: clock.Timestamp,
    ) -> clock.Timestamp | None:
        """Return when a tree is due next; ``None`` for at the next request.

        :param watch: as it was claimed
        :param found: ``None`` where it could not be scanned, or was busy
        :param now: by the database's clock
        """
        return clock.Timestamp(now + _AGAIN_S) if found is None else None


@dataclasses.dataclass(frozen=True, kw_only=True)
class Schedule(Load):
    """The schedule of scans of group ``[observer]``, and their load.

    :ivar calls_per_second: of one project and service, on all workers
    :ivar call_burst: calls at once
    """

    period_s: float
    max_s: float
    calls_per_second: float = 1.0
    call_burst: int = 1

    @classmethod
    def from_conf(cls, conf: cfg.ConfigOpts) -> "Schedule":
        """Return the schedule that the options give."""
        group = conf.observer
        return cls(
            period_s=group.period,
            max_s=max(group.period, group.max_period),
            scan_interval_s=group.scan_interval,
            calls_per_second=group.calls_per_second,
            call_burst=group.call_burst,
            threads=group.threads,
            batch_size=group.batch_size,
            ahead_s=group.period * _EARLY,
        )

    def moment_of(
        self, project_id: str, earliest: clock.Timestamp
    ) -> clock.Timestamp:
        """Return the first moment of a project that is not before a time."""
        share = zlib.crc32(project_id.encode()) / 2**32
        phase_s = share * self.period_s
        count = math.ceil((earliest - phase_s) / self.period_s)
        return clock.Timestamp(phase_s + count * self.period_s)

    def next_at(
        self,
        watch: observation.Watch,
        found: scan.Summary | None,
        now: clock.Timestamp,
    ) -> clock.Timestamp:
        """Return the moment of the next scan, by the database's clock.

        Half a period after drift that was not there before; else at a moment
        of the project: the next one, and ever later while nothing changes. A
        scan that comes a little late does not shift later moments.

        :param watch: as it was claimed
        :param found: ``None`` where the tree is scanned again soon
        """
        if found is None:
            return clock.Timestamp(now + min(self.period_s / 2, _MAX_BUSY_S))
        if found.is_changed and found.drifted:
            return clock.Timestamp(now + self.period_s * _NEW_DRIFT)
        pause_s = self.period_s
        is_same = not found.is_changed and not found.drifted
        if is_same and watch.observed_at is not None:
            last_s = (watch.due_at or 0.0) - watch.observed_at
            pause_s = min(max(pause_s, last_s * _UNCHANGED), self.max_s)
        earliest = now + pause_s - self.period_s * _LATE
        return self.moment_of(watch.project_id, clock.Timestamp(earliest))


class Source:
    """Due trees that are claimed, and what follows their scan.

    :ivar pace: rate limit of the calls; ``None`` for none
    """

    pace: RateLimit | None = None

    def __init__(self, load: Load) -> None:
        """Claim nothing yet."""
        self.load = load

    def prepare(self) -> None:
        """Do what is due before trees are claimed: nothing here."""

    def finish(
        self,
        project_id: str,
        taken: Watches,
        summaries: Summaries,
        seconds: float,
    ) -> None:
        """Do what follows a turn: nothing here.

        Its claims are released already.
        """


def make_requests(interval_s: float) -> Source:
    """Return the trees whose observation was requested; all workers scan them.

    A request wakes one worker; where that hint is lost, the next poll of any
    worker finds the request. A tree with an operation in progress is scanned
    once that has ended.
    """
    return Source(
        Load(
            is_requested=True,
            scan_interval_s=interval_s,
            threads=4,
            turns_per_project=2,
            batch_size=8,
        )
    )


class Scheduled(Source):
    """All trees, at the moments of their projects; drift is repaired."""

    def __init__(
        self,
        database: db_engine.Database,
        repair: Repair,
        rhythm: Schedule,
        clock_: clock.Clock,
    ) -> None:
        """Enrol nothing yet."""
        self._database = database
        self._repair = repair
        super().__init__(rhythm)
        self._rhythm = rhythm
        self._clock = clock_
        self._enrol_at = 0.0
        self.pace = RateLimit(
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
                watches.list_missing(conn, _ENROLMENT_BATCH),
            )
        )
        if len(missing) == _ENROLMENT_BATCH:
            self._enrol_at = 0.0
        if missing:
            roots = [
                (root_id, project_id, rhythm.moment_of(project_id, db_now))
                for root_id, project_id in missing
            ]
            self._database.run(
                lambda conn: watches.enroll_watches(conn, roots)
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
        self._repair(project_id, summaries)


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
