"""Cancelling: through REST, on ``orch-all``, and in the world."""

from tests.functional import acting
from tests.support import rest
from tests.support import waiting
from tests.support import world_templates


class CancelTests(acting.ActionsTestCase):
    def update_in_progress(self, **body: object) -> rest.Stack:
        """Return a stack whose update hangs at the second of three."""
        stack = self.create("old", **body)
        self.world.order(self.name, "update", "b")
        self.update(stack, world_templates.chain("new"))
        self.wait_for_act("updated", "b")
        return stack

    def test_an_update_goes_back(self) -> None:
        stack = self.update_in_progress()

        self.act(stack, "cancel_update")
        self.world.release(self.name)
        shown = self.client.wait(stack, "ROLLBACK_COMPLETE")

        self.assertEqual(dict.fromkeys("abc", "old"), self.labels())
        self.assertEqual(
            "Stack ROLLBACK completed successfully",
            shown["stack_status_reason"],
        )
        told = [
            each
            for each in self.events_after(stack, "CREATE_COMPLETE")
            if each[0] == self.name
        ]
        self.assertEqual(
            [
                (self.name, "UPDATE_IN_PROGRESS"),
                (self.name, "ROLLBACK_IN_PROGRESS"),
                (self.name, "ROLLBACK_COMPLETE"),
            ],
            told,
        )
        self.assertEqual(3, len(self.acts("made")))
        template_ = self.client.ask("GET", f"{stack.path}/template")
        self.assertEqual(
            "old", template_["resources"]["a"]["properties"]["label"]
        )

    def test_a_deletion_that_was_cancelled_is_asked_for_again(self) -> None:
        stack = self.create()
        self.world.order(self.name, "delete", "c", moment="after")
        self.client.delete(stack)
        self.wait_for_act("held-delete-after", "c")

        self.act(stack, "cancel_without_rollback")
        self.client.delete(stack)
        self.world.release(self.name)

        self.client.wait(stack, "DELETE_COMPLETE")

    def test_only_an_update_goes_back(self) -> None:
        stack = self.create()
        self.assertEqual(
            (400, "NotSupported"),
            self.refused(self.act, stack, "cancel_update"),
        )
        self.world.order(self.name, "suspend", "c")
        self.act(stack, "suspend")
        self.wait_for_act("suspend", "c")

        refused = self.refused(self.act, stack, "cancel_update")

        self.assertEqual((400, "NotSupported"), refused)

    def test_an_update_stops_where_it_stands_and_is_retried(self) -> None:
        stack = self.update_in_progress(disable_rollback=False)

        self.act(stack, "cancel_without_rollback")
        shown = self.client.wait(stack, "UPDATE_FAILED")

        self.assertEqual(
            "Stack UPDATE cancelled", shown["stack_status_reason"]
        )
        self.assertEqual(
            {
                "a": "UPDATE_COMPLETE",
                "b": "UPDATE_FAILED",
                "c": "CREATE_COMPLETE",
            },
            self.statuses(stack),
        )
        self.assertNotIn("c", self.acts("update"))
        self.assertEqual(
            (self.name, "UPDATE_FAILED"),
            self.events_after(stack, "CREATE_COMPLETE")[-1],
        )
        self.world.release(self.name)

        self.client.retry(stack)
        self.client.wait(stack, "UPDATE_COMPLETE")

        self.assertEqual(dict.fromkeys("abc", "new"), self.labels())
        self.assertEqual(1, self.acts("update").count("a"))

    def test_a_creation_stops_and_is_not_rolled_back(self) -> None:
        self.world.order(self.name, "create", "b")
        stack = self.client.create(
            self.name, world_templates.chain(), disable_rollback=False
        )
        self.wait_for_act("held-create-watch", "b")

        self.act(stack, "cancel_without_rollback")
        shown = self.client.wait(stack, "CREATE_FAILED")

        self.assertEqual(
            "Stack CREATE cancelled", shown["stack_status_reason"]
        )
        self.assertEqual(["a", "b"], self.names())
        self.world.release(self.name)
        self.client.retry(stack)
        self.client.wait(stack, "CREATE_COMPLETE")
        self.assertEqual(["a", "b", "c"], self.names())
        self.assertEqual(1, self.acts("made").count("a"))

    def test_calls_under_way_may_answer(self) -> None:
        for name in "ab":
            self.world.order(self.name, "create", name, moment="after")
        stack = self.client.create(
            self.name,
            world_templates.template(
                a=world_templates.declare_resource(),
                b=world_templates.declare_resource(),
                c=world_templates.declare_resource("b"),
            ),
            disable_rollback=False,
        )
        for name in "ab":
            self.wait_for_act("held-create-after", name)

        self.act(stack, "cancel_without_rollback")
        # The worker hears of it with the first answer.
        self.world.release(self.name, "b")
        waiting.wait_for(
            lambda: self.statuses(stack)["b"] == "CREATE_COMPLETE",
            "the answer is written down",
        )
        meanwhile = self.client.show(stack)["stack_status"]
        self.world.release(self.name)
        self.client.wait(stack, "CREATE_FAILED")

        self.assertEqual("CREATE_IN_PROGRESS", meanwhile)
        self.assertEqual(["a", "b"], self.names())
        self.assertEqual("CREATE_COMPLETE", self.statuses(stack)["a"])

    def test_a_failure_meanwhile_is_not_rolled_back(self) -> None:
        self.world.order(self.name, "create", "a", moment="after")
        self.world.order(
            self.name, "create", "a", moment="after", how="permanent", times=1
        )
        stack = self.client.create(
            self.name, world_templates.chain(), disable_rollback=False
        )
        self.wait_for_act("held-create-after", "a")

        self.act(stack, "cancel_without_rollback")
        self.world.release(self.name)
        shown = self.client.wait(stack, "CREATE_FAILED")

        self.assertEqual(
            "Stack CREATE cancelled", shown["stack_status_reason"]
        )
        # A rollback would be accepted with the end of the creation.
        self.assertEqual(
            [("CREATE", "FAILED")],
            [
                (each["action"], each["state"])
                for each in self.operations(stack)
            ],
        )

    def test_every_action_stops(self) -> None:
        stack = self.create()
        for action, act in (
            ("suspend", "suspend"),
            ("resume", "resume"),
            ("check", "check"),
        ):
            for name in "abc":
                self.world.order(self.name, act, name)
            self.act(stack, action)
            waiting.wait_for(
                lambda held=f"held-{act}-watch": self.acts(held),
                f"{act} is held",
            )

            self.act(stack, "cancel_without_rollback")
            shown = self.client.wait(stack, f"{action.upper()}_FAILED")

            self.assertEqual(
                f"Stack {action.upper()} cancelled",
                shown["stack_status_reason"],
            )
            self.world.release(self.name)
            self.client.retry(stack)
            self.client.wait(stack, f"{action.upper()}_COMPLETE")

    def test_a_deletion_stops_and_goes_on_later(self) -> None:
        stack = self.create()
        self.world.order(self.name, "delete", "b")
        self.client.delete(stack)
        self.wait_for_act("delete", "b")

        self.act(stack, "cancel_without_rollback")
        self.client.wait(stack, "DELETE_FAILED")
        self.world.release(self.name)
        self.assertIn("a", self.names())
        self.client.delete(stack)

        self.client.wait(stack, "DELETE_COMPLETE")
        self.assertEqual([], self.names())

    def test_twice_it_is_cancelled_once(self) -> None:
        self.world.order(self.name, "create", "a", moment="after")
        stack = self.client.create(self.name, world_templates.chain())
        self.wait_for_act("held-create-after", "a")

        self.act(stack, "cancel_without_rollback")
        self.act(stack, "cancel_without_rollback")
        self.world.release(self.name)
        self.client.wait(stack, "CREATE_FAILED")

        told = [
            each
            for each in self.client.events(stack)
            if each["resource_name"] == self.name
        ]
        self.assertEqual(2, len(told))

    def test_what_waits_for_a_worker_ends_too(self) -> None:
        stack = self.update_in_progress()
        # It begins only when the first one, in a call, has ended.
        self.world.forgive(self.name)
        self.world.order(self.name, "update", "c", moment="before")
        self.wait_for_act("held-update-before", "c")
        self.update(stack, world_templates.chain("newest"))

        self.act(stack, "cancel_without_rollback")
        self.world.release(self.name)
        shown = self.client.wait(stack, "UPDATE_FAILED")

        self.assertEqual(
            "Stack UPDATE cancelled", shown["stack_status_reason"]
        )
        self.assertNotIn("newest", self.labels().values())

    def test_what_is_blocked_ends_at_once(self) -> None:
        self.world.order(
            self.name, "create", "b", how="quota", moment="before"
        )
        stack = self.client.create(self.name, world_templates.chain())
        waiting.wait_for(
            lambda: self.operation(stack)["state"] == "BLOCKED",
            "it is blocked",
        )

        self.act(stack, "cancel_without_rollback")
        shown = self.client.wait(stack, "CREATE_FAILED", timeout_s=5)

        self.assertEqual(
            "Stack CREATE cancelled", shown["stack_status_reason"]
        )
        self.assertEqual(["a"], self.names())

    def test_a_newer_request_comes_before(self) -> None:
        self.world.order(self.name, "create", "a", moment="after")
        stack = self.client.create(self.name, world_templates.chain("old"))
        self.wait_for_act("held-create-after", "a")
        self.act(stack, "cancel_without_rollback")

        self.update(stack, world_templates.chain("new"))
        self.world.release(self.name)
        self.client.wait(stack, "UPDATE_COMPLETE")

        self.assertEqual(dict.fromkeys("abc", "new"), self.labels())

    def test_what_has_ended_cannot_be_cancelled(self) -> None:
        stack = self.create()
        for action in ("cancel_update", "cancel_without_rollback"):
            refused = self.refused(self.act, stack, action)
            self.assertEqual((400, "NotSupported"), refused)
