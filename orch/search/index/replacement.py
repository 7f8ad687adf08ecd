"""What to write where the documents of a stack replace former ones.

No database is known here: each index looks up what it has of a stack, asks
here what that becomes, and writes it.
"""

import collections.abc
import dataclasses
import json
import typing

from orch.search import document as documents
from orch.search.index import bodies
from orch.search.index import port


class Packed(typing.NamedTuple):
    """A document as it is stored.

    :ivar document: as it will come back
    :ivar body: JSON, not compressed
    """

    document: documents.Document
    body: bytes
    digest: bytes


class StoredStack(typing.NamedTuple):
    """What an index has of a stack.

    :ivar text_bytes: of all its documents
    :ivar redacted: as :func:`dump_redacted` wrote it
    """

    version: int
    read_at: float
    text_bytes: int
    redacted: str


class Former(typing.NamedTuple):
    """What an index has of a document that is current.

    :ivar key: by which the index finds it again
    :ivar length: of its body, in bytes
    """

    key: int
    digest: bytes
    valid_from: float
    length: int


@dataclasses.dataclass(frozen=True, slots=True)
class Replacement:
    """What to write of a stack that is newer.

    :ivar added: documents that become current
    :ivar count: how many documents the stack has then
    :ivar replaced: keys of those that are current no more, and until when
        each was
    :ivar forgets: nothing of the former states of the stack may be kept,
        nor of what is replaced
    """

    change: documents.StackDocuments
    added: list[Packed]
    replaced: list[tuple[int, float]]
    forgets: bool
    count: int
    text_bytes: int


def newest_changes(
    changes: collections.abc.Iterable[documents.StackDocuments],
) -> list[documents.StackDocuments]:
    """Return the newest change of each stack, in the order of their ids."""
    newest: dict[str, documents.StackDocuments] = {}
    for each in changes:
        known = newest.get(each.stack_id)
        if known is None or _age(known) < _age(each):
            newest[each.stack_id] = each
    return [newest[stack_id] for stack_id in sorted(newest)]


def _age(change: documents.StackDocuments) -> tuple[int, float]:
    return change.version, change.read_at


def pack(change: documents.StackDocuments) -> list[Packed]:
    """Return the documents of a change as they are stored, each id once."""
    found = []
    for each in {each.id: each for each in change.documents}.values():
        document, body = bodies.pack(each)
        found.append(Packed(document, body, bodies.digest(body)))
    return found


def is_newer(
    change: documents.StackDocuments, stored: StoredStack | None
) -> bool:
    """Whether a change is newer than what is stored of its stack.

    :raises port.StaleBaseError: it is, and its base is not what is stored
    """
    if stored and _age(change) <= stored[:2]:
        return False
    base = change.base
    if base and (not stored or (base.version, base.read_at) != stored[:2]):
        raise port.StaleBaseError(change.stack_id)
    return True


def replace(
    change: documents.StackDocuments,
    packed: collections.abc.Sequence[Packed],
    stored: StoredStack | None,
    former: dict[str, Former],
) -> Replacement:
    """Return what to write of a change that is newer.

    :param packed: its documents, see :func:`pack`
    :param former: what is current of the stack, by ids of documents; what
        stays so is taken out
    :raises port.StaleBaseError: what is unchanged is not there
    """
    for document_id in change.unchanged:
        if former.pop(document_id, None) is None:
            raise port.StaleBaseError(change.stack_id)
    text_bytes = 0
    if change.base and stored:
        gone = sum(each.length for each in former.values())
        text_bytes = stored.text_bytes - gone
    added = []
    for each in packed:
        text_bytes += len(each.body)
        known = former.get(each.document.id)
        if known and known.digest == each.digest:
            del former[each.document.id]
        else:
            added.append(each)
    return Replacement(
        change,
        added,
        [
            (each.key, max(change.read_at, each.valid_from))
            for each in former.values()
        ],
        stored is not None
        and not change.redacted.issubset(json.loads(stored.redacted)),
        len(packed) + len(change.unchanged),
        text_bytes,
    )


def dump_redacted(change: documents.StackDocuments) -> str:
    """Return the redacted names of a stack as one text."""
    return json.dumps(sorted(change.redacted))
