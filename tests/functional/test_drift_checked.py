"""What a check reads is stored with its result, and nothing is read twice."""

import collections
import typing

from tests.functional import nesting
from tests.functional import observing
from tests.functional import test_drift
from tests.support import rest
from tests.support import waiting
from tests.support import world_templates

Json = dict[str, typing.Any]


class CheckTests(test_drift.DriftTestCase):
    def check(self, stack: rest.Stack, status: str = "CHECK_COMPLETE") -> Json:
        """Return the drift of a stack right after its check has ended."""
        self.act(stack, "check")
        self.client.wait(stack, status)
        return observing.read(self.client, stack)

    def test_the_drift_is_final_with_the_result_of_the_check(self) -> None:
        stack = self.made(
            a=observing.single(), b=observing.listed(), c=observing.single()
        )
        self.world.relabel(self.name, "a", "other")

        before = observing.read(self.client, stack)["observed_at"]
        drift = self.check(stack)

        self.assertEqual(
            {"a": "drifted", "b": "in_sync", "c": "in_sync"},
            self.states(drift),
        )
        self.assertFalse(drift["in_progress"])
        self.assertIsNone(before)
        self.assertRegex(str(drift["observed_at"]), "^20[0-9-]+T")
        summary = self.client.show(stack)["drift"]
        self.assertEqual(
            ("drifted", 1), (summary["state"], summary["drifted"])
        )
        self.assertEqual(
            [("a", "It has drifted: label")], self.drift_events(stack)
        )

    def test_each_resource_is_read_once(self) -> None:
        stack = self.made(a=observing.single(), b=observing.listed())
        before = len(self.world.calls(self.name))

        self.check(stack)
        # An observation that the check had requested would come before this.
        self.act(stack, "suspend")
        self.client.wait(stack, "SUSPEND_COMPLETE")

        calls = [
            (each.act, each.name)
            for each in self.world.calls(self.name)[before:]
            if each.act in ("read", "list")
        ]
        self.assertEqual(
            collections.Counter({("read", "a"): 1, ("read", "b"): 1}),
            collections.Counter(calls),
        )

    def test_what_has_vanished_fails_the_check_and_is_drift(self) -> None:
        stack = self.made(a=observing.single(), b=observing.single())
        self.world.remove(self.name, "b")

        thing = self.resources_of(self.check(stack, "CHECK_FAILED"))["b"]

        self.assertEqual(
            ("drifted", True), (thing["state"], thing["is_vanished"])
        )
        self.assertEqual(
            [
                (
                    "b",
                    "It has vanished: the physical resource does not exist"
                    " any more",
                )
            ],
            self.drift_events(stack),
        )

    def test_a_check_that_finds_the_same_reports_nothing_new(self) -> None:
        stack = self.made(a=observing.single(), b=observing.single())
        self.world.relabel(self.name, "a", "other")
        self.check(stack)
        since = self.resources_of(observing.read(self.client, stack))["a"]

        again = self.resources_of(self.check(stack))["a"]

        self.assertEqual(since["drifted_at"], again["drifted_at"])
        self.assertEqual(1, len(self.drift_events(stack)))
        self.world.relabel(self.name, "a", "l")
        self.assertEqual("in_sync", self.check(stack)["state"])
        self.assertEqual(
            [("a", "It has drifted: label"), ("a", "It is in sync again")],
            self.drift_events(stack),
        )

    def test_what_cannot_be_read_keeps_its_drift_and_says_why(self) -> None:
        stack = self.made(a=observing.single())
        self.world.relabel(self.name, "a", "other")
        found = self.resources_of(self.check(stack))["a"]
        self.world.order(
            self.name, "read", "a", how="permanent", moment="before"
        )

        thing = self.resources_of(self.check(stack, "CHECK_FAILED"))["a"]

        self.assertEqual("unknown", thing["state"])
        self.assertNotEqual("", thing["reason"])
        self.assertRegex(str(found["drifted_at"]), "^20[0-9-]+T")
        self.assertEqual(found["drifted_at"], thing["drifted_at"])

    def test_policies_apply_to_what_a_check_finds(self) -> None:
        stack = self.made(a=observing.single(), b=observing.single())
        observing.set_policy(
            self.client,
            stack,
            {
                "resources": {
                    "a": {"policy": "accept"},
                    "b": {"policy": "ignore"},
                }
            },
        )
        for each in "ab":
            self.world.relabel(self.name, each, "other")

        self.check(stack)
        accepted = ("a", "Its drift was accepted as its policy says: label")
        waiting.wait_for(
            lambda: accepted in self.drift_events(stack), "it is accepted"
        )

        self.assertEqual(
            [("a", "It has drifted: label"), accepted],
            self.drift_events(stack),
        )
        self.assertEqual(
            "in_sync", observing.read(self.client, stack)["state"]
        )
        self.assertEqual("in_sync", self.observe(stack)["state"])

    def test_types_that_cannot_be_read_are_unknown_and_healthy(self) -> None:
        stack = self.made(
            a=world_templates.declare_resource(label="l"),
            b={"type": "OS::Heat::RandomString"},
        )

        drift = self.check(stack)

        self.assertEqual({"a": "unknown", "b": "nothing"}, self.states(drift))
        self.assertIn("cannot read", self.resources_of(drift)["a"]["reason"])

    def test_the_tag_of_a_stack_stays_after_its_check(self) -> None:
        stack = self.made(a=observing.single())
        self.check(stack)
        before = self.client.show(stack)

        self.act(stack, "suspend")
        self.client.wait(stack, "SUSPEND_COMPLETE")
        after = self.client.show(stack)

        self.assertEqual(before["drift"], after["drift"])


