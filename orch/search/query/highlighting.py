"""Highlights what matches a query in a document.

Fragments are HTML: ``<em>`` around what fits, all else escaped.
"""

import collections.abc
import html
import re
import typing

from orch.search import document as documents
from orch.search import tokenizer
from orch.search.query import matching
from orch.search.query import nodes
from orch.search.query import values

MAX_STEPS: typing.Final = 2_000_000
"""Of an answer; a step is about a character that is looked at."""

MAX_FRAGMENTS: typing.Final = 3
MAX_FRAGMENT_LENGTH: typing.Final = 150
MAX_FIELDS: typing.Final = 20

_BEFORE: typing.Final = 50
_SCANNED: typing.Final = 262_144
_MARKS: typing.Final = 64
_WHOLE: typing.Final = 4096
_REACH: typing.Final = 200
_CUT: typing.Final = 64
_LOOK: typing.Final = 8
_SWIFT: typing.Final = 16

_Leaf: typing.TypeAlias = (
    nodes.Words | nodes.Term | nodes.Pattern | nodes.Range
)
_Span: typing.TypeAlias = tuple[int, int]


class Budget:
    """The steps left for highlighting the hits of an answer.

    They are counted, not timed: the same answer has the same fragments.
    """

    def __init__(self, steps: int = MAX_STEPS) -> None:
        self._steps = steps

    def is_spent(self) -> bool:
        """Whether no steps are left."""
        return self._steps <= 0

    def spend(self, steps: int) -> None:
        """Take steps away."""
        self._steps -= steps


def find_fragments(
    node: nodes.Node,
    document: documents.Document,
    is_admin: bool,
    budget: Budget | None = None,
) -> dict[str, list[str]]:
    """Return fragments of the values that fit, by the dotted name of a field.

    At most three a field, of 150 characters each without the marks, and of
    twenty fields; of a very long text only the first 256 KiB are looked at.

    :param is_admin: fields for administrators are looked at too
    :param budget: of all hits of the answer; once it is spent nothing more
        is found. Of its own where there is none.
    """
    found: dict[str, list[str]] = {}
    budget = budget or Budget()
    marks = _Marks(budget)
    named = len(document.fields) + len(document.admin)
    for leaf in _positive(node):
        if budget.is_spent():
            break
        budget.spend(_LOOK + named)
        for field, value in _values(leaf, document, is_admin):
            if budget.is_spent():
                break
            marks.look(leaf, field, value)
    for (field, text), spans in marks.spans.items():
        if field not in found and len(found) == MAX_FIELDS:
            continue
        chosen = found.setdefault(field, [])
        for each in _cut(text, _merged(spans)):
            if len(chosen) < MAX_FRAGMENTS and each not in chosen:
                chosen.append(each)
    return found


def _positive(node: nodes.Node) -> collections.abc.Iterator[_Leaf]:
    """Return the conditions that are not denied."""
    match node:
        case nodes.And(parts) | nodes.Or(parts):
            for each in parts:
                yield from _positive(each)
        case nodes.Words() | nodes.Term() | nodes.Pattern() | nodes.Range():
            yield node
        case _:
            return


def _values(
    leaf: _Leaf, document: documents.Document, is_admin: bool
) -> collections.abc.Iterator[values.Named]:
    if leaf.field:
        return values.find_values(document, leaf.field, is_admin)
    return values.find_anywhere(document, is_admin)


