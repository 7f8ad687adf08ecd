"""Drift that somebody asks for: through REST, and in the world."""

import json
import typing

from tests.functional import observing
from tests.support import rest
from tests.support import serving
from tests.support import waiting
from tests.support import world_templates

Json = dict[str, typing.Any]

_HIDDEN = {"word": {"type": "string", "hidden": True}}


class DriftTestCase(serving.WorldTestCase):
    """What the tests of drift share."""

    def made(self, **resources: Json) -> rest.Stack:
        """Return a complete stack of these resources."""
        return self.made_of(world_templates.template(**resources))

    def made_of(self, wanted: object, **body: object) -> rest.Stack:
        stack = self.client.create(self.name, wanted, **body)
        self.client.wait(stack, "CREATE_COMPLETE")
        return stack

    def act(
        self, stack: rest.Stack, action: str, value: object = None
    ) -> Json:
        answer = self.client.ask(
            "POST", f"{stack.path}/actions", {action: value}
        )
        return typing.cast(Json, answer)

    def observe(self, stack: rest.Stack) -> Json:
        """Return the drift of a stack, looked at after this call."""
        self.act(stack, "observe")
        waiting.wait_for(
            lambda: not observing.read(self.client, stack)["in_progress"],
            "the look",
        )
        return observing.read(self.client, stack)

    def resources_of(self, drift: Json) -> dict[str, Json]:
        """Return what was seen of resources, by path."""
        return {
            thing["path"]: thing
            for stack in drift["stacks"]
            for thing in stack["resources"]
        }

    def states(self, drift: Json) -> dict[str, str]:
        return {
            path: thing["state"]
            for path, thing in self.resources_of(drift).items()
        }

    def drift_events(self, stack: rest.Stack) -> list[tuple[str, str]]:
        """Return the events about drift: resource and reason."""
        return [
            (
                str(each["resource_name"]),
                str(each["resource_status_reason"]),
            )
            for each in self.client.events(stack)
            if str(each["resource_status"]).startswith("OBSERVE")
        ]


class ActionTests(DriftTestCase):
    """Actions that change no property leave what is known."""

    def act_and_wait(
        self, stack: rest.Stack, action: str, status: str
    ) -> dict[str, str]:
        """Return the known states right after an action."""
        self.act(stack, action)
        self.client.wait(stack, status)
        return self.states(observing.read(self.client, stack))

    def test_they_keep_what_is_known_of_drift(self) -> None:
        stack = self.made(a=observing.single(), b=observing.listed())
        self.world.relabel(self.name, "b", "other")
        known = self.states(self.observe(stack))
        self.assertEqual({"a": "in_sync", "b": "drifted"}, known)

        for action, status in (
            ("suspend", "SUSPEND_COMPLETE"),
            ("resume", "RESUME_COMPLETE"),
            ("check", "CHECK_COMPLETE"),
        ):
            found = self.act_and_wait(stack, action, status)
            self.assertEqual(known, found, action)

    def test_a_check_stores_what_is_found(self) -> None:
        stack = self.made(a=observing.single(), b=observing.listed())
        self.world.relabel(self.name, "a", "other")
        self.world.remove(self.name, "b")

        found = self.act_and_wait(stack, "check", "CHECK_FAILED")

        self.assertEqual({"a": "drifted", "b": "drifted"}, found)

    def test_an_update_makes_unknown_what_it_has_changed(self) -> None:
        stack = self.made(a=observing.single(), b=observing.single())
        self.observe(stack)
        self.act_and_wait(stack, "suspend", "SUSPEND_COMPLETE")
        self.act_and_wait(stack, "resume", "RESUME_COMPLETE")
        wanted = world_templates.template(
            a=observing.single("new"), b=observing.single()
        )

        self.client.ask("PUT", stack.path, {"template": wanted})
        self.client.wait(stack, "UPDATE_COMPLETE")

        self.assertEqual(
            {"a": "unknown", "b": "in_sync"},
            self.states(observing.read(self.client, stack)),
        )