class UpdateTests(test_drift.DriftTestCase):
    """What had drifted is read after its change, and what is left is known."""

    def test_an_update_leaves_known_what_it_has_not_changed(self) -> None:
        stack = self.made(a=observing.single(), b=observing.single())
        self.world.relabel(self.name, "a", "other")
        self.world.revalue(self.name, "a", "somebody's")
        self.world.relabel(self.name, "b", "other")
        self.observe(stack)
        wanted = observing.single("new")

        self.client.ask(
            "PUT",
            stack.path,
            {
                "template": world_templates.template(
                    a=wanted, b=observing.single()
                )
            },
        )
        self.client.wait(stack, "UPDATE_COMPLETE")

        found = self.resources_of(observing.read(self.client, stack))
        self.assertEqual(
            {"a": ["value"], "b": ["label"]},
            {
                path: [each["property"] for each in thing["differences"]]
                for path, thing in found.items()
            },
        )

    def test_an_update_that_calls_no_plugin_leaves_all_known(self) -> None:
        stack = self.made(a=observing.single(), b=observing.single())
        self.world.relabel(self.name, "a", "other")
        known = self.resources_of(self.observe(stack))

        wanted = {
            name: {**observing.single(), "metadata": {"note": "new"}}
            for name in "ab"
        }
        self.client.ask(
            "PUT",
            stack.path,
            {"template": world_templates.template(**wanted)},
        )
        self.client.wait(stack, "UPDATE_COMPLETE")

        self.assertEqual([], self.acts("update"))
        found = self.resources_of(observing.read(self.client, stack))
        for name in "ab":
            for key in ("state", "differences", "drifted_at", "observed_at"):
                self.assertEqual(known[name][key], found[name][key], key)
        self.assertEqual(["a"], observing.drifted(self.client, stack))

    def test_a_repair_is_known_as_soon_as_it_has_ended(self) -> None:
        stack = self.made(a=observing.single())
        self.world.relabel(self.name, "a", "other")
        self.observe(stack)

        self.client.ask("PATCH", stack.path, {"converge": True})
        self.client.wait(stack, "UPDATE_COMPLETE")

        self.assertEqual(
            "in_sync", observing.read(self.client, stack)["state"]
        )
        self.assertEqual(
            [("a", "It has drifted: label"), ("a", "It is in sync again")],
            self.drift_events(stack),
        )


class TreeTests(nesting.NestedTestCase):
    """A check of a root checks its child stacks."""

    def test_the_drift_of_the_whole_tree_is_final(self) -> None:
        inner = (
            "heat_template_version: 2021-04-16\n"
            "resources:\n"
            "  deep: {type: 'Test::World::Single', properties: {label: l}}\n"
        )
        root = self.make(
            {"kid": {"type": "kid.yaml"}, "a": observing.single()},
            files={"kid.yaml": inner},
        )
        child = self.child_of(root, "kid")
        self.world.relabel(child.name, "deep", "other")

        self.act(root, "check")
        self.client.wait(root, "CHECK_COMPLETE")

        observed = set()
        for stack in (root, child):
            drift = observing.read(self.client, stack)
            self.assertEqual("drifted", drift["state"], stack)
            observed.add(str(drift["observed_at"]))
        (moment,) = observed
        self.assertRegex(moment, "^20[0-9-]+T")
        states = {
            one["path"]: one["state"]
            for each in observing.read(self.client, root)["stacks"]
            for one in each["resources"]
        }
        self.assertEqual(
            {"a": "in_sync", "kid": "nothing", "kid/deep": "drifted"}, states
        )

    def test_the_summary_agrees_with_the_report_after_an_update(self) -> None:
        inner = (
            "heat_template_version: 2021-04-16\n"
            "parameters:\n"
            "  unused: {type: string}\n"
            "resources:\n"
            "  deep: {type: 'Test::World::Single', properties: {label: l}}\n"
        )

        def kid(value: str) -> Json:
            return {"type": "kid.yaml", "properties": {"unused": value}}

        root = self.make({"kid": kid("1")}, files={"kid.yaml": inner})
        self.act(root, "check")
        self.client.wait(root, "CHECK_COMPLETE")

        self.client.ask(
            "PUT",
            root.path,
            {
                "template": world_templates.template(kid=kid("2")),
                "files": {"kid.yaml": inner},
            },
        )
        self.client.wait(root, "UPDATE_COMPLETE")

        report = observing.read(self.client, root)
        summary = self.client.show(root)["drift"]
        self.assertEqual(
            ("in_sync", report["coverage"]),
            (summary["state"], summary["coverage"]),
        )
        self.assertEqual("in_sync", report["state"])

    def test_a_check_of_a_child_stack_leaves_the_others_unknown(self) -> None:
        inner = (
            "heat_template_version: 2021-04-16\n"
            "resources:\n"
            "  deep: {type: 'Test::World::Single', properties: {label: l}}\n"
        )
        root = self.make(
            {"kid": {"type": "kid.yaml"}, "a": observing.single()},
            files={"kid.yaml": inner},
        )
        child = self.child_of(root, "kid")

        self.act(child, "check")
        self.client.wait(child, "CHECK_COMPLETE")

        self.assertEqual(
            "in_sync", observing.read(self.client, child)["state"]
        )
        drift = observing.read(self.client, root)
        self.assertEqual("unknown", drift["state"])
        self.assertIsNone(drift["observed_at"])
