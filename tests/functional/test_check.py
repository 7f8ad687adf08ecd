"""Check: through REST, on ``orch-all``, and in the world."""

import requests

from tests.functional import acting
from tests.support import world_templates


class CheckTests(acting.ActionsTestCase):
    def test_what_is_well_stays_and_what_cannot_tell_says_so(self) -> None:
        stack = self.created(
            world_templates.template(
                a=world_templates.declare_resource(),
                n={"type": "OS::Heat::RandomString"},
            )
        )

        self.act(stack, "check", "")
        shown = self.client.wait(stack, "CHECK_COMPLETE")

        rows = self.client.resources(stack)
        self.assertEqual(["a"], self.acts("check"))
        self.assertEqual(
            dict.fromkeys("an", "CHECK_COMPLETE"), self.statuses(stack)
        )
        self.assertEqual("state changed", rows["a"]["resource_status_reason"])
        self.assertEqual(
            "CHECK not supported for OS::Heat::RandomString",
            rows["n"]["resource_status_reason"],
        )
        self.assertIn("as far as", str(shown["stack_status_reason"]))

    def test_where_all_types_can_tell_nothing_is_added(self) -> None:
        stack = self.create()

        self.act(stack, "check")

        shown = self.client.wait(stack, "CHECK_COMPLETE")
        self.assertEqual(
            "Stack CHECK completed successfully", shown["stack_status_reason"]
        )

    def test_what_is_amiss_is_found_all_at_once_and_then_replaced(
        self,
    ) -> None:
        stack = self.create()
        self.world.remove(self.name, "a")
        self.world.remove(self.name, "b")

        self.act(stack, "check")
        shown = self.client.wait(stack, "CHECK_FAILED")

        self.assertIn("resources.", str(shown["stack_status_reason"]))
        self.assertEqual(
            {"a": "CHECK_FAILED", "b": "CHECK_FAILED", "c": "CHECK_COMPLETE"},
            self.statuses(stack),
        )
        reason = self.client.resources(stack)["a"]["resource_status_reason"]
        self.assertEqual(
            "Permanent: resources.a: the thing is not there any more", reason
        )

        self.update(stack, world_templates.chain())
        self.client.wait(stack, "UPDATE_COMPLETE")

        self.assertEqual(["a", "b", "c"], self.names())
        self.assertEqual(["a", "b", "c", "a", "b"], self.acts("made"))
        self.assertEqual([], self.world.doubles())

    def test_what_was_never_completed_is_not_well(self) -> None:
        self.world.order(
            self.name, "create", "b", moment="after", how="permanent", times=1
        )
        wanted = world_templates.chain()
        stack = self.client.create(self.name, wanted)
        self.client.wait(stack, "CREATE_FAILED")

        for _ in range(2):
            self.act(stack, "check")
            shown = self.client.wait(stack, "CHECK_FAILED")

        self.assertEqual(
            "Resource CHECK failed: ResourceUnfinished: resources.b: CREATE"
            " failed before: Permanent: resources.b: the world fails create"
            " of b after it is done",
            shown["stack_status_reason"],
        )
        # How it failed is what the next update goes by.
        self.assertEqual(
            {
                "a": "CHECK_COMPLETE",
                "b": "CREATE_FAILED",
                "c": "INIT_COMPLETE",
            },
            self.statuses(stack),
        )
        self.assertEqual(["a", "a"], self.acts("check"))
        self.assertEqual(
            [("b", "CHECK_FAILED")] * 2,
            [
                each
                for each in self.events_after(stack, "CREATE_FAILED")
                if each[0] == "b"
            ],
        )
        self.update(stack, wanted)
        self.client.wait(stack, "UPDATE_COMPLETE")
        self.assertEqual(["a", "b", "c"], self.names())
        self.assertEqual([], self.world.doubles())

    def test_it_can_be_asked_for_again(self) -> None:
        stack = self.create()
        for _ in range(2):
            self.act(stack, "check")
            self.client.wait(stack, "CHECK_COMPLETE")
            self.update(stack, world_templates.chain())
            self.client.wait(stack, "UPDATE_COMPLETE")

        self.assertEqual(6, len(self.acts("check")))
        self.assertEqual(3, len(self.acts("made")))

    def test_no_answer_is_no_reason_to_replace(self) -> None:
        stack = self.create()
        self.world.order(self.name, "check", "b")
        self.act(stack, "check")
        self.wait_for_act("check", "b")

        self.act(stack, "cancel_without_rollback")
        self.client.wait(stack, "CHECK_FAILED")
        self.world.release(self.name)

        self.assertEqual("CHECK_FAILED", self.statuses(stack)["b"])
        self.update(stack, world_templates.chain())
        self.client.wait(stack, "UPDATE_COMPLETE")
        self.assertEqual(["a", "b", "c"], self.acts("made"))

    def test_a_member_may_ask_for_it_and_a_reader_for_nothing(self) -> None:
        stack = self.create()
        path = f"{self.client.endpoint}{stack.path}/actions"

        def ask(role: str, action: str) -> int:
            answer = requests.post(
                path,
                json={action: None},
                headers={"X-Roles": role},
                timeout=30,
            )
            return answer.status_code

        self.assertEqual(403, ask("reader", "suspend"))
        self.assertEqual(403, ask("reader", "check"))
        self.assertEqual(200, ask("member", "check"))
