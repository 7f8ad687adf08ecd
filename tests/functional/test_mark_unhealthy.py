"""Resources marked unhealthy: through REST, on ``orch-all``, in the world."""

from tests.functional import acting
from tests.support import world_templates


class MarkUnhealthyTests(acting.ActionsTestCase):
    def test_what_is_marked_is_replaced_by_the_next_update(self) -> None:
        stack = self.create()
        before = self.client.resources(stack)["b"]["physical_resource_id"]

        self.mark(
            stack, "b", mark_unhealthy=True, resource_status_reason="mouldy"
        )

        row = self.client.resources(stack)["b"]
        self.assertEqual("CHECK_FAILED", row["resource_status"])
        self.assertEqual("mouldy", row["resource_status_reason"])
        self.assertEqual(
            "CREATE_COMPLETE", self.client.show(stack)["stack_status"]
        )
        newest = self.client.events(stack)[-1]
        self.assertEqual(
            ("b", "CHECK_FAILED", "mouldy"),
            (
                newest["resource_name"],
                newest["resource_status"],
                newest["resource_status_reason"],
            ),
        )
        self.update(stack, world_templates.chain())
        self.client.wait(stack, "UPDATE_COMPLETE")
        row = self.client.resources(stack)["b"]
        self.assertNotEqual(before, row["physical_resource_id"])
        self.assertEqual(["a", "b", "c"], self.names())
        self.assertEqual(["a", "b", "c", "b"], self.acts("made"))

    def test_it_is_taken_back(self) -> None:
        stack = self.create()
        self.mark(stack, "b", mark_unhealthy="true")

        self.mark(stack, "b", mark_unhealthy="False")

        self.assertEqual("CHECK_COMPLETE", self.statuses(stack)["b"])
        self.assertEqual(
            ["CHECK_FAILED", "CHECK_COMPLETE"],
            [
                status
                for _, status in self.events_after(stack, "CREATE_COMPLETE")
            ],
        )
        self.update(stack, world_templates.chain())
        self.client.wait(stack, "UPDATE_COMPLETE")
        self.assertEqual(3, len(self.acts("made")))

    def test_the_physical_id_names_it_too(self) -> None:
        stack = self.create()
        thing_id = self.client.resources(stack)["c"]["physical_resource_id"]

        self.mark(stack, str(thing_id), mark_unhealthy=True)

        self.assertEqual("CHECK_FAILED", self.statuses(stack)["c"])

    def test_what_changes_nothing_is_not_told(self) -> None:
        stack = self.create()
        self.mark(stack, "a", mark_unhealthy=False)
        self.mark(stack, "b", mark_unhealthy=True)

        self.mark(stack, "b", mark_unhealthy=True)

        self.assertEqual(
            [("b", "CHECK_FAILED")],
            self.events_after(stack, "CREATE_COMPLETE"),
        )
        self.assertEqual("CREATE_COMPLETE", self.statuses(stack)["a"])

    def test_another_reason_is_told(self) -> None:
        stack = self.create()
        self.mark(stack, "b", mark_unhealthy=True)

        self.mark(
            stack, "b", mark_unhealthy=True, resource_status_reason="still"
        )

        self.assertEqual(
            [("b", "CHECK_FAILED")] * 2,
            self.events_after(stack, "CREATE_COMPLETE"),
        )
        newest = self.client.events(stack)[-1]
        self.assertEqual("still", newest["resource_status_reason"])
        row = self.client.resources(stack)["b"]
        self.assertEqual("still", row["resource_status_reason"])

    def test_what_was_never_made_cannot_be_declared_well(self) -> None:
        self.world.order(
            self.name, "create", "b", how="permanent", moment="before"
        )
        stack = self.client.create(self.name, world_templates.chain())
        self.client.wait(stack, "CREATE_FAILED")

        for name in "bc":
            self.mark(stack, name, mark_unhealthy=True)
            self.mark(stack, name, mark_unhealthy=False)

        found = self.statuses(stack)
        self.assertEqual("CREATE_FAILED", found["b"])
        self.assertEqual("INIT_COMPLETE", found["c"])

    def test_while_the_stack_changes_it_is_refused(self) -> None:
        stack = self.create()
        self.world.order(self.name, "suspend", "c")
        self.act(stack, "suspend")
        self.wait_for_act("suspend", "c")

        refused = self.refused(self.mark, stack, "a", mark_unhealthy=True)

        self.assertEqual((409, "ActionInProgress"), refused)

    def test_what_the_stack_does_not_have_is_not_found(self) -> None:
        stack = self.create()

        refused = self.refused(self.mark, stack, "nope", mark_unhealthy=True)

        self.assertEqual((404, "ResourceNotFound"), refused)

    def test_other_bodies_are_refused(self) -> None:
        stack = self.create()
        bodies: tuple[world_templates.Json, ...] = (
            {},
            {"mark_unhealthy": "yes"},
            {"mark_unhealthy": 1},
            {"mark_unhealthy": None},
            {"mark_unhealthy": True, "x": 1},
            {"resource_status_reason": "x"},
            {"mark_unhealthy": True, "resource_status_reason": 5},
        )
        for body in bodies:
            refused = self.refused(self.mark, stack, "a", **body)
            self.assertEqual((400, "HTTPBadRequest"), refused)
        self.assertEqual("CREATE_COMPLETE", self.statuses(stack)["a"])
