"""Plans that are kept, and run exactly or not at all; operations as a noun."""

import time
import typing

from orch.db import engine
from orch.db.models import stacks
from tests.functional import test_operations as base_case
from tests.support import rest
from tests.support import timestamps
from tests.support import waiting
from tests.support import world_templates

Json = dict[str, typing.Any]
declare_resource = world_templates.declare_resource
template = world_templates.template


class PlanTestCase(base_case.OperationTestCase):
    def start(self, body: object, **more: object) -> rest.Stack:
        stack = self.client.create(self.name, body, **more)
        self.client.wait(stack, "CREATE_COMPLETE")
        return stack

    def plan(self, stack: rest.Stack, action: str, **more: object) -> Json:
        body = {"action": action, **more}
        found = self.client.ask("POST", f"{stack.path}/plans", body)
        return typing.cast(Json, found)["plan"]

    def apply(self, stack: rest.Stack, plan: Json) -> str:
        """Return the id of the operation that runs the plan."""
        found = self.client.ask(
            "POST", f"{stack.path}/plans/{plan['id']}/apply"
        )
        return str(typing.cast(Json, found)["operation"]["id"])

    def update(self, stack: rest.Stack, body: object) -> None:
        self.client.ask("PUT", stack.path, {"template": body})

    def operation_by_id(self, stack: rest.Stack, operation_id: str) -> Json:
        found = self.client.get(
            f"{stack.path}/operations/{operation_id}", "operation"
        )
        return typing.cast(Json, found)


