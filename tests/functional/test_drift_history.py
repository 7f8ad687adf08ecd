"""The history of drift: when, from, to, found by which look, how it ended."""

import json
import typing

from tests.functional import nesting
from tests.functional import observing
from tests.functional import test_drift
from tests.support import rest
from tests.support import waiting
from tests.support import world_templates

Json = dict[str, typing.Any]

_INNER = """\
heat_template_version: 2021-04-16
resources:
  deep: {type: "Test::World::Single", properties: {label: l, value: v}}
"""


class HistoryTestCase(test_drift.DriftTestCase):
    def history(self, stack: rest.Stack, query: str = "") -> list[Json]:
        """Return the entries, the newest first."""
        return typing.cast(
            list[Json],
            self.client.get(f"{stack.path}/drift/history{query}", "history"),
        )

    def entries(self, stack: rest.Stack) -> list[tuple[object, ...]]:
        """Return the entries without ids and times, the oldest first."""
        return [
            (
                each["path"],
                each["property"],
                each["expected"],
                each["live"],
                each["found_by"],
                each["ended_by"],
            )
            for each in reversed(self.history(stack))
        ]


class HistoryTests(HistoryTestCase):
    def test_drift_that_lasts_has_no_end(self) -> None:
        stack = self.made(a=observing.single(), b=observing.single())
        self.world.relabel(self.name, "a", "other")
        drift = self.observe(stack)
        self.observe(stack)

        (entry,) = self.history(stack)

        self.assertEqual(
            [("a", "label", "l", "other", "request", None)],
            self.entries(stack),
        )
        self.assertIsNone(entry["ended_at"])
        self.assertEqual(
            self.resources_of(drift)["a"]["drifted_at"], entry["found_at"]
        )

    def test_how_drift_ends(self) -> None:
        names = "abcdef"
        stack = self.made(**{each: observing.single() for each in names})
        for each in names:
            self.world.relabel(self.name, each, "other")
        self.act(stack, "check")
        self.client.wait(stack, "CHECK_COMPLETE")
        # a: by itself, b: accepted, c: ignored, d: another value, e: by an
        # update that wants something else, f: put back by an update.
        self.world.relabel(self.name, "a", "l")
        self.world.relabel(self.name, "d", "third")
        self.act(stack, "accept_drift", {"resources": ["b"]})
        observing.set_policy(
            self.client, stack, {"resources": {"c": {"policy": "ignore"}}}
        )
        self.observe(stack)
        wanted = {each: observing.single() for each in names}
        wanted["e"] = observing.single("new")
        self.client.ask(
            "PUT",
            stack.path,
            {
                "template": world_templates.template(**wanted),
                "converge": True,
            },
        )
        self.client.wait(stack, "UPDATE_COMPLETE")

        self.assertEqual(
            {
                ("a", "other", "check", "cleared"),
                ("b", "other", "check", "accepted"),
                ("c", "other", "check", "ignored"),
                ("d", "other", "check", "changed"),
                ("d", "third", "request", "repaired"),
                ("e", "other", "check", "updated"),
                ("f", "other", "check", "repaired"),
            },
            {
                (path, live, look, end)
                for path, _, _, live, look, end in self.entries(stack)
            },
        )
        self.assertEqual([], observing.drifted(self.client, stack))

    def test_an_update_that_observes_first_is_a_look(self) -> None:
        stack = self.made(a=observing.single(), b=observing.single())
        self.world.relabel(self.name, "a", "other")

        self.client.ask("PATCH", stack.path, {"converge": True})
        self.client.wait(stack, "UPDATE_COMPLETE")

        self.assertEqual(
            [("a", "label", "l", "other", "update", "repaired")],
            self.entries(stack),
        )
        (entry,) = self.history(stack)
        self.assertLessEqual(entry["found_at"], entry["ended_at"])

    def test_what_has_vanished_is_repaired_by_another_one(self) -> None:
        stack = self.made(a=observing.single())
        self.world.remove(self.name, "a")
        self.observe(stack)
        self.world.order(
            self.name, "read", "a", how="permanent", moment="before", times=1
        )
        self.observe(stack)
        self.observe(stack)
        lasting = self.entries(stack)

        self.client.ask("PATCH", stack.path, {"converge": True})
        self.client.wait(stack, "UPDATE_COMPLETE")

        # That it could not be read in between neither ends nor repeats it.
        self.assertEqual([("a", None, None, None, "request", None)], lasting)
        self.assertEqual(
            [("a", None, None, None, "request", "repaired")],
            self.entries(stack),
        )

    def test_an_undone_acceptance_lets_drift_last_again(self) -> None:
        stack = self.made(a=observing.single())
        self.world.relabel(self.name, "a", "other")
        self.observe(stack)
        self.act(stack, "accept_drift")
        (ended,) = self.history(stack)
        self.act(stack, "undo_accept_drift")

        self.observe(stack)
        (entry,) = self.history(stack)

        self.assertEqual("accepted", ended["ended_by"])
        self.assertEqual(ended["id"], entry["id"])
        self.assertIsNone(entry["ended_by"])

    def test_it_comes_page_by_page(self) -> None:
        stack = self.made(a=observing.single())
        for label in ("1", "2", "3", "4", "5"):
            self.world.relabel(self.name, "a", label)
            self.observe(stack)
        pages: list[list[str]] = []
        address = f"{stack.path}/drift/history?limit=2"
        while address:
            answer = typing.cast(Json, self.client.ask("GET", address))
            pages.append([each["live"] for each in answer["history"]])
            (link,) = answer.get("links", [{"href": ""}])
            address = link["href"].removeprefix(self.client.endpoint)

        self.assertEqual([["5", "4"], ["3", "2"], ["1"]], pages)
        self.assertEqual([], self.history(stack, "?limit=0"))
        error = self.assertRaises(
            rest.RefusedError, self.history, stack, "?marker=nope"
        )
        self.assertEqual(400, error.status)
        self.assertIn("nope", error.message)

    def test_a_marker_of_another_stack_is_refused(self) -> None:
        stack = self.made(a=observing.single())
        self.world.relabel(self.name, "a", "other")
        self.observe(stack)
        (entry,) = self.history(stack)
        self.take_name()
        other = self.made(a=observing.single())

        error = self.assertRaises(
            rest.RefusedError, self.history, other, f"?marker={entry['id']}"
        )

        self.assertEqual(400, error.status)

    def test_hidden_values_stay_hidden(self) -> None:
        hidden = {"word": {"type": "string", "hidden": True}}
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
            "parameters": hidden,
        }
        stack = self.made_of(wanted, parameters={"word": "canary-4e1"})
        self.world.relabel(self.name, "a", "canary-5f2")
        self.observe(stack)

        text = json.dumps(self.history(stack))

        self.assertNotIn("canary", text)
        self.assertIn("******", text)


