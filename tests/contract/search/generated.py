"""Random documents, random queries: as the reference matcher has it."""

import collections.abc
import random
import typing

import hypothesis
from hypothesis import strategies

from orch import clock
from orch.search import document as documents
from orch.search.index import port
from orch.search.query import matching
from orch.search.query import nodes
from tests.contract.search import cases
from tests.contract.search import samples

_WORDS = ("a", "ab", "b", "m1", "e", "5", "京")
_PIECES = (*_WORDS, "B", "É", "ａ", "™", "/", "-", " ", ".", "*", "[")
_SIGNS = (*_WORDS, "é", "*", "?", "/", "[", " ")
_FIELDS = ("properties.x", "attributes.x", "outputs.y")
_NAMES = (
    *("name", "path", "type", "tags", "owner", "reason", "drift", "id"),
    *("physical_id", "texts.template", "texts.other", "updated_at", "x"),
    *("properties.x", "outputs.y", "none", "project_id", "description"),
)
_SCOPES = (
    samples.USER,
    samples.ADMIN,
    port.Scope(frozenset({"p2"}), is_admin=True),
)
_QUERIES = 12
_EXAMPLES = 60


class _Dice:
    """Makes what a test is about from one number."""

    def __init__(self, seed: int) -> None:
        self._dice = random.Random(seed)

    def one(self, choices: collections.abc.Sequence[typing.Any]) -> typing.Any:
        return self._dice.choice(choices)

    def text(
        self, pieces: collections.abc.Sequence[str] = _PIECES, least: int = 0
    ) -> str:
        count = self._dice.randint(least, 4)
        return "".join(self._dice.choices(pieces, k=count))

    def scalar(self) -> documents.Scalar:
        number = self._dice.randint(-3, 6)
        part = self.one((0.5, 5.0, 2.5))
        found: documents.Scalar = self.one(
            (self.text(), self.text(), number, part, number > 0)
        )
        return found

    def fields(self) -> dict[str, tuple[documents.Scalar, ...]]:
        chosen = self._dice.sample(_FIELDS, self._dice.randint(0, 2))
        return {
            name: tuple(self.scalar() for _ in range(self._dice.randint(0, 2)))
            for name in chosen
        }

    def document(self, number: int) -> documents.Document:
        texts = self._dice.sample(
            ("template", "events", "other"), self._dice.randint(0, 2)
        )
        return samples.resource(
            str(number),
            project_id=self.one(("p1", "p2")),
            name=self.text(),
            path=self.text(),
            type=self.text(),
            reason=self.text(),
            description=self.text(),
            owner=self.text(),
            physical_id=self.text(),
            tags=tuple(self.text() for _ in range(self.one((0, 1, 2)))),
            drift=self.one(("", "drifted")),
            updated_at=self.one((None, samples.at(0), samples.at(3))),
            is_hidden=self.one((False, False, False, True)),
            fields=self.fields(),
            admin=self.fields(),
            texts={name: self.text() for name in texts},
        )

    def node(self, depth: int = 2) -> nodes.Node:
        kind = self._dice.random()
        if depth == 0 or kind < 0.5:
            return self._leaf()
        if kind < 0.65:
            return nodes.Not(self.node(depth - 1))
        parts = tuple(self.node(depth - 1) for _ in range(self.one((2, 3))))
        return nodes.And(parts) if kind < 0.85 else nodes.Or(parts)

    def _leaf(self) -> nodes.Node:
        name = self.one(_NAMES)
        phrase = self._dice.choices(_WORDS, k=self.one((1, 1, 2)))
        bounds = (None, 0.0, 0.5, 2.0, 5.0, samples.at(0), samples.at(1))
        leaves: tuple[nodes.Node, ...] = (
            nodes.All(),
            nodes.Words(tuple(phrase), self.one((False, True)), ""),
            nodes.Words(tuple(phrase), self.one((False, True)), name),
            nodes.Term(name, self.text()),
            nodes.Pattern(name, self.text(_SIGNS, 1)),
            nodes.Range(
                name,
                self.one(bounds),
                self.one(bounds),
                self.one((False, True)),
                self.one((False, True)),
            ),
            nodes.Exists(name),
        )
        found: nodes.Node = self.one(leaves)
        return found


class Generated(cases.Case):
    version = 0

    def test_every_query_finds_what_fits(self) -> None:
        @hypothesis.settings(max_examples=_EXAMPLES, database=None)
        @hypothesis.given(strategies.integers(0, 2**32))
        def check(seed: int) -> None:
            dice = _Dice(seed)
            count = dice.one((1, 3, 6))
            self._compare_all(
                tuple(dice.document(number) for number in range(count)),
                [dice.node() for _ in range(_QUERIES)],
            )

        check()

    def _compare_all(
        self,
        found: tuple[documents.Document, ...],
        wanted: list[nodes.Node],
    ) -> None:
        self.version += 1
        self.index.put([samples.stacked(*found, version=self.version)])
        self.index.forget_history(clock.Timestamp(samples.at(1e9)))
        for node in wanted:
            for scope in _SCOPES:
                self._compare(node, scope, found)

    def _compare(
        self,
        node: nodes.Node,
        scope: port.Scope,
        found: tuple[documents.Document, ...],
    ) -> None:
        expected = sorted(
            each.id
            for each in found
            if matching.is_match(node, each, scope.is_admin)
            and (
                scope.project_ids is None
                or each.project_id in scope.project_ids
            )
        )
        answer = self.index.search(samples.query(node, scope))
        given = sorted(each.document.id for each in answer.hits)
        self.assertEqual(expected, given, repr((node, scope)))
        self.assertEqual(len(expected), answer.total)
