import json

from orch import redacted
from tests import base


class RedactorTest(base.TestCase):
    def test_a_value_is_found_however_it_is_spelt(self) -> None:
        value = 'two "words"\n/ö'
        redactor = redacted.Redactor([value])

        for text in (
            value,
            json.dumps(value),
            json.dumps(value, ensure_ascii=False),
            repr({"x": value}),
            'the value two "words" /ö is wrong',
            "http://host/two%20%22words%22%0A/%C3%B6?a=b",
            "http://two%20%22words%22%0A%2F%C3%B6@host/",
        ):
            shown = redactor.redact(text)
            self.assertIn(redacted.TEXT, shown)
            self.assertNotIn("words", shown)
            self.assertTrue(redactor.has_value(text))

    def test_the_longer_value_is_redacted_first(self) -> None:
        redactor = redacted.Redactor(["word", "wordless"])

        self.assertEqual("a ****** b", redactor.redact("a wordless b"))

    def test_a_short_value_is_redacted_as_a_whole_text_only(self) -> None:
        redactor = redacted.Redactor(["abc", ""])

        self.assertEqual(redacted.TEXT, redactor.redact("abc"))
        self.assertEqual("abcd", redactor.redact("abcd"))

    def test_the_beginning_of_a_value_is_redacted_where_a_text_is_cut(
        self,
    ) -> None:
        redactor = redacted.Redactor(["se/cret/word", "other-value"])

        for length, expected in (
            (40, "POST: ******, no"),
            (18, "POST: ******…"),
            (17, "POST: ******…"),
            (10, "POST: ******…"),
            (9, "POST: ******…"),
            (7, "POST: ******…"),
            (6, "POST: …"),
            (5, "POST:…"),
        ):
            text = redacted.cut("POST: se/cret/word, no", length)
            self.assertEqual(expected, redactor.redact(text))
        self.assertEqual(
            "a ******… (b ******…) se/cret/wor",
            redactor.redact("a se%2Fcre… (b other-v…) se/cret/wor"),
        )

    def test_the_first_of_several_beginnings_is_redacted(self) -> None:
        redactor = redacted.Redactor(["abcd-efgh", "abcd-abcd-ijkl", "abcda"])

        for text, expected in (
            ("x abcd-ef…", "x ******…"),
            ("x abcd-abcd-ij…", "x ******…"),
            ("x abcd-x abcd…", "x abcd-x ******…"),
            ("x abcd-abcd-x…", "x abcd-abcd-x…"),
            ("x efgh a…", "x efgh ******…"),
        ):
            self.assertEqual(expected, redactor.redact(text))

    def test_one_of_many_values_is_found_in_texts_of_any_length(self) -> None:
        values = [f"{number:04}secret{number:04}" for number in range(200)]
        found = redacted.Redactor(values)

        for room in (0, 1, 40, 1_000):
            around = "x" * room
            for value in (values[0], values[-1]):
                text = f"{around}{value}{around}"
                self.assertTrue(found.has_value(text), text)
                self.assertEqual(
                    f"{around}{redacted.TEXT}{around}", found.redact(text)
                )
            text = f"{around}{values[0][:-1]}{around}"
            self.assertFalse(found.has_value(text), text)
            self.assertEqual(text, found.redact(text))

    def test_a_text_that_is_not_cut_has_no_ellipsis(self) -> None:
        self.assertEqual("abcd", redacted.cut("abcd", 4))
        self.assertEqual("abc…", redacted.cut("abcd", 3))


class FindTextsTest(base.TestCase):
    def test_an_empty_value_hides_nothing(self) -> None:
        redactor = redacted.Redactor(["", "word"])

        self.assertEqual("", redactor.redact(""))
        self.assertFalse(redactor.has_value("text"))

    def test_a_map_is_told_whole_and_in_parts(self) -> None:
        value = {"x": ["word", 17, True, None]}

        self.assertEqual(
            {
                "{'x': ['word', 17, True, None]}",
                '{"x": ["word", 17, true, null]}',
                '{"x":["word",17,true,null]}',
                "word",
                "17",
            },
            set(redacted.find_texts(value)),
        )

    def test_a_value_that_json_cannot_write_is_told_all_the_same(self) -> None:
        found = set(redacted.find_texts({("a", 1): {"word"}}))

        self.assertIn("{'word'}", found)
