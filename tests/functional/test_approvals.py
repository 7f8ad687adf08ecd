"""Who may approve a hold, what an approval counts for, and all open holds."""

import json
import typing

from tests.functional import lifecycle
from tests.support import rest
from tests.support import waiting
from tests.support import world_templates

Json = dict[str, typing.Any]


class ApprovalsTestCase(lifecycle.LifecycleTestCase):
    """One plug-in, for child stacks too, which holds what a test says."""

    count = 1
    each: typing.ClassVar[Json] = {"scope": "every"}

    def user(
        self,
        name: str | None,
        roles: str | None = None,
        project: str = "demo",
    ) -> rest.Client:
        """Return the client of a user; ``None`` for all roles."""
        base = self.client.endpoint.rpartition("/")[0]
        found = rest.Client(
            f"{base}/{project}",
            roles=roles,
            user_id=name and f"id-{name}",
            user_name=name,
        )
        self.addCleanup(found.close)
        return found

    def answer(
        self, client: rest.Client, stack: rest.Stack, action: str
    ) -> None:
        client.ask("POST", f"{stack.path}/actions", {action: None})

    def holds(self) -> list[Json]:
        """Return what is held in the tree of this test."""
        return self.find_holds(self.client)

    def find_holds(self, client: rest.Client, query: str = "") -> list[Json]:
        found = client.get(f"/lifecycle/holds{query}", "holds")
        holds = typing.cast(list[Json], found)
        return [each for each in holds if each["root_name"] == self.name]


class OtherApproverTest(ApprovalsTestCase):
    """The plug-in wants another approver than the requester."""

    def held(self, client: rest.Client, **more: object) -> rest.Stack:
        self.plugins.order(1, "pre", "hold", text="ask", **more)
        stack = client.create(self.name, world_templates.chain())
        self.wait_until_held(stack)
        return stack

    def test_who_requested_it_may_not_approve_it_and_others_may(self) -> None:
        ann = self.user("ann")
        stack = self.held(ann, needs_other=True)

        error = self.assertRaises(
            rest.RefusedError, self.answer, ann, stack, "approve"
        )

        self.assertEqual((403, "Forbidden"), (error.status, error.type))
        self.assertIn("another user", error.message)
        self.assertIn(stack.name, error.message)
        (held,) = self.holds()
        self.assertIs(True, held["hold"]["needs_other"])
        self.answer(self.user("bob"), stack, "approve")
        self.client.wait(stack, "CREATE_COMPLETE")

    def test_a_caller_without_an_id_may_not_approve_it(self) -> None:
        stack = self.held(self.user("ann"), needs_other=True)

        error = self.assertRaises(
            rest.RefusedError, self.answer, self.user(None), stack, "approve"
        )

        self.assertEqual(403, error.status)
        self.assertEqual("BLOCKED", self.operation(stack)["state"])

    def test_who_requested_it_may_reject_it(self) -> None:
        ann = self.user("ann")
        stack = self.held(ann, needs_other=True)

        self.answer(ann, stack, "reject")

        self.client.wait(stack, "CREATE_FAILED")

    def test_other_holds_may_be_approved_by_who_requested_it(self) -> None:
        ann = self.user("ann")
        stack = self.held(ann)

        self.answer(ann, stack, "approve")

        self.client.wait(stack, "CREATE_COMPLETE")

    def test_an_operation_that_has_gone_on_is_no_hold(self) -> None:
        ann = self.user("ann")
        stack = self.held(ann, needs_other=True)
        self.answer(self.user("bob"), stack, "approve")
        self.client.wait(stack, "CREATE_COMPLETE")

        error = self.assertRaises(
            rest.RefusedError, self.answer, ann, stack, "approve"
        )

        self.assertEqual(409, error.status)


