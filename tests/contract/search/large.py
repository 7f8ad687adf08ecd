"""Many documents: orders, pages and counts as the documents say."""

import collections
import functools
import random

from orch.search import document as documents
from orch.search.index import cursors
from orch.search.index import ordering
from orch.search.index import port
from orch.search.query import nodes
from orch.search.query import values
from tests.contract.search import cases
from tests.contract.search import samples
from tests.contract.search.samples import at

_COUNT = 2600
_LETTERS = "aBcdEé"


class Large(cases.Case):
    def put_many(self) -> list[documents.Document]:
        dice = random.Random(4)
        found = [_document(dice, number) for number in range(_COUNT)]
        dice.shuffle(found)
        self.index.put(
            [
                samples.stacked(
                    *found[first : first + 100],
                    stack_id=f"s{first}",
                    version=1,
                )
                for first in range(0, _COUNT, 100)
            ]
        )
        return found

    def test_s6_orders_and_pages_of_many(self) -> None:
        every = self.put_many()
        some = [each for each in every if "pump" in each.description]
        for node, fitting in (
            (samples.ALL, every),
            (samples.words("pump", "description"), some),
        ):
            for sort in (
                (port.Sort("name"),),
                (port.Sort("name", True), port.Sort("x")),
                (port.Sort("status"), port.Sort("updated_at", True)),
                (port.Sort("x"),),
                (port.Sort("x", True), port.Sort("tags")),
                (port.Sort("tags", True),),
                (port.Sort("id", True),),
                (port.Sort("updated_at"), port.Sort("name", True)),
                (port.Sort("nothing"),),
                (port.Sort("u"),),
                (port.Sort("u", True),),
            ):
                self._check(node, sort, _ordered(fitting, sort))

    def _check(
        self,
        node: nodes.Node,
        sort: tuple[port.Sort, ...],
        expected: list[str],
    ) -> None:
        found: list[str] = []
        after = None
        for limit in (3, 40, 7):
            answer = self.index.search(
                samples.query(node, sort=sort, limit=limit, after=after)
            )
            found += [each.document.id for each in answer.hits]
            after = answer.hits[-1].cursor
            self.assertEqual(len(expected), answer.total)
        self.assertEqual(expected[:50], found, repr(sort))
        deep = self.index.search(
            samples.query(node, sort=sort, limit=30, offset=len(expected) - 9)
        )
        given = [each.document.id for each in deep.hits]
        self.assertEqual(expected[-9:], given, repr(sort))

    def test_s6_ranked_pages_of_many(self) -> None:
        every = self.put_many()
        node = samples.words("pump")
        hits = self._all_of(node, 1000)

        expected = {
            each.id
            for each in every
            if "pump" in each.description or "pump" in each.name
        }
        self.assertEqual(expected, {each.document.id for each in hits})
        self.assertEqual(len(expected), len(hits))
        ranks = [(-each.score, each.document.id) for each in hits]
        self.assertEqual(sorted(ranks), ranks)

    def _all_of(self, node: nodes.Node, limit: int) -> list[port.Hit]:
        found: list[port.Hit] = []
        after = None
        while True:
            answer = self.index.search(
                samples.query(node, limit=limit, after=after)
            )
            if not answer.hits:
                return found
            found += answer.hits
            after = answer.hits[-1].cursor

    def test_s6_counts_of_many(self) -> None:
        every = self.put_many()
        fields = ("status", "tags", "name", "x")
        found = self.index.search(
            samples.query(
                limit=0,
                facets=tuple(port.Facet(each, 12) for each in fields),
                statistics=("x",),
            )
        )
        for field in fields:
            counts = collections.Counter(
                text
                for each in every
                for text in {
                    values.text_of(value)
                    for _, value in values.find_values(each, field, False)
                }
            )
            ranked = sorted(counts.items(), key=lambda one: (-one[1], one[0]))
            self.assertEqual(tuple(ranked[:12]), found.facets[field], field)
        numbers = [
            number
            for each in every
            for _, value in values.find_values(each, "x", False)
            if (number := values.number_of(value)) is not None
        ]
        self.assertEqual(
            port.Statistics(
                len(numbers), min(numbers), max(numbers), sum(numbers)
            ),
            found.statistics["x"],
        )

    def test_patterns_and_ranges_over_many(self) -> None:
        every = self.put_many()
        for node, fitting in (
            (
                nodes.Pattern("name", "a*7"),
                [
                    each
                    for each in every
                    if each.name.startswith("a") and each.name.endswith("7")
                ],
            ),
            (
                nodes.Range("updated_at", low=at(500), high=at(1500)),
                [
                    each
                    for each in every
                    if each.updated_at
                    and at(500) <= each.updated_at
                    and each.updated_at <= at(1500)
                ],
            ),
        ):
            expected = sorted(each.id for each in fitting)
            found = self._all_of(node, 700)
            given = sorted(each.document.id for each in found)
            self.assertEqual(expected, given)


def _document(dice: random.Random, number: int) -> documents.Document:
    letter = dice.choice(_LETTERS)
    name = f"{letter}{dice.randrange(2000)}" if number % 9 else "pump"
    tags = tuple(dice.sample(("red", "Blue", "green"), dice.randrange(3)))
    x = (dice.randrange(-40, 900), dice.choice("aéz"), dice.randrange(9))
    return samples.resource(
        f"{number:05d}",
        name=name,
        status=dice.choice(("COMPLETE", "COMPLETE", "FAILED")),
        description="a pump" if number % 3 else "a valve",
        updated_at=at(dice.randrange(2000)) if number % 5 else None,
        tags=tags,
        fields={
            "properties.x": tuple(set(x[: dice.randrange(4)])),
            "properties.u": (number, f"u{dice.random()}", 5000 + number),
        },
    )


def _ordered(
    found: list[documents.Document], sorts: tuple[port.Sort, ...]
) -> list[str]:
    positions = [
        cursors.Position(
            tuple(ordering.key_of(each, 0, sort, False) for sort in sorts),
            each.id,
        )
        for each in found
    ]

    def compare(one: cursors.Position, other: cursors.Position) -> int:
        return ordering.compare_keys(one, other, sorts)

    positions.sort(key=functools.cmp_to_key(compare))
    return [each.id for each in positions]