class TreeTests(nesting.NestedTestCase):
    def test_a_root_lists_the_history_of_its_child_stacks(self) -> None:
        root = self.make(
            {"kid": {"type": "kid.yaml"}, "a": observing.single()},
            files={"kid.yaml": _INNER},
        )
        child = self.child_of(root, "kid")
        self.world.relabel(child.name, "deep", "other")
        self.world.relabel(self.name, "a", "other")
        self.act(root, "check")
        self.client.wait(root, "CHECK_COMPLETE")

        self.assertEqual({"a", "kid/deep"}, self.paths(root))
        self.assertEqual({"kid/deep"}, self.paths(child))

    def paths(self, stack: rest.Stack) -> set[str]:
        found = typing.cast(
            list[Json],
            self.client.get(f"{stack.path}/drift/history", "history"),
        )
        return {each["path"] for each in found}


class PeriodTests(HistoryTestCase):
    """The observer looks by itself."""

    options: typing.ClassVar[dict[str, Json]] = {
        "observer": observing.OPTIONS | {"max_history_entries": 3}
    }

    def drift(self, stack: rest.Stack, label: str) -> None:
        self.world.relabel(self.name, "a", label)
        waiting.wait_for(
            lambda: any(each["live"] == label for each in self.history(stack)),
            f"the drift to {label}",
        )

    def test_the_look_of_a_period_is_named(self) -> None:
        stack = self.made(a=observing.single())

        self.drift(stack, "other")

        self.assertEqual(
            [("a", "label", "l", "other", "period", None)], self.entries(stack)
        )

    def test_the_oldest_that_have_ended_are_removed(self) -> None:
        stack = self.made(a=observing.single())
        for label in ("1", "2", "3", "4", "5"):
            self.drift(stack, label)

        self.assertEqual(
            ["3", "4", "5"], [each[3] for each in self.entries(stack)]
        )

    def test_a_repair_ends_drift(self) -> None:
        stack = self.made(a=observing.single())
        observing.set_policy(self.client, stack, {"stack": "repair"})

        self.drift(stack, "other")
        waiting.wait_for(
            lambda: self.entries(stack)[-1][-1] is not None, "the repair"
        )

        self.assertEqual(
            ("a", "label", "l", "other", "period", "repaired"),
            self.entries(stack)[-1],
        )
