import functools
import random

from orch.search import document as documents
from orch.search.index import cursors
from orch.search.index import ordering
from orch.search.index import port
from orch.search.index.sqlite import evaluate as evaluating
from orch.search.index.sqlite import index as sqlite_index
from orch.search.index.sqlite import order
from orch.search.index.sqlite import schema
from tests import base
from tests.contract.search import samples

_SIZES = ((0, 0), (2, 0), (2, 8), (0, 1000), (1000, 1000))


class SQLiteOrderTest(base.TestCase):
    """However many are read or listed at once, the order is the same."""

    def setUp(self) -> None:
        super().setUp()
        dice = random.Random(3)
        self.every = [_document(dice, number) for number in range(60)]
        path = self.make_directory() / "search.db"
        index = sqlite_index.SQLiteIndex(path)
        index.put([samples.stacked(*self.every)])
        index.close()
        connection = schema.connect(path, 1000, 30.0)
        self.addCleanup(connection.close)
        self.evaluation = evaluating.Evaluation(
            connection, samples.USER, evaluating.Cache(), lambda: None
        )

    def pages(self, query: port.Query, small: int, middle: int) -> list[str]:
        found: list[str] = []
        after = None
        while True:
            page = port.Query(
                node=query.node,
                scope=query.scope,
                sort=query.sort,
                after=after,
            )
            hits = self.evaluation.fits(query.node, self.evaluation.universe())
            ranked = order.Order(
                self.evaluation, page, hits, small=small, middle=middle
            ).first(7)
            if not ranked:
                return found
            found += [each.document.id for each in ranked]
            after = cursors.encode_cursor(page, ranked[-1].position)

    def test_every_order(self) -> None:
        for sort in (
            (port.Sort("name"),),
            (port.Sort("name", True), port.Sort("x")),
            (port.Sort("x"), port.Sort("updated_at", True)),
            (port.Sort("x", True),),
            (port.Sort("tags"), port.Sort("x", True)),
            (port.Sort("tags", True),),
            (port.Sort("updated_at"),),
            (port.Sort("id", True),),
            (port.Sort("nothing"),),
            (port.Sort("nothing"), port.Sort("name")),
            (),
        ):
            query = samples.query(sort=sort)
            expected = _ordered(self.every, ordering.sorts_of(query))
            for small, middle in _SIZES:
                self.assertEqual(
                    expected,
                    self.pages(query, small, middle),
                    repr((sort, small, middle)),
                )

    def test_every_order_by_score(self) -> None:
        node = samples.words("pump")
        for sort in (
            (),
            (port.Sort("score", True),),
            (port.Sort("tags"), port.Sort("score", True)),
            (port.Sort("score", True), port.Sort("name", True)),
        ):
            query = samples.query(node, sort=sort)
            whole = self.pages(query, 1000, 1000)
            self.assertEqual(
                sorted(
                    each.id
                    for each in self.every
                    if "pump" in each.description or "pump" in each.name
                ),
                sorted(whole),
            )
            for small, middle in _SIZES:
                self.assertEqual(
                    whole,
                    self.pages(query, small, middle),
                    repr((sort, small, middle)),
                )


def _document(dice: random.Random, number: int) -> documents.Document:
    values = (dice.randrange(5), dice.choice("aBé"), number, f"u{number}")
    return samples.resource(
        f"{number:02d}",
        name=dice.choice(("a", "B", "pump", "c")),
        description=dice.choice(("a pump", "a valve")),
        tags=tuple(dice.sample(("r", "g", "B"), dice.randrange(3))),
        created_at=dice.choice((None, samples.at(5))),
        updated_at=dice.choice((None, samples.at(1), samples.at(number))),
        fields={"properties.x": tuple(dice.sample(values, dice.randrange(4)))},
    )


def _ordered(
    found: list[documents.Document], sorts: tuple[port.Sort, ...]
) -> list[str]:
    def compare(one: cursors.Position, other: cursors.Position) -> int:
        return ordering.compare_keys(one, other, sorts)

    positions = [
        cursors.Position(
            tuple(ordering.key_of(each, 0, sort, False) for sort in sorts),
            each.id,
        )
        for each in found
    ]
    return [
        each.id
        for each in sorted(positions, key=functools.cmp_to_key(compare))
    ]
