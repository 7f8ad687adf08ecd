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
        clean = [each for each in tags if tokenizer.fold_value(each)]
        document = samples.resource("a", tags=tuple(clean))

        entry = entries.entry_of(document)

        column = dict(zip(schema.COLUMNS, entry.columns, strict=True))["tags"]
        found = [part.split() for part in column.split("\u0080")]
        expected = [tokenizer.split_words(each) for each in clean] or [[]]
        self.assertEqual(expected, found)
