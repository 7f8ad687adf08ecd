"""What tests of held and restricted resources share: one server, a stack."""

from tests.support import rest
from tests.support import serving
from tests.support import waiting
from tests.support import world_templates

Json = world_templates.Json


def hooks(**found: object) -> Json:
    """Return an environment with breakpoints at resources."""
    return _special("hooks", found)


def restricted(**found: object) -> Json:
    """Return an environment that forbids something of resources."""
    return _special("restricted_actions", found)


def _special(kind: str, found: dict[str, object]) -> Json:
    resources = {
        name.replace("_all", "*"): {kind: value}
        for name, value in found.items()
    }
    return {"resource_registry": {"resources": resources}}


class HoldingTestCase(serving.WorldTestCase):
    """Environments hold resources, or forbid something of them."""

    def create(self, wanted: Json, environment: Json) -> rest.Stack:
        return self.client.create(self.name, wanted, environment=environment)

    def update(
        self, stack: rest.Stack, wanted: Json, environment: Json
    ) -> None:
        body = {"template": wanted, "environment": environment}
        self.client.ask("PUT", stack.path, body)

    def signal(self, stack: rest.Stack, name: str, body: object) -> None:
        path = f"{stack.path}/resources/{name}/signal"
        self.assertIsNone(self.client.ask("POST", path, body))

    def clear(self, stack: rest.Stack, name: str, hook: str) -> None:
        self.signal(stack, name, {"unset_hook": hook})

    def refused_signal(
        self, stack: rest.Stack, name: str, body: object
    ) -> tuple[int, str]:
        """Return status and error type of a signal that must fail."""
        return self.refused(self.signal, stack, name, body)

    def wait_for_hold(self, stack: rest.Stack, *held: str) -> Json:
        """Return the operation once it waits until these are cleared.

        :param held: hook and resource, ``pre-create of a``
        """

        def find() -> Json | None:
            found = self.operation(stack)
            reason = str(found["reason"])
            is_held = all(f"Hook {each}" in reason for each in held)
            return found if is_held and found["state"] == "BLOCKED" else None

        return waiting.wait_for(find, held)

    def events_of(
        self, stack: rest.Stack, name: str
    ) -> list[tuple[object, ...]]:
        return [
            (each["resource_status"], each["resource_status_reason"])
            for each in self.client.events(stack)
            if each["resource_name"] == name
        ]
