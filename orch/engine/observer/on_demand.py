"""Scan the trees that a caller requested; every worker does.

A request wakes one worker; where that hint is lost, the next poll of any
worker finds the request. A tree with an operation in progress is scanned once
that has ended.
"""

import collections
import collections.abc
import functools
import logging
import typing

from orch import clock
from orch import ids
from orch import periodic
from orch.db import engine as db_engine
from orch.db import functions
from orch.db.repositories import watches
from orch.engine.observer import scan
from orch.model import observation

LOG = logging.getLogger(__name__)

_MAX_SCANS: typing.Final = 4
_MAX_SCANS_PER_PROJECT: typing.Final = 2
_SCAN_BATCH: typing.Final = 8
_FIRST_PAUSE_S: typing.Final = 2.0
_AGAIN_S: typing.Final = 10.0
"""After so many seconds a tree that could not be scanned is due again."""

_OUTAGE_MESSAGES: typing.Final = (
    "stacks are not observed now",
    "stacks are observed again",
)

_Watches = list[observation.Watch]


class OnDemandScans:
    """A worker's on-demand scans: one thread claims, others scan."""

    def __init__(
        self,
        database: db_engine.Database,
        observer: scan.Scan,
        worker_id: ids.WorkerId,
        clock_: clock.Clock,
        *,
        interval_s: float,
        claim_s: float,
    ) -> None:
        """Do nothing before :meth:`start`.

        :param interval_s: seconds between two polls for requests
        :param claim_s: seconds after which a claim expires, unless it is
            renewed
        """
        self._database = database
        self._observer = observer
        self._worker_id = worker_id
        self._clock = clock_
        self._interval_s = interval_s
        self._claim_s = claim_s
        self._renew_at = 0.0
        self._thread = periodic.Thread(
            "observation",
            self.step,
            periodic.Failures(
                LOG, *_OUTAGE_MESSAGES, first_pause_s=_FIRST_PAUSE_S
            ),
            is_hasty=True,
        )
        # Their keys are a project and its trees that are scanned.
        self._turns: periodic.Turns[tuple[str, frozenset[ids.StackId]]] = (
            self._thread.make_turns(
                "observation-turn", periodic.Failures(LOG, *_OUTAGE_MESSAGES)
            )
        )

    def start(self) -> None:
        """Poll for requests from now on."""
        self._thread.start()

    def wake(self) -> None:
        """Look for requested trees now."""
        self._thread.wake()

    def stop(self, grace_s: float = 5.0) -> None:
        """Begin no more turns; claims that are not released expire."""
        self._thread.stop(grace_s)

    def step(self) -> float:
        """Begin turns, as many as there are free threads.

        :returns: seconds after which to look again
        :raises orch.errors.OrchError: the database does not answer
        """
        self._renew()
        free_slots = _MAX_SCANS - len(self._turns.keys)
        if free_slots > 0:
            taken = self._database.run(
                lambda conn: watches.claim(
                    conn,
                    self._worker_id,
                    self._claim_s,
                    _SCAN_BATCH,
                    is_requested=True,
                    is_idle=True,
                )
            )
            for group in self._within_limit(self._without_turn(taken)):
                self._turns.begin(
                    (
                        group[0].project_id,
                        frozenset(each.root_id for each in group),
                    ),
                    functools.partial(self._take, group),
                )
        if self._turns.keys:
            return min(self._interval_s, self._claim_s / 3)
        return self._interval_s

    def _within_limit(self, taken: _Watches) -> list[_Watches]:
        """Return the groups whose projects have too few turns yet.

        The claims of the others are released: they are due again soon.
        """
        busy = collections.Counter(project for project, _ in self._turns.keys)
        groups = _by_project(taken)
        for project_id in list(groups):
            if busy[project_id] >= _MAX_SCANS_PER_PROJECT:
                self._end(groups.pop(project_id), {})
        return list(groups.values())

    def _without_turn(self, taken: _Watches) -> _Watches:
        """Release the claims of trees whose earlier turn is in progress.

        The earlier claim expired while nothing could renew it.
        """
        busy = self._scanned()
        again = [each for each in taken if each.root_id in busy]
        if again:
            self._end(again, {})
        return [each for each in taken if each.root_id not in busy]

    def _take(self, group: _Watches) -> bool:
        """Scan trees of one project, and release their claims.

        A claim that cannot be released expires: another worker takes the tree.
        """
        summaries: dict[ids.StackId, scan.Summary] = {}
        try:
            summaries = self._observer.observe(group)
        finally:
            self._end(group, summaries)
        return True

    def _end(
        self,
        group: _Watches,
        summaries: collections.abc.Mapping[ids.StackId, scan.Summary],
    ) -> None:
        def work(conn: db_engine.Connection) -> None:
            again_at = clock.Timestamp(functions.read_clock(conn) + _AGAIN_S)
            for watch in group:
                found = summaries.get(watch.root_id)
                if found is not None and found.is_busy:
                    # Of a stack with an operation in progress nothing was
                    # stored.
                    found = None
                watches.release_claim(
                    conn,
                    watch,
                    observed_at=None if found is None else found.observed_at,
                    due_at=again_at if found is None else None,
                )

        self._database.run(work)

    def _renew(self) -> None:
        """Renew the claims of the turns in progress."""
        now = self._clock.monotonic()
        claimed = self._scanned()
        if not claimed or now < self._renew_at:
            return
        self._database.run(
            lambda conn: watches.renew_claims(
                conn, self._worker_id, self._claim_s, claimed
            )
        )
        # Only now: what failed is tried again in the next round.
        self._renew_at = now + self._claim_s / 3

    def _scanned(self) -> frozenset[ids.StackId]:
        """Return the trees that have a turn."""
        return frozenset().union(*(trees for _, trees in self._turns.keys))


def _by_project(
    taken: collections.abc.Iterable[observation.Watch],
) -> dict[str, _Watches]:
    groups: dict[str, _Watches] = {}
    for each in taken:
        groups.setdefault(each.project_id, []).append(each)
    return groups
