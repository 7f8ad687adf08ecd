"""Stacks that live and fail, and what is told of each of their actions."""

import typing

from tests.functional.notifications import notification_case
from tests.support import rest
from tests.support import world_templates

Json = notification_case.Json


class LifeCase(notification_case.NotificationTestCase):
    """What is told of the actions of a stack."""

    def pair(self, stack: rest.Stack, action: str, end: str) -> list[Json]:
        """Return the payloads of beginning and end of an action."""
        heard = self.hear(stack, f"{action}.start", f"{action}.{end}")
        found = {notification_case.kind_of(each): each for each in heard}
        begun = found[f"{action}.start"]
        ended = found[f"{action}.{end}"]
        self.assertEqual("info", begun.priority)
        self.assertEqual("error" if end == "error" else "info", ended.priority)
        self.assertEqual(
            begun.payload["operation_id"], ended.payload["operation_id"]
        )
        self.assertLess(begun.payload["sequence"], ended.payload["sequence"])
        return [begun.payload, ended.payload]

    def check_end(self, stack: rest.Stack, action: str) -> Json:
        """Check that an action is told as Heat tells it."""
        begun, ended = self.pair(stack, action, "end")
        word = action.upper()
        self.assertEqual(
            [
                (f"{word}_IN_PROGRESS", f"Stack {word} started"),
                (f"{word}_COMPLETE", f"Stack {word} completed successfully"),
            ],
            [(p["state"], p["state_reason"]) for p in (begun, ended)],
        )
        return ended

    def check_error(self, stack: rest.Stack, action: str, name: str) -> Json:
        """Check that a failure is told as Heat tells it.

        :param name: of the resource that has failed
        """
        begun, ended = self.pair(stack, action, "error")
        word = action.upper()
        self.assertEqual(
            (f"{word}_IN_PROGRESS", f"Stack {word} started"),
            (begun["state"], begun["state_reason"]),
        )
        self.assertEqual(f"{word}_FAILED", ended["state"])
        (failed,) = ended["failed_resources"]
        self.assertEqual(
            (name, f"{self.name}/{name}", "Test::World::Thing"),
            (failed["name"], failed["path"], failed["type"]),
        )
        self.assertIn("Permanent", failed["reason"])
        self.assertEqual(
            f"Resource {failed['action']} failed: {failed['reason']}",
            ended["state_reason"],
        )
        return ended

    def let_fail(self, act: str, name: str, times: int = 1) -> None:
        """Let calls of a resource's plug-in fail."""
        self.world.order(
            self.name,
            act,
            name,
            how="permanent",
            moment="before",
            times=times,
        )

    def snapshot(self, stack: rest.Stack) -> str:
        answer = self.client.ask("POST", f"{stack.path}/snapshots", {})
        return str(typing.cast(Json, answer)["id"])

    def restore(self, stack: rest.Stack, snapshot_id: str) -> None:
        path = f"{stack.path}/snapshots/{snapshot_id}/restore"
        self.client.ask("POST", path)

    def abandon(self, stack: rest.Stack) -> Json:
        answer = self.client.ask("DELETE", f"{stack.path}/abandon")
        return typing.cast(Json, answer)

    def adopt(self, document: Json, **more: object) -> rest.Stack:
        request = {
            "stack_name": self.name,
            "adopt_stack_data": document,
            **more,
        }
        answer = typing.cast(Json, self.client.ask("POST", "/stacks", request))
        return rest.Stack(self.name, answer["stack"]["id"])

    def adopt_wrongly(self) -> rest.Stack:
        """Adopt a stack whose only thing is not as its template says."""
        stack = self.created(
            world_templates.template(a=world_templates.declare_resource())
        )
        document = self.abandon(stack)
        self.hear(stack, "abandon.end")
        document["template"] = world_templates.template(
            a=world_templates.declare_resource(label="other")
        )
        return self.adopt(document, adopt_verify="refuse")


class FailureCase(LifeCase):
    """A resource fails in each way; what is told of it the tests say."""

    def check_failure(self, stack: rest.Stack, action: str, name: str) -> None:
        raise NotImplementedError

    def test_update(self) -> None:
        stack = self.create()
        self.let_fail("update", "a")
        self.update(stack, world_templates.chain("new"))

        self.check_failure(stack, "update", "a")

    def test_delete(self) -> None:
        stack = self.create()
        self.let_fail("delete", "c")
        self.client.delete(stack)

        self.check_failure(stack, "delete", "c")

    def test_suspend(self) -> None:
        stack = self.create()
        self.let_fail("suspend", "c")
        self.act(stack, "suspend")

        self.check_failure(stack, "suspend", "c")

    def test_resume(self) -> None:
        stack = self.create()
        self.act(stack, "suspend")
        self.client.wait(stack, "SUSPEND_COMPLETE")
        self.let_fail("resume", "a")
        self.act(stack, "resume")

        self.check_failure(stack, "resume", "a")

    def test_snapshot(self) -> None:
        stack = self.create()
        self.let_fail("snapshot", "a")
        self.snapshot(stack)

        self.check_failure(stack, "snapshot", "a")
