import math
import random

from orch.search.index.tantivy import layout
from tests import base

_LETTERS = 'abcz019-./_ !"é中ß{~:Āy\U0001f600'


class LayoutTest(base.TestCase):
    def texts(self, *beginnings: str) -> list[str]:
        dice = random.Random(2)
        return sorted(
            first + "".join(dice.choices(_LETTERS, k=dice.randint(1, 34)))
            for first in beginnings
            for _ in range(1000)
        )

    def test_heads_are_ordered_as_texts_are(self) -> None:
        for field, beginnings in (
            ("name", ("", "a", "abc", "aa/b")),
            ("id", ("stack/", "orphan/", "resource/")),
        ):
            texts = self.texts(*beginnings)
            heads = [layout.heads_of(field, each) for each in texts]

            self.assertEqual(sorted(heads), heads)

    def test_only_even_heads_are_those_of_one_text(self) -> None:
        texts = sorted({*self.texts("", "a" * 29), "a" * 30, "a" * 31})
        heads = [layout.heads_of("name", each) for each in texts]

        for place in range(1, len(texts)):
            if heads[place] == heads[place - 1]:
                self.assertEqual(1, heads[place][-1] & 1, texts[place])
        for text, is_whole in (("a" * 30, True), ("a" * 31, False)):
            last = layout.heads_of("name", text)[-1]
            self.assertEqual(not is_whole, bool(last & 1))

    def test_heads_fit_into_a_column(self) -> None:
        for text in ("\U0010ffff" * 200, "z" * 200, ""):
            for field in layout.HEADS:
                self.assertLess(max(layout.heads_of(field, text)), 2**64)

    def test_forms_of_numbers_are_ordered_and_come_back(self) -> None:
        numbers = [-1e300, -2.5, -1e-300, 0.0, 1e-300, 0.5, 5.0, 1e300]
        forms = [layout.number_form(each) for each in numbers]

        self.assertEqual(sorted(forms), forms)
        self.assertEqual(numbers, [layout.number_of(each) for each in forms])
        self.assertEqual(forms[3], layout.number_form(-0.0))
        self.assertEqual(
            math.inf, layout.number_of(layout.number_form(math.inf))
        )

    def test_keys_are_those_of_one_field(self) -> None:
        fields = ("a.b", "a/b", "a b", "~", "", "é", "x" * 500, "a=b", "a#b")
        keys = {layout.key_of(each, True) for each in fields}

        self.assertEqual(len(fields), len(keys))
        for each in fields:
            self.assertEqual(each, layout.field_of(layout.key_of(each)))
        self.assertFalse([each for each in keys if set(each) & set("=#. ")])
