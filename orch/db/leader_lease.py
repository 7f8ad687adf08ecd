"""What one worker at a time does, under a named lease."""

import logging
import typing

from orch import clock
from orch import errors
from orch import ids
from orch.db import engine
from orch.db.repositories import named_leases

LOG = logging.getLogger(__name__)

LEASE_S: typing.Final = 15.0
"""For how long a worker has a duty before it renews or loses it."""
RETRY_INTERVAL_S: typing.Final = LEASE_S / 3
"""After how long to ask again for a duty that another worker has."""


class LeaderLease:
    """A worker's part of it; one thread asks for it."""

    def __init__(
        self,
        database: engine.Database,
        name: str,
        worker_id: ids.WorkerId,
        clock_: clock.Clock,
    ) -> None:
        """Have nothing yet.

        :param name: of the lease
        """
        self._database = database
        self._name = name
        self._worker_id = worker_id
        self._clock = clock_
        self._held_until = 0.0
        self._renew_at = 0.0

    @property
    def was_held(self) -> bool:
        """Answer whether this worker had it when it asked last."""
        return self._held_until > 0

    @property
    def is_held(self) -> bool:
        """Answer whether no other process can have it now."""
        return self._clock.monotonic() < self._held_until

    @property
    def left_s(self) -> float:
        """Return the seconds for which no other can have it."""
        return max(0.0, self._held_until - self._clock.monotonic())

    def hold(self) -> bool:
        """Answer whether this worker has it, and renew its lease.

        :raises orch.db.errors.DatabaseDown: no answer
        """
        now = self._clock.monotonic()
        if now < self._renew_at:
            return True
        held = self._database.run(
            lambda conn: named_leases.acquire(
                conn, self._name, self._worker_id, LEASE_S
            )
        )
        # From before the question, so that we never think it ours too long.
        self._held_until = now + LEASE_S if held else 0.0
        self._renew_at = now + RETRY_INTERVAL_S if held else 0.0
        return held is not None

    def release(self) -> None:
        """Let another worker have it at once, if the database answers."""
        if not self.was_held:
            return
        try:
            self._database.run(
                lambda conn: named_leases.release(
                    conn, self._name, self._worker_id
                )
            )
        except errors.OrchError as error:
            LOG.warning(
                "the lease of the %s runs out by itself: %s", self._name, error
            )
