"""Serve destinations in turns, on the one worker that has a named lease.

Each destination has turns of its own, in a thread of its own, so that one that
answers slowly blocks no other. Where there are more destinations than threads
the one comes next whose last turn was longest ago.
"""

import abc
import collections.abc
import functools
import logging
import typing

from orch import clock
from orch import ids
from orch import periodic
from orch.db import engine as db_engine
from orch.db import leader_lease

_MAX_TURN_S = 10.0
_REMEMBERED_S = 3600.0
"""Longer than what a failing destination waits for its next turn."""

Key = typing.TypeVar("Key", bound=collections.abc.Hashable)
MayGoOn = collections.abc.Callable[[], bool]
"""Whether a turn has time for another call."""


class DeliveryTurns(abc.ABC, typing.Generic[Key]):
    """Begins the turns of destinations, from threads of its own."""

    def __init__(
        self,
        name: str,
        database: db_engine.Database,
        worker_id: ids.WorkerId,
        clock_: clock.Clock,
        log: logging.Logger,
        outage_messages: tuple[str, str],
        max_call_s: float,
    ) -> None:
        """Create the thread; :meth:`start` starts it.

        :param name: of the lease, and of the threads
        :param outage_messages: logged when the database is away, and back
        :param max_call_s: longest time that one call of a turn takes
        """
        self._database = database
        self._clock = clock_
        self._max_call_s = max_call_s
        self._leader_lease = leader_lease.LeaderLease(
            database, name, worker_id, clock_
        )
        self._turned_at: dict[Key, float] = {}
        self._thread = periodic.Thread(
            name, self.step, periodic.Failures(log, *outage_messages)
        )
        self._turns: periodic.Turns[Key] = self._thread.make_turns(
            f"{name}-turn", periodic.Failures(log, *outage_messages)
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

    def finish(self, grace_s: float) -> bool:
        """Wait for the turns that have begun.

        :returns: whether they ended in time
        """
        return self._turns.finish(grace_s)

    @abc.abstractmethod
    def step(self) -> float:
        """Begin the turns that are due, if this worker has the lease.

        :returns: seconds until the next step
        """

    def _list_waiting(
        self,
        due: collections.abc.Iterable[Key],
        busy: collections.abc.Container[Key],
    ) -> list[Key]:
        """Return the destinations without a turn, longest ago first.

        :param busy: those that have a turn
        """
        oldest = self._clock.monotonic() - _REMEMBERED_S
        self._turned_at = {
            key: moment
            for key, moment in self._turned_at.items()
            if moment > oldest
        }
        return sorted(
            (each for each in due if each not in busy),
            key=lambda each: self._turned_at.get(each, 0.0),
        )

    def _begin(
        self, key: Key, serve: collections.abc.Callable[[MayGoOn], None]
    ) -> None:
        """Begin a turn of a destination.

        :param serve: serves it while there is time; the rest comes later
        """
        self._turned_at[key] = self._clock.monotonic()
        self._turns.begin(key, functools.partial(self._take, serve))

    def _take(self, serve: collections.abc.Callable[[MayGoOn], None]) -> bool:
        until = self._clock.monotonic() + _MAX_TURN_S

        def may_go_on() -> bool:
            return (
                not self._thread.stopping.is_set()
                and self._clock.monotonic() < until
                and self._leader_lease.left_s > self._max_call_s
            )

        serve(may_go_on)
        return True
