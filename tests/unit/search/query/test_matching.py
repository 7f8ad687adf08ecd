import dataclasses

from orch.search.query import matching
from orch.search.query import nodes
from orch.search.query import values
from tests import base
from tests.unit.search.query import samples


class MatchingTest(base.TestCase):
    def fits(self, node: nodes.Node, is_admin: bool = False) -> str:
        return " ".join(
            name
            for name, each in samples.ALL.items()
            if matching.is_match(node, each, is_admin)
        )

    def test_words_stand_in_one_value(self) -> None:
        self.assertEqual("", self.fits(nodes.Words(("blue", "green"))))
        self.assertEqual("shop", self.fits(nodes.Words(("green", "tea"))))
        self.assertEqual("", self.fits(nodes.Words(("green", "te"))))
        self.assertEqual("shop", self.fits(nodes.Words(("green", "te"), True)))

    def test_words_are_not_looked_for_in_projects_kinds_and_ids(self) -> None:
        for word in ("p1", "stack", "resource", "2026"):
            found = self.fits(nodes.Words((word,)))
            self.assertNotIn("db", found, word)
        self.assertEqual("", self.fits(nodes.Words(("p1",))))

    def test_a_term_is_a_whole_value_but_in_worded_fields(self) -> None:
        self.assertEqual("db", self.fits(nodes.Term("path", "db Server")))
        self.assertEqual("", self.fits(nodes.Term("type", "Server")))
        self.assertEqual("shop", self.fits(nodes.Term("tags", " GREEN TEA")))
        self.assertEqual("", self.fits(nodes.Term("tags", "")))
        self.assertEqual("", self.fits(nodes.Term("reason", "?")))

    def test_a_name_without_a_dot_means_each_field_that_ends_so(self) -> None:
        term = nodes.Term("flavor", "m1.large")
        self.assertEqual("web db", self.fits(term))
        self.assertEqual("", self.fits(nodes.Term("lavor", "m1.large")))
        self.assertEqual("db", self.fits(nodes.Term("size", "20")))

    def test_moments_know_ranges_only(self) -> None:
        for node in (
            nodes.Term("created_at", "1767571200"),
            nodes.Pattern("created_at", "*"),
            nodes.Words(("1767571200",), False, "created_at"),
        ):
            self.assertEqual("", self.fits(node))
        self.assertEqual("shop web", self.fits(nodes.Exists("created_at")))

    def test_bounds(self) -> None:
        for low, high, has_low, has_high, expected in (
            (5, None, True, True, "shop web db"),
            (5, None, False, True, "shop db"),
            (None, 20, True, True, "shop web db"),
            (None, 20, True, False, "shop web"),
            (12, 12, True, True, "shop"),
        ):
            node = nodes.Range("size", low, high, has_low, has_high)
            self.assertEqual(expected, self.fits(node))

    def test_what_is_for_administrators(self) -> None:
        for node in (
            nodes.Words(("host", "7")),
            nodes.Term("operation.worker", "host-7"),
            nodes.Pattern("worker", "host*"),
            nodes.Exists("worker"),
        ):
            self.assertEqual("", self.fits(node))
            self.assertEqual("shop", self.fits(node, True))

    def test_what_is_hidden_fits_nothing_of_a_user(self) -> None:
        hidden = dataclasses.replace(samples.SHOP, is_hidden=True)
        no = nodes.Not(nodes.Words(("zebra",)))
        for node in (nodes.All(), no):
            self.assertFalse(matching.is_match(node, hidden, False))
            self.assertTrue(matching.is_match(node, hidden, True))

    def test_patterns(self) -> None:
        for text, pattern, expected in (
            ("", "*", True),
            ("abc", "a*", True),
            ("abc", "*c", True),
            ("abc", "a?c", True),
            ("abc", "?c", False),
            ("abc", "abc?", False),
            ("a/b/c", "a*c", True),
            ("a\nb", "a*b", True),
            ("aab", "*ab", True),
            ("a[b]", "a[b]", True),
            ("ab", "a[b]", False),
            ("mississippi", "m*iss*ip*i", True),
            ("mississippi", "m*iss*ix*i", False),
        ):
            self.assertEqual(
                expected, matching.is_like(text, pattern), f"{text} {pattern}"
            )

    def test_forms_of_values(self) -> None:
        for value, text, number in (
            (True, "true", None),
            (5, "5", 5.0),
            (5.0, "5", 5.0),
            (0.5, "0.5", 0.5),
            (" 7 ", " 7 ", 7.0),
            ("1e3", "1e3", 1000.0),
            ("1e999", "1e999", None),
            ("٣", "٣", None),
            ("nan", "nan", None),
            ("1970-01-02", "1970-01-02", 86400.0),
            ("1970-01-01T01:00:00+01:00", None, 0.0),
            ("1970-13-01", None, None),
            (10**400, None, None),
        ):
            if text is not None:
                self.assertEqual(text, values.text_of(value))
            self.assertEqual(number, values.number_of(value), str(value))
