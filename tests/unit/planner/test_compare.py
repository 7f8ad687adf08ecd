"""How a resource is judged by its row alone."""

import typing

from oslo_config import cfg

from orch.model import marked
from orch.planner import compare as planner_compare
from tests import base
from tests.unit.planner import test_compare_live
from tests.unit.planner import test_drift

Values = dict[str, typing.Any]
Verdict = planner_compare.Verdict

_VALUES: typing.Final = {"free": "a", "fixed": {"x": ["b", "c"]}}


def compare(
    before: Values, after: Values, now: Values, then: Values
) -> planner_compare.Comparison:
    """Compare properties, and metadata as they are now and as desired."""
    return planner_compare.compare_resource(
        test_compare_live.SampleResource(cfg.ConfigOpts()),
        test_drift.row(before, metadata=now),
        after,
        then,
    )


def mark(*paths: marked.Path) -> marked.Marked:
    return marked.Marked(_VALUES, paths)


class MarksTest(base.TestCase):
    def assert_only_stale(self, found: planner_compare.Comparison) -> None:
        self.assertIs(Verdict.MODIFY, found.verdict)
        self.assertTrue(found.is_stale)
        self.assertEqual("has other sensitive values", found.reason)
        self.assertEqual((), found.changed)
        self.assertEqual((), found.replacing)
        self.assertEqual((), found.unsure)

    def test_what_has_other_marks_is_only_to_be_stored(self) -> None:
        for now, then in (
            (mark(("free",)), mark(("fixed",))),
            (mark(("free",)), mark(("free",), ("fixed", "x", 1))),
            (mark(("fixed",)), mark(("fixed", "x"))),
            (mark(()), _VALUES),
            (_VALUES, mark(("fixed",))),
        ):
            self.assert_only_stale(compare(now, then, {}, {}))
            self.assert_only_stale(compare({}, {}, now, then))
            self.assert_only_stale(compare(now, now, now, then))

    def test_the_same_marks_are_no_change(self) -> None:
        for now, then in (
            (mark(("free",)), mark(("free",))),
            (
                mark(("free",), ("fixed", "x", 1)),
                mark(("fixed", "x", 1), ("free",)),
            ),
            (mark(()), mark(("free",), ("fixed",))),
            (mark(), _VALUES),
        ):
            for found in (
                compare(now, then, {}, {}),
                compare({}, {}, now, then),
                compare(now, then, now, then),
            ):
                self.assertIs(Verdict.SAME, found.verdict)
                self.assertFalse(found.is_stale)

    def test_values_that_differ_are_changed_whatever_is_marked(self) -> None:
        after = marked.Marked({**_VALUES, "free": "z"}, [("free",)])

        found = compare(mark(("fixed",)), after, {}, {})

        self.assertIs(Verdict.MODIFY, found.verdict)
        self.assertFalse(found.is_stale)
        self.assertEqual(("free",), found.changed)

    def test_metadata_that_differ_are_changed_whatever_is_marked(self) -> None:
        then = marked.Marked({"free": "z"}, [("free",)])

        found = compare({}, {}, mark(("free",)), then)

        self.assertIs(Verdict.MODIFY, found.verdict)
        self.assertFalse(found.is_stale)
