"""What is done about drift: policies, acceptance, a template of it."""

import json
import typing

from orch.engine.drift import template
from tests.functional import observing
from tests.functional import test_drift
from tests.support import rest
from tests.support import world_templates

Json = dict[str, typing.Any]

_YAML = """\
# Ours.
heat_template_version: 2021-04-16
parameters:
  word: {type: string, hidden: true, default: canary-7c1}
resources:
  b:
    type: Test::World::Single
    properties:
      label: {get_param: word}
  a:   # the first one
    type: Test::World::Single
    properties:
      value: v   # stays
      label: l   # changes
"""


_REDACTED = _YAML.replace("default: canary-7c1", 'default: "******"')
_DEFAULT = {
    "path": "parameters/word/default",
    "property": None,
    "reason": template.LITERAL,
}
_INNER = """\
heat_template_version: 2021-04-16
resources:
  deep:
    type: Test::World::Single
    properties:
      label: l
"""


class PolicyTests(test_drift.DriftTestCase):
    def put(self, stack: rest.Stack, policy: object) -> object:
        answer = self.client.ask(
            "PUT", f"{stack.path}/drift/policy", {"policy": policy}
        )
        assert isinstance(answer, dict)
        return answer["policy"]

    def policy(self, stack: rest.Stack) -> object:
        return self.client.get(f"{stack.path}/drift/policy", "policy")

    def test_it_is_kept_as_it_was_set(self) -> None:
        stack = self.made(a=observing.single())
        wanted = {
            "stack": "repair",
            "resources": {
                "a*": {"policy": "ignore", "properties": {"label": "adopt"}}
            },
        }

        before = self.policy(stack)
        answer = self.put(stack, wanted)

        self.assertEqual({}, before)
        self.assertEqual(wanted, answer)
        self.assertEqual(wanted, self.policy(stack))
        self.assertEqual({}, self.put(stack, {}))

    def test_it_is_checked(self) -> None:
        stack = self.made(a=observing.single())

        for wrong in (
            None,
            [],
            "repair",
            {"stack": "mend"},
            {"stack": None},
            {"other": "repair"},
            {"resources": []},
            {"resources": {"a": "repair"}},
            {"resources": {"": {}}},
            {"resources": {"a": {"policy": "mend"}}},
            {"resources": {"a": {"properties": {"label": True}}}},
            {"resources": {"a": {"more": {}}}},
        ):
            self.assertEqual(400, self.refused(self.put, stack, wrong)[0])
        self.assertEqual({}, self.policy(stack))

    def test_it_names_what_exists(self) -> None:
        stack = self.made(apple=observing.single(), b=observing.listed())

        for wrong, said in (
            ({"aple": {"policy": "repair"}}, "Did you mean 'apple'?"),
            ({"kid/a": {"policy": "repair"}}, "has the path 'kid/a'."),
            (
                {"apple": {"properties": {"lable": "ignore"}}},
                "apple has no property 'lable'. Did you mean 'label'?",
            ),
            (
                {"*": {"properties": {"nosuch": "ignore"}}},
                "* has no property 'nosuch'.",
            ),
        ):
            error = self.assertRaises(
                rest.RefusedError, self.put, stack, {"resources": wrong}
            )
            self.assertEqual(400, error.status)
            self.assertIn(said, error.message)
        self.assertEqual({}, self.policy(stack))
        later = {"resources": {"kid/*": {"properties": {"any": "ignore"}}}}
        self.assertEqual(later, self.put(stack, later))

    def test_what_it_named_may_go(self) -> None:
        stack = self.made(a=observing.single(), b=observing.single())
        wanted = {"resources": {"b": {"properties": {"label": "ignore"}}}}
        self.put(stack, wanted)
        self.client.ask(
            "PUT",
            stack.path,
            {"template": world_templates.template(a=observing.single())},
        )
        self.client.wait(stack, "UPDATE_COMPLETE")

        again = {**wanted, "stack": "repair"}

        self.assertEqual(again, self.put(stack, again))
        more = {"b": {"properties": {"label": "ignore", "value": "ignore"}}}
        refused = self.refused(self.put, stack, {"resources": more})
        self.assertEqual((400, "HTTPBadRequest"), refused)

    def test_only_a_root_has_one(self) -> None:
        stack = self.made_of(
            world_templates.template(box={"type": "inner.yaml"}),
            files={"inner.yaml": _YAML},
        )
        inner = observing.read(self.client, stack)["stacks"][1]
        below = rest.Stack(inner["stack_name"], inner["id"])

        found = self.refused(self.put, below, {"stack": "repair"})

        self.assertEqual((400, "HTTPBadRequest"), found)

    def test_what_is_ignored_is_no_drift(self) -> None:
        stack = self.made(a=observing.single(), b=observing.single())
        self.put(
            stack,
            {
                "resources": {
                    "a": {"properties": {"label": "ignore"}},
                    "b": {"policy": "ignore"},
                }
            },
        )
        self.world.relabel(self.name, "a", "other")
        self.world.remove(self.name, "b")

        drift = self.observe(stack)

        self.assertEqual({"a": "in_sync", "b": "unknown"}, self.states(drift))
        self.assertEqual([], self.drift_events(stack))

    def test_what_is_accepted_becomes_the_baseline(self) -> None:
        stack = self.made(a=observing.single())
        self.put(stack, {"resources": {"*": {"policy": "accept"}}})
        self.world.relabel(self.name, "a", "other")
        drift = self.observe(stack)
        self.assertEqual({"a": "in_sync"}, self.states(drift))
        self.assertEqual(
            [("a", "Its drift was accepted as its policy says: label")],
            self.drift_events(stack),
        )

        self.put(stack, {})
        self.assertEqual("in_sync", self.observe(stack)["state"])
        self.world.relabel(self.name, "a", "l")

        (found,) = self.resources_of(self.observe(stack))["a"]["differences"]
        self.assertEqual(("other", "l"), (found["expected"], found["live"]))

    def test_the_report_names_the_policy_of_each_difference(self) -> None:
        stack = self.made(a=observing.single())
        self.put(
            stack,
            {
                "stack": "repair",
                "resources": {"a": {"properties": {"label": "adopt"}}},
            },
        )
        self.world.relabel(self.name, "a", "other")

        thing = self.resources_of(self.observe(stack))["a"]

        self.assertEqual("repair", thing["policy"])
        self.assertEqual("adopt", thing["differences"][0]["policy"])


