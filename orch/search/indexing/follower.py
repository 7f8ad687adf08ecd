"""Follows the changes of a source, and brings the index up to date.

Of all processes of an index the one with the lease does it, from the position
that the index has. The position is stored after the documents: a process that
is killed in between reads the same stacks once more.
"""

import collections.abc
import json
import logging
import typing

from orch import clock
from orch import periodic
from orch.search.index import port
from orch.search.indexing import change_queue
from orch.search.indexing import full_scan_state
from orch.search.indexing import lease
from orch.search.indexing import updater
from orch.search.sources import port as sources

LOG = logging.getLogger(__name__)

_POSITION: typing.Final = "feed_position"
_RETRIED: typing.Final = "retried_stacks"
_LIMIT: typing.Final = 1_000
POLL_S: typing.Final = 0.5
"""How long a change waits if nothing wakes the follower."""
_QUIET_S: typing.Final = 10.0
"""After so long without a change it waits twice as long."""
_STANDBY_S: typing.Final = 1.0
_BATCH_WAIT_S: typing.Final = 0.2
_BEHIND_S: typing.Final = 2.0
_SHARE: typing.Final = 5.0
"""A reading of a stack is followed by so many times its duration."""
_FIRST_PAUSE_S: typing.Final = 0.5
_GRACE_S: typing.Final = 5.0


def load_retried(index: port.Index) -> list[str]:
    """Return stacks that could not be read and are tried again.

    :raises orch.errors.Unavailable: the index cannot be reached
    """
    return list(json.loads(index.load(_RETRIED) or "[]"))


class Follower:
    """A thread that asks the source for changes, and reads their stacks.

    :ivar queue: of stacks that have to be read
    """

    def __init__(
        self,
        index: port.Index,
        source: sources.Source,
        updater_: updater.Updater,
        lease_: lease.Lease,
        clock_: clock.Clock,
        *,
        poll_s: float = POLL_S,
        on_following: collections.abc.Callable[[], None],
        on_missed: collections.abc.Callable[[], None],
    ) -> None:
        """Do nothing before :meth:`start`.

        :param poll_s: how long a change waits that nothing wakes us for
        :param on_following: called once, when each change from then on is
            seen
        :param on_missed: called when all stacks have to be read again
        """
        self.queue = change_queue.ChangeQueue(clock_)
        self._index = index
        self._source = source
        self._updater = updater_
        self._lease = lease_
        self._clock = clock_
        self._poll_s = poll_s
        self._on_following = on_following
        self._on_missed = on_missed
        self._changed_at = clock_.monotonic()
        self._is_following = False
        self._is_behind = False
        self._watch: sources.Watch | None = None
        self._saved: tuple[str | None, list[str]] = (None, [])
        self._thread = periodic.Thread(
            "search-follow",
            lease_.checked(self.step),
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

    def stop(self, grace_s: float = _GRACE_S) -> bool:
        """End the thread; another process follows from where it was.

        :returns: whether it ended in time
        """
        has_ended = self._thread.stop(grace_s)
        self._release(grace_s)
        return has_ended

    def wake(self) -> None:
        """Ask now: something has changed."""
        self._thread.wake()

    def retry(self, stack_ids: collections.abc.Iterable[str]) -> None:
        """Read stacks again that another thread could not read."""
        self.queue.retry(stack_ids)
        self._thread.wake()

    def step(self) -> float:
        """Read some of what has changed since the last time.

        :returns: seconds after which to ask again
        :raises orch.errors.Unavailable: source or index cannot be reached
        """
        if not self._hold():
            return _STANDBY_S
        stored = self._index.load(_POSITION)
        if self._watch is None:
            retried = load_retried(self._index)
            # An index that is emptied forgets it, this process does not.
            self.queue.restart(stored or self.queue.position, retried)
            self._saved = (stored, retried)
            self._watch = self._source.watch(self.wake)
        has_more = self._ask()
        self._report_delay()
        self._read()
        self._save(stored)
        if has_more:
            return 0.0
        is_quiet = self._clock.monotonic() > self._changed_at + _QUIET_S
        poll_s = 2 * self._poll_s if is_quiet else self._poll_s
        due_in = self.queue.due_in()
        return poll_s if due_in is None else min(poll_s, due_in)

    def _hold(self) -> bool:
        """Answer whether this process has the lease.

        Without it nothing is watched, and no stack waits: another process
        reads those behind the position.
        """
        is_held = False
        try:
            is_held = self._lease.hold()
        finally:
            if not is_held:
                self._release(_GRACE_S)
                self.queue.restart(self.queue.stored_position()[0], ())
        return is_held

    def _ask(self) -> bool:
        """Queue what has changed; answer whether there is more."""
        if self.queue.is_full():
            return False
        found = self._source.changes(self.queue.position, _LIMIT)
        if not found.is_complete and self._has_documents():
            LOG.info("changes were missed: all stacks are read again")
            full_scan_state.forget_former_states(self._index)
            full_scan_state.begin_fill(self._index)
            self._on_missed()
        has_changes = bool(found.changed or found.changing)
        if has_changes or found.position != self.queue.position:
            self.queue.add(found)
        if has_changes:
            self._changed_at = self._clock.monotonic()
        if not self._is_following:
            self._is_following = True
            self._on_following()
        return found.has_more

    def _read(self) -> None:
        """Update some of the stacks that are due."""
        taken = self.queue.take(self._updater.size)
        if not taken:
            return
        begun = self._clock.monotonic()
        unread = self._updater.update(taken)
        took_s = self._clock.monotonic() - begun
        self.queue.finish(taken.keys() - unread, _SHARE * took_s / len(taken))
        self.queue.retry(unread)

    def _save(self, stored: str | None) -> None:
        """Store how far the index is, where that has changed."""
        position, retried = self.queue.stored_position()
        if stored is None:
            self._saved = (None, [])
        is_saved = position == stored and (position, retried) == self._saved
        if is_saved or not self._hold():
            return
        if retried != self._saved[1]:
            text = json.dumps(retried) if retried else None
            self._index.save(_RETRIED, text)
        if position != stored:
            self._index.save(_POSITION, position)
        if (position, retried) != self._saved:
            self._saved = (position, retried)
            self._source.confirm(position)

    def _has_documents(self) -> bool:
        """Answer whether the index has been filled, at least in part."""
        return (
            full_scan_state.filled_at(self._index) is not None
            or full_scan_state.find_scan(self._index) is not None
        )

    def _report_delay(self) -> None:
        """Log once that searches are behind, and that they are no more."""
        behind_s = self.queue.behind_s()
        if behind_s > _BEHIND_S and not self._is_behind:
            LOG.warning(
                "searches are %.1f s behind: %d changed stacks wait",
                behind_s,
                self.queue.count(),
            )
        elif self._is_behind and behind_s <= _BEHIND_S:
            LOG.info("searches are up to date")
        self._is_behind = behind_s > _BEHIND_S

    def _release(self, grace_s: float) -> None:
        """Watch the source no more."""
        watch, self._watch = self._watch, None
        if watch is not None:
            watch.stop(grace_s)
