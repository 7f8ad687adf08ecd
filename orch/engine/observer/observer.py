"""Observe all stacks periodically, within the rate limit.

All workers that observe share the work: each claims due trees, and its claims
expire when it dies. One after the other each project has a turn, in which up
to ``batch_size`` of its trees are scanned together, so that a type is listed
once for all of them.
"""

import collections.abc
import dataclasses
import functools
import logging
import random
import threading
import typing

from oslo_config import cfg

from orch import clock
from orch import ids
from orch import periodic
from orch.db import engine as db_engine
from orch.db import functions
from orch.db.repositories import services
from orch.db.repositories import watch_enrolment
from orch.db.repositories import watches
from orch.engine.observer import reality_reader
from orch.engine.observer import scan
from orch.engine.observer import schedule
from orch.metrics import catalogue
from orch.model import observation

LOG = logging.getLogger(__name__)

_MAX_PROJECTS: typing.Final = 1000
_ENROLMENT_BATCH: typing.Final = 500
_MAX_ENROLMENT_INTERVAL_S: typing.Final = 60.0
_MAX_PAUSE_S: typing.Final = 60.0
_OUTAGE_MESSAGES: typing.Final = (
    "stacks are not observed now",
    "stacks are observed again",
)


Watches = collections.abc.Sequence[observation.Watch]
Summaries = collections.abc.Mapping[ids.StackId, scan.Summary]


class TreeScanner(typing.Protocol):
    """Scans trees, and stores the observations."""

    def observe(
        self, claimed: Watches, pace: reality_reader.Pace | None = None
    ) -> Summaries:
        """Return the summaries of trees of one project, by root.

        A tree that is gone is missing.
        """


