"""Leases that their workers do not renew, as this worker observes them.

The database's clock may jump, and then leases end that their workers still
count on. So a worker takes one over only after it has itself seen it
unrenewed for the whole time that a lease holds.
"""

import typing

from orch import clock
from orch.db import engine as db_engine
from orch.db.repositories import leases

RENEWALS_PER_TTL: typing.Final = 3
"""How often a worker renews its leases within the time that they hold."""


class OverdueLeases:
    """Since when each lease that was not renewed in time is unchanged."""

    def __init__(
        self, database: db_engine.Database, ttl_s: float, clock_: clock.Clock
    ) -> None:
        """Observe no lease yet.

        :param ttl_s: seconds that each renewal holds
        """
        self._database = database
        self._ttl_s = ttl_s
        self._clock = clock_
        self._since: dict[leases.AgingLease, float] = {}

    def look(self) -> leases.Overdue:
        """Read the leases whose renewal is late; return the overdue ones.

        :raises orch.db.errors.DatabaseDown: the next look tries again
        """
        late_s = self._ttl_s * (1 - 1 / RENEWALS_PER_TTL)
        found = self._database.query(
            lambda connection: leases.list_aging(connection, late_s)
        )
        # After the query: the last renewal was earlier than that.
        now = self._clock.monotonic()
        self._since = {each: self._since.get(each, now) for each in found}
        return self.overdue

    @property
    def overdue(self) -> leases.Overdue:
        """The leases that were unchanged for as long as a lease holds."""
        limit = self._clock.monotonic() - self._ttl_s
        return {each for each, since in self._since.items() if since <= limit}

    def next_look_s(self, longest_s: float) -> float:
        """Return seconds after which the next lease is overdue.

        :param longest_s: where none is before that
        """
        now = self._clock.monotonic()
        due = [
            left_s
            for since in self._since.values()
            if (left_s := since + self._ttl_s - now) > 0
        ]
        return min([longest_s, *due])
