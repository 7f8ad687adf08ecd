"""An acceptance of drift that is undone: the former baseline is in force."""

import typing

from tests.functional import nesting
from tests.functional import observing
from tests.functional import test_drift
from tests.support import rest
from tests.support import world_templates

Json = dict[str, typing.Any]

_INNER = """\
heat_template_version: 2021-04-16
resources:
  deep: {type: "Test::World::Single", properties: {label: l, value: v}}
"""


class UndoTests(test_drift.DriftTestCase):
    def accepted(self) -> rest.Stack:
        """Return a stack in which the drift of two resources is accepted."""
        stack = self.made(a=observing.single(), b=observing.single())
        for each in "ab":
            self.world.relabel(self.name, each, "other")
        self.observe(stack)
        self.act(stack, "accept_drift")
        return stack

    def undo(self, stack: rest.Stack, *paths: str) -> list[str]:
        value = {"resources": list(paths)} if paths else None
        answer = self.act(stack, "undo_accept_drift", value)
        return typing.cast(list[str], answer["undone"])

    def differences(self, stack: rest.Stack, path: str = "a") -> list[Json]:
        found = self.resources_of(observing.read(self.client, stack))
        return typing.cast(list[Json], found[path]["differences"])

    def test_it_has_drifted_again_from_the_former_baseline(self) -> None:
        stack = self.made(a=observing.single())
        self.world.relabel(self.name, "a", "other")
        before = self.resources_of(self.observe(stack))["a"]
        self.act(stack, "accept_drift")

        undone = self.undo(stack)

        after = self.resources_of(observing.read(self.client, stack))["a"]
        self.assertEqual(["a"], undone)
        for key in ("state", "differences", "drifted_at", "observed_at"):
            self.assertEqual(before[key], after[key], key)
        self.assertEqual(
            ("a", "The acceptance of its drift was undone"),
            self.drift_events(stack)[-1],
        )
        # The next observation and an update agree.
        self.assertEqual("drifted", self.observe(stack)["state"])
        self.client.ask("PATCH", stack.path, {"converge": True})
        self.client.wait(stack, "UPDATE_COMPLETE")
        self.assertEqual("l", self.labels()["a"])

    def test_what_a_policy_ignores_is_not_accepted(self) -> None:
        stack = self.made(a=observing.single())
        self.world.relabel(self.name, "a", "other")
        self.world.revalue(self.name, "a", "theirs")
        ignored = {"resources": {"a": {"properties": {"value": "ignore"}}}}
        observing.set_policy(self.client, stack, ignored)
        self.observe(stack)
        self.act(stack, "accept_drift")

        observing.set_policy(self.client, stack, {})
        self.observe(stack)

        (found,) = self.differences(stack)
        self.assertEqual(
            ("value", "v", "theirs"),
            (found["property"], found["expected"], found["live"]),
        )

    def test_only_what_is_named_is_undone(self) -> None:
        stack = self.accepted()

        self.assertEqual(["b"], self.undo(stack, "b"))

        self.assertEqual(
            {"a": "in_sync", "b": "drifted"}, self.states(self.observe(stack))
        )
        self.assertEqual(["a"], self.undo(stack))
        self.assertEqual([], self.undo(stack))

    def test_what_was_seen_since_is_compared_with_it(self) -> None:
        stack = self.accepted()
        self.world.relabel(self.name, "a", "third")
        self.observe(stack)

        self.undo(stack, "a")

        (found,) = self.differences(stack)
        self.assertEqual(("l", "third"), (found["expected"], found["live"]))

    def test_acceptances_are_undone_one_after_the_other(self) -> None:
        stack = self.accepted()
        self.world.relabel(self.name, "a", "third")
        self.observe(stack)
        self.act(stack, "accept_drift")

        self.undo(stack, "a")
        (second,) = self.differences(stack)
        self.undo(stack, "a")
        (first,) = self.differences(stack)

        self.assertEqual(("other", "third"), _values(second))
        self.assertEqual(("l", "third"), _values(first))

    def test_a_newer_baseline_is_not_replaced(self) -> None:
        stack = self.accepted()
        wanted = world_templates.template(
            a=observing.single("new"), b=observing.single()
        )
        self.client.ask("PUT", stack.path, {"template": wanted})
        self.client.wait(stack, "UPDATE_COMPLETE")

        error = self.assertRaises(rest.RefusedError, self.undo, stack, "a")

        self.assertEqual(409, error.status)
        self.assertIn("a cannot return", error.message)
        self.assertEqual(["b"], self.undo(stack))

    def test_what_was_not_accepted_is_refused(self) -> None:
        stack = self.made(a=observing.single())
        for paths in (["a"], ["nope"]):
            error = self.assertRaises(
                rest.RefusedError, self.undo, stack, *paths
            )
            self.assertEqual(400, error.status)
            self.assertIn(paths[0], error.message)
        for wrong in ({"resources": []}, {"paths": ["a"]}, "a", {"x": 1}):
            status, _ = self.refused(
                self.act, stack, "undo_accept_drift", wrong
            )
            self.assertEqual(400, status, wrong)

    def test_it_waits_for_no_operation(self) -> None:
        stack = self.accepted()
        self.world.order(self.name, "update", "b")
        wanted = world_templates.template(
            a=observing.single(), b=observing.single("new")
        )
        self.client.ask("PUT", stack.path, {"template": wanted})
        self.wait_for_act("update", "b")

        status, _ = self.refused(self.undo, stack, "a")

        self.assertEqual(409, status)

    def test_what_a_policy_accepted_can_be_undone(self) -> None:
        stack = self.made(a=observing.single())
        observing.set_policy(self.client, stack, {"stack": "accept"})
        self.world.relabel(self.name, "a", "other")
        self.observe(stack)
        observing.set_policy(self.client, stack, {"stack": "report"})

        self.undo(stack, "a")

        (found,) = self.differences(stack)
        self.assertEqual(("l", "other"), _values(found))


class TreeTests(nesting.NestedTestCase):
    def test_a_child_stack_is_reached_by_path_and_by_name(self) -> None:
        root = self.make(
            {"kid": {"type": "kid.yaml"}}, files={"kid.yaml": _INNER}
        )
        child = self.child_of(root, "kid")
        for stack, paths in ((root, ["kid/deep"]), (child, None)):
            self.world.relabel(child.name, "deep", f"by {stack.name}")
            self.act(root, "check")
            self.client.wait(root, "CHECK_COMPLETE")
            self.client.ask(
                "POST", f"{root.path}/actions", {"accept_drift": None}
            )

            answer = self.client.ask(
                "POST",
                f"{stack.path}/actions",
                {
                    "undo_accept_drift": (
                        None if paths is None else {"resources": paths}
                    )
                },
            )

            self.assertEqual({"undone": ["kid/deep"]}, answer)
            self.assertEqual(
                ["kid/deep"], observing.drifted(self.client, root)
            )


def _values(difference: Json) -> tuple[object, object]:
    return difference["expected"], difference["live"]
