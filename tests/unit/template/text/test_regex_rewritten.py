"""Regular expressions mean what the standard library makes of them."""

import re
import warnings

from orch.template.text import regex
from tests import base

EXPRESSIONS = (
    "[[:alpha:]]+",
    "[]a[]",
    "[^][]",
    "[\\]a]",
    "\\[[:alpha:]",
    "a{e<=1}",
    "a{2",
    "a{,2}",
    "a{1,2}{",
    "[{]",
    "\\{[a{]",
    "\\N{DIGIT ONE}",
    "(?P<n>a)[[x](?P=n)",
)
TEXTS = ("", "a", "aa", "b", "[", "]", "{", "a]", ":]", "[a", "a[a", "1")
TEXTS += ("a{e<=1}", "a{2", "aa{", "{a", "[:")


class PlainTest(base.TestCase):
    def test_both_engines_agree(self) -> None:
        for expression in EXPRESSIONS:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", FutureWarning)
                wanted = re.compile(expression)
                found = regex.Pattern(expression, 0, regex.spend_nothing)
            for text in TEXTS:
                told, got = wanted.match(text), found.match(text)
                self.assertEqual(
                    told and told[0], got and got[0], (expression, text)
                )

    def test_what_is_standard_stays_as_it_is(self) -> None:
        for text in ("a{2,3}[b-c]+\\d", "(?i)x|[^\\s]", ""):
            self.assertEqual(text, regex.standard_syntax(text))
