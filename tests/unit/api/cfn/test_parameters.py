"""The parameters of a query."""

import base64

from orch.api.cfn import errors
from orch.api.cfn import parameters
from tests import base


class ParseTest(base.TestCase):
    def test_names_and_values_are_told_apart(self) -> None:
        found = parameters.parse("Action=A%26B&Empty=&Plus=a+b")

        self.assertEqual({"Action": "A&B", "Empty": "", "Plus": "a b"}, found)

    def test_nothing_is_no_parameter(self) -> None:
        self.assertEqual({}, parameters.parse(""))

    def test_what_cannot_be_told_is_refused(self) -> None:
        many = "&".join(
            f"a{each}=" for each in range(parameters.MAX_PARAMETERS + 1)
        )
        for text in ("a=1&a=2", "a", "a=%FF", many):
            self.assertRaises(errors.MalformedQuery, parameters.parse, text)


class ParametersTest(base.TestCase):
    def test_lists_are_in_the_order_of_their_numbers(self) -> None:
        given = parameters.Parameters(
            {
                "Names.member.10": "ten",
                "Names.member.2": "two",
                "Names.member.0": "none",
                "Others.member.1": "other",
                "Maps.member.2.Key": "b",
                "Maps.member.1.Key": "a",
                "Maps.member.1.Value": "1",
            }
        )

        self.assertEqual(["two", "ten"], given.texts("Names"))
        self.assertEqual(
            [{"Key": "a", "Value": "1"}, {"Key": "b"}], given.maps("Maps")
        )

    def test_booleans_are_true_or_false(self) -> None:
        given = parameters.Parameters({"a": "True", "b": "false", "c": "1"})

        self.assertIs(True, given.boolean("a"))
        self.assertIs(False, given.boolean("b"))
        self.assertIsNone(given.boolean("d"))
        self.assertRaises(errors.InvalidValue, given.boolean, "c")

    def test_what_is_empty_is_missing(self) -> None:
        given = parameters.Parameters({"a": ""})

        self.assertIsNone(given.find("a"))
        self.assertRaises(errors.MissingParameter, given.get, "a")

    def test_a_page_is_found_again(self) -> None:
        token = parameters.token_of("ä/1")

        self.assertEqual(
            "ä/1", parameters.Parameters({"NextToken": token}).place()
        )
        self.assertIsNone(parameters.Parameters({}).place())
        deep = base64.urlsafe_b64encode(b"[" * 2000).decode()
        for wrong in ("x", "bnVsbA==", "eyJhZnRlciI6IDF9", "é", deep):
            given = parameters.Parameters({"NextToken": wrong})
            self.assertRaises(errors.InvalidValue, given.place)
