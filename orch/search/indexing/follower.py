"""Follows the change feed of a source, and marks the stacks in it.

The position is stored after the marks: a process that is killed in between
marks the same stacks once more. Every process of an index follows from the
position that the index has, so that what one has marked no other marks again.
"""

import collections.abc
import logging
import typing

from orch import clock
from orch import periodic
from orch.search.index import port
from orch.search.indexing import full_scan_state
from orch.search.sources import port as sources

LOG = logging.getLogger(__name__)

_POSITION: typing.Final = "feed_position"
_LIMIT: typing.Final = 1_000
POLL_S: typing.Final = 0.5
"""How long a change waits if no notification wakes the follower."""
_QUIET_S: typing.Final = 10.0
"""After so long without a change it waits twice as long."""
_BATCH_WAIT_S: typing.Final = 0.2
_FIRST_PAUSE_S: typing.Final = 0.5

Enqueue = collections.abc.Callable[
    [collections.abc.Sequence[port.Mark], collections.abc.Sequence[port.Mark]],
    None,
]
"""Takes marks of stacks to read now, and of those that change further."""


class Follower:
    """A thread that asks the source for changes."""

    def __init__(
        self,
        index: port.Index,
        source: sources.FollowedSource,
        enqueue: Enqueue,
        clock_: clock.Clock,
        poll_s: float,
        on_following: collections.abc.Callable[[], None],
        on_missed: collections.abc.Callable[[], None],
    ) -> None:
        """Do nothing before :meth:`start`.

        :param poll_s: how long a change waits that nothing wakes us for
        :param on_following: called once, when each change from then on is
            seen
        :param on_missed: called when all stacks have to be read again
        """
        self._index = index
        self._source = source
        self._enqueue = enqueue
        self._on_following = on_following
        self._on_missed = on_missed
        self._clock = clock_
        self._poll_s = poll_s
        self._changed_at = clock_.monotonic()
        self._is_following = False
        # An index that is emptied forgets its position, this process does not.
        self._position = ""
        self._thread = periodic.Thread(
            "search-follow",
            self.step,
            periodic.Failures(
                LOG,
                "changes of stacks are not followed",
                "changes of stacks are followed again",
                first_pause_s=_FIRST_PAUSE_S,
            ),
            batch_delay_s=_BATCH_WAIT_S,
        )

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def stop(self, grace_s: float = 5.0) -> bool:
        """End the thread; another process follows from where it was.

        :returns: whether it ended in time
        """
        return self._thread.stop(grace_s)

    def wake(self) -> None:
        """Ask now: something has changed."""
        self._thread.wake()

    def step(self) -> float:
        """Mark what has changed since the last time.

        :returns: seconds after which to ask again
        :raises orch.errors.Unavailable: source or index cannot be reached
        """
        stored = self._index.load(_POSITION)
        found = self._source.changes(stored or self._position, _LIMIT)
        now, later = _marks(found.changed), _marks(found.changing)
        if now or later:
            self._index.mark([*now, *later])
        if not found.is_complete and self._has_documents():
            LOG.info("changes were missed: all stacks are read again")
            full_scan_state.forget_former_states(self._index)
            full_scan_state.begin_fill(self._index)
            self._on_missed()
        if found.position != stored:
            self._index.save(_POSITION, found.position)
        self._position = found.position
        if now or later:
            self._changed_at = self._clock.monotonic()
            self._enqueue(now, later)
        if not self._is_following:
            self._is_following = True
            self._on_following()
        if found.has_more:
            return 0.0
        is_quiet = self._clock.monotonic() > self._changed_at + _QUIET_S
        return 2 * self._poll_s if is_quiet else self._poll_s

    def _has_documents(self) -> bool:
        """Answer whether the index has been filled, at least in part."""
        return (
            full_scan_state.filled_at(self._index) is not None
            or full_scan_state.find_scan(self._index) is not None
        )


def _marks(
    versions: collections.abc.Mapping[str, int],
) -> list[port.Mark]:
    return [
        port.Mark(stack_id, version) for stack_id, version in versions.items()
    ]
