"""Computes what to write so that a stack is replaced."""

import collections.abc
import dataclasses
import typing

from orch.search import document as documents
from orch.search.index import port
from orch.search.index.opensearch import client as wire
from orch.search.index.opensearch import mapping as rows


@dataclasses.dataclass(frozen=True, slots=True)
class _NewDocument:
    document: documents.Document
    body: str
    digest: str


class Replacement:
    """A stack that is newer than its documents in the index.

    :ivar stored: its row, if it has one
    :ivar hides_more: what it was may show what is hidden now
    :ivar is_same: none of its documents differs, and it may stay what it was
    """

    def __init__(
        self, change: documents.StackDocuments, stored: wire.StoredRow | None
    ) -> None:
        """Compare a stack with what is there.

        :raises port.StaleBaseError: it is not there as its base says
        """
        self.stack_id = change.stack_id
        self.stored = stored
        self._change = change
        self._new_documents = {
            rows.document_key(change.stack_id, each.id): _new_document(each)
            for each in change.documents
        }
        self._there: dict[str, str] = stored.row["digests"] if stored else {}
        self._redacted = frozenset(map(rows.clean_text, change.redacted))
        self._known = self._redacted
        if stored:
            self._known = self._redacted.intersection(stored.row["redacted"])
        self.hides_more = self._known != self._redacted
        self._is_whole = stored is None or bool(stored.row["is_whole"])
        self._unchanged = self._find_unchanged()
        self._old_bytes = 0
        self.is_same = (
            self._is_whole
            and not self.hides_more
            and self._there == self._digests()
        )

    def _find_unchanged(self) -> dict[str, str]:
        """Return the digests of documents that remain as they are.

        :raises port.StaleBaseError: the stack is not there as its base says
        """
        base = self._change.base
        if base is None:
            return {}
        names = [
            rows.document_key(self.stack_id, each)
            for each in self._change.unchanged
        ]
        if (
            self.stored is None
            or not self._is_whole
            or (self.stored.row["version"], self.stored.row["read_at"])
            != (base.version, base.read_at)
            or not self._there.keys() >= set(names)
        ):
            raise port.StaleBaseError(self.stack_id)
        return {each: self._there[each] for each in names}

    def _digests(self) -> dict[str, str]:
        found = dict(self._unchanged)
        for name, each in self._new_documents.items():
            found[name] = each.digest
        return found

    def _text_bytes(self) -> int:
        """Return the length of all documents; too high before :meth:`acts`."""
        if self._change.base is None or self.stored is None:
            return sum(len(each.body) for each in self._new_documents.values())
        added = sum(
            len(each.body)
            for name, each in self._new_documents.items()
            if self._there.get(name) != each.digest
        )
        return int(self.stored.row["text_bytes"]) + added - self._old_bytes

    def claim(self, index: str) -> wire.Act:
        """Return the action that only one of several writers can do.

        Until the documents are written the row names all that may be there,
        and as covered only what is so in all of them.
        """
        digests = self._digests()
        if not self.is_same:
            digests = {**self._there, **digests}
        verb, condition = "create", {}
        if self.stored:
            verb, condition = "index", self.stored.condition
        row = self._row(digests, self._known, self.is_same)
        return wire.Act(verb, index, self.stack_id, row, condition)

    def ending(self, index: str, claimed: wire.Answer) -> wire.Act:
        """Return the action that marks the replacement as complete.

        :param claimed: what became of the claim
        """
        condition = {
            "if_seq_no": claimed["_seq_no"],
            "if_primary_term": claimed["_primary_term"],
        }
        row = self._row(self._digests(), self._redacted, True)
        return wire.Act("index", index, self.stack_id, row, condition)

    def _row(
        self,
        digests: dict[str, str],
        redacted: collections.abc.Set[str],
        is_whole: bool,
    ) -> wire.Row:
        return {
            "stack_id": self.stack_id,
            "version": self._change.version,
            "read_at": self._change.read_at,
            "is_whole": is_whole,
            "documents": len(self._digests()),
            "text_bytes": self._text_bytes(),
            "digests": digests,
            "redacted": sorted(redacted),
        }

    def differing(self) -> list[str]:
        """Return keys of documents that differ, or may differ."""
        names = {*self._new_documents, *self._there}
        if not self._is_whole:
            return sorted(names)
        digests = self._digests()
        return sorted(
            each
            for each in names
            if digests.get(each) != self._there.get(each)
        )

    def acts(
        self,
        index: str,
        claimed: wire.Answer,
        there: collections.abc.Mapping[str, wire.StoredRow],
    ) -> collections.abc.Iterator[wire.Act]:
        """Return the actions on documents.

        Where a slower writer may be about to write the same, our number
        keeps it from that, also where nothing differs.

        :param claimed: what became of the claim
        :param there: those of :meth:`differing` that are there
        """
        version = {
            "version": claimed["_version"],
            "version_type": "external_gte",
        }
        for name in self.differing():
            new, old = self._new_documents.get(name), there.get(name)
            is_old = old is not None and (
                new is None or old.row["digest"] != new.digest
            )
            if old is not None and is_old:
                self._old_bytes += len(old.row["body"])
                yield from self._former(index, name, old.row, version)
            if new is None:
                yield wire.Act("delete", index, name, options=version)
            elif old is None or is_old or not self._is_whole:
                start = self._change.read_at
                if old is not None and not is_old:
                    start = old.row["valid_from"]
                row = rows.row_of(new.document, self.stack_id, new.body, start)
                yield wire.Act("index", index, name, row, version)

    def _former(
        self,
        index: str,
        name: str,
        old: wire.Row,
        version: collections.abc.Mapping[str, object],
    ) -> collections.abc.Iterator[wire.Act]:
        """Return what keeps a document as it was until now, or forbids it."""
        start: typing.Final = float(old["valid_from"])
        former = f"{name}-{start!r}"
        if self.hides_more:
            yield wire.Act("delete", index, former, options=version)
            return
        if start > self._change.read_at:
            return
        body = old["body"]
        row = rows.row_of(
            rows.document_in(body),
            self.stack_id,
            body,
            start,
            self._change.read_at,
        )
        yield wire.Act("index", index, former, row, version)


def is_newer(
    change: documents.StackDocuments, stored: wire.StoredRow | None
) -> bool:
    """Whether a stack is newer than its documents in the index.

    The same again is where what is there did not get whole.
    """
    if stored is None:
        return True
    mine = (change.version, change.read_at)
    theirs = (stored.row["version"], stored.row["read_at"])
    return mine > theirs or (mine == theirs and not stored.row["is_whole"])


def _new_document(document: documents.Document) -> _NewDocument:
    body = rows.body_of(document)
    return _NewDocument(document, body, rows.digest_of(body))
