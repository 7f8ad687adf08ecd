import json
import typing

from orch.plugin import lifecycle
from orch.plugin import lifecycle_operation
from orch.plugin import read_only_values
from tests import base
from tests.support import patterns

Anything = typing.Any


class FrozenTest(base.TestCase):
    def test_values_are_shown_at_any_depth(self) -> None:
        found = read_only_values.FrozenMapping({"a": {"b": [1, {"c": 2}]}})

        inner = found["a"]
        assert isinstance(inner, read_only_values.FrozenMapping)
        self.assertEqual((1, {"c": 2}), inner["b"])
        self.assertEqual(1, len(found))
        self.assertEqual({"a": {"b": (1, {"c": 2})}}, found)

    def test_l7_nothing_can_be_changed_at_any_depth(self) -> None:
        found: Anything = read_only_values.FrozenMapping({"a": {"b": [1]}})

        def set_item() -> None:
            found["a"]["b"] = 2

        def set_place() -> None:
            found["a"]["b"][0] = 2

        def drop_item() -> None:
            del found["a"]

        def set_field() -> None:
            found["a"].more = 1

        def drop_field() -> None:
            del found._values

        for change in (set_item, set_place, drop_item):
            self.assertRaises(TypeError, change)
        for change in (set_field, drop_field):
            self.assertRaises(AttributeError, change)
        self.assertEqual({"a": {"b": (1,)}}, found)

    def test_thawed_values_are_plain(self) -> None:
        value = {"a": [1, {"b": None}]}

        found = read_only_values.thaw(read_only_values.freeze(value))

        self.assertEqual(value, found)
        self.assertEqual('{"a": [1, {"b": null}]}', json.dumps(found))

    def test_it_is_written_down_as_it_is_read(self) -> None:
        self.assertEqual(
            "FrozenMapping({'a': 1})",
            repr(read_only_values.FrozenMapping({"a": 1})),
        )


class PatternTest(base.TestCase):
    def setUp(self) -> None:
        super().setUp()
        inner = patterns.stack(patterns.resource("0"))
        self.source = patterns.Source(
            is_after=patterns.stack(
                patterns.resource("net"),
                patterns.resource("group", child_stack=inner),
            ),
            is_planned={"added": ["net"]},
            decided={"racks": {"net": 1}},
            elsewhere=(
                lifecycle_operation.StoredDecision(
                    root_id="other", path="x", value=1
                ),
            ),
        )
        self.operation = lifecycle_operation.LifecycleOperation(
            patterns.asking(), self.source
        )

    def test_l9_the_whole_tree_is_gone_through(self) -> None:
        self.assertEqual(
            ["net", "group", "group/0"],
            [each.path for each in self.operation.stack.walk()],
        )

    def test_what_nobody_looks_at_is_not_read(self) -> None:
        self.assertEqual([], self.source.reads)

    def test_what_is_looked_at_is_read_once(self) -> None:
        for _ in range(2):
            self.assertEqual({"added": ("net",)}, self.operation.plan)
            self.assertEqual({"racks": {"net": 1}}, self.operation.decisions)
            self.assertIsNone(self.operation.before)
            self.assertIs(self.source.is_after, self.operation.after)

        self.assertEqual(
            ["plan", "decisions", "before", "after"], self.source.reads
        )

    def test_what_others_have_decided_is_read_each_time(self) -> None:
        for _ in range(2):
            self.assertEqual(
                self.source.elsewhere,
                self.operation.decisions_elsewhere("racks"),
            )

        self.assertEqual(["elsewhere racks"] * 2, self.source.reads)

    def test_the_stack_that_goes_is_the_stack(self) -> None:
        before = patterns.stack(name="old")

        seen = patterns.make_operation(None, "delete", before=before)

        self.assertIs(before, seen.stack)

    def test_l7_nothing_of_it_can_be_changed(self) -> None:
        seen: Anything = self.operation

        def set_asked() -> None:
            seen.request = None

        def set_own() -> None:
            seen.mine = 1

        def drop() -> None:
            del seen.request

        def set_of_asked() -> None:
            seen.request.verb = "delete"

        def set_of_stack() -> None:
            seen.stack.name = "x"

        def set_of_resource() -> None:
            seen.stack.resources["net"].properties = {}

        def drop_resource() -> None:
            del seen.stack.resources["net"]

        self.assertRaises(TypeError, drop_resource)
        for change in (
            set_asked,
            set_own,
            drop,
            set_of_asked,
            set_of_stack,
            set_of_resource,
        ):
            self.assertRaises(AttributeError, change)

    def test_another_attempt_is_a_retry(self) -> None:
        self.assertFalse(patterns.asking().is_retry)
        self.assertTrue(patterns.asking(attempt=2).is_retry)


class SpiTest(base.TestCase):
    def test_verdicts_are_made_by_functions(self) -> None:
        verdict = lifecycle.hold("why", 60, {"web": 1})

        self.assertEqual(lifecycle.Ruling.HOLD, verdict.ruling)
        self.assertEqual("why", verdict.text)
        self.assertEqual(60, verdict.deadline_s)
        self.assertEqual({"web": 1}, verdict.decisions)
        self.assertEqual({}, lifecycle.deny("no").decisions)

    def test_only_a_complete_operation_is_no_failure(self) -> None:
        failures = {
            outcome
            for outcome in lifecycle.Outcome
            if lifecycle.OperationResult(outcome=outcome, reason="").is_failure
        }

        self.assertEqual(
            set(lifecycle.Outcome) - {lifecycle.Outcome.COMPLETE}, failures
        )

    def test_one_that_does_nothing_lets_all_pass(self) -> None:
        plugin = lifecycle.LifecyclePlugin("idle", None)
        seen = patterns.make_operation(patterns.stack())
        ended = lifecycle.OperationResult(
            outcome=lifecycle.Outcome.COMPLETE, reason=""
        )

        self.assertIsNone(plugin.pre_operation(seen))
        plugin.post_operation(seen, ended)

        self.assertEqual("idle", plugin.name)