class SavedPlanTests(PlanTestCase):
    def test_an_update_does_exactly_what_was_planned(self) -> None:
        stack = self.start(
            template(a=declare_resource(label="old"), gone=declare_resource())
        )
        wanted = template(
            a=declare_resource(label="new"), fresh=declare_resource("a")
        )

        plan = self.plan(stack, "update", template=wanted)
        self.assertEqual(["a", "gone"], self.names())
        operation_id = self.apply(stack, plan)
        self.client.wait(stack, "UPDATE_COMPLETE")

        self.assertEqual(
            "update a (label changed)\n"
            "create fresh (is not there yet) after update a\n"
            "clean-up  (all else is complete) after update a, create fresh\n"
            "delete gone (is not wanted) after clean-up ",
            plan["text"],
        )
        self.assertEqual(["a", "fresh"], self.names())
        self.assertEqual(
            "new", self.world.physical_resources(self.name)[0].label
        )
        shown = self.operation_by_id(stack, operation_id)
        self.assertEqual(plan["id"], shown["plan_id"])
        self.assertEqual(
            [
                ("update", "a", "COMPLETE"),
                ("create", "fresh", "COMPLETE"),
                ("delete", "gone", "COMPLETE"),
            ],
            [
                (each["kind"], each["resource_name"], each["state"])
                for each in shown["steps"]
            ],
        )

    def test_making_one_changes_nothing(self) -> None:
        stack = self.start(template(a=declare_resource()))
        before = self.client.show(stack), self.client.events(stack)

        for action in ("delete", "suspend", "check"):
            self.plan(stack, action)

        after = self.client.show(stack), self.client.events(stack)
        self.assertEqual(before, after)
        self.assertEqual(1, len(self.operations(stack)))
        self.assertEqual(["a"], self.names())

    def test_each_action_has_one(self) -> None:
        stack = self.start(
            template(a=declare_resource(), b=declare_resource("a"))
        )

        self.assertEqual(
            "suspend b (exists)\nsuspend a (exists) after suspend b",
            self.plan(stack, "suspend")["text"],
        )
        self.assertEqual(
            "check a (exists)\ncheck b (exists)",
            self.plan(stack, "check")["text"],
        )
        self.assertEqual(
            "delete b (is not wanted)\n"
            "delete a (is not wanted) after delete b",
            self.plan(stack, "delete")["text"],
        )
        suspended = self.plan(stack, "suspend")
        self.apply(stack, suspended)
        self.client.wait(stack, "SUSPEND_COMPLETE")
        self.assertEqual(
            "resume a (exists)\nresume b (exists) after resume a",
            self.plan(stack, "resume")["text"],
        )
        self.apply(stack, self.plan(stack, "delete"))
        self.client.wait(stack, "DELETE_COMPLETE")
        self.assertEqual([], self.names())

    def test_a_snapshot_is_taken_and_restored_by_plan(self) -> None:
        stack = self.start(template(a=declare_resource(label="old")))

        taking = self.plan(stack, "snapshot", name="before")
        self.assertEqual("snapshot a (exists)", taking["text"])
        self.assertEqual([], self.world.snapshots(self.name))
        self.apply(stack, taking)
        self.client.wait(stack, "SNAPSHOT_COMPLETE")
        (taken,) = self.client.get(f"{stack.path}/snapshots", "snapshots")
        self.assertEqual("before", taken["name"])
        self.update(
            stack,
            template(a=declare_resource(label="new"), b=declare_resource()),
        )
        self.client.wait(stack, "UPDATE_COMPLETE")

        back = self.plan(stack, "restore", snapshot_id=taken["id"])
        self.assertEqual(
            {"old": "new", "new": "old", "needs_replacement": False},
            back["changes"][0]["properties"]["label"],
        )
        self.apply(stack, back)
        self.client.wait(stack, "RESTORE_COMPLETE")
        self.assertEqual(["a"], self.names())
        self.assertEqual(
            "old", self.world.physical_resources(self.name)[0].label
        )

        self.apply(stack, self.plan(stack, "delete"))
        self.client.wait(stack, "DELETE_COMPLETE")
        self.assertEqual([], self.names())
        self.assertEqual([], self.world.snapshots(self.name))

    def test_a_failed_change_is_retried_or_rolled_back(self) -> None:
        stack = self.start(template(a=declare_resource(label="old")))
        self.world.order(self.name, "create", "b", how="permanent", times=1)
        self.update(
            stack,
            template(a=declare_resource(label="new"), b=declare_resource("a")),
        )
        self.client.wait(stack, "UPDATE_FAILED")

        retried = self.plan(stack, "retry")
        back = self.plan(stack, "rollback")

        self.assertEqual("UPDATE", retried["action"])
        self.assertEqual(["a"], retried["unchanged"])
        self.assertEqual(
            ["create"], [each["kind"] for each in retried["changes"]]
        )
        self.assertIn("stays if it is usable by now", retried["text"])
        self.assertEqual("ROLLBACK", back["action"])
        self.assertIn("update a (label changed)", back["text"])
        self.apply(stack, back)
        self.client.wait(stack, "ROLLBACK_COMPLETE")
        (left,) = self.world.physical_resources(self.name)
        self.assertEqual("old", left.label)
        refused = self.refused(self.apply, stack, retried)
        self.assertEqual((409, "HTTPConflict"), refused)

    def test_a_retry_does_what_was_planned_and_may_be_retried(self) -> None:
        self.world.order(
            self.name, "create", "b", how="permanent", moment="before", times=2
        )
        stack = self.client.create(
            self.name, template(a=declare_resource(), b=declare_resource("a"))
        )
        self.client.wait(stack, "CREATE_FAILED")

        self.apply(stack, self.plan(stack, "retry"))
        self.client.wait(stack, "CREATE_FAILED")
        self.client.retry(stack)
        self.client.wait(stack, "CREATE_COMPLETE")

        self.assertEqual(["a", "b"], self.names())

    def test_a_stack_that_has_moved_on_refuses_it(self) -> None:
        stack = self.start(template(a=declare_resource(label="1")))
        plan = self.plan(
            stack, "update", template=template(a=declare_resource(label="2"))
        )
        self.update(stack, template(a=declare_resource(label="3")))
        self.client.wait(stack, "UPDATE_COMPLETE")

        refused = self.refused(self.apply, stack, plan)

        self.assertEqual((409, "HTTPConflict"), refused)
        self.assertEqual(
            "3", self.world.physical_resources(self.name)[0].label
        )
        (shown,) = self.client.get(f"{stack.path}/plans", "plans")
        self.assertFalse(shown["is_current"])

    def test_it_is_run_once(self) -> None:
        stack = self.start(template(a=declare_resource()))
        plan = self.plan(stack, "check")
        self.apply(stack, plan)
        self.client.wait(stack, "CHECK_COMPLETE")

        refused = self.refused(self.apply, stack, plan)

        self.assertEqual((409, "HTTPConflict"), refused)

    def test_what_would_come_out_otherwise_fails_untouched(self) -> None:
        # The worker comes back with another idea of the very same rows.
        stack = self.start(template(a=declare_resource(label="1")))
        plan = self.plan(
            stack, "update", template=template(a=declare_resource(label="2"))
        )
        self.forge(plan["id"])

        self.apply(stack, plan)
        ended = self.wait_for_failure(stack)

        self.assertIn("has moved on", str(ended["reason"]))
        self.assertEqual(
            "CREATE_COMPLETE", self.client.show(stack)["stack_status"]
        )
        self.assertEqual(
            "1", self.world.physical_resources(self.name)[0].label
        )
        self.assertNotIn("update", self.calls_of("a"))

    def wait_for_failure(self, stack: rest.Stack) -> rest.Json:
        """Return the newest operation of a stack, once it has failed."""

        def newest() -> rest.Json:
            path = f"{stack.path}/operations"
            return self.client.get(path, "operations")[0]

        waiting.wait_for(lambda: newest()["state"] == "FAILED", "a failure")
        return newest()

    def stale(self, **more: object) -> rest.Stack:
        """Apply an update that its stack does not fit when it runs."""
        stack = self.start(template(a=declare_resource(label="1")), **more)
        plan = self.plan(
            stack,
            "update",
            template=template(
                a=declare_resource(label="2"), b=declare_resource()
            ),
        )
        self.forge(plan["id"])
        self.apply(stack, plan)
        self.wait_for_failure(stack)
        return stack

    def test_one_that_did_not_fit_leaves_the_stack_its_template(self) -> None:
        stack = self.stale(disable_rollback=False, tags="x")

        self.assertEqual(
            template(a=declare_resource(label="1")),
            self.client.ask("GET", f"{stack.path}/template"),
        )
        self.assertEqual(["x"], self.client.show(stack)["tags"])
        self.client.ask("PATCH", stack.path, {})
        self.client.wait(stack, "UPDATE_COMPLETE")
        self.assertEqual(["a"], self.names())
        self.assertEqual(
            "1", self.world.physical_resources(self.name)[0].label
        )

    def test_one_that_did_not_fit_is_never_gone_on_with(self) -> None:
        stack = self.stale()

        error = self.assertRaises(rest.RefusedError, self.client.retry, stack)

        self.assertEqual((409, "HTTPConflict"), (error.status, error.type))
        self.assertIn("only a FAILED action can be retried", str(error))
        self.assertEqual(
            "1", self.world.physical_resources(self.name)[0].label
        )

    def test_a_retry_that_did_not_fit_may_be_asked_for_again(self) -> None:
        self.world.order(self.name, "create", "a", how="permanent", times=1)
        stack = self.client.create(self.name, template(a=declare_resource()))
        self.client.wait(stack, "CREATE_FAILED")
        plan = self.plan(stack, "retry")
        self.forge(plan["id"])
        self.apply(stack, plan)
        self.client.wait(stack, "CREATE_FAILED")
        self.assertEqual(1, self.calls_of("a").count("create"))

        self.client.retry(stack)
        self.client.wait(stack, "CREATE_COMPLETE")

        self.assertEqual(["a"], self.names())

    def test_what_one_that_did_not_fit_cuts_short_continues(self) -> None:
        stack = self.start(template(a=declare_resource(label="1")))
        self.world.order(self.name, "update", "a")
        self.update(stack, template(a=declare_resource(label="2")))
        waiting.wait_for(
            lambda: "held-update-watch" in self.calls_of("a"), "the update"
        )
        plan = self.plan(stack, "rollback")
        self.forge(plan["id"])

        self.apply(stack, plan)
        ended = self.wait_for_failure(stack)
        self.world.forgive(self.name)

        self.assertIn("has moved on", str(ended["reason"]))
        self.client.wait(stack, "UPDATE_COMPLETE")
        self.assertEqual(
            "2", self.world.physical_resources(self.name)[0].label
        )

    def forge(self, plan_id: str) -> None:
        """Let a kept plan say something else than its stack gives."""
        path = self.system.directory / "state" / "orch.db"
        database = engine.Database(f"sqlite:///{path}")
        self.addCleanup(database.dispose)
        with database.write() as connection:
            is_it = stacks.PLANS.c.id == plan_id
            kept = connection.execute(stacks.PLANS.select().where(is_it)).one()
            changes = {**kept.changes, "signature": []}
            connection.execute(
                stacks.PLANS.update().where(is_it).values(changes=changes)
            )

    def test_it_can_be_listed_shown_and_forgotten(self) -> None:
        stack = self.start(template(a=declare_resource()))
        plan = self.plan(stack, "delete")
        path = f"{stack.path}/plans/{plan['id']}"

        (listed,) = self.client.get(f"{stack.path}/plans", "plans")
        self.assertEqual(plan["id"], listed["id"])
        self.assertTrue(listed["is_current"])
        self.assertNotIn("changes", listed)
        self.assertEqual(plan, self.client.get(path, "plan"))
        self.client.ask("DELETE", path)
        refused = self.refused(self.client.get, path, "plan")
        self.assertEqual((404, "EntityNotFound"), refused)

    def test_the_newest_is_listed_first(self) -> None:
        stack = self.start(template(a=declare_resource()))
        made = [
            self.plan(stack, action)["id"]
            for action in ("check", "delete", "suspend")
        ]

        listed = self.client.get(f"{stack.path}/plans", "plans")

        self.assertEqual(made[::-1], [each["id"] for each in listed])

    def test_where_nothing_is_to_do_there_is_none(self) -> None:
        stack = self.start(template(a=declare_resource()))
        self.client.ask("POST", f"{stack.path}/actions", {"suspend": None})
        self.client.wait(stack, "SUSPEND_COMPLETE")

        refused = self.refused(self.plan, stack, "suspend")

        self.assertEqual((409, "HTTPConflict"), refused)

    def test_what_the_action_refuses_is_refused(self) -> None:
        stack = self.start(template(a=declare_resource()))

        for action, refused in (
            ("retry", (409, "HTTPConflict")),
            ("rollback", (400, "NotSupported")),
            ("cancel_update", (400, "NotSupported")),
            ("restore", (400, "HTTPBadRequest")),
            ("dance", (400, "HTTPBadRequest")),
            ("update", (400, "HTTPBadRequest")),
        ):
            found = self.refused(self.plan, stack, action)
            self.assertEqual(refused, found, action)


