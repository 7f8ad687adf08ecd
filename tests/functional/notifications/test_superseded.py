"""Each start of an operation has an end, also of one that another one ends."""

import collections
import json

from tests.functional import holding
from tests.functional.notifications import lives
from tests.functional.notifications import notification_case
from tests.support import listeners
from tests.support import rest
from tests.support import waiting
from tests.support import world_templates


class SupersededTests(lives.LifeCase):
    def check_superseded(
        self, stack: rest.Stack, action: str, newer: str, *last: str
    ) -> None:
        """Check that an operation has an error that names its successor.

        :param newer: the action of the operation that has superseded it
        :param last: the ends of event types to wait for
        """
        heard = self.hear(stack, f"{action}.error", f"{newer}.start", *last)
        (ended,) = of_kind(heard, f"{action}.error")
        (begun,) = of_kind(heard, f"{newer}.start")
        self.check_pairs(heard)
        newer_id = begun.payload["operation_id"]
        self.assertEqual("error", ended.priority)
        self.assertEqual(
            (
                newer_id,
                f"Superseded by operation {newer_id}",
                f"{action.upper()}_FAILED",
                None,
            ),
            (
                ended.payload["superseded_by"],
                ended.payload["state_reason"],
                ended.payload["state"],
                begun.payload["superseded_by"],
            ),
        )
        events = [
            each["resource_status"]
            for each in self.client.events(stack)
            if each["resource_name"] == stack.name
        ]
        self.assertNotIn(f"{action.upper()}_FAILED", events)

    def check_pairs(self, heard: list[listeners.Heard]) -> None:
        """Check that each start has one end of the same operation."""
        found: collections.Counter[object] = collections.Counter()
        for each in heard:
            action, _, ending = notification_case.kind_of(each).partition(".")
            key = (action, each.payload["operation_id"])
            found[key, ending == "start"] += 1
        starts = {key: n for (key, is_start), n in found.items() if is_start}
        ends = {key: n for (key, is_start), n in found.items() if not is_start}
        self.assertEqual(starts, ends)

    def updating(self) -> rest.Stack:
        """Return a stack whose update hangs at the second of three."""
        stack = self.create("old")
        self.world.order(self.name, "update", "b")
        self.update(stack, world_templates.chain("new"))
        self.wait_for_act("updated", "b")
        return stack

    def test_an_update_over_an_update(self) -> None:
        stack = self.updating()
        self.client.ask(
            "PUT", stack.path, {"template": world_templates.chain("newest")}
        )
        self.world.release(self.name)
        self.client.wait(stack, "UPDATE_COMPLETE")

        heard = self.hear(stack, "update.error", "update.end")

        self.check_pairs(heard)
        first, error, second, end = (
            each
            for each in heard
            if notification_case.kind_of(each).startswith("update.")
        )
        self.assertEqual(
            ["update.start", "update.error", "update.start", "update.end"],
            [
                notification_case.kind_of(each)
                for each in sorted((first, error, second, end), key=_order)
            ],
        )
        self.assertEqual(
            second.payload["operation_id"], error.payload["superseded_by"]
        )

    def test_an_update_that_goes_back(self) -> None:
        stack = self.updating()
        self.act(stack, "cancel_update")
        self.world.release(self.name)

        self.check_superseded(stack, "update", "rollback", "rollback.end")

    def test_a_deletion_over_a_creation(self) -> None:
        self.world.order(self.name, "create", "b")
        stack = self.client.create(self.name, world_templates.chain())
        self.wait_for_act("create", "b")
        self.client.delete(stack)
        self.world.release(self.name)

        self.check_superseded(stack, "create", "delete", "delete.end")

    def test_a_deletion_over_what_waits_at_a_breakpoint(self) -> None:
        stack = self.client.create(
            self.name,
            world_templates.chain(),
            environment=holding.hooks(b="pre-create"),
        )
        self.hear(stack, "hook.reached")
        self.client.delete(stack)

        heard = self.hear(stack, "create.error", "delete.end")
        (ended,) = of_kind(heard, "create.error")
        (begun,) = of_kind(heard, "delete.start")
        self.assertEqual(
            begun.payload["operation_id"], ended.payload["superseded_by"]
        )

    def test_one_that_a_user_cancels_names_no_other(self) -> None:
        stack = self.updating()
        self.act(stack, "cancel_without_rollback")
        self.client.wait(stack, "UPDATE_FAILED")

        heard = self.hear(stack, "update.error")

        (ended,) = of_kind(heard, "update.error")
        self.check_pairs(heard)
        self.assertEqual(
            (None, "Stack UPDATE cancelled"),
            (ended.payload["superseded_by"], ended.payload["state_reason"]),
        )

    def test_a_child_stack(self) -> None:
        held = {"kid": {"b": {"hooks": "pre-create"}}}
        stack = self.client.create(
            self.name,
            world_templates.template(kid={"type": "kid.yaml"}),
            files={"kid.yaml": json.dumps(world_templates.chain())},
            environment={"resource_registry": {"resources": held}},
        )
        child = self.wait_for_child(stack)
        self.hear(child, "hook.reached")
        self.client.delete(stack)
        self.client.wait(stack, "DELETE_COMPLETE")

        for each in (stack, child):
            heard = self.hear(each, "create.error", "delete.end")
            (ended,) = of_kind(heard, "create.error")
            (begun,) = of_kind(heard, "delete.start")
            self.assertEqual(
                begun.payload["operation_id"], ended.payload["superseded_by"]
            )

    def wait_for_child(self, stack: rest.Stack) -> rest.Stack:
        def find() -> rest.Stack | None:
            row = self.client.resources(stack).get("kid")
            found = row and row["physical_resource_id"]
            if not found:
                return None
            for each in self.listener.heard:
                if each.payload["stack_identity"] == found:
                    name = str(each.payload["stack_name"])
                    return rest.Stack(name, str(found))
            return None

        child = waiting.wait_for(find, "the child stack")
        assert child is not None
        return child


def of_kind(heard: list[listeners.Heard], kind: str) -> list[listeners.Heard]:
    return [each for each in heard if notification_case.kind_of(each) == kind]


def _order(heard: listeners.Heard) -> tuple[object, bool]:
    """Return the order in which facts were stored.

    What is no event has the number of the event before it.
    """
    return (
        notification_case.sequence_of(heard),
        "superseded" in str(heard.payload["state_reason"]).lower(),
    )
