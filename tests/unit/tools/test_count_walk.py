"""Counts of walks are merged and summed up as they are printed."""

import json

from tests import base
from tools import count_walk

A = ("orch/a.py", "a:1")
B = ("orch/a.py", "b:9")
C = ("orch/c.py", "c:1")
WALKS = {"first": {"claim": {A: 2}}}


class MergeTests(base.TestCase):
    def test_what_few_walks_call_is_left_out(self) -> None:
        walks = [{"claim": {A: 2, B: 1}}, {"claim": {A: 4}}, {"claim": {A: 3}}]

        merged = count_walk.merge(walks)

        self.assertEqual({A: 3}, merged["claim"])
        self.assertEqual({}, merged["loop"])


class SummarizeTests(base.TestCase):
    def test_a_function_of_two_parts_counts_once_in_total(self) -> None:
        walk = {"claim": {A: 2, C: 1}, "loop": {A: 1, B: 5}}

        counts = count_walk.summarize(walk)

        self.assertEqual(count_walk.Count(9, 3, 2), counts["total"])
        self.assertEqual(count_walk.Count(3, 2, 2), counts["claim"])
        self.assertEqual(count_walk.Count(6, 2, 1), counts["loop"])

    def test_each_limit_holds_by_itself(self) -> None:
        walk = {"claim": {A: 2, C: 1}}

        self.assertTrue(count_walk.is_within(walk, None, None))
        self.assertTrue(count_walk.is_within(walk, 2, 2))
        self.assertFalse(count_walk.is_within(walk, 1, None))
        self.assertFalse(count_walk.is_within(walk, None, 1))


class FormatTests(base.TestCase):
    def test_the_text_shows_each_part(self) -> None:
        text = count_walk.format_walks(WALKS, is_json=False, is_list=True)

        rows = [line.split() for line in text.splitlines()]
        self.assertIn(["total", "2", "1", "1"], rows)
        self.assertIn(["claim", "2", "1", "1"], rows)
        self.assertIn(["2", "orch/a.py", "a:1"], rows)

    def test_json_lists_the_functions(self) -> None:
        text = count_walk.format_walks(WALKS, is_json=True, is_list=False)

        first = json.loads(text)["first"]
        self.assertEqual(1, first["counts"]["total"]["functions"])
        self.assertEqual(
            [{"file": "orch/a.py", "function": "a:1", "calls": 2}],
            first["functions"]["claim"],
        )


class PartTests(base.TestCase):
    def test_a_thread_at_intervals_belongs_to_no_part(self) -> None:
        self.assertEqual("loop", count_walk.find_part("orch-loop-0"))
        self.assertIsNone(count_walk.find_part("relay"))
