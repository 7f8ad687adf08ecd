import hypothesis
from hypothesis import strategies

from orch.search import tokenizer
from orch.search.index.sqlite import entries
from orch.search.index.sqlite import schema
from tests import base
from tests.contract.search import samples

_TEXTS = strategies.lists(strategies.text(max_size=40), max_size=4)


class EntriesTest(base.TestCase):
    @hypothesis.given(_TEXTS)
    @hypothesis.example(["a\u0080b", "c_d" * 40])
    def test_words_are_those_of_queries(self, tags: list[str]) -> None:
        clean = [each for each in tags if tokenizer.fold_case(each)]
        document = samples.resource("a", tags=tuple(clean))

        entry = entries.entry_of(document)

        column = dict(zip(schema.COLUMNS, entry.columns, strict=True))["tags"]
        found = [part.split() for part in column.split("\u0080")]
        expected = [tokenizer.split_words(each) for each in clean] or [[]]
        self.assertEqual(expected, found)

    def test_a_document_comes_back_from_its_body(self) -> None:
        document = samples.stack(
            "a",
            texts={"template": "x" * 100_000},
            fields={"properties.x": (1, 2.5, True, "é")},
        )
        stored, body = entries.pack(document)

        self.assertEqual(document, stored)
        packed = entries.compress(body)
        self.assertLess(len(packed), 2000)
        self.assertEqual(document, entries.unpack(packed))

    def test_what_json_cannot_say_is_replaced(self) -> None:
        document = samples.resource(
            "a\udfff",
            fields={"x.y": (float("inf"), "\ud800", 2**70, True, 5)},
        )
        stored, body = entries.pack(document)

        self.assertEqual("a?", stored.name)
        self.assertEqual(
            {"x.y": ("inf", "?", str(2**70), True, 5)}, stored.fields
        )
        self.assertEqual(stored, entries.unpack(entries.compress(body)))

    def test_the_same_has_the_same_digest(self) -> None:
        one, other = (
            entries.digest(entries.pack(samples.resource(each))[1])
            for each in ("a", "a")
        )
        self.assertEqual(one, other)
        third = entries.digest(entries.pack(samples.resource("b"))[1])
        self.assertNotEqual(one, third)
