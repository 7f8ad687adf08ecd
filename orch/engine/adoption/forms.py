"""The two forms that a document is written and read in.

The plain form is Heat's. The compact one is for documents that would be too
large (``compact``).
"""

import dataclasses
import typing

from orch.engine import dependencies
from orch.engine.adoption import compact
from orch.engine.adoption import sealing
from orch.model import adoption

PLAIN: typing.Final = "plain"
COMPACT: typing.Final = "compact"

Document = dict[str, object]


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Form:
    """How a document is written.

    :ivar receiver: public key that its secrets are sealed for; ``None`` for
        clear text
    :ivar name: ``plain``, ``compact``, or ``None`` for the compact form
        where the plain one would be too large
    :ivar is_child: it is the document of a child stack
    """

    receiver: str | None
    name: str | None = None
    is_child: bool = False


@dataclasses.dataclass(frozen=True, slots=True)
class Written:
    """A document as it is sent.

    :ivar form: ``plain`` or ``compact``
    :ivar size: bytes of JSON
    """

    document: Document
    form: str
    size: int


def write_document(
    deps: dependencies.Dependencies, document: Document, form: Form
) -> Written:
    """Return a document in a form, its secrets sealed if they are to be.

    :raises orch.engine.adoption.compact.TooLargeDocument: this installation
        would not take it
    """
    limit = deps.settings.max_document_size
    if form.name != COMPACT:
        found = _sealed(document, form)
        size = compact.size_of(found)
        if limit < 0 or size <= limit:
            return Written(found, PLAIN, size)
        if form.name == PLAIN:
            raise compact.TooLargeDocument(
                f"The document of the stack has {size} bytes, and this"
                f" installation takes {limit}: request it with form=compact."
                " Nothing has changed."
            )
    return _write_compact(deps, document, form)


def read_document(
    deps: dependencies.Dependencies, document: Document
) -> Document:
    """Return a document of any form, in clear text and with all its texts.

    :raises orch.model.adoption.NewerDocument: it is of a newer format
    :raises orch.engine.adoption.compact.TooLargeDocument: it is too large
    :raises orch.model.adoption.BadDocument: it is not in the form that it
        says
    :raises orch.engine.adoption.sealing.BrokenSeal: its seal cannot be opened
    """
    keys = deps.settings.document_keys
    if adoption.check_format(document) != adoption.COMPACT_FORMAT:
        return sealing.open_document(document, keys)
    limit = deps.settings.max_unpacked_document_size
    found = compact.decompress(document, limit)
    adoption.check_format(found)
    return compact.restore_texts(sealing.open_document(found, keys), limit)


def _write_compact(
    deps: dependencies.Dependencies, document: Document, form: Form
) -> Written:
    shared = _sealed(compact.share_texts(document), form)
    found = compact.compress(shared)
    size, limit = compact.size_of(found), deps.settings.max_document_size
    unpacked = deps.settings.max_unpacked_document_size
    largest = max(compact.size_of(document), compact.size_of(shared))
    if 0 <= limit < size or 0 <= unpacked < largest:
        raise compact.TooLargeDocument(
            f"The document of the stack has {size} bytes in its compact form,"
            " and this installation would not take it. Nothing has changed."
            " An operator raises [adoption] max_document_size and"
            " max_unpacked_document_size."
        )
    return Written(found, COMPACT, size)


def _sealed(document: Document, form: Form) -> Document:
    if form.receiver is None:
        return document
    return sealing.seal_document(
        document, form.receiver, is_child=form.is_child
    )
