"""What tests of the observer share."""

import json
import typing

from tests.support import rest
from tests.support import serving
from tests.support import waiting

Json = dict[str, typing.Any]

OPTIONS: typing.Final[Json] = {
    "enabled": True,
    "period": 0.5,
    "max_period": 0.5,
    "scan_interval": 0.1,
    "claim_ttl": 2.0,
    "calls_per_second": 1000.0,
    "call_burst": 1000,
    "repair_first_pause": 1.0,
    "repair_max_pause": 1.0,
}
"""Of group ``[observer]``: looks soon and often."""


def listed(label: str = "l") -> Json:
    """Return a thing that is listed with others."""
    return _declare_resource("Listed", label)


def single(label: str = "l") -> Json:
    """Return a thing that is read by itself."""
    return _declare_resource("Single", label)


def _declare_resource(kind: str, label: str) -> Json:
    return {
        "type": f"Test::World::{kind}",
        "properties": {"value": "v", "label": label},
    }


def read(client: rest.Client, stack: rest.Stack) -> Json:
    """Return what is known of the drift of a tree."""
    return typing.cast(Json, client.get(f"{stack.path}/drift", "drift"))


def drifted(client: rest.Client, stack: rest.Stack) -> list[str]:
    """Return the paths of the things that have drifted."""
    return sorted(
        thing["path"]
        for each in read(client, stack)["stacks"]
        for thing in each["resources"]
        if thing["state"] == "drifted"
    )


def set_policy(client: rest.Client, stack: rest.Stack, policy: Json) -> None:
    """Say what is to be done about drift."""
    client.ask("PUT", f"{stack.path}/drift/policy", {"policy": policy})


def wait_for_look(
    client: rest.Client, stack: rest.Stack, limit_s: float = waiting.END_S
) -> Json:
    """Return the drift as seen by a look that began after this call."""
    before = read(client, stack)["observed_at"], _mark(client, stack)

    def has_looked() -> bool:
        return (read(client, stack)["observed_at"], _mark(client, stack)) != (
            before
        )

    waiting.wait_for(has_looked, "a look", limit_s)
    return read(client, stack)


def _mark(client: rest.Client, stack: rest.Stack) -> object:
    """Return what is another one after each look, within a second too."""
    return read(client, stack)["due_at"]


def template(**resources: object) -> dict[str, object]:
    return {"heat_template_version": "2021-04-16", "resources": resources}


class ObserverTestCase(serving.WorldTestCase):
    """Stacks with an observer that looks often."""

    options: typing.ClassVar = {"observer": OPTIONS}

    def create(
        self, more: Json | None = None, /, **resources: object
    ) -> rest.Stack:
        """Return a stack of these resources, once it is complete."""
        stack = self.client.create(
            self.name, template(**resources), **(more or {})
        )
        self.addCleanup(self.remove, stack)
        self.client.wait(stack, "CREATE_COMPLETE", timeout_s=60)
        return stack

    def remove(self, stack: rest.Stack) -> None:
        self.client.delete(stack)
        self.client.wait(stack, "DELETE_COMPLETE", timeout_s=60)

    def wait_for_drift(self, stack: rest.Stack, *paths: str) -> None:
        waiting.wait_for(
            lambda: drifted(self.client, stack) == sorted(paths),
            f"drift of {paths}",
        )

    def wait_for_labels(
        self, *, limit_s: float = waiting.END_S, **labels: str
    ) -> None:
        waiting.wait_for(lambda: self.labels() == labels, f"{labels}", limit_s)

    def looks(self) -> int:
        """Return how often the stack of this test was looked at."""
        return len(self.acts("list"))

    def wait_for_looks(self, count: int) -> None:
        wanted = self.looks() + count
        waiting.wait_for(lambda: self.looks() >= wanted, f"{count} looks")

    def repairs(self, stack: rest.Stack) -> list[str]:
        """Return the states of the updates of a stack, the newest first."""
        return [
            str(each["state"])
            for each in self.operations(stack)
            if each["action"] == "UPDATE"
        ]

    def create_parent(self, **resources: object) -> rest.Stack:
        """Return a stack with one in it that has these resources."""
        stack = self.client.create(
            self.name,
            template(kid={"type": "kid.yaml"}),
            files={"kid.yaml": json.dumps(template(**resources))},
        )
        self.addCleanup(self.remove, stack)
        self.client.wait(stack, "CREATE_COMPLETE")
        return stack

    def find_in_child(self, name: str) -> tuple[str, str]:
        """Return stack and name of a thing in the stack in the stack."""
        return self.world.find_maker(self.name, name), name

    def fail_making(self, name: str, times: int = 1) -> None:
        self.world.order(
            self.name,
            "create",
            name,
            how="permanent",
            moment="before",
            times=times,
        )
