"""Claim due trees and scan them, from all sources of due trees.

All workers share the work: each claims due trees, and its claims expire when
it dies. One after the other each project has a turn, in which many of its
trees are scanned together, so that a type is listed once for all of them.
"""

import collections
import collections.abc
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
from orch.db.repositories import watches
from orch.engine import dependencies
from orch.engine.observer import acceptance
from orch.engine.observer import notification_listener
from orch.engine.observer import repair
from orch.engine.observer import repair_policy
from orch.engine.observer import scan
from orch.engine.observer import schedule
from orch.model import observation
from orch.rpc import server_starter

LOG = logging.getLogger(__name__)

_MAX_PROJECTS: typing.Final = 1000
_FIRST_PAUSE_S: typing.Final = 2.0
_MAX_PAUSE_S: typing.Final = 60.0
_OUTAGE_MESSAGES: typing.Final = (
    "stacks are not observed now",
    "stacks are observed again",
)


class _Turn(typing.NamedTuple):
    """The key of a turn.

    :ivar number: tells the turns of one project apart
    """

    source: schedule.Source
    project_id: str
    number: int


class Observer:
    """The observer of a worker: a thread for the loop, one for each turn.

    :ivar listener: hears of changes from services; ``None`` for none
    """

    def __init__(
        self,
        database: db_engine.Database,
        scanner: scan.Scan,
        sources: collections.abc.Sequence[schedule.Source],
        worker_id: ids.WorkerId,
        clock_: clock.Clock,
        *,
        claim_ttl_s: float,
        draw: collections.abc.Callable[[], float] = random.random,
    ) -> None:
        """Do nothing before :meth:`start`.

        :param sources: where due trees come from
        :param claim_ttl_s: seconds after which a claim expires, unless it is
            renewed
        :param draw: returns random numbers from 0 to 1
        """
        self._database = database
        self._scanner = scanner
        self._sources = sources
        self._worker_id = worker_id
        self._clock = clock_
        self._claim_ttl_s = claim_ttl_s
        self._draw = draw
        self.listener: server_starter.Starter | None = None
        self._renew_at = 0.0
        self._turned_at: dict[tuple[schedule.Source, str], float] = {}
        self._lock = threading.Lock()
        self._claimed: set[ids.StackId] = set()
        self._thread = periodic.Thread(
            "observer",
            self.step,
            periodic.Failures(
                LOG,
                *_OUTAGE_MESSAGES,
                first_pause_s=_FIRST_PAUSE_S,
                max_pause_s=_MAX_PAUSE_S,
            ),
            is_hasty=True,
        )
        self._turns: periodic.Turns[_Turn] = self._thread.make_turns(
            "observer-turn", periodic.Failures(LOG, *_OUTAGE_MESSAGES)
        )
        for each in sources:
            if each.pace is not None:
                each.pace.wait = self._thread.stopping.wait

    def start(self) -> None:
        """Observe from now on, and listen to services."""
        self._thread.start()
        if self.listener is not None:
            self.listener.start_later()

    def may_call(
        self, project_id: str, type_name: str, within_s: float
    ) -> bool:
        """Whether another caller may make a call, which counts too.

        It blocks until its turn has come.

        :param type_name: the type of the resources that the call is about
        :param within_s: seconds in which the turn has to come
        """
        return all(
            each.pace is None or each.pace(project_id, type_name, within_s)
            for each in self._sources
        )

    def wake(self) -> None:
        """Look for due trees now."""
        self._thread.wake()

    def stop(self, grace_s: float = 5.0) -> bool:
        """Begin no more turns; claims that are not released expire.

        :returns: whether all turns ended in time
        """
        if self.listener is not None:
            self.listener.stop(grace_s)
        return self._thread.stop(grace_s)

    def step(self) -> float:
        """Begin turns, as many as there are free threads.

        :returns: seconds after which to look again
        :raises orch.errors.OrchError: the database does not answer
        """
        self._renew()
        for each in self._sources:
            each.prepare()
            self._begin_turns(each)
        interval_s = min(each.load.scan_interval_s for each in self._sources)
        if self._turns.keys:
            interval_s = min(interval_s, self._claim_ttl_s / 3)
        return interval_s

    def _begin_turns(self, source: schedule.Source) -> None:
        """Begin turns of projects, the one whose last is longest ago first.

        Among projects without a turn so far, workers choose at random.
        """
        own = [each for each in self._turns.keys if each.source is source]
        busy = collections.Counter(each.project_id for each in own)
        free_slots = source.load.threads - len(own)
        if free_slots <= 0:
            return
        due = self._database.query(
            lambda conn: watches.list_due_projects(
                conn, _MAX_PROJECTS, is_requested=source.load.is_requested
            )
        )
        waiting = [
            each for each in due if busy[each] < source.load.turns_per_project
        ]
        waiting.sort(
            key=lambda each: (
                self._turned_at.get((source, each), -1.0),
                self._draw(),
            )
        )
        self._turned_at = {
            key: value
            for key, value in self._turned_at.items()
            if key[0] is not source or key[1] in due
        }
        for project_id in waiting[:free_slots]:
            self._turned_at[source, project_id] = self._clock.monotonic()
            number = next(
                each
                for each in range(source.load.turns_per_project)
                if _Turn(source, project_id, each) not in own
            )
            turn = _Turn(source, project_id, number)
            self._turns.begin(turn, functools.partial(self._take, turn))

    def _take(self, turn: _Turn) -> bool:
        """Scan some trees of a project; the others come later.

        :returns: whether more of them may be due
        """
        source = turn.source
        taken, workers = self._database.run(
            lambda conn: (
                watches.claim(
                    conn,
                    self._worker_id,
                    self._claim_ttl_s,
                    source.load.batch_size,
                    project_id=turn.project_id,
                    is_requested=source.load.is_requested,
                    ahead_s=source.load.ahead_s,
                ),
                sum(is_up for _, is_up in services.list_(conn))
                if source.pace is not None
                else 1,
            )
        )
        if source.pace is not None:
            source.pace.share(workers)
        taken = self._without_turn(source, taken)
        if not taken:
            return False
        began = self._clock.monotonic()
        summaries: schedule.Summaries = {}
        try:
            summaries = self._scanner.observe(taken, source.pace)
        finally:
            # Where it failed they must not be due again at once.
            with self._lock:
                self._claimed -= {each.root_id for each in taken}
            self._release(source, taken, summaries)
        seconds = self._clock.monotonic() - began
        source.finish(turn.project_id, taken, summaries, seconds)
        return True

    def _without_turn(
        self, source: schedule.Source, taken: list[observation.Watch]
    ) -> list[observation.Watch]:
        """Release the claims of trees whose earlier turn is in progress.

        The earlier claim expired while nothing could renew it.
        """
        with self._lock:
            again = [each for each in taken if each.root_id in self._claimed]
            mine = [each for each in taken if each not in again]
            self._claimed |= {each.root_id for each in mine}
        if again:
            self._release(source, again, {})
        return mine

    def _release(
        self,
        source: schedule.Source,
        taken: schedule.Watches,
        summaries: schedule.Summaries,
    ) -> None:
        """Release claims, and schedule the next scan of each tree."""

        def work(conn: db_engine.Connection) -> None:
            now = functions.read_clock(conn)
            for watch in taken:
                found = summaries.get(watch.root_id)
                if found is not None and found.is_busy:
                    # Of a stack with an operation in progress nothing was
                    # stored.
                    found = None
                watches.release_claim(
                    conn,
                    watch,
                    observed_at=None if found is None else found.observed_at,
                    due_at=source.load.next_at(watch, found, now),
                )

        self._database.run(work)

    def _renew(self) -> None:
        """Renew the claims of the turns in progress."""
        now = self._clock.monotonic()
        with self._lock:
            claimed = set(self._claimed)
        if not claimed or now < self._renew_at:
            return
        self._database.run(
            lambda conn: watches.renew_claims(
                conn, self._worker_id, self._claim_ttl_s, claimed
            )
        )
        # Only now: what failed is tried again in the next round.
        self._renew_at = now + self._claim_ttl_s / 3


