"""Updates the documents of marked stacks.

A mark goes once all that there is of its stack was read and is kept. So
whatever ends this process, another one finds the mark and does the same
again, to no effect or to the right one.
"""

import collections.abc
import dataclasses
import logging
import typing

from orch import clock
from orch import periodic
from orch.search import document
from orch.search.index import port
from orch.search.indexing import active_stacks
from orch.search.indexing import known_stacks
from orch.search.indexing import mark_queue
from orch.search.indexing import reader as indexing_reader
from orch.search.indexing import tree

LOG = logging.getLogger(__name__)

_BATCH_WAIT_S: typing.Final = 0.05
_NEVER: typing.Final = 2**53
_BEHIND_S: typing.Final = 2.0
_CHECK_INTERVAL_S: typing.Final = 5.0
_CHANGING_PAUSE_S: typing.Final = 5.0
_SHARE: typing.Final = 5.0
"""A reading of a stack is followed by so many times its duration."""
_MARKS_BATCH: typing.Final = 2_000
_FIRST_PAUSE_S: typing.Final = 0.5
# A worker may answer from a copy of the database that is behind.
_MAX_LAGGING_READS: typing.Final = 7

Complete = collections.abc.Callable[
    [collections.abc.Mapping[str, object]], document.StackDocuments | None
]
"""Makes documents of what a notification said, where no service can tell."""


