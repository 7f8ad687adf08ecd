"""Going back to snapshots: through REST, on ``orch-all``, and looked up in the
world that the plug-in acts on.
"""

from tests.functional import test_snapshots
from tests.support import world_templates

declare_resource = world_templates.declare_resource
template = world_templates.template

_UNKNOWN = "6c3b0a8e-5f3a-4a0f-9d7c-0f6f7b1d2a11"


class RestoreTests(test_snapshots.SnapshotsTestCase):
    def test_the_stack_is_again_what_it_was(self) -> None:
        stack = self.create("old")
        before = self.world.physical_resources(self.name)
        taken = self.take(stack)
        self.update(
            stack,
            template(
                a=declare_resource(label="new"),
                d=declare_resource(),
                c=declare_resource("a"),
            ),
        )
        self.client.wait(stack, "UPDATE_COMPLETE")
        self.assertEqual(["a", "c", "d"], self.names())

        self.restore(stack, taken)
        shown = self.client.wait(stack, "RESTORE_COMPLETE")

        self.assertEqual(
            "Stack RESTORE completed successfully",
            shown["stack_status_reason"],
        )
        self.assertEqual(dict.fromkeys("abc", "old"), self.labels())
        after = {
            each.name: each.id
            for each in self.world.physical_resources(self.name)
        }
        self.assertEqual(before[0].id, after["a"])
        self.assertEqual(
            world_templates.chain("old"),
            self.client.ask("GET", f"{stack.path}/template"),
        )

    def test_it_brings_back_what_the_plug_in_has_kept(self) -> None:
        stack = self.create("declared")
        self.world.relabel(self.name, "b", "kept")
        taken = self.take(stack)
        self.update(stack, world_templates.chain("new"))
        self.client.wait(stack, "UPDATE_COMPLETE")

        self.restore(stack, taken)
        self.client.wait(stack, "RESTORE_COMPLETE")

        self.assertEqual(
            {"a": "declared", "b": "kept", "c": "declared"}, self.labels()
        )

    def test_a_thing_made_anew_has_what_was_kept(self) -> None:
        stack = self.create("declared")
        self.world.relabel(self.name, "c", "kept")
        taken = self.take(stack)
        self.update(stack, template())
        self.client.wait(stack, "UPDATE_COMPLETE")

        self.restore(stack, taken)
        self.client.wait(stack, "RESTORE_COMPLETE")

        self.assertEqual(
            {"a": "declared", "b": "declared", "c": "kept"}, self.labels()
        )

    def test_what_was_kept_stays_with_the_stack(self) -> None:
        wanted = world_templates.chain("declared")
        wanted["parameters"] = {"word": {"type": "string", "default": "old"}}
        wanted["resources"]["c"]["properties"]["label"] = {"get_param": "word"}
        stack = self.created(wanted)
        self.world.relabel(self.name, "b", "kept")
        taken = self.take(stack)
        self.update(stack, template())
        self.client.wait(stack, "UPDATE_COMPLETE")
        self.restore(stack, taken)
        self.client.wait(stack, "RESTORE_COMPLETE")

        self.client.ask("PATCH", stack.path, {"parameters": {"word": "new"}})
        self.client.wait(stack, "UPDATE_COMPLETE")

        self.assertEqual(
            {"a": "declared", "b": "kept", "c": "new"}, self.labels()
        )
        shown = self.client.ask("GET", f"{stack.path}/template")
        wanted["resources"]["b"]["properties"]["label"] = "kept"
        self.assertEqual(wanted, shown)

    def test_what_stood_after_a_failed_update_comes_back(self) -> None:
        stack = self.create("old")
        self.fail("update", "b")
        self.update(stack, world_templates.chain("new"))
        self.client.wait(stack, "UPDATE_FAILED")
        taken = self.take(stack)
        self.update(stack, template())
        self.client.wait(stack, "UPDATE_COMPLETE")

        self.restore(stack, taken)
        self.client.wait(stack, "RESTORE_COMPLETE")

        self.assertEqual({"a": "new", "b": "old", "c": "old"}, self.labels())

    def test_what_was_kept_is_what_an_update_goes_back_to(self) -> None:
        stack = self.create("declared", disable_rollback=False)
        self.world.relabel(self.name, "b", "kept")
        taken = self.take(stack)
        self.restore(stack, taken)
        self.client.wait(stack, "RESTORE_COMPLETE")
        self.fail("update", "c")

        self.update(stack, world_templates.chain("new"))
        self.client.wait(stack, "ROLLBACK_COMPLETE")

        self.assertEqual(
            {"a": "declared", "b": "kept", "c": "declared"}, self.labels()
        )

    def test_a_failed_one_is_retried(self) -> None:
        stack = self.create("old")
        taken = self.take(stack)
        self.update(stack, world_templates.chain("new"))
        self.client.wait(stack, "UPDATE_COMPLETE")
        self.fail("update", "b")

        self.restore(stack, taken)
        self.client.wait(stack, "RESTORE_FAILED")
        other = self.refused(self.retry, stack, {"id": _UNKNOWN})
        self.retry(stack, taken)
        self.client.wait(stack, "RESTORE_COMPLETE")

        self.assertEqual((409, "HTTPConflict"), other)

        self.assertEqual(dict.fromkeys("abc", "old"), self.labels())

    def test_a_failed_one_goes_back(self) -> None:
        stack = self.create("old", disable_rollback=False)
        taken = self.take(stack)
        self.update(stack, world_templates.chain("new"))
        self.client.wait(stack, "UPDATE_COMPLETE")
        self.fail("update", "b")

        self.restore(stack, taken)
        self.client.wait(stack, "ROLLBACK_COMPLETE")

        self.assertEqual(dict.fromkeys("abc", "new"), self.labels())

    def test_one_under_way_is_cancelled_by_going_back(self) -> None:
        stack = self.create("old")
        taken = self.take(stack)
        self.update(stack, world_templates.chain("new"))
        self.client.wait(stack, "UPDATE_COMPLETE")
        self.world.order(self.name, "update", "b")
        self.restore(stack, taken)
        self.wait_for_act("held-update-watch", "b")

        self.act(stack, "cancel_update")
        self.world.forgive(self.name)
        self.client.wait(stack, "ROLLBACK_COMPLETE")

        self.assertEqual(dict.fromkeys("abc", "new"), self.labels())
        self.assertEqual(
            world_templates.chain("new"),
            self.client.ask("GET", f"{stack.path}/template"),
        )

    def test_an_unchanged_stack_is_left_alone(self) -> None:
        stack = self.create("old")
        taken = self.take(stack)

        self.restore(stack, taken)
        self.client.wait(stack, "RESTORE_COMPLETE")

        self.assertEqual([], self.acts("update"))
        self.assertEqual(["a", "b", "c"], self.acts("create"))

    def test_its_snapshot_is_not_deleted_meanwhile(self) -> None:
        stack = self.create("old")
        taken = self.take(stack)
        self.update(stack, world_templates.chain("new"))
        self.client.wait(stack, "UPDATE_COMPLETE")
        self.world.order(self.name, "update", "a")

        self.restore(stack, taken)
        refused = self.refused(self.remove, stack, taken)
        self.world.forgive(self.name)
        self.client.wait(stack, "RESTORE_COMPLETE")

        self.assertEqual((409, "HTTPConflict"), refused)
        self.assertEqual(dict.fromkeys("abc", "old"), self.labels())
