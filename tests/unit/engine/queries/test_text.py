from orch import ids
from orch.engine.queries import lookup
from tests import base


class WordsTest(base.TestCase):
    def test_a_plain_word_can_stand_in_a_row(self) -> None:
        self.assertTrue(lookup.is_storable("web-1 ü 日本"))

    def test_a_nul_cannot_stand_in_a_row(self) -> None:
        self.assertFalse(lookup.is_storable("a\0b"))

    def test_half_a_surrogate_pair_cannot_stand_in_a_row(self) -> None:
        self.assertFalse(lookup.is_storable("a\ud800"))

    def test_a_text_longer_than_any_column_cannot_stand_in_a_row(self) -> None:
        self.assertFalse(lookup.is_storable("x" * 1025))

    def test_only_what_can_match_is_kept(self) -> None:
        self.assertEqual(["a", "b"], lookup.storable_texts(["a", "\0", "b"]))

    def test_a_new_id_is_an_id(self) -> None:
        self.assertTrue(lookup.is_id(ids.new()))

    def test_other_ways_to_write_a_uuid_are_no_ids(self) -> None:
        text = ids.new()
        for other in (text.upper(), text.replace("-", ""), f"{{{text}}}", ""):
            self.assertFalse(lookup.is_id(other), other)
