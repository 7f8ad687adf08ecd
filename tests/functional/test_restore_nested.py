"""Restoring a stack whose child stacks were deleted since the snapshot."""

import typing

from tests.functional import nesting
from tests.functional import test_groups
from tests.support import rest
from tests.support import world_templates

Json = world_templates.Json
declare_resource = world_templates.declare_resource
template = world_templates.template

_KINDS: typing.Final[dict[str, Json]] = {
    "template resource": nesting.child_resource(label="old"),
    "stack": {
        "type": "OS::Heat::Stack",
        "properties": {
            "template": nesting.INNER,
            "parameters": {"label": "old"},
        },
    },
    "chain": {
        "type": "OS::Heat::ResourceChain",
        "properties": {
            "resources": ["Test::World::Thing"],
            "resource_properties": {"label": "old"},
        },
    },
    "group": {
        "type": "OS::Heat::ResourceGroup",
        "properties": {
            "count": 1,
            "resource_def": {
                "type": "Test::World::Thing",
                "properties": {"label": "old"},
            },
        },
    },
    "grandchild": {
        "type": "OS::Heat::ResourceGroup",
        "properties": {
            "count": 1,
            "resource_def": nesting.child_resource(label="old"),
        },
    },
}


def take_snapshot(case: nesting.NestedTestCase, stack: rest.Stack) -> str:
    """Return the id of a new snapshot, once it is complete."""
    found = case.client.ask("POST", f"{stack.path}/snapshots", {})
    case.client.wait(stack, "SNAPSHOT_COMPLETE")
    return str(typing.cast(Json, found)["id"])


class DeletedChildTests(nesting.NestedTestCase):
    """A child stack is created again, as the snapshot has it."""

    def restore(
        self, stack: rest.Stack, taken: str, wait: str = "RESTORE_COMPLETE"
    ) -> None:
        self.client.ask("POST", f"{stack.path}/snapshots/{taken}/restore")
        self.client.wait(stack, wait)

    def with_snapshot(self, kind: str = "stack") -> tuple[rest.Stack, str]:
        """Return a stack, and its snapshot with a label set by hand."""
        stack = self.make({"kid": _KINDS[kind], "other": declare_resource()})
        name = "0" if kind in ("chain", "group") else "inner"
        child = self.world.find_maker(self.name, name)
        self.world.relabel(child, name, "by hand")
        return stack, take_snapshot(self, stack)

    def check_restored(self, stack: rest.Stack, taken: str) -> None:
        """Restore twice, then delete the stack; nothing may be left."""
        for _ in range(2):
            self.restore(stack, taken)
            self.assertIn("by hand", self.labels().values())
        self.client.delete(stack)
        self.client.wait(stack, "DELETE_COMPLETE")
        self.assertEqual([], self.physical_resources())
        self.assertEqual([], self.stored())

    def stored(self) -> list[str]:
        """Return the ids of the snapshots that have stored data."""
        return self.world.snapshots_of_tree(self.name)

    def test_one_that_was_replaced(self) -> None:
        for kind in _KINDS:
            with self.subTest(kind):
                self.take_name()
                stack, taken = self.with_snapshot(kind)

                self.change(stack, {"kid": declare_resource(label="new")})

                self.assertEqual({"kid": "new"}, self.labels())
                self.check_restored(stack, taken)

    def test_one_that_was_removed(self) -> None:
        for kind in _KINDS:
            with self.subTest(kind):
                self.take_name()
                stack, taken = self.with_snapshot(kind)

                self.change(stack, {"other": declare_resource()})

                self.assertEqual(["other"], list(self.labels()))
                self.check_restored(stack, taken)

    def test_one_that_a_user_has_deleted(self) -> None:
        stack, taken = self.with_snapshot()
        child = self.child_of(stack, "kid")
        self.client.delete(child)
        self.client.wait(child, "DELETE_COMPLETE")

        self.check_restored(stack, taken)

    def test_a_saved_plan_restores_it(self) -> None:
        stack, taken = self.with_snapshot("grandchild")
        self.change(stack, {"other": declare_resource()})

        found = typing.cast(
            Json,
            self.client.post(
                f"{stack.path}/plans",
                "plan",
                action="restore",
                snapshot_id=taken,
            ),
        )
        self.client.ask("POST", f"{stack.path}/plans/{found['id']}/apply")
        self.client.wait(stack, "RESTORE_COMPLETE")

        self.assertIn("by hand", self.labels().values())

    def test_what_was_stored_inside_is_deleted_with_the_snapshot(self) -> None:
        stack, taken = self.with_snapshot("grandchild")
        self.change(stack, {"other": declare_resource()})
        before = self.stored()

        self.client.ask("DELETE", f"{stack.path}/snapshots/{taken}")

        self.assertNotEqual([], before)
        self.assertEqual([], self.stored())

    def test_a_failed_restoration_is_retried(self) -> None:
        stack, taken = self.with_snapshot()
        self.change(stack, {"other": declare_resource()})
        self.world.order(self.name, "create", "last", how="permanent", times=1)

        self.restore(stack, taken, "RESTORE_FAILED")
        self.client.ask(
            "POST",
            f"{stack.path}/snapshots/{taken}/restore",
            {"retry": True},
        )
        self.client.wait(stack, "RESTORE_COMPLETE")

        self.assertEqual("by hand", self.labels()["inner"])
        self.assertEqual(3, len(self.labels()))

    def test_without_the_child_s_snapshot_nothing_begins(self) -> None:
        stack, taken = self.with_snapshot("grandchild")
        (member,) = self.client.resources(self.child_of(stack, "kid"))
        grandchild = self.child_of(self.child_of(stack, "kid"), member)
        (found,) = typing.cast(
            list[Json],
            self.client.get(f"{grandchild.path}/snapshots", "snapshots"),
        )
        self.client.ask("DELETE", f"{grandchild.path}/snapshots/{found['id']}")
        count = len(self.operations(stack))

        error = self.assertRaises(
            rest.RefusedError, self.restore, stack, taken
        )

        self.assertEqual(409, error.status)
        self.assertEqual(
            "orch.snapshot.child_missing",
            typing.cast(Json, error.body)["error_code"],
        )
        self.assertIn(f"The snapshot {found['id']}", error.message)
        self.assertEqual(count, len(self.operations(stack)))


class GroupTests(test_groups.GroupsTestCase):
    """A group has the size that a signal gave it before the snapshot."""

    def grow(self, stack: rest.Stack) -> None:
        """Signal that the group is to have one more member."""
        self.client.ask("POST", f"{stack.path}/resources/up/signal", {})
        self.client.wait(self.child_of(stack, "g"), "UPDATE_COMPLETE")

    def test_its_size_is_restored(self) -> None:
        declared = test_groups.scaling()
        stack = self.make(declared)
        self.grow(stack)
        taken = take_snapshot(self, stack)
        for is_deleted in (False, True):
            with self.subTest(is_deleted=is_deleted):
                if is_deleted:
                    self.change(stack, {"x": test_groups.member()})
                else:
                    self.grow(stack)

                self.client.ask(
                    "POST", f"{stack.path}/snapshots/{taken}/restore"
                )
                self.client.wait(stack, "RESTORE_COMPLETE")
                restored = self.physical_resources()
                self.change(stack, {**declared, "x": test_groups.member()})

                self.assertEqual(3, len(restored))
                self.assertEqual(4, len(self.physical_resources()))
