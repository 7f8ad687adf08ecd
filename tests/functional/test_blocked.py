"""Errors that pass by themselves, quotas and outages, through REST."""

import time

from tests.functional import holding
from tests.support import rest
from tests.support import serving
from tests.support import timestamps
from tests.support import waiting
from tests.support import world_templates

Json = world_templates.Json


class BlockedTestCase(holding.HoldingTestCase):
    """The pauses are short: 0.05 to 0.2 s, blocked ones 1 s."""

    options = serving.options(
        retry_tries=3,
        retry_first_pause=0.05,
        retry_max_pause=0.2,
        blocked_first_pause=1,
        blocked_max_pause=1,
    )

    def acts_on(self, name: str) -> list[str]:
        calls = self.world.calls(self.name)
        return [each.act for each in calls if each.name == name]

    def wait_until_blocked(self, stack: rest.Stack) -> Json:
        def find() -> Json | None:
            found = self.operation(stack)
            return found if found["state"] == "BLOCKED" else None

        return waiting.wait_for(find, "the operation is blocked")


class RetryTests(BlockedTestCase):
    def test_what_was_made_without_an_answer_is_made_once(self) -> None:
        self.world.order(
            self.name, "create", "a", how="transient", moment="after", times=1
        )

        stack = self.create(
            world_templates.template(a=world_templates.declare_resource()), {}
        )
        self.client.wait(stack, "CREATE_COMPLETE")

        self.assertEqual(["create", "made", "find"], self.acts_on("a"))
        self.assertEqual(["a"], self.names())

    def test_it_is_seen_while_it_is_tried(self) -> None:
        self.world.order(
            self.name, "create", "a", how="busy", moment="before", times=2
        )

        stack = self.create(
            world_templates.template(a=world_templates.declare_resource()), {}
        )
        self.client.wait(stack, "CREATE_COMPLETE")

        told = self.events_of(stack, "a")
        self.assertEqual(3, len(told))
        self.assertEqual("CREATE_IN_PROGRESS", told[1][0])
        self.assertIn("Busy: resources.a: ", str(told[1][1]))
        self.assertIn("try 1 of 3 failed, next try at 20", str(told[1][1]))

    def test_each_action_is_tried_again(self) -> None:
        thing = world_templates.declare_resource
        stack = self.create(world_templates.template(a=thing(label="1")), {})
        self.client.wait(stack, "CREATE_COMPLETE")
        for act in ("update", "delete"):
            for moment in ("before", "after"):
                self.world.order(
                    self.name,
                    act,
                    "a",
                    how="transient",
                    moment=moment,
                    times=1,
                )

        self.update(stack, world_templates.template(a=thing(label="2")), {})
        self.client.wait(stack, "UPDATE_COMPLETE")
        self.client.delete(stack)
        self.client.wait(stack, "DELETE_COMPLETE")

        self.assertEqual([], self.names())

    def test_killed_between_two_tries_it_goes_on(self) -> None:
        self.world.order(
            self.name, "create", "a", how="transient", moment="after", times=1
        )
        self.world.order(self.name, "find", "a", moment="before")
        stack = self.create(
            world_templates.template(a=world_templates.declare_resource()), {}
        )
        self.wait_for_act("held-find-before", "a")
        self.system.server.kill()
        self.world.release(self.name)
        self.system.start()
        self.client.wait(stack, "CREATE_COMPLETE")

        self.assertEqual(1, self.acts_on("a").count("made"))
        self.assertEqual(["a"], self.names())


class QuotaTests(BlockedTestCase):
    def blocked(self, times: int = 1000) -> rest.Stack:
        """Create a chain whose middle has no room; return when it waits."""
        thing = world_templates.declare_resource
        self.world.order(
            self.name,
            "create",
            "b",
            how="quota",
            moment="before",
            times=times,
        )
        stack = self.create(
            world_templates.template(a=thing(), b=thing("a"), c=thing("b")), {}
        )
        self.found = self.wait_until_blocked(stack)
        return stack

    def test_it_is_shown_what_is_waited_for_and_until_when(self) -> None:
        stack = self.blocked()

        shown = self.client.show(stack)
        row = self.client.resources(stack)["b"]
        self.assertEqual("CREATE_IN_PROGRESS", shown["stack_status"])
        for reason in (self.found["reason"], shown["stack_status_reason"]):
            self.assertIn("waiting for b: QuotaExceeded: ", reason)
            self.assertIn("next try at 20", reason)
        due = timestamps.read_seconds(self.found["next_try_at"])
        self.assertLessEqual(
            timestamps.read_seconds(self.found["created_at"]), due
        )
        self.assertLessEqual(due, time.time() + 1)
        self.assertIsNone(self.found["worker"])
        self.assertEqual("CREATE_IN_PROGRESS", row["resource_status"])
        self.assertIn("QuotaExceeded", str(row["resource_status_reason"]))

    def test_it_goes_on_by_itself(self) -> None:
        stack = self.blocked(times=2)

        shown = self.client.wait(stack, "CREATE_COMPLETE")

        self.assertEqual(
            "Stack CREATE completed successfully",
            shown["stack_status_reason"],
        )
        self.assertEqual(["a", "b", "c"], self.names())
        self.assertEqual(1, self.acts_on("a").count("create"))

    def test_an_outage_is_waited_for_after_all_tries(self) -> None:
        self.world.order(
            self.name, "create", "a", how="outage", moment="before", times=4
        )

        stack = self.create(
            world_templates.template(a=world_templates.declare_resource()), {}
        )
        found = self.wait_until_blocked(stack)
        self.client.wait(stack, "CREATE_COMPLETE")

        self.assertIn("waiting for a: Outage: ", found["reason"])
        self.assertEqual(["a"], self.names())

    def test_a_deletion_does_not_wait(self) -> None:
        stack = self.blocked()

        self.client.delete(stack)
        self.client.wait(stack, "DELETE_COMPLETE")

        self.assertEqual(
            [("DELETE", "COMPLETE"), ("CREATE", "SUPERSEDED")],
            [
                (each["action"], each["state"])
                for each in self.operations(stack)
            ],
        )
        self.assertEqual([], self.names())

    def test_an_update_does_not_wait(self) -> None:
        stack = self.blocked()

        self.update(
            stack,
            world_templates.template(a=world_templates.declare_resource()),
            {},
        )
        self.client.wait(stack, "UPDATE_COMPLETE")

        self.assertEqual(["a"], self.names())

    def test_it_can_be_cancelled(self) -> None:
        stack = self.blocked()

        self.client.ask(
            "POST", f"{stack.path}/actions", {"cancel_without_rollback": None}
        )

        shown = self.client.wait(stack, "CREATE_FAILED")
        self.assertEqual(
            "Stack CREATE cancelled", shown["stack_status_reason"]
        )

    def test_killed_while_it_waits_it_goes_on(self) -> None:
        stack = self.blocked(times=3)
        self.system.server.kill()
        self.system.start()

        self.client.wait(stack, "CREATE_COMPLETE")

        self.assertEqual(["a", "b", "c"], self.names())
        self.assertEqual([], self.world.doubles())

    def test_a_retry_tries_at_once(self) -> None:
        stack = self.blocked()
        self.world.forgive(self.name)

        self.client.retry(stack)
        self.client.wait(stack, "CREATE_COMPLETE")

        self.assertEqual(["a", "b", "c"], self.names())
