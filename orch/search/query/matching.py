"""Matches documents with queries: the reference for every index.

The fine points, beside what :mod:`orch.search.query.nodes` says:

* what is hidden fits nothing of a user's, not even ``Not``;
* of a field with several values, or a name that means several fields, one
  value that fits is enough; the words of a phrase stand in one value;
* ``created_at`` and ``updated_at`` know ``Range`` and ``Exists`` alone, and
  nothing else fits them;
* numbers and truth values are the texts of
  :func:`orch.search.query.values.text_of` for ``Term``, ``Pattern`` and
  ``Words``; for ``Range`` texts that look like a number or a moment are
  numbers (:func:`orch.search.query.values.number_of`).
"""

import collections.abc

from orch.search import document as documents
from orch.search import tokenizer
from orch.search.query import nodes
from orch.search.query import values


def is_match(
    node: nodes.Node, document: documents.Document, is_admin: bool
) -> bool:
    """Whether a document matches.

    :param is_admin: fields for administrators, and what is hidden, count
    """
    if document.is_hidden and not is_admin:
        return False
    return _is_match(node, document, is_admin)


def _is_match(
    node: nodes.Node, document: documents.Document, is_admin: bool
) -> bool:
    match node:
        case nodes.All():
            return True
        case nodes.And(parts):
            return all(_is_match(each, document, is_admin) for each in parts)
        case nodes.Or(parts):
            return any(_is_match(each, document, is_admin) for each in parts)
        case nodes.Not(inner):
            return not _is_match(inner, document, is_admin)
        case nodes.Words(field=""):
            found = values.find_anywhere(document, is_admin)
        case _:
            found = values.find_values(document, node.field, is_admin)
    return any(is_value_match(node, field, value) for field, value in found)


def is_value_match(
    node: nodes.Words
    | nodes.Term
    | nodes.Pattern
    | nodes.Range
    | nodes.Exists,
    field: str,
    value: documents.Scalar,
) -> bool:
    """Whether one value of a node's field matches it."""
    if isinstance(node, nodes.Exists):
        return True
    if isinstance(node, nodes.Range):
        number = values.number_of(value)
        return number is not None and is_within(node, number)
    if field in values.MOMENTS:
        return False
    text = values.text_of(value)
    match node:
        case nodes.Words():
            return has_phrase(
                tokenizer.split_words(text), node.words, node.is_prefix
            )
        case nodes.Pattern():
            return is_like(
                tokenizer.fold_value(text), tokenizer.fold_value(node.pattern)
            )
        case nodes.Term():
            return _is_value(field, text, node.value)


def _is_value(field: str, text: str, expected: str) -> bool:
    if tokenizer.fold_value(text) == tokenizer.fold_value(expected):
        return True
    if not values.is_worded(field):
        return False
    parts = tokenizer.split_words(expected)
    return bool(parts) and has_phrase(
        tokenizer.split_words(text), parts, False
    )


def is_within(node: nodes.Range, number: float) -> bool:
    """Whether a number is between the bounds."""
    if node.low is not None:
        is_low = number >= node.low if node.has_low else number > node.low
        if not is_low:
            return False
    if node.high is None:
        return True
    return number <= node.high if node.has_high else number < node.high


def has_phrase(
    text: collections.abc.Sequence[str],
    phrase: collections.abc.Sequence[str],
    is_prefix: bool,
) -> bool:
    """Whether a text has the words of a phrase, side by side."""
    return bool(starts_of(text, phrase, is_prefix, 1))


def starts_of(
    text: collections.abc.Sequence[str],
    phrase: collections.abc.Sequence[str],
    is_prefix: bool,
    limit: int,
) -> list[int]:
    """Return the numbers of the words at which a phrase begins."""
    found: list[int] = []
    *whole, last = phrase
    for at in range(len(text) - len(phrase) + 1):
        if len(found) == limit:
            break
        end = text[at + len(whole)]
        is_end = end.startswith(last) if is_prefix else end == last
        if is_end and all(
            text[at + number] == word for number, word in enumerate(whole)
        ):
            found.append(at)
    return found


def is_like(text: str, pattern: str) -> bool:
    """Whether the whole text matches a pattern with ``*`` and ``?``.

    Takes time in proportion to both lengths at most; nothing is tried twice
    from one place.
    """
    at = here = mark = 0
    star = -1
    while at < len(text):
        sign = pattern[here] if here < len(pattern) else ""
        if sign == "*":
            star, mark = here, at
            here += 1
        elif sign in ("?", text[at]) and sign:
            at += 1
            here += 1
        elif star >= 0:
            mark += 1
            at, here = mark, star + 1
        else:
            return False
    return pattern[here:].strip("*") == ""
