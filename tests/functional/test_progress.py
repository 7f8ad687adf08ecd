"""How far each step of an operation is: through REST, on ``orch-all``."""

import typing

from tests.functional import acting
from tests.support import rest
from tests.support import waiting
from tests.support import world_templates

Json = dict[str, typing.Any]
declare_resource = world_templates.declare_resource
template = world_templates.template


class StepTests(acting.ActionsTestCase):
    def steps(self, stack: rest.Stack) -> list[tuple[str, str, str]]:
        """Return kind, resource and state of each step of the newest."""
        found = self.client.get(
            f"{stack.path}/operations/{self.operation(stack)['id']}",
            "operation",
        )
        return [
            (each["kind"], each["resource_name"], each["state"])
            for each in typing.cast(Json, found)["steps"]
        ]

    def take(self, stack: rest.Stack) -> str:
        found = self.client.ask("POST", f"{stack.path}/snapshots", {})
        self.client.wait(stack, "SNAPSHOT_COMPLETE")
        return str(typing.cast(Json, found)["id"])

    def test_a_snapshot_that_goes_with_the_stack(self) -> None:
        stack = self.created(template(a=declare_resource()))
        taken = self.take(stack)
        self.world.order(self.name, "delete_snapshot", "a", moment="before")

        self.client.delete(stack)
        self.wait_for_act("held-delete_snapshot-before", "a")
        meanwhile = self.steps(stack)
        self.world.forgive(self.name)
        self.client.wait(stack, "DELETE_COMPLETE")

        self.assertIn(("forget", taken, "IN_PROGRESS"), meanwhile)
        self.assertIn(("forget", taken, "COMPLETE"), self.steps(stack))

    def test_a_snapshot_that_cannot_be_removed(self) -> None:
        stack = self.created(template(a=declare_resource()))
        taken = self.take(stack)
        self.world.order(
            self.name,
            "delete_snapshot",
            "a",
            how="permanent",
            moment="before",
            times=1,
        )

        self.client.delete(stack)
        self.client.wait(stack, "DELETE_FAILED")
        failed = self.steps(stack)
        self.client.delete(stack)
        self.client.wait(stack, "DELETE_COMPLETE")

        self.assertIn(("forget", taken, "FAILED"), failed)
        self.assertIn(("forget", taken, "COMPLETE"), self.steps(stack))

    def test_what_was_only_read(self) -> None:
        stack = self.created(template(a=declare_resource()))
        reads = [{"get_attr": ["a", "value"]}]
        self.world.order(self.name, "create", "b")

        self.update(
            stack,
            template(a=declare_resource(), b=declare_resource(reads=reads)),
        )
        self.wait_for_act("held-create-watch", "b")
        meanwhile = self.steps(stack)

        self.assertEqual(
            [("read", "a", "COMPLETE"), ("create", "b", "IN_PROGRESS")],
            meanwhile,
        )

    def test_an_update_that_turns_out_to_be_a_replacement(self) -> None:
        value = {"get_attr": ["a", "label"]}
        refs = [{"get_resource": "b"}]
        wanted = {
            "b": declare_resource(value=value),
            "c": declare_resource(refs=refs),
        }
        stack = self.created(
            template(a=declare_resource(label="old"), **wanted)
        )
        self.world.order(self.name, "update", "c")

        self.update(stack, template(a=declare_resource(label="new"), **wanted))
        self.wait_for_act("held-update-watch", "c")
        meanwhile = self.steps(stack)

        self.assertIn(("update", "b", "COMPLETE"), meanwhile)
        self.assertIn(("update", "c", "IN_PROGRESS"), meanwhile)
        self.assertIn(("delete", "b", "WAITING"), meanwhile)

    def test_an_update_that_turns_out_to_be_needless(self) -> None:
        value = {"get_attr": ["a", "value"]}
        wanted = {"b": declare_resource(value=value)}
        stack = self.created(
            template(a=declare_resource(label="old"), **wanted)
        )
        self.world.order(self.name, "create", "z")

        self.update(
            stack,
            template(
                a=declare_resource(label="new"),
                z=declare_resource("b"),
                **wanted,
            ),
        )
        self.wait_for_act("held-create-watch", "z")

        self.assertIn(("update", "b", "UNNEEDED"), self.steps(stack))

    def test_a_blocked_one_tells_when_it_should_end(self) -> None:
        stack = self.created(template(a=declare_resource(label="0")))
        self.update(stack, template(a=declare_resource(label="1")))
        self.client.wait(stack, "UPDATE_COMPLETE")
        self.world.order(
            self.name, "update", "a", how="quota", moment="before"
        )

        self.update(stack, template(a=declare_resource(label="2")))
        self.wait_for_state(stack, "BLOCKED")
        blocked = self.operation(stack)
        self.act(stack, "cancel_without_rollback")

        self.assertLessEqual(
            str(blocked["next_try_at"]), str(blocked["expected_at"])
        )
        self.client.wait(stack, "UPDATE_FAILED")

    def wait_for_state(self, stack: rest.Stack, state: str) -> None:
        waiting.wait_for(
            lambda: self.operation(stack)["state"] == state, state
        )
