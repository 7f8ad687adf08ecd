"""Queries as conditions of PostgreSQL.

A node becomes a part of a statement: what the inverted index over ``content``
can answer, and what has to be looked at in each row that is left. Many nodes
need no look at all.
"""

import collections.abc
import itertools
import re

from orch.search import tokenizer
from orch.search.index.postgresql import fields
from orch.search.index.postgresql import schema as tables
from orch.search.index.postgresql import statements
from orch.search.index.postgresql import terms
from orch.search.index.postgresql import wildcards as patterns
from orch.search.query import nodes
from orch.search.query import values

_NEVER = "FALSE"
_BETWEEN = f"[^[:alnum:]{tokenizer.IDEOGRAPHS}]"
_BOUND = f"[^[:alnum:]]|[{tokenizer.IDEOGRAPHS}]"
"""What is not within a word of letters: all but letters and digits."""


class Conditions:
    """Makes parts of nodes, for users or for administrators."""

    def __init__(self, given: statements.Values, is_admin: bool) -> None:
        self._given = given
        self._is_admin = is_admin
        self._sign = "[\x04\x05]" if is_admin else "\x05"

    def part(self, node: nodes.Node) -> statements.Part:
        """Return what a node becomes."""
        match node:
            case nodes.All():
                return statements.Part(statements.quoted(terms.EVERY))
            case nodes.And(parts):
                return self.all_of([self.part(each) for each in parts])
            case nodes.Or(parts):
                return self._any_of([self.part(each) for each in parts])
            case nodes.Not(inner):
                return self.none_of(self.part(inner))
            case nodes.Words(found, is_prefix, field):
                return self.words(found, is_prefix, field)
            case nodes.Term(field, value):
                return self._term(field, value)
            case nodes.Pattern(field, pattern):
                return self._pattern(field, pattern)
            case nodes.Exists(field):
                return self._exists(field)
            case nodes.Range():
                return self._range(node)

    def all_of(
        self, parts: collections.abc.Sequence[statements.Part]
    ) -> statements.Part:
        """Return the part that all of these are."""
        pieces = [each.pieces for each in parts if each.pieces]
        checks = [each.check for each in parts if each.check]
        negative = all(each.is_negative for each in parts if each.pieces)
        return statements.Part(
            f"({' & '.join(pieces)})" if pieces else "",
            f"({' AND '.join(checks)})" if checks else "",
            bool(pieces) and negative,
        )

    def _any_of(
        self, parts: collections.abc.Sequence[statements.Part]
    ) -> statements.Part:
        pieces = ""
        if all(each.pieces for each in parts):
            pieces = f"({' | '.join(each.positive for each in parts)})"
        if not any(each.check for each in parts):
            return statements.Part(pieces)
        checks = (each.sql(self._given) for each in parts)
        return statements.Part(pieces, f"({' OR '.join(checks)})")

    def none_of(self, part: statements.Part) -> statements.Part:
        """Return the part of everything else."""
        if part.check:
            return statements.Part("", f"(NOT {part.sql(self._given)})")
        return statements.Part(f"!({part.positive})", is_negative=True)

    def words(
        self, found: collections.abc.Sequence[str], is_prefix: bool, field: str
    ) -> statements.Part:
        """Return the part of words that stand side by side."""
        if field in values.MOMENTS:
            return statements.Part("", _NEVER)
        if field in terms.TERMS_ONLY:
            return statements.Part(
                "", self._plain_words(found, is_prefix, field)
            )
        last = len(found) - 1
        signs = (terms.WORD, terms.WORD_ADMIN)[: 1 + self._is_admin]
        if field in terms.FAST:
            signs = (f"{terms.WORD_OF}{field}=",)
        pieces = [
            statements.either(
                statements.quoted(sign + word, is_prefix and number == last)
                for sign in signs
            )
            for number, word in enumerate(found)
        ]
        if field in terms.FAST or not field:
            if not last:
                return statements.Part(pieces[0])
        else:
            pieces.append(self._marks(field))
        lead = self._lead(field) + "[^\x0e]*" if field else ""
        told = self._given.add(lead + self._phrase(found, is_prefix))
        return statements.Part(
            f"({' & '.join(pieces)})", f"d.content ~ {told}"
        )

    def contains(self, word: str, is_prefix: bool) -> str:
        """Return the condition of rows that have a word anywhere.

        It says what the pieces say. To look at each row it is sooner done
        than to make its pieces again.
        """
        signs = (terms.WORD, terms.WORD_ADMIN)[: 1 + self._is_admin]
        end = "" if is_prefix else tables.BREAK
        told = (
            self._given.add(f"{tables.BREAK}{sign}{word}{end}")
            for sign in signs
        )
        checks = (f"strpos(d.content, {each}) > 0" for each in told)
        return f"({' OR '.join(checks)})"

    def _phrase(
        self, found: collections.abc.Sequence[str], is_prefix: bool
    ) -> str:
        between = "\x01[^\x04\x05\x0e]*"
        every = (self._sign + re.escape(word) for word in found)
        return between.join(every) + ("" if is_prefix else "\x01")

    def _plain_words(
        self, found: collections.abc.Sequence[str], is_prefix: bool, field: str
    ) -> str:
        told = self._given.add(plain_phrase(found, is_prefix))
        return f"{fields.plain_value(field)} ~ {told}"

    def _lead(self, field: str) -> str:
        """Return a regular expression up to where values of a field begin."""
        is_last = fields.is_last(field)
        mark = re.escape(terms.mark_of(field, False, is_last))
        if self._is_admin and not values.is_native(field):
            mark = f"{mark[0]}{terms.ADMIN}?{mark[1:]}"
        return mark + ("[^\x01]*\x01" if is_last else "\x01")

    def _marks(self, field: str) -> str:
        is_last = fields.is_last(field)
        return statements.either(
            statements.quoted(terms.mark_of(field, is_admin, is_last), is_last)
            for is_admin in self._groups(field)
        )

    def _groups(self, field: str) -> tuple[bool, ...]:
        if self._is_admin and not values.is_native(field):
            return (False, True)
        return (False,)

    def _term(self, field: str, value: str) -> statements.Part:
        if field in values.MOMENTS:
            return statements.Part("", _NEVER)
        found = tokenizer.split_words(value)
        if values.is_worded(field) and found:
            return self.words(found, False, field)
        return self._whole(field, value)

    def _pattern(self, field: str, pattern: str) -> statements.Part:
        if field in values.MOMENTS:
            return statements.Part("", _NEVER)
        if not patterns.is_pattern(pattern):
            return self._whole(field, pattern)
        pieces = self._pieces_of(field, tokenizer.fold_value(pattern))
        if (
            field in fields.DETAILED | fields.SHAPED
            or field in terms.TERMS_ONLY
        ):
            check = fields.like(
                fields.plain_value(field), pattern, self._given
            )
            if field in fields.DETAILED and patterns.is_for_trigrams(pattern):
                wide = self._given.add(f"%{patterns.like(pattern)}%")
                check = f"({check} AND {statements.NAMED} LIKE {wide})"
            return statements.Part(pieces, check)
        told = patterns.regular(pattern)
        whole = f"{self._lead(field)}{patterns.SIGNS}{told}\x0e"
        return statements.Part(
            pieces or self._marks(field),
            f"d.content ~ {self._given.add(whole)}",
        )

    def _whole(self, field: str, value: str) -> statements.Part:
        if not tokenizer.fold_value(value):
            return statements.Part("", _NEVER)
        is_last = fields.is_last(field)
        return statements.Part(
            statements.either(
                statements.quoted(
                    terms.term(field, value, is_admin, is_last), is_last
                )
                for is_admin in self._groups(field)
            )
        )

    def _pieces_of(self, field: str, pattern: str) -> str:
        """Return words that whatever fits a pattern has in the field."""
        if field in terms.TERMS_ONLY:
            return ""
        signs = (terms.WORD, terms.WORD_ADMIN)[: 1 + self._is_admin]
        if field in terms.FAST:
            signs = (f"{terms.WORD_OF}{field}=",)
        return " & ".join(
            statements.either(
                statements.quoted(sign + word, is_prefix) for sign in signs
            )
            for word, is_prefix in patterns.words_of(pattern)
        )

    def _exists(self, field: str) -> statements.Part:
        if field in values.MOMENTS:
            return statements.Part("", f"d.{field} IS NOT NULL")
        if field in terms.TERMS_ONLY:
            return statements.Part("", f"{fields.plain_value(field)} <> ''")
        return statements.Part(self._marks(field))

    def _range(self, node: nodes.Range) -> statements.Part:
        bounds = []
        for bound, sign, is_in in (
            (node.low, ">", node.has_low),
            (node.high, "<", node.has_high),
        ):
            if bound is not None:
                told = self._given.add(float(bound))
                bounds.append(f"{sign}{'=' if is_in else ''} {told}")
        if node.field in values.MOMENTS:
            column = f"d.{node.field}"
            checks = [f"{column} IS NOT NULL"]
            checks += [f"{column} {each}" for each in bounds]
            return statements.Part("", f"({' AND '.join(checks)})")
        is_last = fields.is_last(node.field)
        marks = statements.either(
            statements.quoted(
                terms.number_mark_of(node.field, is_admin, is_last), is_last
            )
            for is_admin in self._groups(node.field)
        )
        if not bounds:
            return statements.Part(marks)
        checks = [f"n.value::float8 {each}" for each in bounds]
        source = fields.numbers_sql(node.field, self._is_admin, self._given)
        return statements.Part(
            marks,
            f"EXISTS (SELECT FROM {source} WHERE {' AND '.join(checks)})",
        )


def plain_phrase(found: collections.abc.Sequence[str], is_prefix: bool) -> str:
    """Return a regular expression of words in a text that is not cut."""
    text = re.escape(found[0])
    for before, word in itertools.pairwise(found):
        are_apart = not any(map(tokenizer.is_ideograph, (before, word)))
        text += f"{_BETWEEN}{'+' if are_apart else '*'}{re.escape(word)}"
    start = "" if tokenizer.is_ideograph(found[0]) else f"(^|{_BOUND})"
    is_open = is_prefix or tokenizer.is_ideograph(found[-1])
    return f"{start}{text}{'' if is_open else f'({_BOUND}|$)'}"


def stands_in(column: str, node: nodes.Words, given: statements.Values) -> str:
    """Return the condition that a plain text has words side by side."""
    first = given.add(f"%{node.words[0]}%")
    told = given.add(plain_phrase(node.words, node.is_prefix))
    return f"{column} LIKE {first} AND {column} ~ {told}"
