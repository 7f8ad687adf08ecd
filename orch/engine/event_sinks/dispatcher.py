"""Dispatch events to event sinks as they happen.

One worker at a time does it, under the named lease ``event-sinks``, so that
the events of a stack arrive in their order. The position of each sink is
stored after it has accepted an event: it may get one twice, and then the id of
the event shows it; it misses none.

Each destination has turns of its own, in a thread of its own, so that one that
answers slowly blocks no other; of one project only a few have one at the same
time. Where no environment names a sink, one query of an empty table every few
seconds is all that happens.
"""

import collections
import functools
import logging
import typing

from orch import clock
from orch import ids
from orch import periodic
from orch.db import engine as db_engine
from orch.db import leader_lease
from orch.db.repositories import event_sinks
from orch.engine.event_sinks import delivery
from orch.model import event_sink

LOG = logging.getLogger(__name__)

LEASE: typing.Final = "event-sinks"
MAX_DELIVERIES: typing.Final = 16
MAX_PER_PROJECT: typing.Final = 2
"""How many destinations are served at the same time, in all and of one
project."""
MAX_CALL_S: typing.Final = 9.0
"""Longest time that a sink without an answer blocks a turn."""
_MAX_DUE = 2000
_MAX_DUE_PER_PROJECT = 200
_MAX_DELIVERY_S = 10.0
_IDLE_S = 2.0
_LOOK_S = 1.0
_SHARE = 20
"""One part in so many is the most time that queries for due sinks take."""
_MAX_LOOK_INTERVAL_S = 30.0
_OUTAGE_MESSAGES = ("events for sinks wait", "events for sinks leave")


class Dispatcher:
    """Dispatches events to sinks, from threads of its own."""

    def __init__(
        self,
        database: db_engine.Database,
        turns_: delivery.Delivery,
        worker_id: ids.WorkerId,
        clock_: clock.Clock,
    ) -> None:
        """Create the thread; :meth:`start` starts it."""
        self._database = database
        self._turns = turns_
        self._clock = clock_
        self._leader_lease = leader_lease.LeaderLease(
            database, LEASE, worker_id, clock_
        )
        self._turned_at: dict[str, float] = {}
        self._thread = periodic.Thread(
            "event-sinks", self.step, periodic.Failures(LOG, *_OUTAGE_MESSAGES)
        )
        # Their keys are a destination and its project.
        self._running: periodic.Turns[tuple[str, str]] = (
            self._thread.make_turns(
                "event-sinks-turn", periodic.Failures(LOG, *_OUTAGE_MESSAGES)
            )
        )

    def start(self) -> None:
        """Start the thread that begins the turns of destinations."""
        self._thread.start()

    def stop(self, grace_s: float = 5.0) -> bool:
        """End the threads; another worker may take over at once.

        :returns: whether they ended in time
        """
        has_ended = self._thread.stop(grace_s)
        if has_ended:
            self._leader_lease.release()
        return has_ended

    def step(self) -> float:
        """Begin the turns that are due, if this worker has the lease.

        :returns: seconds until the next step
        """
        if not self._database.query(event_sinks.has_any):
            return _IDLE_S
        if not self._leader_lease.hold():
            return leader_lease.RETRY_INTERVAL_S
        began = self._clock.monotonic()
        # From before the list: what ends meanwhile is in it as it was.
        busy = dict(self._running.keys)
        due = self._database.query(
            lambda connection: event_sinks.list_due(
                connection, _MAX_DUE, _MAX_DUE_PER_PROJECT
            )
        )
        took_s = self._clock.monotonic() - began
        self._begin_turns(due, busy)
        return min(max(_LOOK_S, took_s * _SHARE), _MAX_LOOK_INTERVAL_S)

    def finish(self, grace_s: float) -> bool:
        """Wait for the turns that have begun.

        :returns: whether they ended in time
        """
        return self._running.finish(grace_s)

    def _begin_turns(
        self, due: list[event_sink.EventSink], busy: dict[str, str]
    ) -> None:
        """Begin the turns of destinations, longest ago first.

        :param busy: projects of the destinations that have a turn
        """
        by_place: dict[str, list[event_sink.EventSink]] = {}
        for each in due:
            place = self._turns.destination_of(each)
            by_place.setdefault(place, []).append(each)
        self._turned_at = {
            place: moment
            for place, moment in self._turned_at.items()
            if place in by_place or place in busy
        }
        of_project = collections.Counter(busy.values())
        for place in sorted(
            by_place.keys() - busy.keys(),
            key=lambda one: self._turned_at.get(one, 0.0),
        ):
            project = by_place[place][0].project_id
            if of_project.total() >= MAX_DELIVERIES:
                return
            if of_project[project] < MAX_PER_PROJECT:
                of_project[project] += 1
                self._begin(place, project, by_place[place])

    def _begin(
        self, place: str, project: str, due: list[event_sink.EventSink]
    ) -> None:
        self._turned_at[place] = self._clock.monotonic()
        self._running.begin(
            (place, project), functools.partial(self._take, due)
        )

    def _take(self, due: list[event_sink.EventSink]) -> bool:
        """Serve one destination for one turn; the rest comes later."""
        until = self._clock.monotonic() + _MAX_DELIVERY_S

        def may_go_on() -> bool:
            return (
                not self._thread.stopping.is_set()
                and self._clock.monotonic() < until
                and self._leader_lease.left_s > MAX_CALL_S
            )

        self._turns.take(due, may_go_on)
        return True
