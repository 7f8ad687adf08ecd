"""Drift policies of places in a property."""

import json
import typing

from tests.functional import observing
from tests.functional import test_compared_bodies
from tests.support import rest
from tests.support import waiting

Json = dict[str, typing.Any]

_SIZE: typing.Final = "update.body.size"


def properties(**policies: str) -> Json:
    """Return a policy of places in the body of the only resource."""
    named = {f"update.body.{name}": each for name, each in policies.items()}
    return {"resources": {"a": {"properties": named}}}


class PlacesTestCase(test_compared_bodies.BodyTestCase):
    def change(self, stack: rest.Stack, **values: object) -> None:
        self.object_of(stack).update(values)


class ReportedTests(PlacesTestCase):
    def test_a_place_that_is_ignored_is_no_drift(self) -> None:
        stack = self.create(a=self.declare())
        observing.set_policy(self.client, stack, properties(size="ignore"))
        self.change(stack, size=9)

        in_sync = self.state(stack)
        self.change(stack, color="blue")
        ((expected, live),) = self.differences(stack).values()

        self.assertEqual(("in_sync", False), in_sync)
        self.assertEqual(5, expected["body"]["size"])
        self.assertEqual(5, live["body"]["size"])
        self.assertEqual("blue", live["body"]["color"])

    def test_a_place_that_is_accepted_becomes_the_baseline(self) -> None:
        stack = self.create(a=self.declare())
        observing.set_policy(self.client, stack, properties(size="accept"))
        self.change(stack, size=9, color="blue")

        self.look(stack)
        observing.set_policy(self.client, stack, {})
        ((expected, live),) = self.differences(stack).values()

        self.assertEqual((9, "red"), values_of(expected))
        self.assertEqual((9, "blue"), values_of(live))

    def test_the_narrower_place_decides(self) -> None:
        stack = self.create(a=self.declare(exact_pointers=["/labels"]))
        observing.set_policy(
            self.client,
            stack,
            {
                "resources": {
                    "a": {
                        "policy": "ignore",
                        "properties": {
                            "update.body.labels": "ignore",
                            "update.body.labels.a": "report",
                        },
                    }
                }
            },
        )
        self.change(stack, labels={"a": "1", "b": "2"}, size=9)

        in_sync = self.state(stack)
        self.change(stack, labels={"a": "9", "b": "2"})
        ((_, live),) = self.differences(stack).values()

        self.assertEqual(("in_sync", False), in_sync)
        self.assertEqual({"a": "9"}, live["body"]["labels"])
        self.assertEqual(5, live["body"]["size"])

    def test_a_report_has_the_places_that_differ(self) -> None:
        body = {"size": 5, "color": ["a", "b", "c"], "labels": {"a": "1"}}
        stack = self.create(a=self.declare(body=body))
        self.change(stack, size=6, color=["a", "c"], labels={"a": "2"})

        (difference,) = self.look(stack)["a"]["differences"]

        self.assertEqual(
            {
                ("update.body.size", "changed", None, 5, 6),
                ("update.body.color", "removed", 1, "b", None),
                ("update.body.labels.a", "changed", None, "1", "2"),
            },
            {
                (
                    each["place"],
                    each["kind"],
                    each["index"],
                    each["expected"],
                    each["live"],
                )
                for each in difference["places"]
            },
        )
        wanted = self.declare(body=body)
        wanted["properties"]["update"]["body"] = {**body, "size": 7}
        plan = self.client.ask(
            "POST",
            f"{stack.path}/plans",
            {"action": "update", "template": self.template(wanted)},
        )
        (changed,) = [
            each["properties"]["update"]
            for each in typing.cast(Json, plan)["plan"]["changes"]
            if each["properties"]
        ]
        self.assertEqual(
            [("update.body.size", 5, 7)],
            [
                (each["place"], each["old"], each["new"])
                for each in changed["places"]
            ],
        )

    def test_a_resource_is_shown_as_in_the_report(self) -> None:
        random: Json = {"type": "OS::Heat::RandomString"}
        stack = self.create(a=self.declare(), b=random)
        unknown = self.shown(stack)
        self.change(stack, size=6)
        self.look(stack)
        observing.set_policy(self.client, stack, {"stack": "repair"})

        found = self.shown(stack)

        states = ["unknown", "nothing"], ["drifted", "nothing"]
        self.assertEqual(
            states,
            tuple([each["state"] for each in x] for x in (unknown, found)),
        )
        (difference,) = found[0]["differences"]
        self.assertEqual("repair", difference["policy"])

    def test_a_child_stack_is_shown_as_in_the_report(self) -> None:
        random: Json = {"type": "OS::Heat::RandomString"}
        stack = self.client.create(
            self.name,
            observing.template(kid={"type": "kid.yaml"}),
            files={"kid.yaml": json.dumps(observing.template(a=random))},
        )
        self.client.wait(stack, "CREATE_COMPLETE")

        (found,) = self.shown(stack)

        self.assertEqual("nothing", found["state"])

    def shown(self, stack: rest.Stack) -> list[Json]:
        """Return the drift that each resource is shown with, as reported."""
        found = []
        told = observing.read(self.client, stack)["stacks"][0]
        for each in told["resources"]:
            path = f"{stack.path}/resources/{each['resource_name']}"
            shown = typing.cast(Json, self.client.get(path, "resource"))
            drift = typing.cast(Json, shown["drift"])
            self.assertEqual({key: each[key] for key in drift}, drift)
            found.append(drift)
        return found

    def test_the_schema_has_to_allow_a_place(self) -> None:
        stack = self.create(a=self.declare())
        path = f"{stack.path}/drift/policy"
        for name, suggested in (
            ("update.bodies", "update.body"),
            ("update.method.x", "update.method"),
            ("read.statuses.first", ""),
        ):
            error = self.assertRaises(
                rest.RefusedError,
                self.client.ask,
                "PUT",
                path,
                {
                    "policy": {
                        "resources": {"a": {"properties": {name: "ignore"}}}
                    }
                },
            )

            self.assertEqual(400, error.status)
            self.assertIn(f"a has no property {name!r}", str(error))
            self.assertIn(suggested, str(error))

    def test_a_place_may_come_later(self) -> None:
        stack = self.create(a=self.declare(exact_pointers=["/labels"]))
        observing.set_policy(
            self.client,
            stack,
            properties(**{"labels.b.c/d": "ignore", "zone.name": "ignore"}),
        )

        self.change(stack, labels={"a": "1", "b.c/d": "2"})
        in_sync = self.state(stack)
        self.change(stack, labels={"a": "1", "e": "2"})

        self.assertEqual(("in_sync", False), in_sync)
        self.assertEqual(("drifted", False), self.state(stack))

    def test_all_of_a_map_that_came_later_is_ignored(self) -> None:
        stack = self.create(a=self.declare(exact_pointers=["/labels"]))
        observing.set_policy(
            self.client, stack, properties(**{"labels.zone.name": "ignore"})
        )

        self.change(stack, labels={"a": "1", "zone": {"name": "b"}})
        in_sync = self.state(stack)
        self.change(stack, labels={"a": "1", "zone": {"name": "b", "x": 1}})
        ((expected, live),) = self.differences(stack).values()

        self.assertEqual(("in_sync", False), in_sync)
        self.assertEqual({"a": "1"}, expected["body"]["labels"])
        self.assertEqual({"a": "1", "zone": {"x": 1}}, live["body"]["labels"])


