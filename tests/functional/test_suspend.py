"""Suspend and resume: through REST, on ``orch-all``, and in the world."""

from tests.functional import acting
from tests.support import world_templates


class SuspendTests(acting.ActionsTestCase):
    def test_dependents_go_to_rest_first_and_wake_last(self) -> None:
        stack = self.create()

        self.act(stack, "suspend")
        shown = self.client.wait(stack, "SUSPEND_COMPLETE")

        self.assertEqual(
            "Stack SUSPEND completed successfully",
            shown["stack_status_reason"],
        )
        self.assertEqual({"a", "b", "c"}, self.resting())
        self.assertEqual(
            dict.fromkeys("abc", "SUSPEND_COMPLETE"), self.statuses(stack)
        )

        self.act(stack, "resume", "")
        self.client.wait(stack, "RESUME_COMPLETE")

        self.assertEqual(set(), self.resting())
        self.assertEqual(["c", "b", "a"], self.acts("suspend"))
        self.assertEqual(["a", "b", "c"], self.acts("resume"))

    def test_its_story_is_told(self) -> None:
        stack = self.created(
            world_templates.template(a=world_templates.declare_resource())
        )

        self.act(stack, "suspend")
        self.client.wait(stack, "SUSPEND_COMPLETE")

        self.assertEqual(
            [
                (self.name, "SUSPEND_IN_PROGRESS"),
                ("a", "SUSPEND_IN_PROGRESS"),
                ("a", "SUSPEND_COMPLETE"),
                (self.name, "SUSPEND_COMPLETE"),
            ],
            self.events_after(stack, "CREATE_COMPLETE"),
        )

    def test_what_rests_is_not_put_to_rest_again(self) -> None:
        stack = self.create()
        self.act(stack, "suspend")
        self.client.wait(stack, "SUSPEND_COMPLETE")

        self.act(stack, "suspend")

        self.assertEqual(
            "SUSPEND_COMPLETE", self.client.show(stack)["stack_status"]
        )
        self.assertEqual(
            1,
            self.events_after(stack, "CREATE_COMPLETE").count(
                (self.name, "SUSPEND_IN_PROGRESS")
            ),
        )

    def test_what_was_never_put_to_rest_is_not_woken(self) -> None:
        stack = self.create()

        self.act(stack, "resume")
        self.client.wait(stack, "RESUME_COMPLETE")

        self.assertEqual([], self.acts("resume"))
        self.assertEqual(
            dict.fromkeys("abc", "CREATE_COMPLETE"), self.statuses(stack)
        )

    def test_what_was_checked_at_rest_is_woken(self) -> None:
        stack = self.create()
        self.act(stack, "suspend")
        self.client.wait(stack, "SUSPEND_COMPLETE")
        self.act(stack, "check")
        self.client.wait(stack, "CHECK_COMPLETE")

        self.act(stack, "resume")
        self.client.wait(stack, "RESUME_COMPLETE")

        self.assertEqual(set(), self.resting())

    def fail_b(self) -> None:
        """Let the next suspension fail at the second thing."""
        self.world.order(
            self.name,
            "suspend",
            "b",
            how="permanent",
            moment="before",
            times=1,
        )

    def test_after_a_failure_it_goes_on_with_the_rest(self) -> None:
        stack = self.create()
        self.fail_b()

        self.act(stack, "suspend")
        shown = self.client.wait(stack, "SUSPEND_FAILED")
        self.assertIn("resources.b", str(shown["stack_status_reason"]))
        self.assertEqual({"c"}, self.resting())
        self.act(stack, "suspend")
        self.client.wait(stack, "SUSPEND_COMPLETE")

        self.assertEqual(["c", "b", "b", "a"], self.acts("suspend"))

    def test_a_failed_one_is_retried(self) -> None:
        stack = self.create()
        self.fail_b()
        self.act(stack, "suspend")
        self.client.wait(stack, "SUSPEND_FAILED")

        self.act(stack, "suspend", {"retry": True})
        self.client.wait(stack, "SUSPEND_COMPLETE")

        self.assertEqual(["c", "b", "b", "a"], self.acts("suspend"))

    def test_a_stack_at_rest_is_not_updated_but_can_go(self) -> None:
        stack = self.create()
        self.act(stack, "suspend")
        self.client.wait(stack, "SUSPEND_COMPLETE")

        refused = self.refused(
            self.update, stack, world_templates.chain("new")
        )

        self.assertEqual((400, "NotSupported"), refused)
        self.client.delete(stack)
        self.client.wait(stack, "DELETE_COMPLETE")
        self.assertEqual([], self.names())

    def test_it_does_not_cut_short_what_is_under_way(self) -> None:
        stack = self.create()
        self.world.order(self.name, "update", "a")
        self.update(stack, world_templates.chain("new"))
        self.wait_for_act("updated", "a")

        for action in ("suspend", "resume", "check"):
            refused = self.refused(self.act, stack, action)
            self.assertEqual((409, "ActionInProgress"), refused)

        self.world.release(self.name)
        self.client.wait(stack, "UPDATE_COMPLETE")

    def test_twice_it_is_one_suspension(self) -> None:
        stack = self.create()
        self.world.order(self.name, "suspend", "c")
        self.act(stack, "suspend")
        self.wait_for_act("suspend", "c")

        self.act(stack, "suspend")
        self.world.release(self.name)
        self.client.wait(stack, "SUSPEND_COMPLETE")

        self.assertEqual(
            1,
            self.events_after(stack, "CREATE_COMPLETE").count(
                (self.name, "SUSPEND_IN_PROGRESS")
            ),
        )

    def test_a_delete_takes_over(self) -> None:
        stack = self.create()
        self.world.order(self.name, "suspend", "c")
        self.act(stack, "suspend")
        self.wait_for_act("suspend", "c")

        self.client.delete(stack)
        self.client.wait(stack, "DELETE_COMPLETE")

        self.assertEqual([], self.names())
        self.assertEqual(["c"], self.acts("suspend"))

    def test_a_stack_that_is_gone_is_not_found(self) -> None:
        stack = self.create()
        self.client.delete(stack)
        self.client.wait(stack, "DELETE_COMPLETE")

        for gone in (stack, acting.MISSING):
            for action in (
                "suspend",
                "check",
                "cancel_update",
                "cancel_without_rollback",
            ):
                refused = self.refused(self.act, gone, action)
                self.assertEqual((404, "EntityNotFound"), refused)
            refused = self.refused(self.mark, gone, "a", mark_unhealthy=True)
            self.assertEqual((404, "EntityNotFound"), refused)
