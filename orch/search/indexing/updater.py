"""Brings stacks of the index up to date.

Whatever ends a process in between, the same update again completes it: stacks
that change with another one of their tree are put before that one, so until
then the index shows that they have to be read.
"""

import collections
import collections.abc
import dataclasses
import typing

from orch.search import document
from orch.search.index import port
from orch.search.indexing import known_stacks
from orch.search.indexing import reader as indexing_reader
from orch.search.indexing import tree
from orch.search.sources import port as sources

_NEVER: typing.Final = 2**53
_MAX_READS: typing.Final = 2
"""Of a stack for the sake of others: of two, each may change the other."""

Versions = collections.abc.Mapping[str, int]


class Updater:
    """Reads stacks, and puts them; one thread uses it at a time."""

    def __init__(
        self,
        index: port.Index,
        source: sources.Source,
        known: known_stacks.KnownStacks,
        *,
        is_comparing: bool = True,
    ) -> None:
        """Read nothing yet.

        :param known: what was put last; several updaters may share it
        :param is_comparing: read only what differs from what is known
        """
        self._index = index
        self._reader = indexing_reader.Reader(source)
        self._known = known
        self._is_comparing = is_comparing

    @property
    def size(self) -> int:
        """Return how many stacks to update at once."""
        return self._reader.size

    def update(self, versions: Versions) -> set[str]:
        """Read stacks and those that change with them, and put them.

        :param versions: that have to be reached, by stack; 0 for any
        :returns: stacks that cannot be read, or not in their version yet
        :raises orch.errors.Unavailable: source or index cannot be reached
        """
        try:
            return self._update_all(versions)
        except port.StaleBaseError:
            # Another thread or process has put one of them.
            self._known.clear()
            return self._update_all(versions)

    def _update_all(self, versions: Versions) -> set[str]:
        return self._update(versions, collections.Counter())

    def _update(
        self, versions: Versions, reads: collections.Counter[str]
    ) -> set[str]:
        """Update stacks.

        :param reads: how often stacks were read because of others
        """
        stack_ids = list(versions)
        known = self._known.find(stack_ids) if self._is_comparing else {}
        read = self._reader.read(stack_ids, known)
        unread = set(read.failed)
        ready = []
        for each in self._mark_purged(read.found, versions):
            if each.version < versions[each.stack_id]:
                # A worker may answer from a copy that is behind.
                unread.add(each.stack_id)
            else:
                ready.append(each)
        dependents = [
            each
            for each in tree.find_dependents(self._index, ready)
            if reads[each] < _MAX_READS
        ]
        reads.update(dependents)
        while dependents:
            size = self._reader.size
            some, dependents = dependents[:size], dependents[size:]
            unread |= self._update(dict.fromkeys(some, 0), reads)
        self._put(ready)
        return unread

    def _mark_purged(
        self,
        found: collections.abc.Mapping[str, document.StackDocuments],
        versions: Versions,
    ) -> list[document.StackDocuments]:
        """Return what was read, with a version for what is gone for good.

        The version of a purged stack is not known any more. No id comes back,
        so no version of it is right.
        """
        purged = tree.find_known(
            self._index,
            [
                each.stack_id
                for each in found.values()
                if not each.documents
                and not each.version
                and not versions[each.stack_id]
            ],
        )
        return [
            dataclasses.replace(each, version=_NEVER)
            if each.stack_id in purged
            else each
            for each in found.values()
        ]

    def _put(self, ready: list[document.StackDocuments]) -> None:
        if not ready:
            return
        if self._index.put(ready) == len(ready):
            self._known.save(ready)
        else:
            # Some were not newer: the index has them otherwise.
            self._known.forget(each.stack_id for each in ready)