class AcceptedTests(PlacesTestCase):
    def drifted(self, **changes: object) -> rest.Stack:
        """Return a stack in whose object a service has other values."""
        stack = self.create(a=self.declare())
        self.change(stack, **(changes or {"size": 9, "color": "blue"}))
        self.look(stack)
        return stack

    def act(self, stack: rest.Stack, action: str, value: object) -> Json:
        answer = self.client.ask(
            "POST", f"{stack.path}/actions", {action: value}
        )
        return typing.cast(Json, answer)

    def accept(self, stack: rest.Stack, *names: str) -> Json:
        places = [f"update.body.{name}" for name in names]
        return self.act(stack, "accept_drift", {"properties": {"a": places}})

    def shown(self, stack: rest.Stack) -> list[tuple[Json, Json]]:
        """Return what was seen last, without another look."""
        (one,) = observing.read(self.client, stack)["stacks"]
        return [
            (values_of(each["expected"]), values_of(each["live"]))
            for each in one["resources"][0]["differences"]
        ]

    def history(self, stack: rest.Stack) -> list[tuple[object, ...]]:
        return [
            (values_of(each["expected"]), each["ended_by"])
            for each in typing.cast(
                list[Json],
                self.client.get(f"{stack.path}/drift/history", "history"),
            )
        ]

    def test_only_the_named_place_becomes_the_baseline(self) -> None:
        stack = self.drifted()

        answer = self.accept(stack, "size")

        left = [((9, "red"), (9, "blue"))]
        self.assertEqual({"accepted": ["a"]}, answer)
        self.assertEqual(left, self.shown(stack))
        self.assertEqual([((9, "red"), None)], self.history(stack))
        self.assertEqual(("drifted", False), self.state(stack))
        self.assertEqual(left, self.shown(stack))
        reasons = [
            each["resource_status_reason"]
            for each in self.client.events(stack)
        ]
        self.assertIn(f"Its drift was accepted: {_SIZE}", reasons)

    def test_the_last_place_ends_the_drift(self) -> None:
        stack = self.drifted()

        self.accept(stack, "size")
        self.accept(stack, "color")

        self.assertEqual([], self.shown(stack))
        self.assertEqual([((9, "red"), "accepted")], self.history(stack))
        self.assertEqual(("in_sync", False), self.state(stack))

    def test_a_place_holds_all_that_is_in_it(self) -> None:
        stack = self.drifted()

        self.act(stack, "accept_drift", {"properties": {"a": ["update.body"]}})

        self.assertEqual(("in_sync", False), self.state(stack))

    def test_places_are_undone_one_after_the_other(self) -> None:
        stack = self.drifted()
        self.accept(stack, "size")
        self.accept(stack, "color")

        self.act(stack, "undo_accept_drift", None)
        after_one = self.shown(stack), self.history(stack)
        self.act(stack, "undo_accept_drift", None)

        self.assertEqual(
            ([((9, "red"), (9, "blue"))], [((9, "red"), None)]), after_one
        )
        self.assertEqual([((5, "red"), (9, "blue"))], self.shown(stack))
        self.assertEqual([((5, "red"), None)], self.history(stack))
        self.converge(stack)
        self.assertEqual(5, self.object_of(stack)["size"])

    def test_a_policy_sets_the_expected_value_in_the_history_too(self) -> None:
        stack = self.drifted()
        observing.set_policy(self.client, stack, properties(size="accept"))

        self.look(stack)

        self.assertEqual([((9, "red"), None)], self.history(stack))

    def test_all_of_the_drift_is_shown_once_a_policy_is_undone(self) -> None:
        stack = self.drifted()
        observing.set_policy(self.client, stack, properties(size="accept"))
        self.look(stack)

        self.act(stack, "undo_accept_drift", None)

        self.assertEqual([((5, "red"), (9, "blue"))], self.shown(stack))

    def test_a_place_that_has_not_drifted_is_refused(self) -> None:
        stack = self.drifted()

        error = self.assertRaises(
            rest.RefusedError, self.accept, stack, "size", "sizes"
        )

        self.assertEqual(400, error.status)
        self.assertIn("no drift of a: update.body.sizes.", error.message)
        self.assertIn(f"{_SIZE}, update.body.color.", error.message)
        self.assertEqual([((5, "red"), (9, "blue"))], self.shown(stack))

    def test_keys_of_hidden_values_are_not_shown(self) -> None:
        body = {"size": 5, "color": "red", "labels": {"get_param": "word"}}
        stack = self.client.create(
            self.name,
            {
                **self.template(self.declare(body=body)),
                "parameters": {"word": {"type": "json", "hidden": True}},
            },
            parameters={"word": {"canary-key": "1"}},
        )
        self.client.wait(stack, "CREATE_COMPLETE")
        self.change(stack, size=9, labels={"canary-key": "2"})
        self.look(stack)

        for name in ("labels.canary-ke", "labels.canary-key"):
            error = self.assertRaises(
                rest.RefusedError, self.accept, stack, name
            )
            _, _, drifted = error.message.partition("What has drifted")
            self.assertIn("update.body.labels", drifted)
            self.assertNotIn("canary", drifted)
        self.accept(stack, "labels", "size")
        self.assertEqual(("in_sync", False), self.state(stack))


