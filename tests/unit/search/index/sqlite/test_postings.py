import sqlite3

from orch.search.index import port
from orch.search.index.sqlite import bitmaps
from orch.search.index.sqlite import index as sqlite_index
from orch.search.index.sqlite import schema
from orch.search.index.sqlite import write
from orch.search.query import nodes
from tests import base
from tests.contract.search import samples


class PostingsTest(base.TestCase):
    def count_queries(self, stack_id: str, count: int) -> int:
        """Return the queries that it takes to put a stack of so many."""
        change = samples.stacked(
            *(
                samples.resource(
                    f"{stack_id}{number}",
                    stack_id=stack_id,
                    fields={
                        "properties.x": (number, f"{stack_id}{number}"),
                        "properties.y": (f"Server-{stack_id}{number}",),
                    },
                )
                for number in range(count)
            ),
            stack_id=stack_id,
        )
        queries: list[str] = []
        self.connection.set_trace_callback(
            lambda text: (
                queries.append(text)
                if text.lstrip().startswith("SELECT")
                else None
            )
        )
        writer = write.Writer(self.connection)
        writer.put(change)
        writer.finish()
        self.connection.set_trace_callback(None)
        return len(queries)

    def test_queries_do_not_grow_with_the_values(self) -> None:
        self.connection = sqlite3.connect(":memory:", isolation_level=None)
        self.addCleanup(self.connection.close)
        schema.make(self.connection)

        self.count_queries("a", 20)

        few = self.count_queries("b", 20)
        self.assertEqual(few, self.count_queries("c", 200))

    def test_a_value_with_nul_is_a_whole_value(self) -> None:
        index = sqlite_index.SQLiteIndex(self.make_directory() / "search.db")
        self.addCleanup(index.close)
        for number, value in enumerate(("A\0b", "a", "A\0b", "A\0c")):
            stack_id = f"s{number}"
            index.put(
                [
                    samples.stacked(
                        samples.resource(
                            stack_id,
                            stack_id=stack_id,
                            fields={"properties.x": (value,)},
                        ),
                        stack_id=stack_id,
                    )
                ]
            )

        found = index.search(
            port.Query(
                node=nodes.Term("properties.x", "a\0b"),
                scope=samples.USER,
            )
        )

        self.assertEqual(
            ["resource/s0", "resource/s2"],
            sorted(each.document.id for each in found.hits),
        )


class ChunksTest(base.TestCase):
    def test_numbers_come_and_go(self) -> None:
        for size in (1, 100, 130, 3000):
            added = list(range(5, 5 + size))
            stored = bitmaps.with_numbers(b"", [7000])
            stored = bitmaps.with_numbers(stored, added)
            self.assertEqual(
                [*added, 7000], bitmaps.numbers(bitmaps.decode(stored))
            )

            stored = bitmaps.without_numbers(stored, [7000, *added[1:]])
            self.assertEqual([5], bitmaps.numbers(bitmaps.decode(stored)))
            self.assertEqual(b"", bitmaps.without_numbers(stored, [5]))
