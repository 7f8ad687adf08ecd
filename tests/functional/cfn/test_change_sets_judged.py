"""Lifecycle plug-ins judge what change sets create, by each door."""

import botocore.exceptions

from tests.functional import lifecycle
from tests.functional.cfn import test_change_sets
from tests.support import rest
from tests.support import waiting


class JudgedTests(
    lifecycle.LifecycleTestCase, test_change_sets.ChangeSetTestCase
):
    """The second plug-in denies creations."""

    def setUp(self) -> None:
        super().setUp()
        self.plugins.order(2, "pre", "deny", verb="create", text="not now")

    def save_new(self) -> rest.Stack:
        """Return a stack that has one change set and no resources."""
        made = self.save("CREATE")
        return rest.Stack(self.name, made["StackId"].rpartition("/")[2])

    def test_a_denied_one_has_created_nothing(self) -> None:
        self.save_new()

        self.execute()

        shown = self.wait("CREATE_FAILED")
        self.assertIn("not now", shown["StackStatusReason"])
        self.assertEqual([], self.names())

    def test_after_a_denial_it_is_a_creation_still(self) -> None:
        self.save_new()
        self.execute()
        self.wait("CREATE_FAILED")

        error = self.assertRaises(
            botocore.exceptions.ClientError, self.save, "UPDATE", "second"
        )
        self.assertIn("its creation was denied", str(error))
        self.save("CREATE", "second")
        self.execute("second")
        waiting.wait_for(
            lambda: self.statuses()["second"][1] == "EXECUTE_FAILED",
            "the second denial",
        )
        self.assertEqual("CREATE_FAILED", self.shown()["StackStatus"])
        self.assertEqual({"first", "second"}, set(self.statuses()))
        self.assertEqual([], self.names())
        self.plugins.forgive()
        self.save("CREATE", "third")
        self.execute("third")

        self.wait("CREATE_COMPLETE")
        self.assertEqual(["thing"], self.names())

    def test_an_update_of_a_stack_in_review_is_a_creation(self) -> None:
        stack = self.save_new()
        template = self.client.ask("GET", f"{stack.path}/template")

        self.update(stack, {"heat_template_version": "2021-04-16"})

        self.client.wait(stack, "CREATE_FAILED")
        self.assertEqual(
            template, self.client.ask("GET", f"{stack.path}/template")
        )
        self.assertEqual(
            {"first": ("CREATE_COMPLETE", "OBSOLETE")}, self.statuses()
        )

    def test_no_other_action_makes_its_creation_an_update(self) -> None:
        stack = self.save_new()

        for action in ("check", "suspend", "resume"):
            error = self.assertRaises(
                rest.RefusedError, self.act, stack, action
            )
            self.assertEqual(400, error.status)
            self.assertIn("is not created yet", str(error))
        error = self.assertRaises(
            rest.RefusedError,
            self.client.ask,
            "POST",
            f"{stack.path}/snapshots",
            {},
        )
        self.assertEqual(400, error.status)
        self.assertEqual("REVIEW_IN_PROGRESS", self.shown()["StackStatus"])

    def test_a_denied_deletion_makes_its_creation_no_update(self) -> None:
        stack = self.save_new()
        self.plugins.order(1, "pre", "deny", verb="delete", text="nor this")
        self.client.delete(stack)
        self.client.wait(stack, "DELETE_FAILED")

        self.update(stack, {"heat_template_version": "2021-04-16"})

        self.client.wait(stack, "CREATE_FAILED")