class RepairedTests(PlacesTestCase):
    defaults: typing.ClassVar[dict[str, Json]] = {
        **PlacesTestCase.defaults,
        "observer": observing.OPTIONS,
    }

    def wait_for_drift(self, stack: rest.Stack, **found: object) -> Json:
        """Return the drift of the resource once it has such values."""

        def read() -> Json:
            (one,) = observing.read(self.client, stack)["stacks"]
            return dict(one["resources"][0])

        waiting.wait_for(
            lambda: all(
                value in str(read()[key]) for key, value in found.items()
            ),
            str(found),
        )
        return read()

    def test_only_the_place_with_that_policy_is_repaired(self) -> None:
        stack = self.create(a=self.declare())
        observing.set_policy(self.client, stack, properties(color="repair"))
        self.change(stack, size=9)
        self.wait_for_drift(stack, state="drifted")
        observing.wait_for_look(self.client, stack)
        writes = list(self.service.writes)
        self.change(stack, size=5, color="blue")

        waiting.wait_for(
            lambda: self.object_of(stack)["color"] == "red", "the repair"
        )

        self.assertEqual([], writes)
        self.assertEqual(1, len(self.service.writes))

    def test_a_service_that_removes_nothing_is_asked_once(self) -> None:
        stack = self.create(
            a=self.declare("PATCH", exact_pointers=["/labels"])
        )
        observing.set_policy(self.client, stack, {"stack": "repair"})
        self.change(stack, labels={"a": "1", "b": "2"})
        waiting.wait_for(lambda: self.service.writes, "the repair")
        self.client.wait(stack, "UPDATE_COMPLETE")

        for _ in range(3):
            observing.wait_for_look(self.client, stack)

        self.assertEqual(1, len(self.service.writes))
        self.assertEqual(("in_sync", False), self.state(stack))

    def test_a_repair_changes_nothing_that_a_policy_leaves(self) -> None:
        stack = self.create(a=self.declare())
        observing.set_policy(
            self.client,
            stack,
            {"stack": "repair", **properties(size="ignore")},
        )
        self.change(stack, size=9, color="blue")

        drift = self.wait_for_drift(stack, state="drifted", reason=_SIZE)
        observing.wait_for_look(self.client, stack)

        self.assertIn("It is not repaired", drift["reason"])
        self.assertEqual(
            ["report"], [x["policy"] for x in drift["differences"]]
        )
        self.assertEqual([], self.service.writes)
        self.assertEqual(9, self.object_of(stack)["size"])
        # Once the type itself leaves it, the rest is repaired.
        wanted = self.declare(ignored_pointers=["/size"])
        self.client.ask("PUT", stack.path, {"template": self.template(wanted)})
        waiting.wait_for(
            lambda: self.object_of(stack)["color"] == "red", "the repair"
        )
        self.assertEqual(9, self.object_of(stack)["size"])


def values_of(update: Json) -> tuple[object, object]:
    return update["body"]["size"], update["body"]["color"]