class TreeTest(ApprovalsTestCase):
    """The plug-in holds each stack of a tree."""

    def hold_each(self, **more: object) -> rest.Stack:
        """Return a stack with two child stacks; its creation is held."""
        self.plugins.order(1, "pre", "hold", text="ask", **more)
        return self.create()

    def create(self) -> rest.Stack:
        return self.client.create(
            self.name,
            world_templates.template(
                a={"type": "kid.yaml"}, b={"type": "kid.yaml"}
            ),
            files={"kid.yaml": json.dumps(world_templates.chain())},
        )

    def wait_for_holds(self, *paths: list[str]) -> list[Json]:
        def find() -> list[Json]:
            found = sorted(self.holds(), key=lambda each: each["path"])
            is_found = [each["path"] for each in found] == list(paths)
            return found if is_found else []

        return waiting.wait_for(find, f"holds of {paths}")

    def child(self, held: Json) -> rest.Stack:
        return rest.Stack(held["stack_name"], held["stack_id"])

    def test_the_approval_of_the_root_counts_for_all_child_stacks(
        self,
    ) -> None:
        stack = self.hold_each()
        self.wait_for_holds([])

        self.answer(self.user("bob"), stack, "approve")
        self.client.wait(stack, "CREATE_COMPLETE")

        events = self.client.get(
            f"{stack.path}/events?nested_depth=2", "events"
        )
        told = [
            each["resource_status_reason"]
            for each in typing.cast(list[Json], events)
            if "that of the tree counts" in each["resource_status_reason"]
        ]
        self.assertEqual(2, len(told))
        self.assertIn("by bob", told[0])

    def test_the_approval_of_a_child_stack_counts_for_its_siblings(
        self,
    ) -> None:
        self.plugins.order(1, "pre", "allow", stack=self.name)
        stack = self.hold_each()
        first, _ = self.wait_for_holds(["a"], ["b"])

        self.answer(self.user("bob"), self.child(first), "approve")

        self.client.wait(stack, "CREATE_COMPLETE")

    def test_a_rejection_counts_for_one_stack_alone(self) -> None:
        self.plugins.order(1, "pre", "allow", stack=self.name)
        self.hold_each()
        first, _ = self.wait_for_holds(["a"], ["b"])

        self.answer(self.user("bob"), self.child(first), "reject")

        self.wait_for_holds(["b"])

    def test_separate_holds_are_approved_each_by_itself(self) -> None:
        stack = self.hold_each(is_separate=True)
        self.wait_for_holds([])

        self.answer(self.user("bob"), stack, "approve")
        first, second = self.wait_for_holds(["a"], ["b"])
        self.answer(self.user("bob"), self.child(first), "approve")
        self.wait_for_holds(["b"])
        self.answer(self.user("bob"), self.child(second), "approve")

        self.client.wait(stack, "CREATE_COMPLETE")

    def test_an_own_approval_counts_for_none_that_needs_another(
        self,
    ) -> None:
        self.plugins.order(1, "pre", "hold", text="ask", stack=self.name)
        stack = self.hold_each(needs_other=True)
        self.wait_for_holds([])

        self.answer(self.client, stack, "approve")
        first, _ = self.wait_for_holds(["a"], ["b"])
        self.answer(self.user("bob"), self.child(first), "approve")

        self.client.wait(stack, "CREATE_COMPLETE")

    def test_a_retry_needs_an_approval_of_its_own(self) -> None:
        self.plugins.order(1, "pre", "allow", stack=self.name)
        self.plugins.order(1, "pre", "hold", text="ask")
        stack = self.create()
        first, _ = self.wait_for_holds(["a"], ["b"])
        # The world fails the creation in one child stack after the approval.
        self.world.order(first["stack_name"], "create", "a", how="permanent")
        self.answer(self.user("bob"), self.child(first), "approve")
        self.client.wait(stack, "CREATE_FAILED")
        self.world.forgive(first["stack_name"])

        self.client.retry(stack)

        (again,) = self.wait_for_holds(["a"])
        self.answer(self.user("bob"), self.child(again), "approve")
        self.client.wait(stack, "CREATE_COMPLETE")


class AllProjectsTest(ApprovalsTestCase):
    """Two projects have a hold each."""

    def setUp(self) -> None:
        super().setUp()
        self.plugins.order(1, "pre", "hold", text="ask")
        self.mine = self.client.create(self.name, world_templates.chain())
        self.wait_until_held(self.mine)
        self.other = self.user("olga", project="other")
        self.theirs = self.other.create(self.name, world_templates.chain())

    def test_an_administrator_lists_and_answers_holds_of_all_projects(
        self,
    ) -> None:
        admin = self.user("root", roles="admin")

        def find() -> list[Json]:
            found = self.find_holds(admin, "?all_projects=true")
            return found if len(found) == 2 else []

        found = waiting.wait_for(find, "both holds")
        (own,) = self.holds()
        self.assertEqual(
            [("demo", self.mine.id), ("other", self.theirs.id)],
            [(each["project_id"], each["stack_id"]) for each in found],
        )
        self.assertEqual(self.mine.id, own["stack_id"])
        self.answer(
            self.user("root", roles="admin", project="other"),
            self.theirs,
            "approve",
        )
        self.other.wait(self.theirs, "CREATE_COMPLETE")

    def test_others_may_not(self) -> None:
        for roles in ("reader", "member"):
            error = self.assertRaises(
                rest.RefusedError,
                self.user("ann", roles=roles).get,
                "/lifecycle/holds?all_projects=true",
                "holds",
            )
            self.assertEqual(403, error.status)
            self.assertIn("lifecycle:all_holds", error.message)

    def test_what_is_no_boolean_is_refused(self) -> None:
        error = self.assertRaises(
            rest.RefusedError,
            self.client.get,
            "/lifecycle/holds?all_projects=maybe",
            "holds",
        )

        self.assertEqual(400, error.status)
        self.assertIn("all_projects", error.message)
