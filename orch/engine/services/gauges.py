"""Gauges of a worker: running, open and waiting work."""

import collections.abc

from orch import clock
from orch.db import engine as db_engine
from orch.db.repositories import operations
from orch.db.repositories import outbox
from orch.db.repositories import refused_notifications
from orch.metrics import catalogue
from orch.metrics import meters
from orch.metrics import slow_gauges
from orch.model import states


def gauge_reader(
    database: db_engine.Database,
    count_running: collections.abc.Callable[[], int],
    clock_: clock.Clock,
    every_s: float,
) -> tuple[meters.Read, ...]:
    """Return the functions that read the gauges of a worker.

    :param every_s: seconds for which values of the database are valid
    """

    def running() -> list[meters.Reading]:
        return [meters.Reading(catalogue.OPERATIONS_RUNNING, count_running())]

    def stored() -> list[meters.Reading]:
        return database.query(lambda conn: _count(conn, clock_.now()))

    return running, slow_gauges.Seldom(stored, every_s, clock_)


def _count(
    connection: db_engine.Connection, now: clock.Timestamp
) -> list[meters.Reading]:
    by_state = operations.count_open(connection)
    oldest_at = outbox.oldest_at(connection)
    return [
        *(
            meters.Reading(
                catalogue.OPERATIONS_OPEN,
                by_state.get(state, 0),
                (state.lower(),),
            )
            for state in states.OPEN_STATES
        ),
        meters.Reading(
            catalogue.NOTIFICATIONS_WAITING, outbox.count(connection)
        ),
        meters.Reading(
            catalogue.OLDEST_NOTIFICATION_S,
            0.0 if oldest_at is None else max(now - oldest_at, 0.0),
        ),
        meters.Reading(
            catalogue.NOTIFICATIONS_SET_ASIDE,
            refused_notifications.count(connection),
        ),
    ]
