import unicodedata

import hypothesis
from hypothesis import strategies

from orch.search import tokenizer
from tests import base

_TEXTS = strategies.text(
    strategies.one_of(
        strategies.characters(),
        strategies.sampled_from("eé\u0301\u0308 かｶ\u3099ﾞﾟ하하中ß½™ﬁＡ-_1"),
    ),
    max_size=20,
)


class FoldingTest(base.TestCase):
    def test_words(self) -> None:
        for text, expected in (
            ("Zürich Zu\u0308rich", ["zurich", "zurich"]),
            ("ＡＢＣ１２", ["abc12"]),
            ("Foo™ bar®x", ["foo", "bar", "x"]),
            ("Ⓐfoo ㎏", ["foo"]),
            ("Łódź ÆØ Straße İI\u0131", ["lodz", "aeo", "strasse", "iii"]),
            ("m² nº", ["m2", "no"]),
            ("5½", ["5½"]),
            ("ﬁn", ["fin"]),
            ("中文abc々〇", ["中", "文", "abc", "々", "〇"]),
            ("日本語テキスト", ["日", "本", "語", "テキスト"]),
            ("ｶﾞｽ が", ["ガス", "が"]),
            ("한국어", ["한국어"]),
            ("a_b-c.d", ["a", "b", "c", "d"]),
            ("x" * 70, ["x" * 64]),
            ("™ \u0301", []),
        ):
            self.assertEqual(expected, tokenizer.split_words(text), text)

    @hypothesis.given(_TEXTS)
    def test_folding_again_changes_nothing(self, text: str) -> None:
        folded = tokenizer.fold_text(text)

        self.assertEqual(folded, tokenizer.fold_text(folded))
        self.assertEqual(
            tokenizer.split_words(text), tokenizer.split_words(folded)
        )

    @hypothesis.given(_TEXTS)
    def test_spans_are_those_of_the_words(self, text: str) -> None:
        found = tokenizer.word_spans(text)

        self.assertEqual(
            tokenizer.split_words(text), [word for word, _, _ in found]
        )
        for word, start, end in found:
            self.assertIn(word, tokenizer.fold_text(text[start:end]))

    @hypothesis.given(_TEXTS)
    def test_what_is_aligned_has_each_character_in_its_place(
        self, text: str
    ) -> None:
        folded = tokenizer.fold_text(text)
        hypothesis.assume(tokenizer.is_fold_aligned(text, folded))

        self.assertEqual(folded, "".join(map(tokenizer.fold_text, text)))

    def test_one_form_of_a_character_is_another(self) -> None:
        for text in ("Zürich", "Ångström", "がガ", "하", "ΐ", "ё"):
            for form in ("NFC", "NFD", "NFKC", "NFKD"):
                other = unicodedata.normalize(form, text)
                self.assertEqual(
                    tokenizer.fold_text(text), tokenizer.fold_text(other)
                )

    def test_a_text_that_is_not_empty_stays_so(self) -> None:
        for text in ("´", "¨", "™", "¸"):
            self.assertTrue(tokenizer.fold_value(text), text)
