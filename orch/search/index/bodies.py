"""Documents as JSON, as they are stored and compared."""

import dataclasses
import hashlib
import json
import math
import typing
import zlib

import orjson

from orch.rpc import contract
from orch.search import document as documents
from orch.search import tokenizer
from orch.search.index import ordering

LONG: typing.Final = "\U0010ffff"
"""Stands in a folded value that was cut, before its digest."""

_GREATEST = 2**53
"""What is greater is no number any more in what JSON is read by."""

_WINDOW = -12
_MEMORY = 5
_COMMON = orjson.dumps(
    {
        "attributes.network": ["10.0.0."],
        "attributes.status": ["ACTIVE"],
        "properties.flavor": ["m1."],
        "properties.name": [""],
        "properties.network": [""],
        "operation.action": ["CREATE"],
        "parameters.": [""],
        "outputs.": ["http://"],
        "drift": "in_sync",
        "type": "OS::Neutron::Port",
        "kind": "stack",
        "id": "stack/",
        "status": "FAILED",
    }
) + (
    b'"updated_at":null,"reason":"state changed"}}'
    b'{"id":"resource/","kind":"resource","stack_id":"","root_id":"",'
    b'"project_id":"","path":"","name":"","type":"OS::Nova::Server",'
    b'"action":"CREATE","status":"COMPLETE","reason":"","description":"",'
    b'"created_at":17,"updated_at":null,"physical_id":"","owner":"",'
    b'"tags":[],"drift":"","is_hidden":false,"fields":{},"texts":{},'
    b'"admin":{}}'
)


def pack(document: documents.Document) -> tuple[documents.Document, bytes]:
    """Return a document as JSON, and as it will come back.

    What JSON cannot say is replaced: numbers without a value by their names,
    halves of characters by ``?``.
    """
    try:
        body = orjson.dumps(document)
    except TypeError:
        return _cleaned(document)
    if b"null" in body and _has_nan(document):
        return _cleaned(document)
    return document, body


def _has_nan(document: documents.Document) -> bool:
    return any(
        isinstance(value, float) and not math.isfinite(value)
        for group in (document.fields, document.admin)
        for found in group.values()
        for value in found
    )


def _cleaned(
    document: documents.Document,
) -> tuple[documents.Document, bytes]:
    plain = dataclasses.replace(
        document,
        fields=_cleaned_fields(document.fields),
        admin=_cleaned_fields(document.admin),
    )
    text = json.dumps(plain.facts(), ensure_ascii=False)
    body = text.encode("utf-8", "replace")
    return unpack_json(body), body


def _cleaned_fields(fields: documents.Fields) -> documents.Fields:
    return {
        name: tuple(map(_cleaned_value, found))
        for name, found in fields.items()
    }


def _cleaned_value(value: documents.Scalar) -> documents.Scalar:
    if isinstance(value, bool | str) or abs(value) < _GREATEST:
        return value
    try:
        return str(value)
    except ValueError:
        return hex(typing.cast(int, value))


def unpack_json(body: bytes) -> documents.Document:
    """Return the document that this JSON is."""
    facts: contract.DocumentFacts = orjson.loads(body)
    return documents.Document.from_facts(facts)


def compress(body: bytes) -> bytes:
    """Return JSON as it is stored."""
    packer = zlib.compressobj(
        1, zlib.DEFLATED, _WINDOW, _MEMORY, zlib.Z_DEFAULT_STRATEGY, _COMMON
    )
    return packer.compress(body) + packer.flush()


def unpack(stored: bytes) -> documents.Document:
    """Return the document whose body was stored so."""
    return unpack_json(_decompress(stored))


def _decompress(stored: bytes) -> bytes:
    unpacker = zlib.decompressobj(_WINDOW, _COMMON)
    return unpacker.decompress(stored) + unpacker.flush()


def digest(body: bytes) -> bytes:
    """Return what tells whether two bodies are the same."""
    return hashlib.blake2b(body, digest_size=12).digest()


def folded_of(value: str) -> tuple[str, bool]:
    """Return a value as it is looked up, and whether it was cut.

    What is cut goes on with a digest, so that it is one value still.
    """
    folded = (
        value.lower().strip()
        if value.isascii()
        else tokenizer.fold_value(value)
    )
    if len(folded) <= ordering.MAX_KEY_LENGTH and (
        folded.isprintable() or ("\0" not in folded and LONG not in folded)
    ):
        return folded, False
    encoded = folded.encode("utf-8", "replace")
    rest = hashlib.blake2b(encoded, digest_size=16).hexdigest()
    return folded[: ordering.MAX_KEY_LENGTH] + LONG + rest, True


def clean(text: str) -> str:
    """Return a text without halves of characters."""
    return text.encode("utf-8", "replace").decode("utf-8")