class TreeRepairer(typing.Protocol):
    """Repairs what policies say to repair."""

    def repair(self, project_id: str, summaries: Summaries) -> None:
        """Submit the repairs of trees of one project; it never raises."""


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The options of group ``[observer]`` that the loop uses."""

    rhythm: schedule.Schedule
    scan_interval_s: float
    calls_per_second: float
    call_burst: int
    threads: int
    batch_size: int
    claim_ttl_s: float

    @classmethod
    def from_conf(cls, conf: cfg.ConfigOpts) -> "Settings":
        """Return the settings that the options give."""
        group = conf.observer
        return cls(
            rhythm=schedule.Schedule.from_conf(conf),
            scan_interval_s=group.scan_interval,
            calls_per_second=group.calls_per_second,
            call_burst=group.call_burst,
            threads=group.threads,
            batch_size=group.batch_size,
            claim_ttl_s=group.claim_ttl,
        )


class Observer:
    """The observer of a worker: a thread for the loop, one for each turn."""

    def __init__(
        self,
        database: db_engine.Database,
        scanner: TreeScanner,
        repairing: TreeRepairer,
        settings: Settings,
        worker_id: ids.WorkerId,
        clock_: clock.Clock,
        draw: collections.abc.Callable[[], float] = random.random,
    ) -> None:
        """Do nothing before :meth:`start`.

        :param draw: returns random numbers from 0 to 1
        """
        self._database = database
        self._scanner = scanner
        self._repairing = repairing
        self._settings = settings
        self._worker_id = worker_id
        self._clock = clock_
        self._draw = draw
        self._enrol_at = 0.0
        self._renew_at = 0.0
        self._turned_at: dict[str, float] = {}
        self._lock = threading.Lock()
        self._claimed: set[ids.StackId] = set()
        self._thread = periodic.Thread(
            "observer",
            self.step,
            periodic.Failures(
                LOG, *_OUTAGE_MESSAGES, max_pause_s=_MAX_PAUSE_S
            ),
            is_hasty=True,
        )
        self._turns: periodic.Turns[str] = self._thread.make_turns(
            "observer-turn", periodic.Failures(LOG, *_OUTAGE_MESSAGES)
        )
        self._pace = schedule.RateLimit(
            settings.calls_per_second,
            settings.call_burst,
            clock_,
            self._thread.stopping.wait,
        )

    def start(self) -> None:
        """Observe from now on."""
        self._thread.start()

    def may_call(
        self, project_id: str, type_name: str, within_s: float
    ) -> bool:
        """Whether another caller may make a call, which counts too.

        It blocks until its turn has come.

        :param type_name: the type of the resources that the call is about
        :param within_s: seconds in which the turn has to come
        """
        return self._pace.within(project_id, type_name, within_s)

    def wake(self) -> None:
        """Look for due trees now."""
        self._thread.wake()

    def stop(self, grace_s: float = 5.0) -> bool:
        """Begin no more turns; claims that are not released expire.

        :returns: whether all turns ended in time
        """
        return self._thread.stop(grace_s)

    def step(self) -> float:
        """Begin turns, as many as there are free threads.

        :returns: seconds after which to look again
        :raises orch.errors.OrchError: the database does not answer
        """
        self._renew()
        self._enrol()
        busy = self._turns.keys
        free_slots = self._settings.threads - len(busy)
        if free_slots > 0:
            due = self._database.query(
                lambda conn: watches.list_due_projects(conn, _MAX_PROJECTS)
            )
            waiting = [each for each in due if each not in busy]
            # Among projects without a turn so far, workers choose at random.
            waiting.sort(
                key=lambda each: (
                    self._turned_at.get(each, -1.0),
                    self._draw(),
                )
            )
            for project_id in waiting[:free_slots]:
                self._begin(project_id)
            self._forget_turns(due)
        interval_s = self._settings.scan_interval_s
        if self._turns.keys:
            interval_s = min(interval_s, self._settings.claim_ttl_s / 3)
        return interval_s

    def _begin(self, project_id: str) -> None:
        self._turned_at[project_id] = self._clock.monotonic()
        self._turns.begin(
            project_id, functools.partial(self._turn, project_id)
        )

    def _turn(self, project_id: str) -> bool:
        """Scan some trees of a project; the others come later.

        :returns: whether more of them may be due
        """
        settings = self._settings
        taken, workers = self._database.run(
            lambda conn: (
                watches.claim(
                    conn,
                    self._worker_id,
                    settings.claim_ttl_s,
                    settings.batch_size,
                    is_idle=True,
                    project_id=project_id,
                    ahead_s=settings.rhythm.ahead_s,
                ),
                sum(is_up for _, is_up in services.list_(conn)),
            )
        )
        if not taken:
            return False
        self._pace.share(workers)
        root_ids = {each.root_id for each in taken}
        began = self._clock.monotonic()
        with self._lock:
            self._claimed |= root_ids
        try:
            summaries = self._look(taken)
        finally:
            with self._lock:
                self._claimed -= root_ids
        self._notify(
            project_id, taken, summaries, self._clock.monotonic() - began
        )
        self._repairing.repair(project_id, summaries)
        return True

    def _look(self, taken: Watches) -> Summaries:
        """Scan trees, and schedule the next scan of each."""
        summaries: Summaries = {}
        try:
            summaries = self._scanner.observe(taken, self._pace)
        finally:
            # Where it failed they must not be due again at once.
            self._database.run(lambda conn: self._end(conn, taken, summaries))
        return summaries

    def _end(
        self, conn: db_engine.Connection, taken: Watches, summaries: Summaries
    ) -> None:
        now = functions.read_clock(conn)
        for watch in taken:
            found = summaries.get(watch.root_id)
            if found is None or found.is_busy:
                observed_at = None
                due_at = clock.Timestamp(now + self._settings.rhythm.busy_s)
            else:
                observed_at = found.observed_at
                due_at = self._next_at(watch, found, now)
            watches.release_claim(
                conn, watch, observed_at=observed_at, due_at=due_at
            )

    def _next_at(
        self,
        watch: observation.Watch,
        found: scan.Summary,
        now: clock.Timestamp,
    ) -> clock.Timestamp:
        return self._settings.rhythm.next_at(
            watch,
            is_changed=found.is_changed,
            is_drifted=found.drifted > 0,
            now=now,
        )

    def _renew(self) -> None:
        """Renew the claims of the turns in progress."""
        now = self._clock.monotonic()
        with self._lock:
            claimed = set(self._claimed)
        if not claimed or now < self._renew_at:
            return
        ttl_s = self._settings.claim_ttl_s
        self._database.run(
            lambda conn: watches.renew_claims(
                conn, self._worker_id, ttl_s, claimed
            )
        )
        # Only now: what failed is tried again in the next round.
        self._renew_at = now + ttl_s / 3

    def _enrol(self) -> None:
        """Enrol new trees, those of a project at the same moment."""
        now = self._clock.monotonic()
        if now < self._enrol_at:
            return
        period_s = self._settings.rhythm.period_s
        self._enrol_at = now + min(period_s / 4, _MAX_ENROLMENT_INTERVAL_S)
        rhythm_ = self._settings.rhythm
        now, missing = self._database.query(
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
            (root_id, project_id, rhythm_.moment_of(project_id, now))
            for root_id, project_id in missing
        ]
        self._database.run(
            lambda conn: watch_enrolment.enroll_watches(conn, roots)
        )

    def _forget_turns(self, due: collections.abc.Iterable[str]) -> None:
        """Forget the last turn of projects that have no due tree."""
        current_keys = set(due)
        self._turned_at = {
            key: value
            for key, value in self._turned_at.items()
            if key in current_keys
        }

    def _notify(
        self,
        project_id: str,
        taken: Watches,
        summaries: Summaries,
        seconds: float,
    ) -> None:
        late_s = max(
            (
                summaries[each.root_id].observed_at - (each.due_at or 0.0)
                for each in taken
                if each.root_id in summaries
            ),
            default=0.0,
        )
        _count(taken, summaries)
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
