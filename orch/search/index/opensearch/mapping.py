"""Mappings of OpenSearch, and the rows of documents.

Each value of a document is a *fact*, an inner object of its own, so that
words, terms, bounds, orders and counts are those of one value, and what is for
administrators is apart from the rest. What is searched without a field is in
``words`` too.
"""

import hashlib
import json
import struct
import typing

from orch import clock
from orch.search import document as documents
from orch.search import tokenizer
from orch.search.index import ordering
from orch.search.query import values

FORMAT: typing.Final = 6
"""Another one makes an index be filled again."""

MAX_TERM_LENGTH: typing.Final = 8191
"""Characters; what is longer cannot be a term of Lucene."""

_GAP: typing.Final = 100
_WORDS: typing.Final = {
    "type": "text",
    "analyzer": "whitespace",
    "norms": False,
    "position_increment_gap": _GAP,
}
_KEYWORD: typing.Final = {"type": "keyword"}
_EXACT: typing.Final = {"type": "keyword", "ignore_above": MAX_TERM_LENGTH}
_NUMBER: typing.Final = {"type": "double"}

Row: typing.TypeAlias = dict[str, object]


def documents_index() -> dict[str, object]:
    """Return settings and fields of the index of documents.

    It is refreshed by who has written a whole stack, and never in between.
    """
    facts = {
        "field": _KEYWORD,
        "names": _KEYWORD,
        "kind": _KEYWORD,
        "is_admin": {"type": "boolean"},
        "term": _KEYWORD,
        "value": _EXACT,
        "shown": {"type": "keyword", "ignore_above": ordering.MAX_KEY_LENGTH},
        "order": _KEYWORD,
        "words": _WORDS,
        "number": _NUMBER,
    }
    fields = {
        "id": _KEYWORD,
        "stack_id": _KEYWORD,
        "project_id": _KEYWORD,
        "kind": _KEYWORD,
        "is_hidden": {"type": "boolean"},
        "newest": _KEYWORD,
        "valid_from": _NUMBER,
        "valid_to": _NUMBER,
        "digest": {"type": "keyword", "index": False},
        "body": {"type": "keyword", "index": False, "doc_values": False},
        "words": _WORDS,
        "admin_words": _WORDS,
        "facts": {"type": "nested", "properties": facts},
    }
    return {
        "settings": {
            "index.number_of_shards": 1,
            "index.refresh_interval": "-1",
            "index.gc_deletes": "1h",
            "index.max_result_window": 100_000,
            "index.mapping.nested_objects.limit": 100_000,
        },
        "mappings": {
            "dynamic": "strict",
            "_meta": {"format": FORMAT},
            "_source": {
                "includes": ["body", "digest", "valid_from", "stack_id"]
            },
            "properties": fields,
        },
    }


def stacks_index() -> dict[str, object]:
    """Return the fields of the index of stacks."""
    return _plain(
        {
            "stack_id": _KEYWORD,
            "version": {"type": "long"},
            "read_at": _NUMBER,
            "is_whole": {"type": "boolean"},
            "documents": {"type": "integer"},
            "text_bytes": {"type": "long"},
            "digests": {"type": "object", "enabled": False},
            "redacted": {"type": "object", "enabled": False},
        }
    )


def notes_index() -> dict[str, object]:
    """Return the fields of the index of saved texts."""
    return _plain(
        {
            "text": {"type": "keyword", "index": False, "doc_values": False},
        }
    )


def saved_index() -> dict[str, object]:
    """Return the fields of the index of saved searches."""
    return _plain(
        {
            "text": {"type": "keyword", "index": False, "doc_values": False},
            "version": {"type": "long"},
        }
    )


def _plain(fields: dict[str, object]) -> dict[str, object]:
    return {
        "settings": {
            "index.number_of_shards": 1,
            "index.max_result_window": 100_000,
        },
        "mappings": {
            "dynamic": "strict",
            "_meta": {"format": FORMAT},
            "properties": fields,
        },
    }


def document_key(stack_id: str, document_id: str) -> str:
    """Return a short key of a document of a stack."""
    joined = f"{stack_id}\0{document_id}".encode("utf-8", "backslashreplace")
    return hashlib.blake2b(joined, digest_size=16).hexdigest()


