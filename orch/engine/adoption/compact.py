"""The compact form of a document: each text once, compressed.

Templates of child stacks and files are kept once, however many stacks have
them; their places have positions in a list. It is
``{"document_format": 2, "name": …, "id": …, "compressed": TEXT}``, where the
text is base64 of a zlib stream of JSON.
"""

import base64
import binascii
import collections.abc
import json
import typing
import zlib

from orch import errors
from orch import json_depth
from orch.model import adoption

Document = dict[str, object]

COMPRESSED: typing.Final = "compressed"
_TEXTS: typing.Final = "texts"
TEMPLATES: typing.Final = "child_templates"
"""Key of the templates of child stacks, which parents compute: secret."""

_SHOWN: typing.Final = ("name", "id", "action", "status")
_CHUNK: typing.Final = 65536


class TooLargeDocument(errors.LimitExceeded):
    """A document is larger than this installation takes."""

    code = "orch.adoption.too_large"


def size_of(document: Document) -> int:
    """Return how many bytes of JSON a document has."""
    return len(_json(document))


def share_texts(document: Document) -> Document:
    """Return a document with each text once, not compressed yet."""
    texts, templates = _Shared(), _Shared()
    found = _replaced(document, texts.put, templates.put)
    return {**found, _TEXTS: texts.values, TEMPLATES: templates.values}


def compress(document: Document) -> Document:
    """Return a document with shared texts in the compact form."""
    text = base64.b64encode(zlib.compress(_json(document), 6)).decode()
    shown: Document = {key: document[key] for key in _SHOWN if key in document}
    return {
        adoption.FORMAT: adoption.COMPACT_FORMAT,
        **shown,
        COMPRESSED: text,
    }


def decompress(document: Document, limit: int) -> Document:
    """Return a document in the compact form with its shared texts.

    It is never larger in memory than the limit allows.

    :param limit: bytes of JSON; -1 for none
    :raises TooLargeDocument: it is larger
    :raises orch.model.adoption.BadDocument: it is none
    """
    text = document.get(COMPRESSED)
    if not isinstance(text, str):
        raise _bad()
    try:
        data = base64.b64decode(text, validate=True)
        found = json_depth.parse_json(_inflate(data, limit))
    except (binascii.Error, zlib.error, ValueError):
        raise _bad() from None
    if not isinstance(found, dict) or adoption.FORMAT not in found:
        raise _bad()
    return found


def restore_texts(document: Document, limit: int) -> Document:
    """Return a document with its texts in their places.

    :param limit: bytes that the texts of all places have together; -1 for
        none
    :raises TooLargeDocument: they have more
    :raises orch.model.adoption.BadDocument: a place leads nowhere
    """
    texts = _Taken(document.get(_TEXTS), limit)
    templates = _Taken(document.get(TEMPLATES), limit)
    found = _replaced(document, texts.take, templates.take)
    found.pop(_TEXTS, None)
    found.pop(TEMPLATES, None)
    return found


Replace = collections.abc.Callable[[object], object]


def _replaced(
    document: Document,
    replace_text: Replace,
    replace_template: Replace,
    *,
    is_child: bool = False,
) -> Document:
    """Return a document with other files and templates, at all depths.

    The template of the stack itself stays where clients read it.
    """
    found = dict(document)
    if is_child and "template" in found:
        found["template"] = replace_template(found["template"])
    files = found.get("files")
    if isinstance(files, dict):
        found["files"] = {
            name: replace_text(text) for name, text in files.items()
        }
    entries = found.get("resources")
    if isinstance(entries, dict):
        found["resources"] = {
            name: _replaced(
                each, replace_text, replace_template, is_child=True
            )
            if _is_stack(each)
            else each
            for name, each in entries.items()
        }
    return found


def _is_stack(entry: object) -> typing.TypeGuard[Document]:
    """Whether an entry is the document of a child stack."""
    return isinstance(entry, dict) and isinstance(entry.get("resources"), dict)


class _Shared:
    """Values that are stored once each.

    :ivar values: in the order of their first place
    """

    def __init__(self) -> None:
        self.values: list[object] = []
        self._places: dict[bytes, int] = {}

    def put(self, value: object) -> object:
        """Return the position of a value."""
        key = _json(value)
        if key not in self._places:
            self._places[key] = len(self.values)
            self.values.append(value)
        return self._places[key]


class _Taken:
    """Values by position; what was taken is counted, with repetitions."""

    def __init__(self, values: object, limit: int) -> None:
        """Take nothing yet.

        :raises orch.model.adoption.BadDocument: it is no list
        """
        if not isinstance(values, list):
            raise _bad()
        self._values = values
        self._sizes: dict[int, int] = {}
        self._limit = limit
        self._taken = 0

    def take(self, position: object) -> object:
        """Return the value at a position.

        :raises TooLargeDocument: all that were taken are too large
        :raises orch.model.adoption.BadDocument: there is none
        """
        if (
            not isinstance(position, int)
            or isinstance(position, bool)
            or not 0 <= position < len(self._values)
        ):
            raise _bad()
        value = self._values[position]
        if position not in self._sizes:
            self._sizes[position] = len(_json(value))
        self._taken += self._sizes[position]
        if 0 <= self._limit < self._taken:
            raise _too_large(self._limit)
        return value


def _inflate(data: bytes, limit: int) -> bytes:
    """Return what a stream holds, and stop as soon as it is too much.

    :raises TooLargeDocument: it is
    :raises ValueError: the stream does not end
    :raises zlib.error: it is no stream
    """
    stream = zlib.decompressobj()
    found = bytearray()
    while not stream.eof:
        part = stream.decompress(data, _CHUNK)
        data = stream.unconsumed_tail
        found += part
        if 0 <= limit < len(found):
            raise _too_large(limit)
        if not part and not data:
            raise ValueError("the stream does not end")
    return bytes(found)


def _too_large(limit: int) -> TooLargeDocument:
    return TooLargeDocument(
        "The adoption data is larger than this installation takes once its"
        f" texts are in their places: more than {limit} bytes. An operator"
        " raises [adoption] max_unpacked_document_size."
    )


def _bad() -> adoption.BadDocument:
    return adoption.BadDocument(
        "The adoption data is not in the compact form that its"
        f" {adoption.FORMAT} says: adopt the document as it was given."
    )


def _json(value: object) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode()