class AcceptTests(test_drift.DriftTestCase):
    def drifted(self) -> rest.Stack:
        """Return a stack in which all but one have drifted."""
        stack = self.made(
            a=observing.single(), b=observing.listed(), c=observing.single()
        )
        self.world.relabel(self.name, "a", "other")
        self.world.relabel(self.name, "b", "third")
        self.observe(stack)
        return stack

    def test_all_that_differs_is_expected_from_then_on(self) -> None:
        stack = self.drifted()

        answer = self.act(stack, "accept_drift")

        self.assertEqual({"accepted": ["a", "b"]}, answer)
        self.assertEqual(
            "in_sync", observing.read(self.client, stack)["state"]
        )
        self.assertEqual("in_sync", self.observe(stack)["state"])
        self.assertEqual(
            {
                ("a", "Its drift was accepted: label"),
                ("b", "Its drift was accepted: label"),
            },
            set(self.drift_events(stack)[2:]),
        )
        self.assertEqual([], self.acts("update"))

    def test_what_was_accepted_stays(self) -> None:
        stack = self.drifted()
        self.act(stack, "accept_drift", {"resources": ["a"]})

        self.client.ask(
            "PUT",
            stack.path,
            {
                "template": world_templates.template(
                    a=observing.single(),
                    b=observing.listed(),
                    c=observing.single(),
                ),
                "converge": True,
            },
        )
        self.client.wait(stack, "UPDATE_COMPLETE")

        self.assertEqual(["b"], self.acts("update"))
        self.assertEqual("other", self.labels()["a"])
        self.assertEqual("in_sync", self.observe(stack)["state"])

    def test_only_what_is_named_is_accepted(self) -> None:
        stack = self.drifted()

        answer = self.act(stack, "accept_drift", {"resources": ["b"]})

        self.assertEqual({"accepted": ["b"]}, answer)
        self.assertEqual(
            {"a": "drifted", "b": "in_sync", "c": "in_sync"},
            self.states(self.observe(stack)),
        )

    def test_only_the_property_that_is_named_is_accepted(self) -> None:
        stack = self.drifted()
        self.world.revalue(self.name, "a", "somebody's")
        self.observe(stack)
        named = {"properties": {"a": ["label"]}}

        for wrong in ({"a": ["label", "refs"]}, {"c": ["label"]}):
            self.assertEqual(
                400,
                self.refused(
                    self.act, stack, "accept_drift", {"properties": wrong}
                )[0],
            )
        answer = self.act(stack, "accept_drift", named)

        self.assertEqual({"accepted": ["a"]}, answer)
        for shown in (
            observing.read(self.client, stack),
            self.observe(stack),
        ):
            thing = self.resources_of(shown)["a"]
            self.assertEqual("drifted", thing["state"])
            self.assertEqual(
                ["value"], [each["property"] for each in thing["differences"]]
            )
            self.assertEqual("drifted", self.states(shown)["b"])

    def test_what_has_not_drifted_cannot_be_accepted(self) -> None:
        stack = self.drifted()
        self.world.remove(self.name, "a")
        self.observe(stack)

        for paths in (["c"], ["odd"], ["b", "c"], ["a"]):
            self.assertEqual(
                (400, "HTTPBadRequest"),
                self.refused(
                    self.act, stack, "accept_drift", {"resources": paths}
                ),
            )
        self.assertEqual({"accepted": ["b"]}, self.act(stack, "accept_drift"))

    def test_what_is_in_a_stack_in_the_stack_is_accepted(self) -> None:
        stack = self.made_of(
            world_templates.template(
                top=observing.single(), box={"type": "inner.yaml"}
            ),
            files={"inner.yaml": _INNER},
        )
        inner = observing.read(self.client, stack)["stacks"][1]
        self.world.relabel(inner["stack_name"], "deep", "other")
        self.observe(stack)
        left = self.client.ask("GET", f"{stack.path}/drift/template")
        below = rest.Stack(inner["stack_name"], inner["id"])
        offered = self.client.ask("GET", f"{below.path}/drift/template")

        answer = self.act(stack, "accept_drift", {"resources": ["box/deep"]})

        self.assertEqual(
            ["box/deep"], [each["path"] for each in left["omitted"]]
        )
        self.assertEqual(
            [{"path": "box/deep", "property": "label"}], offered["changes"]
        )
        self.assertIn('"label": "other"', offered["template"])
        self.assertEqual({"accepted": ["box/deep"]}, answer)
        self.assertEqual("in_sync", self.observe(stack)["state"])
        self.assertEqual(
            ["It has drifted: label", "Its drift was accepted: label"],
            [reason for _, reason in self.drift_events(below)],
        )

    def test_it_waits_for_no_operation(self) -> None:
        stack = self.drifted()
        self.world.order(self.name, "update", "c")
        self.client.ask(
            "PUT",
            stack.path,
            {
                "template": world_templates.template(
                    a=observing.single(),
                    b=observing.listed(),
                    c=observing.single("new"),
                )
            },
        )
        self.wait_for_act("update", "c")

        status, _ = self.refused(self.act, stack, "accept_drift")

        self.assertEqual(409, status)
        self.world.release(self.name)
        self.client.wait(stack, "UPDATE_COMPLETE")

    def test_the_body_is_checked(self) -> None:
        stack = self.drifted()

        for wrong in (
            True,
            [],
            "a",
            {"resources": "a"},
            {"resources": []},
            {"resources": [1]},
            {"properties": {}},
            {"properties": {"a": "label"}},
            {"properties": {"a": []}},
            {"more": ["a"]},
        ):
            self.assertEqual(
                400, self.refused(self.act, stack, "accept_drift", wrong)[0]
            )
        self.assertEqual(
            2, observing.read(self.client, stack)["resource_counts"]["drifted"]
        )