def body_of(document: documents.Document) -> str:
    """Return a document as text that :func:`document_in` reads."""
    return json.dumps(document.facts(), sort_keys=True)


def document_in(body: str) -> documents.Document:
    """Return the document of a text of :func:`body_of`."""
    return documents.Document.from_facts(json.loads(body))


def digest_of(body: str) -> str:
    """Return a digest of a document."""
    return hashlib.blake2b(body.encode("ascii"), digest_size=12).hexdigest()


def row_of(
    document: documents.Document,
    stack_id: str,
    body: str,
    valid_from: float,
    valid_to: float | None = None,
) -> Row:
    """Return the row of a document.

    :param stack_id: the stack with which it was read
    """
    newest = document.updated_at
    if newest is None:
        newest = document.created_at
    row: Row = {
        "id": clean_text(document.id),
        "stack_id": clean_text(stack_id),
        "project_id": clean_text(document.project_id),
        "kind": document.kind,
        "is_hidden": document.is_hidden,
        "valid_from": valid_from,
        "digest": digest_of(body),
        "body": body,
        "facts": _facts(document),
        "words": _texts(document),
        "admin_words": _admin_texts(document),
    }
    if valid_to is not None:
        row["valid_to"] = valid_to
    if newest is not None:
        row["newest"] = order_of(newest)
    return row


def _texts(document: documents.Document) -> list[str]:
    return [
        " ".join(tokenizer.split_words(values.text_of(value)))
        for _, value in values.find_anywhere(document, False)
    ]


def _admin_texts(document: documents.Document) -> list[str]:
    return [
        " ".join(tokenizer.split_words(values.text_of(value)))
        for field, found in document.admin.items()
        for value in found
    ]


def _facts(document: documents.Document) -> list[Row]:
    found = []
    native = [*sorted(values.NATIVE), *sorted(values.MOMENTS)]
    for name in [*native, *(values.TEXT + each for each in document.texts)]:
        for field, value in values.find_values(document, name, False):
            found.append(_fact(field, value, [name], False))
    for fields, is_admin in ((document.fields, False), (document.admin, True)):
        for field, several in fields.items():
            names = [
                each
                for each in {field, field.rpartition(".")[2]}
                if not values.is_native(each)
            ]
            for value in several:
                if not isinstance(value, str) or tokenizer.fold_value(value):
                    found.append(_fact(field, value, names, is_admin))
    return found


def _fact(
    field: str, value: documents.Scalar, names: list[str], is_admin: bool
) -> Row:
    fact: Row = {
        "field": clean_text(field),
        "names": sorted(clean_text(each) for each in names),
        "kind": _kind(field, value),
        "is_admin": is_admin,
        "order": order_of(ordering.form_of(field, value)),
    }
    number = values.number_of(value)
    if number is not None:
        fact["number"] = number
    if field in values.MOMENTS:
        return fact
    text = values.text_of(value)
    fact["term"] = term_of(text)
    fact["value"] = clean_text(tokenizer.fold_value(text))
    fact["words"] = " ".join(tokenizer.split_words(text))
    if not field.startswith(values.TEXT):
        fact["shown"] = clean_text(text)
    return fact


def _kind(field: str, value: documents.Scalar) -> str:
    if field in values.MOMENTS:
        return "moment"
    is_number = isinstance(value, (int, float))
    return "number" if is_number and not isinstance(value, bool) else "text"


def term_of(value: str) -> str:
    """Return a whole value as a term, whatever its length."""
    return f"{tokenizer.term_number('', value):016x}"


def order_of(form: str | float | clock.Timestamp) -> str:
    """Return a text that sorts as its number or text does."""
    if isinstance(form, str):
        return f"1{clean_text(form)}"
    (bits,) = struct.unpack(">Q", struct.pack(">d", form + 0.0))
    bits = bits ^ ((1 << 64) - 1) if bits >> 63 else bits | 1 << 63
    return f"0{bits:016x}"


def clean_text(text: str) -> str:
    """Return the text without what UTF-8 cannot encode."""
    return text.encode("utf-8", "replace").decode("utf-8")
