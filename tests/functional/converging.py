"""What tests of updates that go by what things are start from."""

import typing

from tests.functional import nesting
from tests.support import rest
from tests.support import world

Json = nesting.Json
template = nesting.template


def single(*needed: str, **properties: object) -> Json:
    """Return the declaration of a thing that tells what it is."""
    return {
        "type": "Test::World::Single",
        "depends_on": list(needed),
        "properties": properties,
    }


def spelt(**properties: object) -> Json:
    """Return one whose service writes things in its own way."""
    return {"type": "Test::World::Spelt", "properties": properties}


def mute(**properties: object) -> Json:
    """Return one whose type tells nothing."""
    return nesting.declare_resource(**properties)


def three(label: str) -> Json:
    return template(
        a=single(label=label),
        b=single("a", label=label),
        c=single("b", label=label),
    )


class RealityTestCase(nesting.NestedTestCase):
    """Somebody else changes the things of a stack."""

    def converge(
        self, stack: rest.Stack, wanted: Json, **body: object
    ) -> list[str]:
        """Update, and return the calls that changed the world.

        They are those from the beginning of the update to its end.
        """
        body.setdefault("converge", True)
        status = typing.cast(str, body.pop("wait", "UPDATE_COMPLETE"))
        before = self.newest()
        events = len(self.client.events(stack))
        self.update(stack, wanted, **body)
        self.wait_anew(stack, status, events)
        return self.writes(before)

    def update(self, stack: rest.Stack, body: object, **more: object) -> None:
        self.client.ask("PUT", stack.path, {"template": body, **more})

    def plan(self, stack: rest.Stack, wanted: Json, **more: object) -> Json:
        """Return the plan of such an update, which is kept."""
        body = {"action": "update", "template": wanted, "converge": True}
        found = self.client.ask("POST", f"{stack.path}/plans", body | more)
        return typing.cast(Json, typing.cast(Json, found)["plan"])

    def apply(self, stack: rest.Stack, plan: Json) -> None:
        self.client.ask("POST", f"{stack.path}/plans/{plan['id']}/apply")

    def wait_anew(self, stack: rest.Stack, status: str, events: int) -> None:
        """Wait for the end of an update that has told something since."""
        self.client.wait(stack, status)
        self.assertGreater(len(self.client.events(stack)), events)

    def newest(self) -> int:
        """Return the number of the newest call of the world."""
        calls = self.world.calls()
        return calls[-1].number if calls else 0

    def writes(self, after: int) -> list[str]:
        """Return the calls that change things, each as ``act name``."""
        wanted = ("create", "update", "delete")
        return [
            f"{each.act} {each.name}"
            for each in self.mine(after)
            if each.act in wanted
        ]

    def reads(self, after: int) -> int:
        return sum(each.act == "read" for each in self.mine(after))

    def mine(self, after: int) -> list[world.Call]:
        return [
            each
            for each in self.world.calls(after=after)
            if each.stack.startswith(self.name)
        ]

    def labels(self) -> list[str]:
        return [
            each.label for each in self.world.physical_resources(self.name)
        ]

    def preview(self, stack: rest.Stack, wanted: Json, **body: object) -> Json:
        """Return what an update would do."""
        found = self.client.ask(
            "PUT",
            f"{stack.path}/preview?show_nested=true",
            {"template": wanted, "converge": True, **body},
        )
        return typing.cast(Json, found)

    def text(self, stack: rest.Stack, wanted: Json, **body: object) -> str:
        plan = self.preview(stack, wanted, **body)["plan"]
        return str(typing.cast(Json, plan)["text"])
