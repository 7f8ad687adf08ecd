"""Reads stacks in bulk, and skips one that cannot be read."""

import collections.abc
import dataclasses
import logging
import typing

from orch import errors
from orch.search import document
from orch.search.sources import port

LOG = logging.getLogger(__name__)

MAX_BATCH: typing.Final = 50
"""Stacks that a source is asked for at once."""

_DOCUMENTS_BATCH: typing.Final = 1_500
_MAX_WARNINGS: typing.Final = 100

Known = collections.abc.Mapping[str, document.KnownStack]
_NOTHING: typing.Final[Known] = {}


@dataclasses.dataclass(frozen=True, slots=True)
class ReadResult:
    """The result of reading a source.

    :ivar found: by id; what the source cannot tell of is not there
    :ivar failed: ids of stacks that are in its way, for whatever reason
    """

    found: collections.abc.Mapping[str, document.StackDocuments]
    failed: frozenset[str] = frozenset()


class Reader:
    """Reads stacks from a source, as many as it returns in time.

    :ivar size: stacks to ask for at once: fewer where they are large
    """

    def __init__(self, source: port.Source) -> None:
        """Keep the source."""
        self.size = MAX_BATCH
        self._source = source
        self._warned: set[str] = set()

    def read(
        self,
        stack_ids: collections.abc.Sequence[str],
        known: Known = _NOTHING,
    ) -> ReadResult:
        """Read the documents of stacks.

        :param known: what the index has of some of them, which a source
            that can compares
        :raises orch.errors.Unavailable: no service answers, or all of it
            was too much; the next time ask for :attr:`size`
        """
        try:
            found = self._read(stack_ids, known)
        except errors.Unavailable:
            self.size = max(self.size // 4, 1)
            raise
        except Exception as error:
            return self._read_each(stack_ids, known, error)
        count = sum(len(e.documents) + len(e.unchanged) for e in found)
        self._resize(len(stack_ids), count)
        return ReadResult({each.stack_id: each for each in found})

    def _read(
        self, stack_ids: collections.abc.Sequence[str], known: Known
    ) -> list[document.StackDocuments]:
        if known and isinstance(self._source, port.ComparingSource):
            return self._source.read_changed(stack_ids, known)
        return self._source.read(stack_ids)

    def _read_each(
        self,
        stack_ids: collections.abc.Sequence[str],
        known: Known,
        error: Exception,
    ) -> ReadResult:
        if len(stack_ids) == 1:
            if known:
                # A worker of an earlier release compares nothing.
                return self.read(stack_ids)
            self._warn_once(stack_ids[0], error)
            return ReadResult({}, frozenset(stack_ids))
        found: dict[str, document.StackDocuments] = {}
        failed: set[str] = set()
        for each in stack_ids:
            its = {each: known[each]} if each in known else _NOTHING
            one = self.read([each], its)
            found.update(one.found)
            failed.update(one.failed)
        return ReadResult(found, frozenset(failed))

    def _resize(self, stacks: int, documents: int) -> None:
        target_size = stacks * _DOCUMENTS_BATCH // max(documents, 1)
        self.size = max(1, min(target_size, self.size * 2, MAX_BATCH))

    def _warn_once(self, stack_id: str, error: Exception) -> None:
        """Log once what is wrong with a stack."""
        if stack_id in self._warned:
            return
        if len(self._warned) < _MAX_WARNINGS:
            self._warned.add(stack_id)
            LOG.error("stack %s cannot be read", stack_id, exc_info=error)
