import sqlite3

import hypothesis
from hypothesis import strategies

from orch.search import tokenizer
from orch.search.index.sqlite import entries
from orch.search.index.sqlite import schema
from tests import base
from tests.contract.search import samples

_TEXTS = strategies.lists(strategies.text(max_size=90), max_size=4)


class EntriesTest(base.TestCase):
    def setUp(self) -> None:
        super().setUp()
        self.connection = sqlite3.connect(":memory:", isolation_level=None)
        self.addCleanup(self.connection.close)
        schema.make(self.connection)
        self.connection.execute(
            "CREATE VIRTUAL TABLE found USING fts5vocab(words, instance)"
        )

    @hypothesis.given(_TEXTS)
    @hypothesis.example(["a\u0080b", "c_d" * 40])
    @hypothesis.example(["A" * 64, f"x {'b' * 65}-c", "e\0f\n\x1f-G"])
    def test_words_are_those_of_queries(self, tags: list[str]) -> None:
        clean = tuple(
            each.encode("utf-8", "replace").decode("utf-8")
            for each in tags
            if tokenizer.fold_value(each)
        )
        document = samples.resource("a", tags=clean)
        self.connection.execute("BEGIN")
        marks = ", ".join("?" * len(schema.COLUMNS))
        self.connection.execute(
            f"INSERT INTO words (rowid, {', '.join(schema.COLUMNS)})"
            f" VALUES (1, {marks})",
            entries.words_of(document),
        )
        found = [
            word
            for (word,) in self.connection.execute(
                "SELECT term FROM found WHERE col = 'tags' ORDER BY offset"
            )
        ]
        self.connection.execute("ROLLBACK")

        separated = [
            [*tokenizer.split_words(each), "\u0080"] for each in clean
        ]
        expected = [word for each in separated for word in each][:-1]
        self.assertEqual(expected, found)

    def test_values_of_other_types_are_other_values(self) -> None:
        folded = [
            value.folded
            for several in ((0, False), ("A", "a "), (1, 1.0, "1"))
            for value in entries.distinct_values(several)
        ]

        self.assertEqual(["0", "false", "a", "a", "1"], folded)