class Updater:
    """A thread that reads marked stacks.

    :ivar mark_queue: marks that it sees to
    :ivar active_stacks: stacks that it reads again until they rest
    """

    def __init__(
        self,
        index: port.Index,
        reader: indexing_reader.Reader,
        clock_: clock.Clock,
        *,
        reread_interval_s: float | None,
        complete: Complete | None = None,
    ) -> None:
        """Do nothing before :meth:`start`.

        :param reread_interval_s: seconds between two readings of a stack that
            changes; ``None`` where the source tells of its changes
        :param complete: for stacks that the source cannot tell of
        """
        self.mark_queue = mark_queue.MarkQueue(clock_)
        self.active_stacks = active_stacks.ActiveStacks(
            clock_, reread_interval_s
        )
        self._index = index
        self._reader = reader
        self._clock = clock_
        self._complete = complete
        self._known = known_stacks.KnownStacks()
        self._check_at = 0.0
        self._unattended: dict[tuple[str, int], float] | None = None
        self._has_resumed = False
        self._is_behind = False
        self._thread = periodic.Thread(
            "search-keep",
            self._round,
            periodic.Failures(
                LOG,
                "stacks that have changed wait",
                "stacks that have changed are read again",
                first_pause_s=_FIRST_PAUSE_S,
            ),
            batch_delay_s=_BATCH_WAIT_S,
        )

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def stop(self, grace_s: float = 5.0) -> bool:
        """End the thread; marks remain.

        :returns: whether it ended in time
        """
        return self._thread.stop(grace_s)

    def enqueue(
        self,
        marks: collections.abc.Sequence[port.Mark],
        later: collections.abc.Sequence[port.Mark] = (),
    ) -> None:
        """Read the stacks of marks that the index has.

        :param marks: of stacks to read soon
        :param later: of stacks that change further: at most one reading each
            few seconds
        """
        self.mark_queue.add(marks)
        self.mark_queue.add(later, _CHANGING_PAUSE_S)
        self._thread.wake()

    def step(self) -> float:
        """Update some of the stacks that are due.

        :returns: seconds after which something is due again
        :raises orch.errors.Unavailable: source or index cannot be reached
        """
        self._report_delay()
        size = self._reader.size
        marks = self.mark_queue.take(size)
        again = self.active_stacks.take(size - len(marks))
        if not marks and not again:
            self._check_marks()
            return self._pause_s()
        self.handle(marks, again)
        return 0.0

    def _report_delay(self) -> None:
        """Log once that searches are behind, and that they are no more."""
        behind_s = self.mark_queue.behind_s()
        if behind_s > _BEHIND_S and not self._is_behind:
            LOG.warning(
                "searches are %.1f s behind: %d changed stacks wait",
                behind_s,
                self.mark_queue.count(),
            )
        elif self._is_behind and behind_s <= _BEHIND_S:
            LOG.info("searches are up to date")
        self._is_behind = behind_s > _BEHIND_S

    def handle(
        self,
        marks: collections.abc.Sequence[port.Mark],
        again: collections.abc.Sequence[str] = (),
    ) -> None:
        """Read stacks, and store their documents.

        :param marks: to forget then
        :param again: stacks to be read without a mark
        """
        try:
            self._handle(marks, again)
        except port.StaleBaseError:
            # Another process has put one of them: read all as a whole. It
            # will put them after the next change too.
            stack_ids = [*(each.stack_id for each in marks), *again]
            self._known.forget(stack_ids)
            self._handle(marks, again)
            self._known.forget(stack_ids)

    def _handle(
        self,
        marks: collections.abc.Sequence[port.Mark],
        again: collections.abc.Sequence[str],
    ) -> None:
        begun = self._clock.monotonic()
        marked = {each.stack_id: each for each in marks}
        stack_ids = list(dict.fromkeys([*marked, *again]))
        read = self._reader.read(stack_ids, self._known.find(stack_ids))
        done, ready = self._sort(marked, read)
        ready += [
            read.found[each]
            for each in again
            if each in read.found and each not in marked
        ]
        self.active_stacks.forget(read.failed)
        self.save(ready)
        self._index.unmark(done)
        took_s = self._clock.monotonic() - begun
        cost_s = took_s / max(len(ready), 1)
        self.mark_queue.settle(done, _SHARE * cost_s)
        self.active_stacks.watch(ready, cost_s)
        if again:
            self.active_stacks.rest(took_s)

    def save(
        self, changes: collections.abc.Sequence[document.StackDocuments]
    ) -> None:
        """Store documents, and mark child stacks that they change."""
        if not changes:
            return
        child_marks = tree.find_marks(self._index, changes)
        if child_marks:
            self._index.mark(child_marks)
            self.mark_queue.add(child_marks)
        if self._index.put(changes) == len(changes):
            self._known.save(changes)
        else:
            # Some were not newer: the index has them otherwise.
            self._known.forget(each.stack_id for each in changes)

    def _sort(
        self,
        marked: collections.abc.Mapping[str, port.Mark],
        read: indexing_reader.ReadResult,
    ) -> tuple[list[port.Mark], list[document.StackDocuments]]:
        """Return the marks that are done with, and what is to be kept."""
        done = []
        ready = []
        purged = tree.find_known(
            self._index,
            [
                each.stack_id
                for each in read.found.values()
                if not each.documents and not each.version
            ],
        )
        for stack_id, mark in marked.items():
            if stack_id in read.failed:
                self.mark_queue.postpone(mark)
                continue
            found = read.found.get(stack_id) or self._complete_mark(mark)
            if found is not None:
                if self._is_lagging(mark, found):
                    continue
                if stack_id in purged:
                    found = gone_for_good(found)
                ready.append(_at_least(found, mark.version))
            done.append(mark)
        return done, ready

    def _complete_mark(
        self, mark: port.Mark
    ) -> document.StackDocuments | None:
        if self._complete is None or mark.thin is None:
            return None
        return self._complete(mark.thin)

    def _is_lagging(
        self, mark: port.Mark, found: document.StackDocuments
    ) -> bool:
        """Answer whether to read again later what is older than its mark."""
        if found.version >= mark.version:
            return False
        times = self.mark_queue.postpone(mark)
        if 0 < times < _MAX_LAGGING_READS:
            return True
        if found.documents:
            LOG.warning(
                "stack %s: version %d was announced, %d is there",
                mark.stack_id,
                mark.version,
                found.version,
            )
        return False

    def _check_marks(self) -> None:
        """See to marks that whoever made them does not see to.

        At its start a process takes all there are; later those that have
        been there for a while.
        """
        now = self._clock.monotonic()
        if now < self._check_at:
            return
        self._check_at = now + _CHECK_INTERVAL_S
        marks = [
            each
            for each in self._index.marked(_MARKS_BATCH)
            if not self.mark_queue.has(each.stack_id)
        ]
        before = self._unattended
        self._unattended = {
            (each.stack_id, each.nonce): now
            if before is None
            else before.get(
                (each.stack_id, each.nonce), now + _CHECK_INTERVAL_S
            )
            for each in marks
        }
        left = [
            each
            for each in marks
            if self._unattended[each.stack_id, each.nonce] <= now
        ]
        self.mark_queue.add(left)
        if len(left) == _MARKS_BATCH:
            self._unattended = None
            self._check_at = now

    def _pause_s(self) -> float:
        known = [
            each
            for each in (self.mark_queue.due_in(), self.active_stacks.due_in())
            if each is not None
        ]
        left_s = self._check_at - self._clock.monotonic()
        return max(min([left_s, *known]), 0.0)

    def _round(self) -> float:
        try:
            if not self._has_resumed:
                self._resume()
                self._has_resumed = True
            return self.step()
        except Exception:
            self._repair_index()
            raise

    def _resume(self) -> None:
        """Watch what was changing when the last process ended."""
        self.active_stacks.resume(
            tree.find_changing(self._index, active_stacks.IN_PROGRESS)
        )

    def _repair_index(self) -> None:
        """Make the index again, should it be lost."""
        try:
            self._index.prepare()
        except Exception:
            LOG.debug("the index cannot be made ready", exc_info=True)


def gone_for_good(
    read: document.StackDocuments,
) -> document.StackDocuments:
    """Return what is gone so long that its version is not known any more.

    No id comes back, so no version of it is right any more.
    """
    if read.documents or read.version:
        return read
    return dataclasses.replace(read, version=_NEVER)


def _at_least(
    found: document.StackDocuments, version: int
) -> document.StackDocuments:
    """Return what is gone with the version that its notification told.

    The version of what is gone long since is not known any more.
    """
    if found.documents or found.version >= version:
        return found
    return dataclasses.replace(found, version=version)