def build_observer(
    conf: cfg.ConfigOpts,
    deps: dependencies.Dependencies,
    worker_id: ids.WorkerId,
    notify: collections.abc.Callable[[], None],
) -> Observer:
    """Return the observer as the options say; nothing starts yet.

    :param notify: called after a notification was put into the outbox
    :raises orch.errors.Invalid: the URL of the services' broker is not valid
    """
    policy = repair_policy.RepairPolicy.from_conf(conf)
    sources: list[schedule.Source] = [
        schedule.make_requests(conf.engine.scan_interval)
    ]
    if conf.observer.enabled:
        sources.append(
            schedule.Scheduled(
                deps.database,
                repair.Repairer(deps, policy).repair,
                schedule.Schedule.from_conf(conf),
                deps.clock,
            )
        )
    observer = Observer(
        deps.database,
        scan.Scan(
            deps.database,
            deps.types,
            deps.records,
            deps.clock,
            notify,
            limit=policy,
            judge=functools.partial(acceptance.write_judged, deps),
        ),
        sources,
        worker_id,
        deps.clock,
        claim_ttl_s=conf.observer.claim_ttl,
    )
    if conf.observer.enabled:
        observer.listener = notification_listener.build_listener(
            conf, deps.database, observer.wake
        )
    return observer
