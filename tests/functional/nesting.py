"""What tests of stacks in stacks start from."""

import typing

from tests.functional import acting
from tests.support import rest
from tests.support import waiting
from tests.support import world
from tests.support import world_templates

Json = world_templates.Json
declare_resource = world_templates.declare_resource
template = world_templates.template

INNER = """
heat_template_version: 2021-04-16
parameters:
  label: {type: string, default: none}
resources:
  inner:
    type: Test::World::Thing
    properties: {label: {get_param: label}}
  last:
    type: Test::World::Thing
    depends_on: inner
outputs:
  said: {value: {get_attr: [inner, label]}}
  id: {value: {get_resource: inner}}
  deep: {value: {a: [x, {get_param: label}]}}
"""


def child_resource(**properties: object) -> Json:
    """Return a resource that is a stack."""
    return {"type": "inner.yaml", "properties": properties}


class NestedTestCase(acting.ActionsTestCase):
    """Stacks of templates that come with the request."""

    def make(
        self, resources: Json, wait: str = "CREATE_COMPLETE", **body: object
    ) -> rest.Stack:
        """Create a stack with ``inner.yaml`` among its files."""
        body.setdefault("files", {"inner.yaml": INNER})
        outputs = body.pop("outputs", {})
        stack = self.client.create(
            self.name,
            {
                "heat_template_version": "2021-04-16",
                "resources": resources,
                "outputs": outputs,
            },
            **body,
        )
        self.client.wait(stack, wait)
        return stack

    def child_of(self, stack: rest.Stack, name: str) -> rest.Stack:
        """Return the stack that a resource is."""
        found = self.client.get(f"{stack.path}/resources/{name}", "resource")
        assert isinstance(found, dict)
        link = next(each for each in found["links"] if each["rel"] == "nested")
        return rest.Stack(*link["href"].rsplit("/", 2)[1:])

    def physical_resources(self) -> list[world.PhysicalResource]:
        """Return what stands of the tree of the test's stack."""
        return self.world.resources_of_tree(self.name)

    def outputs(self, stack: rest.Stack) -> Json:
        found = typing.cast(Json, self.client.get(stack.path, "stack"))
        return {
            each["output_key"]: each["output_value"]
            for each in typing.cast(list[Json], found["outputs"])
        }

    def tree_acts(self, *acts: str) -> list[str]:
        """Return the names of what these acts were called for, in order."""
        return [
            each.name
            for each in self.world.calls()
            if each.act in acts and each.stack.startswith(self.name)
        ]

    def wait_for_tree(self, act: str, name: str) -> None:
        waiting.wait_for(
            lambda: name in self.tree_acts(act), f"{act} of {name}"
        )

    def labels(self) -> dict[str, str]:
        return {each.name: each.label for each in self.physical_resources()}

    def change(
        self,
        stack: rest.Stack,
        resources: Json,
        wait: str | None = "UPDATE_COMPLETE",
        **body: object,
    ) -> None:
        """Update a stack, with ``inner.yaml`` among its files."""
        body.setdefault("files", {"inner.yaml": INNER})
        self.update(stack, template(**resources), **body)
        if wait:
            self.client.wait(stack, wait)

    def operations(self, stack: rest.Stack) -> list[Json]:
        found = self.client.get(f"{stack.path}/operations", "operations")
        return typing.cast(list[Json], found)

    def state(self, stack: rest.Stack) -> object:
        return self.client.show(stack)["stack_status"]
