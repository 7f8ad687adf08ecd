"""What child stacks leave in place, and child stacks that are left over."""

import typing

from tests.functional import nesting
from tests.support import rest

Json = nesting.Json


class LeftoverTests(nesting.NestedTestCase):
    def leftovers(self) -> list[Json]:
        path = f"/leftovers?stack={self.name}"
        found = self.client.get(path, "leftovers")
        return typing.cast(list[Json], found)

    def failed(self) -> tuple[rest.Stack, rest.Stack]:
        """Return a stack, and its child whose deletion fails for ever."""
        stack = self.make({"kid": nesting.child_resource()})
        kid = self.child_of(stack, "kid")
        self.world.order(
            *(self.name, "delete", "inner"),
            how="permanent",
            moment="before",
            times=99,
        )
        self.client.delete(stack)
        self.client.wait(stack, "DELETE_FAILED")
        return stack, kid

    def left(self) -> tuple[rest.Stack, Json]:
        """Return a child stack that was left over, and its entry."""
        stack, kid = self.failed()
        self.act(stack, "retry", {"orphan": ["kid"]})
        self.client.wait(stack, "DELETE_COMPLETE")
        (left,) = self.leftovers()
        self.world.forgive(self.name)
        return kid, left

    def test_of_a_child_stack_the_whole_path_is_told(self) -> None:
        stack, kid = self.failed()
        self.act(kid, "retry", {"orphan": ["inner"]})
        self.client.wait(kid, "DELETE_COMPLETE")
        self.act(stack, "retry", {})
        self.client.wait(stack, "DELETE_COMPLETE")

        (left,) = self.leftovers()

        self.assertEqual(
            ("kid/inner", self.name, stack.id),
            (left["path"], left["stack_name"], left["stack_id"]),
        )

    def test_a_child_stack_is_left_over_too(self) -> None:
        kid, left = self.left()

        self.assertEqual("kid", left["path"])
        self.assertIn(kid.id, str(left["physical_resource_id"]))

    def test_its_sweep_deletes_it(self) -> None:
        kid, left = self.left()

        self.client.ask("POST", f"/leftovers/{left['id']}/sweep", {})
        self.client.wait(kid, "DELETE_COMPLETE")

        self.assertEqual([], self.physical_resources())
        self.assertEqual([], self.leftovers())

    def test_it_may_be_deleted_by_its_own_address(self) -> None:
        kid, _ = self.left()

        self.client.delete(kid)
        self.client.wait(kid, "DELETE_COMPLETE")

        self.assertEqual([], self.leftovers())
