"""Dispatch events to event sinks as they happen.

One worker at a time does it, under the named lease ``event-sinks``, so that
the events of a stack arrive in their order. The position of each sink is
stored after it has accepted an event: it may get one twice, and then the id of
the event shows it; it misses none.

Each destination has turns of its own; of one project only a few have one at
the same time. Where no environment names a sink, one query of an empty table
every few seconds is all that happens.
"""

import collections
import collections.abc
import functools
import logging
import typing

from orch import clock
from orch import ids
from orch.db import engine as db_engine
from orch.db import leader_lease
from orch.db.repositories import event_sinks
from orch.engine import delivery_turns
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
_IDLE_S = 2.0
_LOOK_S = 1.0
_SHARE = 20
"""One part in so many is the most time that queries for due sinks take."""
_MAX_LOOK_INTERVAL_S = 30.0
_OUTAGE_MESSAGES = ("events for sinks wait", "events for sinks leave")


class Dispatcher(delivery_turns.DeliveryTurns[tuple[str, str]]):
    """Dispatches events to sinks; its keys are destinations and projects."""

    def __init__(
        self,
        database: db_engine.Database,
        delivery_: delivery.Delivery,
        worker_id: ids.WorkerId,
        clock_: clock.Clock,
    ) -> None:
        """Create the thread; :meth:`start` starts it."""
        super().__init__(
            LEASE,
            database,
            worker_id,
            clock_,
            LOG,
            _OUTAGE_MESSAGES,
            MAX_CALL_S,
        )
        self._delivery = delivery_

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
        busy = self._turns.keys
        due = self._database.query(
            lambda connection: event_sinks.list_due(
                connection, _MAX_DUE, _MAX_DUE_PER_PROJECT
            )
        )
        took_s = self._clock.monotonic() - began
        self._begin_turns(due, busy)
        return min(max(_LOOK_S, took_s * _SHARE), _MAX_LOOK_INTERVAL_S)

    def _begin_turns(
        self,
        due: list[event_sink.EventSink],
        busy: collections.abc.Set[tuple[str, str]],
    ) -> None:
        """Begin the turns of destinations, longest ago first.

        :param busy: the destinations that have a turn
        """
        by_key: dict[tuple[str, str], list[event_sink.EventSink]] = {}
        for each in due:
            key = (self._delivery.destination_of(each), each.project_id)
            by_key.setdefault(key, []).append(each)
        of_project = collections.Counter(project for _, project in busy)
        for key in self._list_waiting(by_key, busy):
            if of_project.total() >= MAX_DELIVERIES:
                return
            if of_project[key[1]] < MAX_PER_PROJECT:
                of_project[key[1]] += 1
                self._begin(
                    key, functools.partial(self._delivery.take, by_key[key])
                )
