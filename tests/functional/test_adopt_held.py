"""What is adopted stays with its owner until plug-ins allow the adoption."""

from tests.functional import owning
from tests.support import move_bodies
from tests.support import rest
from tests.support import waiting


class DeniedTests(owning.HeldTestCase):
    def test_a_denied_adoption_takes_nothing(self) -> None:
        self.plugins.order(1, "pre", "deny", verb="adopt", text="frozen")

        new = self.adopt(self.physical_id)
        self.client.wait(new, "ADOPT_FAILED")

        self.check_owner(self.former, "a", self.physical_id)
        self.delete(new)
        self.assertEqual([], self.client.get("/leftovers", "leftovers"))
        self.assertEqual([self.physical_id], self.existing_ids())
        self.delete(self.former)
        self.assertEqual([], self.existing_ids())

    def test_a_retry_that_is_allowed_takes_it(self) -> None:
        self.plugins.order(1, "pre", "deny", verb="adopt", text="frozen")
        new = self.adopt(self.physical_id)
        self.client.wait(new, "ADOPT_FAILED")
        self.plugins.forgive()

        self.act(new, "retry", {})
        self.client.wait(new, "ADOPT_COMPLETE")

        self.check_taken(self.former, "a", new)
        self.delete(self.former)
        self.assertEqual([self.physical_id], self.existing_ids())
        self.delete(new)
        self.assertEqual([], self.existing_ids())

    def test_a_retry_is_judged_for_the_owner(self) -> None:
        self.plugins.order(1, "pre", "deny", verb="adopt", text="frozen")
        new = self.adopt(self.physical_id)
        self.client.wait(new, "ADOPT_FAILED")
        self.plugins.forgive()
        self.plugins.order(1, "pre", "deny", verb="release", text="ours")

        refused = self.assertRaises(
            rest.RefusedError, self.act, new, "retry", {}
        )

        self.assertEqual(403, refused.status)
        self.assertIn("ours", refused.message)
        self.check_owner(self.former, "a", self.physical_id)
        self.plugins.forgive()
        self.act(new, "retry", {})
        self.client.wait(new, "ADOPT_COMPLETE")
        self.check_taken(self.former, "a", new)

    def test_a_later_update_takes_only_what_it_asks_for(self) -> None:
        new = self.failed_update()

        self.update(new, owning.template(n=owning.linked()))
        shown = self.client.wait(new, "UPDATE_FAILED")

        self.assertIn("adopt_owned", str(shown["stack_status_reason"]))
        self.check_owner(self.former, "a", self.physical_id)
        self.take(new)
        self.client.wait(new, "UPDATE_COMPLETE")
        self.check_taken(self.former, "a", new)

    def test_a_denied_update_takes_nothing(self) -> None:
        new = self.made("-new")
        self.plugins.order(1, "pre", "deny", verb="update", stack=new.name)

        self.take(new)
        self.client.wait(new, "UPDATE_FAILED")

        self.assertEqual({}, self.client.resources(new))
        self.check_owner(self.former, "a", self.physical_id)

    def test_a_rejected_adoption_takes_nothing(self) -> None:
        new = self.adopt_held()

        self.act(new, "reject", {})
        self.client.wait(new, "ADOPT_FAILED")

        self.check_owner(self.former, "a", self.physical_id)

    def test_a_cancelled_update_takes_nothing(self) -> None:
        new = self.held_update()

        self.act(new, "cancel_without_rollback")
        self.client.wait(new, "UPDATE_FAILED")

        self.assertEqual({}, self.client.resources(new))
        self.check_owner(self.former, "a", self.physical_id)

    def test_another_request_instead_takes_nothing(self) -> None:
        new = self.held_update()

        self.update(new, owning.template())
        self.client.wait(new, "UPDATE_COMPLETE")

        self.assertEqual({}, self.client.resources(new))
        self.check_owner(self.former, "a", self.physical_id)

    def test_a_deletion_instead_takes_nothing(self) -> None:
        self.plugins.order(1, "pre", "hold", verb="adopt")
        new = self.adopt(self.physical_id)
        self.wait_until_held(new)

        self.delete(new)

        self.assertEqual([self.physical_id], self.existing_ids())
        self.check_owner(self.former, "a", self.physical_id)

    def test_a_rollback_before_it_starts_takes_nothing(self) -> None:
        new = self.failed_update("ROLLBACK_COMPLETE", disable_rollback=False)

        self.assertEqual({}, self.client.resources(new))
        self.check_owner(self.former, "a", self.physical_id)

    def test_a_denied_adoption_takes_nothing_from_a_child(self) -> None:
        root, child, physical_id = self.made_with_child()
        self.plugins.order(1, "pre", "deny", verb="adopt", text="frozen")

        new = self.adopt(physical_id)
        self.client.wait(new, "ADOPT_FAILED")

        before = self.existing_ids()
        self.patch(root)
        self.assertEqual(before, self.existing_ids())
        self.assertEqual(physical_id, self.id_of(child, "b"))


