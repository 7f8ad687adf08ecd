"""Which texts are looked for, and where they are found."""

from orch.engine.secrets import texts
from tests import base


class SensitiveTextsTest(base.TestCase):
    def test_a_short_value_is_found_as_a_whole_only(self) -> None:
        found = texts.SensitiveTexts(["abc"])

        self.assertTrue(found.are_in("abc"))
        self.assertFalse(found.are_in("abcd"))
        self.assertEqual("******", found.redact("abc"))

    def test_what_is_added_later_is_found_in_longer_texts(self) -> None:
        for add in (
            lambda one: one.add_pieces(["second-piece"]),
            lambda one: one.add_literals(["second-piece"]),
            lambda one: one.add_all_of(texts.SensitiveTexts(["second-piece"])),
        ):
            found = texts.SensitiveTexts(["a-secret"])
            self.assertFalse(found.are_in("the second-piece"))

            add(found)

            self.assertTrue(found.are_in("the second-piece"))
            self.assertEqual("the ******", found.redact("the second-piece"))

    def test_a_word_is_no_piece_inside_of_others(self) -> None:
        found = texts.SensitiveTexts(["a-secret"])

        found.add_pieces(["https", "a-secret-too", "abc"])

        self.assertEqual({"a-secret", "https"}, found.all)
        self.assertFalse(found.are_in("https://example.org"))

    def test_a_few_characters_of_one(self) -> None:
        found = texts.SensitiveTexts(["My-Secret"])

        self.assertTrue(found.have_part_in("x-secr-y"))
        self.assertTrue(found.have_part_in("SEC"))
        for other in (None, True, "se", "other"):
            self.assertFalse(found.have_part_in(other), other)
