"""Documents as JSON in PostgreSQL, and back."""

import collections.abc
import dataclasses
import re
import typing

import orjson

from orch.rpc import contract
from orch.search import document as documents

FIELDS: typing.Final = tuple(
    each.name for each in dataclasses.fields(documents.Document)
)
"""What is in the list that a document is kept as, in its order."""
BYTES_OF_NAMES: typing.Final = sum(len(each) + 3 for each in FIELDS)
"""What the names of fields add to a document where it has them."""

_MARKED = "\ue000"
_ESCAPED = re.compile(r"\\(u0000|.)", re.DOTALL)


def body_of(document: documents.Document) -> str:
    """Return a document as JSON that PostgreSQL takes: a list of ``FIELDS``.

    It has no place for NUL and for halves of surrogate pairs: the former is
    written in another way, the latter are replaced.
    """
    found = document.facts()
    # FIELDS are all the keys that there are.
    facts = [found[name] for name in FIELDS]  # type: ignore[literal-required]
    try:
        text = orjson.dumps(facts).decode()
    except TypeError:
        text = orjson.dumps(_plain(facts)).decode()
    if "\\u0000" in text or _MARKED in text:
        text = text.replace(_MARKED, _MARKED + "e")
        text = _ESCAPED.sub(_marked, text)
    return text


def _marked(found: re.Match[str]) -> str:
    return f"{_MARKED}0" if found[1] == "u0000" else found[0]


def document_of(body: str) -> documents.Document:
    """Return the document of a body."""
    found = orjson.loads(body)
    if _MARKED in body:
        found = _unmarked(found)
    facts = dict(zip(FIELDS, found, strict=True))
    for group in ("fields", "admin"):
        for name, every in facts[group].items():
            if None in every:
                facts[group][name] = [
                    each for each in every if each is not None
                ]
    return documents.Document.from_facts(
        typing.cast(contract.DocumentFacts, facts)
    )


def _unmarked(value: object) -> typing.Any:
    match value:
        case str():
            whole = value.replace(_MARKED + "0", "\0")
            return whole.replace(_MARKED + "e", _MARKED)
        case dict():
            return {
                _unmarked(key): _unmarked(each) for key, each in value.items()
            }
        case list():
            return [_unmarked(each) for each in value]
    return value


def _plain(value: object) -> object:
    """Return what JSON can hold: no stray surrogates, no huge integers."""
    match value:
        case str():
            return value.encode("utf-8", "replace").decode()
        case bool() | float() | None:
            return value
        case int():
            return value if -(2**63) <= value < 2**64 else str(value)
        case collections.abc.Mapping():
            return {_plain(key): _plain(each) for key, each in value.items()}
        case collections.abc.Iterable():
            return [_plain(each) for each in value]
    return str(value)