class ApprovedTests(owning.HeldTestCase):
    def approve(self, stack: rest.Stack, status: str) -> str:
        self.act(stack, "approve", {})
        shown = self.client.wait(stack, status)
        return str(shown["stack_status_reason"])

    def test_the_owner_works_on_while_it_is_held(self) -> None:
        new = self.adopt_held()

        self.check_owner(self.former, "a", self.physical_id)
        self.update(self.former, owning.template(a=owning.linked(label="y")))
        self.client.wait(self.former, "UPDATE_COMPLETE")
        self.approve(new, "ADOPT_COMPLETE")

        self.check_taken(self.former, "a", new)
        self.assertEqual([self.physical_id], self.existing_ids())
        self.delete(self.former)
        self.assertEqual([self.physical_id], self.existing_ids())

    def test_it_is_not_taken_once_the_owner_has_deleted_it(self) -> None:
        new = self.adopt_held()
        self.update(self.former, owning.template())
        self.client.wait(self.former, "UPDATE_COMPLETE")

        reason = self.approve(new, "ADOPT_FAILED")

        self.assertIn(f"stack {self.former.name}", reason)
        self.assertIn("does not own it any more", reason)
        self.assertEqual([], self.existing_ids())

    def test_it_is_not_taken_from_another_owner(self) -> None:
        new = self.adopt_held()
        third = self.made("-third")
        body = move_bodies.written(
            self.system.endpoint, self.former, third.id, ["a"]
        )
        self.client.ask("POST", f"{self.former.path}/move", body)
        for each in (self.former, third):
            self.client.wait(each, "UPDATE_COMPLETE")

        reason = self.approve(new, "ADOPT_FAILED")

        self.assertIn("does not own it any more", reason)
        self.assertEqual(self.physical_id, self.id_of(third, "a"))
        self.assertEqual([self.physical_id], self.existing_ids())

    def test_it_is_not_taken_while_the_owner_is_busy(self) -> None:
        new = self.adopt_held()
        self.plugins.order(1, "pre", "hold", verb="update")
        self.client.ask("PATCH", self.former.path, {})
        self.wait_until_held(self.former)

        reason = self.approve(new, "ADOPT_FAILED")

        self.assertIn("which has an operation in progress", reason)
        self.act(self.former, "approve", {})
        self.client.wait(self.former, "UPDATE_COMPLETE")
        self.assertEqual(self.physical_id, self.id_of(self.former, "a"))
        self.plugins.forgive()
        self.act(new, "retry", {})
        self.client.wait(new, "ADOPT_COMPLETE")
        self.check_taken(self.former, "a", new)

    def test_of_two_adoptions_one_takes_it(self) -> None:
        new = self.adopt_held()
        third = self.made("-third")
        body = {"external_ids": {"a": self.physical_id}, "adopt_owned": True}
        self.update(third, owning.template(a=owning.linked()), **body)
        self.client.wait(third, "UPDATE_COMPLETE")
        self.check_taken(self.former, "a", third)

        reason = self.approve(new, "ADOPT_FAILED")

        self.assertIn("does not own it any more", reason)
        self.delete(new)
        self.assertEqual(self.physical_id, self.id_of(third, "a"))
        self.assertEqual([self.physical_id], self.existing_ids())

    def test_the_ids_are_given_anew_where_the_owner_changed(self) -> None:
        new = self.adopt_held()
        third = self.made("-third")
        body = {"external_ids": {"a": self.physical_id}, "adopt_owned": True}
        self.update(third, owning.template(a=owning.linked()), **body)
        self.client.wait(third, "UPDATE_COMPLETE")
        self.approve(new, "ADOPT_FAILED")
        self.plugins.forgive()

        self.take(new)
        self.client.wait(new, "UPDATE_COMPLETE")

        self.check_taken(third, "a", new)
        self.assertEqual([self.physical_id], self.existing_ids())

    def test_it_is_taken_from_a_child(self) -> None:
        _, child, self.physical_id = self.made_with_child()
        new = self.adopt_held()
        self.assertEqual(self.physical_id, self.id_of(child, "b"))

        self.approve(new, "ADOPT_COMPLETE")

        self.check_taken(child, "b", new)

    def test_a_child_takes_it(self) -> None:
        self.plugins.order(1, "pre", "hold", verb="adopt", text="ask Ann")
        new = self.adopt_document(self.nested_document())
        self.wait_until_held(new)
        self.check_owner(self.former, "a", self.physical_id)

        self.approve(new, "ADOPT_COMPLETE")

        child = self.child_of(new, "kid")
        self.assertEqual(self.physical_id, self.id_of(child, "b"))
        self.check_taken(self.former, "a", new)

    def test_a_child_takes_nothing_from_a_tree_that_was_not_asked(
        self,
    ) -> None:
        self.plugins.order(1, "pre", "hold", verb="adopt", text="ask Ann")
        new = self.adopt_document(self.nested_document())
        self.wait_until_held(new)
        third = self.made("-third")
        body = {"external_ids": {"a": self.physical_id}, "adopt_owned": True}
        self.update(third, owning.template(a=owning.linked()), **body)
        self.client.wait(third, "UPDATE_COMPLETE")

        reason = self.approve(new, "ADOPT_FAILED")

        self.assertIn(f"resource a of stack {third.name}", reason)
        self.assertEqual(self.physical_id, self.id_of(third, "a"))


class KilledTests(owning.HeldTestCase):
    """Each moment at which a worker dies leaves one owner."""

    def test_while_the_adoption_is_held(self) -> None:
        new = self.adopt_held()

        self.kill_workers()

        self.check_owner(self.former, "a", self.physical_id)
        self.act(new, "approve", {})
        self.client.wait(new, "ADOPT_COMPLETE")
        self.check_taken(self.former, "a", new)
        self.assertEqual([self.physical_id], self.existing_ids())

    def test_before_a_rejection(self) -> None:
        new = self.adopt_held()

        self.kill_workers()
        self.act(new, "reject", {})
        self.client.wait(new, "ADOPT_FAILED")

        self.check_owner(self.former, "a", self.physical_id)

    def test_while_the_physical_resource_is_read(self) -> None:
        self.world.order(f"{self.name}-new", "check", "n")
        new = self.adopt(self.physical_id)
        waiting.wait_for(
            lambda: "a" not in self.client.resources(self.former), "taken"
        )

        self.kill_workers()
        self.world.forgive(f"{self.name}-new")
        self.client.wait(new, "ADOPT_COMPLETE")

        self.check_taken(self.former, "a", new)
        self.delete(new)
        self.assertEqual([], self.existing_ids())
