"""What tests of the actions of a stack share."""

from tests.support import rest
from tests.support import serving
from tests.support import world_templates

MISSING = rest.Stack("no", "6c3b0a8e-5f3a-4a0f-9d7c-0f6f7b1d2a11")

Json = world_templates.Json


class ActionsTestCase(serving.WorldTestCase):
    """The stack is a chain of three things."""

    def create(self, label: str = "", **body: object) -> rest.Stack:
        return self.created(world_templates.chain(label), **body)

    def created(self, wanted: Json, **body: object) -> rest.Stack:
        stack = self.client.create(self.name, wanted, **body)
        self.client.wait(stack, "CREATE_COMPLETE")
        return stack

    def act(
        self, stack: rest.Stack, action: str, value: object = None
    ) -> None:
        answer = self.client.ask(
            "POST", f"{stack.path}/actions", {action: value}
        )
        self.assertIsNone(answer)

    def update(self, stack: rest.Stack, wanted: Json, **body: object) -> None:
        self.client.ask("PUT", stack.path, {"template": wanted, **body})

    def mark(self, stack: rest.Stack, name: str, **body: object) -> None:
        path = f"{stack.path}/resources/{name}"
        self.assertIsNone(self.client.ask("PATCH", path, body))

    def resting(self) -> set[str]:
        return {
            each.name
            for each in self.world.physical_resources(self.name)
            if each.rests
        }

    def statuses(self, stack: rest.Stack) -> dict[str, object]:
        rows = self.client.resources(stack)
        return {name: row["resource_status"] for name, row in rows.items()}

    def events_after(
        self, stack: rest.Stack, after: str
    ) -> list[tuple[object, object]]:
        """Return name and status of each event after one of the stack's."""
        events = self.client.events(stack)
        told = [(e["resource_name"], e["resource_status"]) for e in events]
        return told[told.index((self.name, after)) + 1 :]
