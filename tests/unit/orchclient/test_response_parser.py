"""Typed values of JSON, and what stands for one that is missing."""

from orchclient import errors
from orchclient import response_parser
from tests import base

BODY: response_parser.Json = {
    "null": None,
    "text": "t",
    "number": 2,
    "half": 0.5,
    "no": False,
    "texts": ["a", 1],
    "maps": [{"name": "a"}, {"name": "b"}],
    "map": {"a": 1, "b": 2},
    "nested": {"x": {"name": "a"}},
}


def name_of(body: response_parser.Json) -> str:
    return response_parser.required_text(body, "name")


class ParserTest(base.TestCase):
    def test_lists_become_values(self) -> None:
        get, find = response_parser.get_values, response_parser.find_values

        self.assertEqual(("a", "b"), get(BODY, "maps", name_of))
        self.assertEqual(("a", "b"), find(BODY, "maps", name_of))
        self.assertEqual((), get(BODY, "null", name_of))
        self.assertIsNone(find(BODY, "null", name_of))
        self.assertIsNone(find(BODY, "gone", name_of))
        self.assertRaises(errors.AnswerError, get, BODY, "text", name_of)

    def test_lists_of_texts_may_be_none(self) -> None:
        find = response_parser.find_texts

        self.assertEqual(("a", "1"), find(BODY, "texts"))
        self.assertIsNone(find(BODY, "null"))

    def test_maps_become_values(self) -> None:
        parser = response_parser

        self.assertEqual("a", parser.find_value(BODY["nested"], "x", name_of))  # type: ignore[arg-type]
        self.assertIsNone(parser.find_value(BODY, "null", name_of))
        self.assertEqual(
            {"x": "a"}, parser.get_value_map(BODY, "nested", name_of)
        )
        self.assertEqual({}, parser.get_value_map(BODY, "gone", name_of))
        self.assertEqual({"a": 1, "b": 2}, parser.get_integer_map(BODY, "map"))
        self.assertEqual(
            {"a": "1", "b": "2"}, parser.get_text_map(BODY, "map")
        )

    def test_numbers_and_booleans_have_defaults(self) -> None:
        parser = response_parser

        self.assertEqual(2, parser.get_integer(BODY, "number", 1))
        self.assertEqual(1, parser.get_integer(BODY, "gone", 1))
        self.assertEqual(1, parser.get_integer({"n": 0}, "n", 1))
        self.assertFalse(parser.get_boolean(BODY, "no", True))
        self.assertTrue(parser.get_boolean(BODY, "null", True))
        self.assertIsNone(parser.find_boolean(BODY, "text"))
        self.assertEqual(0.5, parser.find_number(BODY, "half"))
        self.assertIsNone(parser.find_number(BODY, "null"))
