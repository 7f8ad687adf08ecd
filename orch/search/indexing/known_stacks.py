"""What the index has of the stacks that were put last.

A source that is given it leaves out what has not changed. It is lost with the
process, and wrong once another process has put a stack: the index refuses
what was read by it then, and the stack is read as a whole.
"""

import collections.abc
import threading
import typing

import cachetools

from orch.search import document

MAX_DOCUMENTS: typing.Final = 20_000
"""Documents that are known at most, those put last."""


class KnownStacks:
    """The digests of documents by their stacks; safe for threads."""

    def __init__(self) -> None:
        """Know nothing yet."""
        self._lock = threading.Lock()
        self._stacks: cachetools.FIFOCache[str, document.KnownStack] = (
            cachetools.FIFOCache(MAX_DOCUMENTS, lambda known: len(known.ids))
        )

    def find(
        self, stack_ids: collections.abc.Iterable[str]
    ) -> dict[str, document.KnownStack]:
        """Return those of the stacks that are known."""
        with self._lock:
            return {
                each: self._stacks[each]
                for each in stack_ids
                if each in self._stacks
            }

    def save(
        self, changes: collections.abc.Iterable[document.StackDocuments]
    ) -> None:
        """Know stacks as they were put, and forget those put long ago."""
        with self._lock:
            for each in changes:
                self._stacks.pop(each.stack_id, None)
                if 0 < len(each.digests) <= MAX_DOCUMENTS:
                    self._stacks[each.stack_id] = each.known

    def forget(self, stack_ids: collections.abc.Iterable[str]) -> None:
        """Know these stacks no more."""
        with self._lock:
            for each in stack_ids:
                self._stacks.pop(each, None)

    def clear(self) -> None:
        """Know no stack any more."""
        with self._lock:
            self._stacks.clear()