class OperationNounTests(PlanTestCase):
    def test_each_attempt_is_told(self) -> None:
        self.world.order(self.name, "create", "b", how="permanent", times=1)
        stack = self.client.create(
            self.name, template(a=declare_resource(), b=declare_resource("a"))
        )
        self.client.wait(stack, "CREATE_FAILED")
        self.client.retry(stack)
        self.client.wait(stack, "CREATE_COMPLETE")

        (listed,) = self.operations(stack)
        shown = self.operation_by_id(stack, str(listed["id"]))

        self.assertEqual(
            [(1, "FAILED"), (2, "COMPLETE")],
            [(each["number"], each["state"]) for each in shown["attempts"]],
        )
        self.assertIn("the world fails", shown["attempts"][0]["reason"])
        first, second = shown["attempts"]
        self.assertLessEqual(first["started_at"], first["finished_at"])
        self.assertLessEqual(first["finished_at"], second["started_at"])
        self.assertEqual(64, len(shown["inputs_hash"]))
        self.assertEqual(
            [("create", "b", "COMPLETE")],
            [
                (each["kind"], each["resource_name"], each["state"])
                for each in shown["steps"]
            ],
        )
        self.assertEqual(
            {"a": "CREATE_COMPLETE", "b": "CREATE_COMPLETE"},
            {
                each["resource_name"]: each["resource_status"]
                for each in shown["resources"]
            },
        )
        self.assertNotIn("steps", listed)

    def test_one_that_runs_tells_what_is_done_and_what_is_left(self) -> None:
        self.world.order(self.name, "create", "b")
        stack = self.client.create(
            self.name,
            template(
                a=declare_resource(),
                b=declare_resource("a"),
                c=declare_resource("b"),
            ),
        )
        self.wait_for_act("made", "b")

        (listed,) = self.operations(stack)
        shown = self.operation_by_id(stack, str(listed["id"]))
        self.world.release(self.name)
        self.client.wait(stack, "CREATE_COMPLETE")

        self.assertEqual((1, 3), (shown["done"], shown["total"]))
        self.assertEqual(
            ["COMPLETE", "IN_PROGRESS", "WAITING"],
            [each["state"] for each in shown["steps"]],
        )
        self.assertIsNone(shown["expected_at"])

    def test_earlier_ones_tell_when_it_should_end(self) -> None:
        stack = self.start(template(a=declare_resource(label="0")))
        self.update(stack, template(a=declare_resource(label="1")))
        self.client.wait(stack, "UPDATE_COMPLETE")
        self.world.order(self.name, "update", "a")
        self.update(stack, template(a=declare_resource(label="2")))
        waiting.wait_for(
            lambda: self.calls_of("a").count("updated") == 2, "the update"
        )

        newest, earlier = self.operations(stack)[:2]
        seen_at = time.time()
        self.world.release(self.name)
        self.client.wait(stack, "UPDATE_COMPLETE")

        took_s = timestamps.read_seconds(
            earlier["finished_at"]
        ) - timestamps.read_seconds(earlier["started_at"])
        expected_at = timestamps.read_seconds(newest["expected_at"])
        self.assertLessEqual(
            timestamps.read_seconds(newest["started_at"]), expected_at
        )
        self.assertLessEqual(expected_at, seen_at + took_s + 1)
        self.assertIsNone(self.operations(stack)[0]["expected_at"])

    def test_what_came_out_as_it_was_needs_no_change(self) -> None:
        body = template(
            a=declare_resource(label="x"),
            b=declare_resource(reads=[{"get_attr": ["a", "value"]}]),
        )
        stack = self.start(body)
        body["resources"]["a"]["properties"]["label"] = "y"
        self.update(stack, body)
        self.client.wait(stack, "UPDATE_COMPLETE")

        shown = self.operation_by_id(
            stack, str(self.operations(stack)[0]["id"])
        )

        self.assertEqual(
            [
                ("update", "a", "COMPLETE"),
                ("update", "b", "UNNEEDED"),
                ("delete", "b", "UNNEEDED"),
            ],
            [
                (each["kind"], each["resource_name"], each["state"])
                for each in shown["steps"]
            ],
        )
