"""Brings the documents of stacks that were marked up to date.

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
from orch.search.indexing import mark_queue
from orch.search.indexing import reader as indexing_reader
from orch.search.indexing import tree

LOG = logging.getLogger(__name__)

_GATHER_S: typing.Final = 0.05
_LOOK_S: typing.Final = 5.0
_LOOKED_AT: typing.Final = 2_000
_FIRST_PAUSE_S: typing.Final = 0.5
# A worker may answer from a copy of the database that is behind.
_LAGGING: typing.Final = 7

Complete = collections.abc.Callable[
    [collections.abc.Mapping[str, object]], document.StackDocuments | None
]
"""Makes documents of what a notification said, where nobody can be asked."""


class Keeper:
    """A thread that reads what is marked.

    :ivar waiting: marks that it sees to
    :ivar rereading: stacks that it reads again until they rest
    """

    def __init__(
        self,
        index: port.Index,
        reader: indexing_reader.Reader,
        clock_: clock.Clock,
        *,
        reread_interval_s: float,
        complete: Complete | None = None,
    ) -> None:
        """Do nothing before :meth:`start`.

        :param complete: for stacks that the source cannot tell of
        """
        self.waiting = mark_queue.Waiting(clock_)
        self.rereading = active_stacks.Rereading(clock_, reread_interval_s)
        self._index = index
        self._reader = reader
        self._clock = clock_
        self._complete = complete
        self._look_at = 0.0
        self._seen: dict[tuple[str, int], float] | None = None
        self._has_resumed = False
        self._thread = periodic.Thread(
            "search-keep",
            self._round,
            periodic.Failures(
                LOG,
                "stacks that have changed wait",
                "stacks that have changed are read again",
                first_pause_s=_FIRST_PAUSE_S,
            ),
            gather_s=_GATHER_S,
        )

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def stop(self, grace_s: float = 5.0) -> bool:
        """End the thread; what is marked stays marked.

        :returns: whether it ended in time
        """
        return self._thread.stop(grace_s)

    def see_to(self, marks: collections.abc.Sequence[port.Mark]) -> None:
        """Read the stacks of marks that the index has, soon."""
        self.waiting.add(marks)
        self._thread.wake()

    def step(self) -> float:
        """Bring up to date what is due, some of it.

        :returns: seconds after which something is due again
        :raises orch.errors.Unavailable: source or index cannot be reached
        """
        self._ask()
        size = self._reader.size
        marks = self.waiting.take(size)
        again = self.rereading.take(size - len(marks))
        if not marks and not again:
            self._look()
            return self._pause_s()
        self.handle(marks, again)
        return 0.0

    def handle(
        self,
        marks: collections.abc.Sequence[port.Mark],
        again: collections.abc.Sequence[str] = (),
    ) -> None:
        """Read stacks and keep what was read.

        :param marks: to forget then
        :param again: stacks to be read without a mark
        """
        begun = self._clock.monotonic()
        marked = {each.stack_id: each for each in marks}
        read = self._reader.read(list(dict.fromkeys([*marked, *again])))
        done, ready = self._sort(marked, read)
        ready += [
            read.found[each]
            for each in again
            if each in read.found and each not in marked
        ]
        self.rereading.forget(read.failed)
        self.keep(ready)
        self._index.unmark(done)
        self.waiting.settle(done)
        took_s = self._clock.monotonic() - begun
        self.rereading.watch(ready, took_s / max(len(ready), 1))
        if again:
            self.rereading.rest(took_s)

    def keep(
        self, changes: collections.abc.Sequence[document.StackDocuments]
    ) -> None:
        """Keep what was read, and mark inner stacks that it changes."""
        if not changes:
            return
        inner = tree.find_marks(self._index, changes)
        if inner:
            self._index.mark(inner)
            self.waiting.add(inner)
        self._index.put(changes)

    def _sort(
        self,
        marked: collections.abc.Mapping[str, port.Mark],
        read: indexing_reader.Read,
    ) -> tuple[list[port.Mark], list[document.StackDocuments]]:
        """Return the marks that are done with, and what is to be kept."""
        done = []
        ready = []
        for stack_id, mark in marked.items():
            if stack_id in read.failed:
                self.waiting.postpone(mark)
                continue
            found = read.found.get(stack_id) or self._tell(mark)
            if found is not None:
                if self._is_lagging(mark, found):
                    continue
                ready.append(_at_least(found, mark.version))
            done.append(mark)
        return done, ready

    def _tell(self, mark: port.Mark) -> document.StackDocuments | None:
        if self._complete is None or mark.thin is None:
            return None
        return self._complete(mark.thin)

    def _is_lagging(
        self, mark: port.Mark, found: document.StackDocuments
    ) -> bool:
        """Answer whether to read again later what is older than its mark."""
        if found.version >= mark.version:
            return False
        times = self.waiting.postpone(mark)
        if 0 < times < _LAGGING:
            return True
        if found.documents:
            LOG.warning(
                "stack %s: a notification told of version %d, %d is there",
                mark.stack_id,
                mark.version,
                found.version,
            )
        return False

    def _ask(self) -> None:
        """Find out which of the stacks that change have done so."""
        asked = self.rereading.ask()
        if asked:
            begun = self._clock.monotonic()
            versions = self._reader.versions(asked)
            self.rereading.hear(versions, self._clock.monotonic() - begun)

    def _look(self) -> None:
        """See to marks that whoever made them does not see to.

        At its start a process takes all there are; later those that have
        been there for a while.
        """
        now = self._clock.monotonic()
        if now < self._look_at:
            return
        self._look_at = now + _LOOK_S
        marks = [
            each
            for each in self._index.marked(_LOOKED_AT)
            if not self.waiting.has(each.stack_id)
        ]
        before = self._seen
        self._seen = {
            (each.stack_id, each.nonce): now
            if before is None
            else before.get((each.stack_id, each.nonce), now + _LOOK_S)
            for each in marks
        }
        left = [
            each
            for each in marks
            if self._seen[each.stack_id, each.nonce] <= now
        ]
        self.waiting.add(left)
        if len(left) == _LOOKED_AT:
            self._seen = None
            self._look_at = now

    def _pause_s(self) -> float:
        known = [
            each
            for each in (self.waiting.due_in(), self.rereading.due_in())
            if each is not None
        ]
        left_s = self._look_at - self._clock.monotonic()
        return max(min([left_s, *known]), 0.0)

    def _round(self) -> float:
        try:
            if not self._has_resumed:
                self._resume()
                self._has_resumed = True
            return self.step()
        except Exception:
            self._mend()
            raise

    def _resume(self) -> None:
        """Watch what was changing when the last process ended."""
        self.rereading.resume(
            tree.find_changing(self._index, active_stacks.IN_PROGRESS)
        )

    def _mend(self) -> None:
        """Make the index again, should it be lost."""
        try:
            self._index.prepare()
        except Exception:
            LOG.debug("the index cannot be made ready", exc_info=True)


def _at_least(
    found: document.StackDocuments, version: int
) -> document.StackDocuments:
    """Return what is gone with the version that its notification told.

    Of what is gone long since nobody knows the version any more.
    """
    if found.documents or found.version >= version:
        return found
    return dataclasses.replace(found, version=version)
