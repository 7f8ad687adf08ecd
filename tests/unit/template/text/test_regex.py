"""Regular expressions of users end, whatever they say."""

import re
import time

from orch.template import errors
from orch.template.text import regex
from tests import base

# It makes a matcher that goes back look at 2 ** 60 ways.
ENDLESS = "(a|a)+$"
TEXT = "a" * 60 + "!"


class PatternTest(base.TestCase):
    def make(self, text: str, flags: int = 0) -> regex.Pattern:
        self.spent: list[int] = []
        return regex.Pattern(text, flags, self.spent.append)

    def test_a_match_says_where_it_ends(self) -> None:
        found = self.make("a|ab").match("abc")

        assert found is not None
        self.assertEqual(1, found.end())

    def test_flags_are_those_of_the_standard_library(self) -> None:
        flags = re.IGNORECASE | re.DOTALL

        self.assertIsNotNone(self.make("A.B", flags).match("a\nb"))
        self.assertIsNone(self.make("A.B").match("a\nb"))

    def test_all_ways_to_match_end_in_time(self) -> None:
        pattern = self.make(ENDLESS)

        for act in (
            pattern.match,
            pattern.search,
            pattern.finditer,
            pattern.split,
            lambda text: pattern.sub("b", text),
        ):
            begun = time.monotonic()
            self.assertRaises(errors.TooLarge, act, TEXT)
            self.assertLess(time.monotonic() - begun, 5)

    def test_time_is_counted_as_work(self) -> None:
        pattern = self.make("(a|a)+$")

        pattern.match("a" * 16 + "!")

        self.assertGreater(self.spent[0], 100)

    def test_what_heat_refuses_is_no_expression(self) -> None:
        for wrong in ("(", r"\p{L}", "a**"):
            self.assertRaises(ValueError, self.make, wrong)
