"""What stacks have left in place: by the library and by the commands."""

from orchclient import errors
from orchclient import leftovers
from orchclient import models
from orchclient import operation_errors
from tests.functional.orchclient import commanding
from tests.functional.orchclient import connecting


class LeavingTestCase(connecting.ClientTestCase):
    def leave(self) -> models.StackIdentity:
        """Return a stack whose deletion has left b in place."""
        stack = self.create()
        self.fail_once("delete", "b")
        self.orch.stacks.delete(stack)
        self.assertRaises(
            operation_errors.OperationFailedError, self.wait, stack
        )
        self.orch.stacks.retry(stack, orphan=["b"])
        self.wait(stack)
        return stack

    def listed(self, stack: models.StackIdentity) -> list[leftovers.Leftover]:
        return list(self.orch.leftovers.list(stack=stack.id))


class LibraryTests(LeavingTestCase):
    def test_one_is_listed_shown_and_swept(self) -> None:
        stack = self.leave()

        (left,) = self.listed(stack)
        (omitted,) = self.orch.stacks.show(stack).omitted
        swept = self.orch.leftovers.sweep(left.id)

        self.assertEqual(
            ("b", "orphaned", stack, None),
            (left.path, left.cause, left.stack, left.sweep),
        )
        self.assertEqual(
            ("b", "orphaned", left.id),
            (omitted.name, omitted.how, omitted.leftover_id),
        )
        assert swept.sweep is not None
        self.wait(swept.sweep.stack)
        self.assertEqual([], self.listed(stack))
        self.assertEqual([], self.names())
        self.assertRaises(
            errors.NotFoundError, self.orch.leftovers.show, left.id
        )

    def test_one_is_forgotten(self) -> None:
        stack = self.leave()
        (left,) = self.listed(stack)

        self.orch.leftovers.forget(left.id)

        self.assertEqual([], self.listed(stack))
        self.assertEqual(["b"], self.names())

    def test_no_more_are_listed_than_the_limit(self) -> None:
        stack = self.leave()

        found = self.orch.leftovers.list(limit=0, stack=stack.id)

        self.assertEqual([], list(found))

    def test_a_replaced_resource_is_told_apart(self) -> None:
        wanted = connecting.template(b=connecting.declare_resource(value="x"))
        stack = self.create(wanted)
        self.fail_once("delete", "b")
        wanted = connecting.template(b=connecting.declare_resource(value="y"))
        self.orch.stacks.update(stack, connecting.Package(template=wanted))
        self.assertRaises(
            operation_errors.OperationFailedError, self.wait, stack
        )

        old, new = self.orch.resources.list(stack)

        self.assertEqual(
            [("b", True, "DELETE_FAILED"), ("b", False, "CREATE_COMPLETE")],
            [
                (each.name, each.is_replaced, str(each.status))
                for each in (old, new)
            ],
        )


class OrchTests(LeavingTestCase, commanding.CommandTestCase):
    """``orch leftover …``."""

    def test_one_is_listed_shown_and_swept(self) -> None:
        stack = self.leave()
        (left,) = self.listed(stack)

        listed = self.succeed(
            *("leftover", "list", "--stack", stack.id, "-f", "json")
        ).document
        shown = self.succeed("leftover", "show", left.id, "-f", "json")
        stack_shown = self.succeed("stack", "show", stack.id, "-f", "json")
        swept = self.succeed("leftover", "sweep", left.id)

        self.assertEqual(
            [(left.id, "b", "orphaned")],
            [(each["ID"], each["Resource"], each["Cause"]) for each in listed],
        )
        self.assertEqual(left.physical_id, shown.document["physical_id"])
        (omitted,) = stack_shown.document["omitted"]
        self.assertIn("b was orphaned", omitted)
        self.assertIn(f"{stack.name}/b", swept.out)
        self.assertIn("attach", swept.err)

    def test_one_is_forgotten(self) -> None:
        stack = self.leave()
        (left,) = self.listed(stack)

        self.succeed("leftover", "forget", left.id)

        self.assertEqual([], self.listed(stack))


class OpenStackTests(OrchTests):
    """``openstack orch leftover …``."""

    form = "openstack orch"