class TemplateTests(test_drift.DriftTestCase):
    def template(self, stack: rest.Stack) -> Json:
        found = self.client.ask("GET", f"{stack.path}/drift/template")
        return typing.cast(Json, found)

    def test_the_text_stays_but_for_what_has_drifted(self) -> None:
        stack = self.made_of(_YAML)
        self.world.relabel(self.name, "a", "two words: more")
        self.world.relabel(self.name, "b", "canary-live-7c1")
        self.observe(stack)

        found = self.template(stack)

        self.assertEqual(
            _REDACTED.replace("label: l ", 'label: "two words: more" '),
            found["template"],
        )
        self.assertEqual(
            [{"path": "a", "property": "label"}], found["changes"]
        )
        default, left = found["omitted"]
        self.assertEqual(_DEFAULT, default)
        self.assertEqual(("b", "label"), (left["path"], left["property"]))
        self.assertIn("hidden", left["reason"])
        self.assertNotIn("canary-live", str(found))

    def test_without_drift_it_is_the_template(self) -> None:
        stack = self.made_of(_YAML)
        self.observe(stack)

        self.assertEqual(
            {"template": _REDACTED, "changes": [], "omitted": [_DEFAULT]},
            self.template(stack),
        )

    def test_a_secret_that_is_written_down_is_left_out(self) -> None:
        thing = {
            "type": "OS::Heat::Value",
            "properties": {"value": {"user": "u", "token": "canary-2b9"}},
        }
        stack = self.made(a=thing)
        self.observe(stack)

        found = self.template(stack)

        (left,) = found["omitted"]
        self.assertEqual(("a", "value"), (left["path"], left["property"]))
        self.assertIn("a secret is written", left["reason"])
        self.assertEqual([], found["changes"])
        self.assertEqual(
            {"value": {"user": "u", "token": "******"}},
            json.loads(found["template"])["resources"]["a"]["properties"],
        )

    def test_a_secret_of_a_resource_that_is_off_is_left_out(self) -> None:
        token = {"list_join": ["", ["canary-", "2b9"]]}
        off = {
            "type": "OS::Heat::Value",
            "condition": False,
            "metadata": {"admin_pass": "canary-2b9"},
            "properties": {"value": {"token": token}},
        }
        stack = self.made(a=observing.single(), off=off)
        self.observe(stack)

        found = self.template(stack)

        self.assertNotIn("canary", found["template"])
        self.assertEqual(
            [
                ("resources/off/metadata/admin_pass", None),
                ("off", "value"),
            ],
            [(each["path"], each["property"]) for each in found["omitted"]],
        )

    def test_what_vanished_is_left_out(self) -> None:
        stack = self.made(a=observing.single())
        self.world.remove(self.name, "a")
        self.observe(stack)

        found = self.template(stack)

        (left,) = found["omitted"]
        self.assertEqual(("a", None), (left["path"], left["property"]))

    def test_a_plan_of_it_changes_nothing(self) -> None:
        stack = self.made(a=observing.single(), b=observing.listed())
        self.world.relabel(self.name, "a", "other")
        self.world.relabel(self.name, "b", "third")
        self.observe(stack)
        wanted = self.template(stack)["template"]

        answer = self.client.ask(
            "PUT",
            f"{stack.path}/preview",
            {"template": wanted, "converge": True},
        )

        assert isinstance(answer, dict)
        changes = answer["plan"]["changes"]
        self.assertEqual([], [each for each in changes if each["properties"]])
        self.assertEqual(
            set(), {each["kind"] for each in changes} - {"update"}
        )
        self.client.ask(
            "PUT", stack.path, {"template": wanted, "converge": True}
        )
        self.client.wait(stack, "UPDATE_COMPLETE")
        self.assertEqual([], self.acts("update"))
        self.assertEqual("in_sync", self.observe(stack)["state"])