class _Marks:
    """Where in which values something fits."""

    def __init__(self, budget: Budget) -> None:
        self._budget = budget
        self.spans: dict[tuple[str, str], set[_Span]] = {}
        self._words: dict[str, list[tuple[str, int, int]]] = {}

    def look(self, leaf: _Leaf, field: str, value: documents.Scalar) -> None:
        """Note what of a value fits a condition."""
        if field in values.MOMENTS:
            return
        text = values.text_of(value)
        self._budget.spend(_LOOK + len(text) // _SWIFT)
        if found := self._fitting(leaf, field, value, text):
            self.spans.setdefault((field, text), set()).update(found)

    def _fitting(
        self, leaf: _Leaf, field: str, value: documents.Scalar, text: str
    ) -> list[_Span]:
        if isinstance(leaf, nodes.Words):
            return self._phrases(text, leaf.words, leaf.is_prefix)
        if isinstance(leaf, nodes.Term) and values.is_worded(field):
            parts = tokenizer.split_words(leaf.value)
            if parts and (found := self._phrases(text, parts, False)):
                return found
        if isinstance(leaf, nodes.Pattern):
            self._budget.spend(len(text) * len(leaf.pattern))
        is_whole = matching.is_value_match(leaf, field, value)
        return [(0, len(text))] if is_whole else []

    def _phrases(
        self,
        text: str,
        phrase: collections.abc.Sequence[str],
        is_prefix: bool,
    ) -> list[_Span]:
        text = text[:_SCANNED]
        folded = tokenizer.fold_text(text)
        if not all(each in folded for each in phrase):
            return []
        self._budget.spend(len(text) * len(phrase))
        if len(text) > _WHOLE and tokenizer.is_fold_aligned(text, folded):
            return _found_in(text, folded, phrase, is_prefix)
        known = self._words.get(text)
        if known is None:
            known = self._words[text] = tokenizer.word_spans(text)
        starts = matching.starts_of(
            [word for word, _, _ in known], phrase, is_prefix, _MARKS
        )
        return [
            (known[at][1], known[at + len(phrase) - 1][2]) for at in starts
        ]


def _found_in(
    text: str,
    folded: str,
    phrase: collections.abc.Sequence[str],
    is_prefix: bool,
) -> list[_Span]:
    """Return where a phrase stands in a long text.

    Only what begins like the phrase is taken apart into words.

    :param folded: the text as it is compared, of the same length
    """
    first = phrase[0]
    is_open = len(first) == _CUT or (is_prefix and len(phrase) == 1)
    word = re.escape(first)
    if not tokenizer.is_ideograph(first):
        end = "" if is_open else f"(?!{tokenizer.LETTER})"
        word = f"(?<!{tokenizer.LETTER}){word}{end}"
    found: list[_Span] = []
    for each in re.finditer(word, folded):
        at = each.start()
        known = tokenizer.word_spans(
            text[at : at + _REACH * (len(phrase) + 1)]
        )
        texts = [word for word, _, _ in known[: len(phrase)]]
        if matching.starts_of(texts, phrase, is_prefix, 1):
            found.append((at, at + known[len(phrase) - 1][2]))
        if len(found) == _MARKS:
            break
    return found


def _merged(spans: collections.abc.Iterable[_Span]) -> list[_Span]:
    """Return the spans in order; those that overlap as one."""
    found: list[_Span] = []
    for start, end in sorted(spans):
        if found and start < found[-1][1]:
            found[-1] = (found[-1][0], max(end, found[-1][1]))
        else:
            found.append((start, end))
    return found


def _cut(
    text: str, spans: collections.abc.Sequence[_Span]
) -> collections.abc.Iterator[str]:
    """Return pieces of the text around the spans, which are in order.

    A piece begins behind what the one before it has marked, and ends before
    a span that has no room in it. Only a span that is longer than a piece is
    cut itself.
    """
    at = 0
    while at < len(spans):
        first, last = spans[at]
        start = 0
        if len(text) > MAX_FRAGMENT_LENGTH:
            start = min(first - _BEFORE, len(text) - MAX_FRAGMENT_LENGTH)
            marked = spans[at - 1][1] if at else 0
            start = max(marked, start, min(first, last - MAX_FRAGMENT_LENGTH))
        end = min(len(text), start + MAX_FRAGMENT_LENGTH)
        inside = [spans[at]]
        at += 1
        while at < len(spans) and spans[at][0] < end:
            if spans[at][1] > end:
                end = spans[at][0]
                break
            inside.append(spans[at])
            at += 1
        yield _marked(text, start, end, inside)


def _marked(
    text: str,
    start: int,
    end: int,
    spans: collections.abc.Sequence[_Span],
) -> str:
    found = []
    at = start
    for first, last in spans:
        marked = html.escape(text[first : min(last, end)])
        found += [html.escape(text[at:first]), f"<em>{marked}</em>"]
        at = min(last, end)
    found.append(html.escape(text[at:end]))
    return "".join(found)