class DriftTests(DriftTestCase):
    def test_dg6_what_differs_from_the_last_change_is_shown(self) -> None:
        stack = self.made(
            a=observing.single(), b=observing.listed(), c=observing.listed()
        )
        self.world.relabel(self.name, "b", "other")

        drift = self.observe(stack)

        self.assertEqual(
            {"a": "in_sync", "b": "drifted", "c": "in_sync"},
            self.states(drift),
        )
        self.assertEqual("drifted", drift["state"])
        self.assertEqual(
            {"in_sync": 2, "drifted": 1, "unknown": 0, "nothing": 0},
            drift["resource_counts"],
        )
        thing = self.resources_of(drift)["b"]
        self.assertEqual(
            [
                {
                    "property": "label",
                    "expected": "l",
                    "live": "other",
                    "policy": "report",
                    "places": [
                        {
                            "place": "label",
                            "kind": "changed",
                            "index": None,
                            "expected": "l",
                            "live": "other",
                        }
                    ],
                }
            ],
            thing["differences"],
        )
        self.assertFalse(thing["is_vanished"])
        self.assertEqual(thing["observed_at"], thing["drifted_at"])

    def test_a_report_comes_page_by_page(self) -> None:
        names = ["a", "b", "c", "d", "e"]
        stack = self.made(**{each: observing.single() for each in names})
        self.world.relabel(self.name, "d", "other")
        whole = self.observe(stack)

        pages: list[Json] = []
        address = f"{stack.path}/drift?limit=2"
        while address:
            answer = typing.cast(Json, self.client.ask("GET", address))
            pages.append(answer["drift"])
            (link,) = answer.get("links", [{"href": ""}])
            address = link["href"].removeprefix(self.client.endpoint)

        self.assertEqual(
            [["a", "b"], ["c", "d"], ["e"]],
            [sorted(self.resources_of(each)) for each in pages],
        )
        self.assertEqual(
            self.states(whole),
            {k: v for each in pages for k, v in self.states(each).items()},
        )
        # What is said of the whole does not depend on the page.
        for each in pages:
            self.assertEqual("drifted", each["state"])
            self.assertEqual(whole["resource_counts"], each["resource_counts"])
        only = self.client.get(
            f"{stack.path}/drift?limit=1&state=drifted", "drift"
        )
        self.assertEqual(
            ["d"], list(self.resources_of(typing.cast(Json, only)))
        )

    def test_a_limit_that_is_no_number_is_refused(self) -> None:
        stack = self.made(a=observing.single())

        refused = self.assertRaises(
            rest.RefusedError,
            self.client.ask,
            "GET",
            f"{stack.path}/drift?limit=all",
        )

        self.assertEqual(400, refused.status)

    def test_d6_it_is_stored_and_shown_with_its_age(self) -> None:
        stack = self.made(a=observing.single())
        before = observing.read(self.client, stack)
        asked = self.act(stack, "observe")
        drift = self.observe(stack)

        self.assertEqual("unknown", before["state"])
        self.assertIsNone(before["observed_at"])
        self.assertIsNone(before["age"])
        self.assertEqual(0, before["coverage"])
        self.assertLessEqual(
            asked["drift"]["requested_at"], drift["observed_at"]
        )
        self.assertEqual("in_sync", drift["state"])
        self.assertGreaterEqual(drift["age"], 0)
        self.assertIsNone(drift["due_at"])
        reads = self.acts("read")
        again = observing.read(self.client, stack)
        self.assertGreaterEqual(again["age"], drift["age"])
        self.assertEqual(reads, self.acts("read"))

    def test_dg7_coverage_tells_how_much_could_be_compared(self) -> None:
        stack = self.made(
            a=observing.single(),
            b=world_templates.declare_resource(label="l", value="v"),
            n={"type": "OS::Heat::RandomString"},
        )

        drift = self.observe(stack)

        found = self.resources_of(drift)
        self.assertEqual(
            {"a": "in_sync", "b": "unknown", "n": "nothing"},
            self.states(drift),
        )
        self.assertEqual("unknown", drift["state"])
        # Of what the type gives a default to it tells two properties.
        self.assertEqual(18, found["a"]["coverage"])
        self.assertEqual(0, found["b"]["coverage"])
        self.assertIn("cannot read", found["b"]["reason"])
        self.assertEqual(9, drift["coverage"])

    def test_all_of_one_type_are_listed_once(self) -> None:
        stack = self.made(
            **{f"r{number}": observing.listed() for number in range(20)}
        )
        before = len(self.acts("list")), len(self.acts("read"))

        self.observe(stack)

        self.assertEqual(
            (before[0] + 1, before[1]),
            (len(self.acts("list")), len(self.acts("read"))),
        )

    def test_what_has_vanished_has_drifted(self) -> None:
        stack = self.made(a=observing.single(), b=observing.listed())
        self.world.remove(self.name, "a")

        drift = self.observe(stack)

        thing = self.resources_of(drift)["a"]
        self.assertEqual(
            ("drifted", True, []),
            (thing["state"], thing["is_vanished"], thing["differences"]),
        )
        self.assertEqual("in_sync", self.states(drift)["b"])

    def test_what_cannot_be_read_is_unknown_and_keeps_none_up(self) -> None:
        stack = self.made(a=observing.single(), b=observing.single())
        self.world.order(self.name, "read", "a", how="outage", moment="before")

        drift = self.observe(stack)

        thing = self.resources_of(drift)["a"]
        self.assertEqual("unknown", thing["state"])
        self.assertNotEqual("", thing["reason"])
        self.assertEqual("in_sync", self.states(drift)["b"])

    def test_resources_can_be_filtered_by_state(self) -> None:
        stack = self.made(a=observing.single(), b=observing.single())
        self.world.relabel(self.name, "b", "other")
        self.observe(stack)

        found = self.client.get(f"{stack.path}/drift?state=drifted", "drift")

        self.assertEqual(["b"], list(self.resources_of(found)))
        self.assertEqual(1, found["resource_counts"]["in_sync"])
        self.assertEqual(
            400,
            self.refused(
                self.client.ask, "GET", f"{stack.path}/drift?state=odd"
            )[0],
        )

    def test_stack_and_resource_show_it(self) -> None:
        stack = self.made(a=observing.single(), b=observing.listed())
        before = self.client.show(stack)["drift"]
        self.world.relabel(self.name, "b", "other")

        self.observe(stack)

        self.assertEqual(
            {
                "state": "unknown",
                "coverage": 0,
                "observed_at": None,
                "drifted": 0,
            },
            before,
        )
        shown = typing.cast(Json, self.client.show(stack)["drift"])
        self.assertEqual(
            ("drifted", 18, 1),
            (shown["state"], shown["coverage"], shown["drifted"]),
        )
        self.assertEqual(
            observing.read(self.client, stack)["observed_at"],
            shown["observed_at"],
        )
        row = self.client.get(f"{stack.path}/resources/b", "resource")
        self.assertEqual("drifted", row["drift"]["state"])
        self.assertEqual("label", row["drift"]["differences"][0]["property"])

    def test_what_the_stack_has_changed_since_is_unknown(self) -> None:
        stack = self.made(
            a=observing.single(), b=observing.single(), c=observing.single()
        )
        self.world.relabel(self.name, "c", "other")
        self.observe(stack)

        self.client.ask(
            "PUT",
            stack.path,
            {
                "template": world_templates.template(
                    a=observing.single("new"),
                    b=observing.single(),
                    c=observing.single("new"),
                )
            },
        )
        self.client.wait(stack, "UPDATE_COMPLETE")

        drift = observing.read(self.client, stack)
        # What had drifted was read after its change, and is known.
        self.assertEqual(
            {"a": "unknown", "b": "in_sync", "c": "in_sync"},
            self.states(drift),
        )
        self.assertIn("changed", self.resources_of(drift)["a"]["reason"])
        self.assertEqual(0, self.client.show(stack)["drift"]["drifted"])
        self.assertEqual("in_sync", self.observe(stack)["state"])

    def test_a_stack_that_is_changed_is_looked_at_behind_it(self) -> None:
        stack = self.made(a=observing.single())
        self.world.order(self.name, "update", "a")
        self.client.ask(
            "PUT",
            stack.path,
            {"template": world_templates.template(a=observing.single("new"))},
        )
        self.wait_for_act("update", "a")
        self.act(stack, "observe")
        self.assertTrue(observing.read(self.client, stack)["in_progress"])

        self.world.release(self.name)
        self.client.wait(stack, "UPDATE_COMPLETE")

        waiting.wait_for(
            lambda: observing.read(self.client, stack)["state"] == "in_sync",
            "the look behind the update",
        )

    def test_a_tree_is_looked_at_as_a_whole(self) -> None:
        inner = {
            "heat_template_version": "2021-04-16",
            "resources": {"deep": observing.listed()},
        }
        stack = self.made_of(
            world_templates.template(
                top=observing.listed(),
                box={"type": "inner.yaml"},
            ),
            files={"inner.yaml": _yaml(inner)},
        )
        below = observing.read(self.client, stack)["stacks"][1]
        self.world.relabel(below["stack_name"], "deep", "other")
        drift = self.observe(stack)

        self.assertEqual(
            {"top": "in_sync", "box": "nothing", "box/deep": "drifted"},
            self.states(drift),
        )
        self.assertEqual(
            [("", "in_sync"), ("box", "drifted")],
            [(each["path"], each["state"]) for each in drift["stacks"]],
        )
        self.assertEqual(1, self.client.show(stack)["drift"]["drifted"])
        inner_stack = rest.Stack(below["stack_name"], below["id"])
        part = observing.read(self.client, inner_stack)
        self.assertEqual(["box/deep"], list(self.resources_of(part)))

    def test_events_tell_what_has_become_of_drift_once(self) -> None:
        stack = self.made(a=observing.single(), b=observing.single())
        self.world.relabel(self.name, "a", "other")
        self.observe(stack)
        self.observe(stack)
        self.world.relabel(self.name, "a", "third")
        self.observe(stack)
        self.world.relabel(self.name, "a", "l")
        self.observe(stack)
        self.world.remove(self.name, "b")
        self.observe(stack)
        self.observe(stack)

        self.assertEqual(
            [
                ("a", "It has drifted: label"),
                ("a", "Its drift has changed: label"),
                ("a", "It is in sync again"),
                (
                    "b",
                    "It has vanished: the physical resource does not"
                    " exist any more",
                ),
            ],
            self.drift_events(stack),
        )

    def test_hidden_values_are_covered(self) -> None:
        wanted = {
            **world_templates.template(
                a={
                    "type": "Test::World::Single",
                    "properties": {
                        "value": "v",
                        "label": {"get_param": "word"},
                    },
                }
            ),
            "parameters": _HIDDEN,
        }
        stack = self.made_of(wanted, parameters={"word": "canary-9f2"})
        self.world.relabel(self.name, "a", "canary-live-9f2")

        drift = self.observe(stack)

        (difference,) = self.resources_of(drift)["a"]["differences"]
        self.assertEqual(
            ("******", "******"),
            (difference["expected"], difference["live"]),
        )
        row = self.client.get(f"{stack.path}/resources/a", "resource")
        self.assertNotIn("canary", str(row["drift"]))
        self.assertNotIn("canary", str(self.drift_events(stack)))

    def test_nothing_but_a_look_can_be_asked_for(self) -> None:
        stack = self.made(a=observing.single())

        for value in (True, 1, "now", [], {"when": "now"}):
            status, _ = self.refused(self.act, stack, "observe", value)
            self.assertEqual(400, status)

    def test_what_is_deleted_is_looked_at_no_more(self) -> None:
        stack = self.made(a=observing.single())
        self.observe(stack)
        self.client.delete(stack)
        self.client.wait(stack, "DELETE_COMPLETE")

        status, _ = self.refused(self.act, stack, "observe")

        self.assertEqual(404, status)


def _yaml(template: Json) -> str:
    # JSON is YAML.
    return json.dumps(template)
