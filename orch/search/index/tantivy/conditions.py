"""Turns the nodes of a query into queries of Tantivy.

Where Tantivy cannot tell all (a pattern over a value that was cut, a phrase
in a value that has no words of its own) the values of the field, or the
documents that may match, are looked at here.
"""

import collections.abc
import functools
import re
import typing

import tantivy

from orch.search import document as documents
from orch.search import tokenizer
from orch.search.index import bodies
from orch.search.index import ordering
from orch.search.index import port
from orch.search.index.tantivy import entries
from orch.search.index.tantivy import layout
from orch.search.query import matching
from orch.search.query import nodes
from orch.search.query import values

_SPECIAL = re.compile(r"([\\.+*?()|\[\]{}^$#&~-])")
_ANY = "(?s:.*)"
_ONE = "(?s:.)"

Query: typing.TypeAlias = tantivy.Query
Read: typing.TypeAlias = collections.abc.Callable[
    [collections.abc.Sequence[int]], dict[int, documents.Document]
]
"""Returns documents by number; those that are gone are left out."""


class Conditions:
    """Queries of one moment of the index, as one scope may ask them.

    :ivar read: the documents
    """

    def __init__(
        self,
        searcher: tantivy.Searcher,
        schema: tantivy.Schema,
        scope: port.Scope,
        read: Read,
    ) -> None:
        self.searcher = searcher
        self.schema = schema
        self.is_admin = scope.is_admin
        self.read = read
        self._scope = scope

    def universe(
        self,
        kinds: frozenset[str] = frozenset(),
        as_of: float | None = None,
    ) -> Query:
        """Return everything that may be found."""
        if as_of is None:
            parts = [self._term("current", 1)]
        else:
            parts = [
                self.between("valid_from", None, as_of),
                self.between("valid_to", as_of, None, has_low=False),
            ]
        if self._scope.project_ids is not None:
            ids = self._scope.project_ids
            parts.append(self._is_exactly("project_id", ids))
        if kinds:
            parts.append(self._is_exactly("kind", kinds))
        found = all_of(parts)
        if not self.is_admin:
            found = without(found, self._term("terms", layout.HIDDEN))
        return found

    def of_type(self, name: str) -> Query:
        """Return all documents of a type, to the letter."""
        return self._is_exactly("type", frozenset({name}))

    def _is_exactly(self, field: str, wanted: frozenset[str]) -> Query:
        """Return what has one of these values, to the letter."""
        key = layout.key_of(field)
        return any_of(
            [
                self._term(f"shown.{key}", bodies.clean(value))
                for value in sorted(wanted)
            ]
        )

    def match(self, node: nodes.Node, within: Query) -> Query:
        """Return what matches a node; all of it may be outside ``within``.

        :param within: what is found at most
        """
        match node:
            case nodes.All():
                return tantivy.Query.all_query()
            case nodes.And(parts):
                return all_of([self.match(each, within) for each in parts])
            case nodes.Or(parts):
                return any_of([self.match(each, within) for each in parts])
            case nodes.Not(inner):
                return without(
                    tantivy.Query.all_query(), self.match(inner, within)
                )
            case nodes.Words(field=""):
                return any_of(
                    [
                        self._phrase(each, node.words, node.is_prefix, within)
                        for each in self._anywhere()
                    ]
                )
            case nodes.Words():
                return self._words(node, within)
            case nodes.Term():
                return self._value(node, within)
            case nodes.Exists():
                return self.exists(node.field)
            case nodes.Range():
                return self._range(node)
            case nodes.Pattern():
                return self._pattern(node, within)

    def tiers(
        self, node: nodes.Words | nodes.Term, within: Query
    ) -> list[tuple[int, Query]]:
        """Return where hits have words, the best field of each.

        :returns: weights, the greatest first, and what has them; each hit is
            in one of them
        """
        if isinstance(node, nodes.Term):
            parts = tuple(tokenizer.split_words(node.value))
            node = nodes.Words(parts, False, node.field) if parts else node
        if isinstance(node, nodes.Term) or node.field:
            weight = ordering.WEIGHTS.get(node.field, 1)
            return [(weight, self.match(node, within))]
        fields = (
            *((8, "name"), (4, "path"), (2, "type"), (2, "tags")),
            (1, ""),
        )
        found: list[tuple[int, Query]] = []
        better: list[Query] = []
        for weight in (8, 4, 2, 1):
            some = any_of(
                [
                    self.match(
                        nodes.Words(node.words, node.is_prefix, field), within
                    )
                    for each, field in fields
                    if each == weight
                ]
            )
            found.append(
                (weight, without(some, any_of(better)) if better else some)
            )
            better.append(some)
        return found

    def _anywhere(self) -> tuple[str, ...]:
        if self.is_admin:
            return ("words", "texts", "admin_words")
        return ("words", "texts")

    def _words(self, node: nodes.Words, within: Query) -> Query:
        if node.field in values.MOMENTS:
            return tantivy.Query.empty_query()
        found = []
        for key in self.keys_of(node.field):
            words = tuple(f"{key}={word}" for word in node.words)
            found.append(
                self._phrase("field_words", words, node.is_prefix, within)
            )
            if not entries.has_words(layout.field_of(key)):
                found.append(
                    self._having(
                        key,
                        lambda folded: matching.is_value_match(
                            node, "", folded
                        ),
                    )
                )
        return any_of(found)

    def _phrase(
        self,
        field: str,
        words: tuple[str, ...],
        is_prefix: bool,
        within: Query,
    ) -> Query:
        """Return what has words side by side in a field of Tantivy."""
        words = tuple(map(bodies.clean, words))
        if len(words) == 1:
            if is_prefix:
                return self._regex(field, f"{_escape(words[0])}{_ANY}")
            return self._term(field, words[0])
        if not is_prefix:
            return tantivy.Query.phrase_query(self.schema, field, list(words))
        *whole, last = map(_escape, words)
        query = tantivy.Query.regex_phrase_query(
            self.schema, field, [*whole, f"{last}{_ANY}"]
        )
        try:
            self.searcher.search(query, 1, count=False)
        except ValueError:
            return self._phrase_of_many(field, words, within)
        return query

    def _phrase_of_many(
        self, field: str, words: tuple[str, ...], within: Query
    ) -> Query:
        """Return the same where too many words begin like the last one."""
        marks = [each.rpartition("=") for each in words]
        named = layout.field_of(marks[0][0]) if field == "field_words" else ""
        node = nodes.Words(tuple(word for _, _, word in marks), True, named)
        parts = [self._term(field, each) for each in words[:-1]]
        parts.append(self._regex(field, f"{_escape(words[-1])}{_ANY}"))
        return self._verified(node, all_of([within, *parts]))

    def _value(self, node: nodes.Term, within: Query) -> Query:
        if node.field in values.MOMENTS:
            return tantivy.Query.empty_query()
        value = bodies.clean(node.value)
        if values.is_worded(node.field):
            parts = tuple(tokenizer.split_words(value))
            if parts:
                return self._words(
                    nodes.Words(parts, False, node.field), within
                )
            if node.field.startswith(values.TEXT):
                return self._verified(
                    node, all_of([within, self.exists(node.field)])
                )
        folded, _ = bodies.folded_of(value)
        if not folded:
            return tantivy.Query.empty_query()
        return any_of(
            [
                self._term("terms", f"{key}={folded}")
                for key in self.keys_of(node.field)
            ]
        )

    def exists(self, field: str) -> Query:
        """Return what has some value of a field."""
        return any_of([self._term("has", key) for key in self.keys_of(field)])

    def _range(self, node: nodes.Range) -> Query:
        if node.field in values.MOMENTS:
            return self.between(
                node.field,
                None if node.low is None else float(node.low),
                None if node.high is None else float(node.high),
                has_low=node.has_low,
                has_high=node.has_high,
            )
        found = []
        for key in self.keys_of(node.field):
            mark = f"{key}#"
            found += [
                term
                for term, _ in self.searcher.terms_with_prefix("terms", mark)
                if matching.is_within(
                    node, layout.number_of(term[len(mark) :])
                )
            ]
        return self.having_terms(found)

    def between(
        self,
        column: str,
        low: float | None,
        high: float | None,
        *,
        has_low: bool = True,
        has_high: bool = True,
    ) -> Query:
        """Return what has a number between two in a column of floats."""
        if low is None and high is None:
            return tantivy.Query.exists_query(column)
        return tantivy.Query.range_query(
            self.schema,
            column,
            tantivy.FieldType.Float,
            low,
            high,
            has_low or low is None,
            has_high or high is None,
        )

    def _pattern(self, node: nodes.Pattern, within: Query) -> Query:
        if node.field in values.MOMENTS:
            return tantivy.Query.empty_query()
        pattern = tokenizer.fold_case(bodies.clean(node.pattern))
        if pattern and not pattern.strip("*"):
            return self.exists(node.field)
        if node.field.startswith(values.TEXT):
            return self._verified(
                node, all_of([within, self.exists(node.field)])
            )
        expression = "".join(
            {"*": _ANY, "?": _ONE}.get(each) or _escape(each)
            for each in pattern
        )
        found: list[Query] = []
        for key in self.keys_of(node.field):
            mark = _escape(f"{key}=")
            try:
                found.append(self._regex("terms", f"{mark}{expression}"))
            except ValueError:  # too many states
                found.append(
                    self._having(
                        key, lambda folded: matching.is_like(folded, pattern)
                    )
                )
            unsure = self._regex("terms", f"{mark}{_ANY}{bodies.LONG}{_ANY}")
            if self.count(unsure):
                found.append(self._verified(node, all_of([within, unsure])))
        return any_of(found)

    def _having(
        self, key: str, is_wanted: collections.abc.Callable[[str], bool]
    ) -> Query:
        """Return what has a value that is wanted, of those not cut."""
        mark = f"{key}="
        return self.having_terms(
            [
                term
                for term, _ in self.searcher.terms_with_prefix("terms", mark)
                if bodies.LONG not in term and is_wanted(term[len(mark) :])
            ]
        )

    def having_terms(self, terms: list[str]) -> Query:
        """Return what has one of these terms."""
        if len(terms) == 1:
            return self._term("terms", terms[0])
        return tantivy.Query.term_set_query(self.schema, "terms", terms)

    def _verified(
        self,
        node: nodes.Words | nodes.Term | nodes.Pattern,
        candidates: Query,
    ) -> Query:
        """Return what matches, by looking at the documents themselves."""
        numbers = self.numbers_of(candidates)
        return self.having_numbers(
            [
                number
                for number, document in self.read(numbers).items()
                if matching.is_match(node, document, self.is_admin)
            ]
        )

    def count(self, query: Query) -> int:
        """Return how many documents a query finds."""
        result = self.searcher.search(query, 1)
        return int(result.count)  # type: ignore[attr-defined] # not in its stub

    def numbers_of(self, query: Query) -> list[int]:
        """Return the numbers of all that a query finds."""
        count = self.count(query)
        if not count:
            return []
        hits = self.searcher.search(query, count).hits
        return self.numbers_at([address for _, address in hits])

    def numbers_at(self, addresses: list[tantivy.DocAddress]) -> list[int]:
        """Return the numbers of documents."""
        found = self.searcher.fast_field_values("number", addresses)
        return typing.cast(list[int], found)

    def having_numbers(self, numbers: list[int]) -> Query:
        """Return the documents with these numbers."""
        return tantivy.Query.term_set_query(self.schema, "number", numbers)

    def keys_of(self, name: str) -> list[str]:
        """Return the keys of the fields that a name means here."""
        if values.is_native(name):
            return [layout.key_of(name)]
        return [
            key
            for key, field in self._known
            if values.is_meant(field, name) and not values.is_native(field)
        ]

    @functools.cached_property
    def _known(self) -> list[tuple[str, str]]:
        """The keys that the scope may name, with their fields."""
        signs = ("u", "a") if self.is_admin else ("u",)
        return [
            (key, layout.field_of(key))
            for sign in signs
            for key, _ in self.searcher.terms_with_prefix("has", sign)
        ]

    def _term(self, field: str, value: str | int) -> Query:
        return tantivy.Query.term_query(
            self.schema, field, value, index_option="basic"
        )

    def _regex(self, field: str, expression: str) -> Query:
        return tantivy.Query.regex_query(self.schema, field, expression)


def all_of(parts: list[Query]) -> Query:
    """Return what is in all of several."""
    if len(parts) == 1:
        return parts[0]
    return tantivy.Query.boolean_query(
        [(tantivy.Occur.Must, each) for each in parts]
    )


def any_of(parts: list[Query]) -> Query:
    """Return what is in one of several at least."""
    if not parts:
        return tantivy.Query.empty_query()
    if len(parts) == 1:
        return parts[0]
    return tantivy.Query.boolean_query(
        [(tantivy.Occur.Should, each) for each in parts]
    )


def without(one: Query, other: Query) -> Query:
    """Return what is in one and not in the other."""
    return tantivy.Query.boolean_query(
        [(tantivy.Occur.Must, one), (tantivy.Occur.MustNot, other)]
    )


def _escape(text: str) -> str:
    return _SPECIAL.sub(r"\\\1", text)
