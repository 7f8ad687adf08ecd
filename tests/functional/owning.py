"""What tests of ``adopt_owned`` around lifecycle plug-ins start from."""

import typing

from tests.functional import lifecycle
from tests.functional import nesting
from tests.support import rest
from tests.support import world_templates

Json = dict[str, typing.Any]
template = world_templates.template

LINKED: typing.Final = "Test::World::Linked"
_CHILD: typing.Final = """
heat_template_version: 2021-04-16
resources:
  b: {type: Test::World::Linked}
"""


def linked(**properties: object) -> Json:
    return {"type": LINKED, "properties": properties}


def held_child() -> Json:
    return {"type": "child.yaml"}


class HeldTestCase(lifecycle.LifecycleTestCase, nesting.NestedTestCase):
    """A stack owns ``a``; requests of others adopt it."""

    count = 2
    options: typing.ClassVar[Json] = {
        "DEFAULT": {"enable_stack_adopt": True, "enable_stack_abandon": True}
    }
    files: typing.ClassVar[Json] = {"child.yaml": _CHILD}

    def setUp(self) -> None:
        super().setUp()
        self.former = self.made("-former", a=linked(label="x"))
        self.physical_id = self.id_of(self.former, "a")

    def made(self, suffix: str, **resources: Json) -> rest.Stack:
        stack = self.client.create(
            f"{self.name}{suffix}", template(**resources), files=self.files
        )
        self.client.wait(stack, "CREATE_COMPLETE")
        return stack

    def made_with_child(self) -> tuple[rest.Stack, rest.Stack, str]:
        """Return a root stack, its child, and the id of what that owns."""
        root = self.made("-root", kid=held_child())
        child = self.child_of(root, "kid")
        return root, child, self.id_of(child, "b")

    def id_of(self, stack: rest.Stack, name: str) -> str:
        row = self.client.resources(stack)[name]
        return str(row["physical_resource_id"])

    def adopt(self, physical_id: str, **body: object) -> rest.Stack:
        """Ask for the adoption of a thing by a new stack."""
        entry = {"type": LINKED, "resource_id": physical_id}
        return self.adopt_document(
            {"template": template(n=linked()), "resources": {"n": entry}},
            **body,
        )

    def adopt_document(self, document: Json, **body: object) -> rest.Stack:
        name = f"{self.name}-new"
        answer = self.client.ask(
            "POST",
            "/stacks",
            {
                "stack_name": name,
                "adopt_stack_data": document,
                "adopt_owned": True,
                **body,
            },
        )
        return rest.Stack(name, typing.cast(Json, answer)["stack"]["id"])

    def adopt_held(self, **body: object) -> rest.Stack:
        """Return a stack whose adoption is on hold."""
        self.plugins.order(1, "pre", "hold", verb="adopt", text="ask Ann")
        stack = self.adopt(self.physical_id, **body)
        self.wait_until_held(stack)
        return stack

    def adopting(self, **more: object) -> Json:
        """Return inputs of an update that takes ``a`` as ``n``."""
        return {
            "external_ids": {"n": self.physical_id},
            "adopt_owned": True,
            **more,
        }

    def take(self, stack: rest.Stack) -> None:
        """Ask for an update of a stack that takes ``a`` as ``n``."""
        self.update(stack, template(n=linked()), **self.adopting())

    def held_update(self) -> rest.Stack:
        """Return a stack whose update, which takes ``a``, is on hold."""
        new = self.made("-new")
        self.plugins.order(1, "pre", "hold", verb="update", stack=new.name)
        self.take(new)
        self.wait_until_held(new)
        self.plugins.forgive()
        return new

    def failed_update(
        self, wait: str = "UPDATE_FAILED", **more: object
    ) -> rest.Stack:
        """Return a stack whose update has failed before it took ``a``."""
        new = self.made("-new")
        self.world.order(new.name, "create", "x", how="permanent")
        self.update(
            new,
            template(
                x=world_templates.declare_resource(),
                n={**linked(), "depends_on": "x"},
            ),
            **self.adopting(**more),
        )
        self.client.wait(new, wait)
        return new

    def kill_workers(self) -> None:
        """Kill all workers, and start new ones."""
        self.system.kill()
        self.system.start()

    def patch(self, stack: rest.Stack) -> None:
        self.client.ask("PATCH", stack.path, {})
        self.client.wait(stack, "UPDATE_COMPLETE")

    def existing_ids(self) -> list[str]:
        """Return the ids of all that exists of the stacks of the test."""
        found = self.world.resources_of_tree(self.name)
        return sorted(each.id for each in found)

    def check_owner(
        self, stack: rest.Stack, name: str, physical_id: str
    ) -> None:
        """Check that a stack has a thing, and that its update keeps it."""
        before = self.existing_ids()
        row = self.client.resources(stack)[name]
        self.assertEqual("CREATE_COMPLETE", row["resource_status"])
        self.assertEqual(physical_id, row["physical_resource_id"])
        self.assertNotIn("Taken over", str(self.client.events(stack)))
        self.patch(stack)
        self.assertEqual(before, self.existing_ids())
        self.assertEqual(physical_id, self.id_of(stack, name))

    def check_taken(
        self, former: rest.Stack, name: str, new: rest.Stack
    ) -> None:
        """Check that a stack has lost what another one has now."""
        self.assertNotIn(name, self.client.resources(former))
        reasons = [
            str(each["resource_status_reason"])
            for each in self.client.events(former)
        ]
        expected = f"Taken over by stack {new.name} ({new.id})"
        self.assertEqual(1, sum(expected in each for each in reasons))

    def delete(self, stack: rest.Stack) -> None:
        self.client.delete(stack)
        self.client.wait(stack, "DELETE_COMPLETE")

    def nested_document(self) -> Json:
        """Return a document whose child stack has the thing of the test."""
        entry = {"type": LINKED, "resource_id": self.physical_id}
        return {
            "template": template(kid=held_child()),
            "files": self.files,
            "resources": {"kid": {"resources": {"b": entry}}},
        }
