"""Outputs say that they are sensitive, and their values are plain."""

import typing

from tests.functional import nesting
from tests.support import rest
from tests.support import world_templates

Json = world_templates.Json

_SECRET: typing.Final = "canary-hidden-5f1c"
_CHILD: typing.Final = """
heat_template_version: 2021-04-16
parameters:
  given: {type: string}
resources:
  echo:
    type: Test::World::Thing
    properties: {label: {get_param: given}}
outputs:
  said: {value: {get_attr: [echo, label]}}
  other: {value: other}
"""
_MAKER: typing.Final = """
heat_template_version: 2021-04-16
resources:
  made: {type: OS::Heat::RandomString}
outputs:
  word: {value: {get_attr: [made, value]}}
"""
_PARAMETERS: typing.Final = {
    "word": {"type": "string", "default": "plain"},
    "secret": {"type": "string", "hidden": True},
}


class MarkTests(nesting.NestedTestCase):
    def make_stack(self, outputs: Json, **resources: Json) -> rest.Stack:
        wanted = {
            **world_templates.template(**resources),
            "parameters": _PARAMETERS,
            "outputs": {key: {"value": each} for key, each in outputs.items()},
        }
        return self.created(
            wanted,
            parameters={"secret": _SECRET},
            files={"child.yaml": _CHILD, "maker.yaml": _MAKER},
        )

    def marks(self, stack: rest.Stack) -> dict[str, tuple[object, bool]]:
        """Return value and mark of each output; both answers agree."""
        found = {}
        for each in self.client.show(stack)["outputs"]:
            key = each["output_key"]
            self.assertEqual(
                each, self.client.get(f"{stack.path}/outputs/{key}", "output")
            )
            found[key] = (each["output_value"], each.get("sensitive", False))
        return found

    def sensitive_keys(self, stack: rest.Stack) -> set[str]:
        found = self.client.get(f"{stack.path}/outputs", "outputs")
        assert isinstance(found, list)
        return {each["output_key"] for each in found if "sensitive" in each}

    def test_what_a_hidden_parameter_goes_into_is_sensitive(self) -> None:
        stack = self.make_stack(
            {
                "plain": {"get_param": "word"},
                "direct": {"get_param": "secret"},
                "joined": {"list_join": ["-", ["a", {"get_param": "secret"}]]},
                "echoed": {"get_attr": ["echo", "label"]},
                "beside": {"get_attr": ["other", "label"]},
            },
            echo=nesting.declare_resource(label={"get_param": "secret"}),
            other=nesting.declare_resource(label={"get_param": "word"}),
        )

        self.assertEqual(
            {
                "plain": ("plain", False),
                "direct": (_SECRET, True),
                "joined": (f"a-{_SECRET}", True),
                "echoed": (_SECRET, True),
                "beside": ("plain", False),
            },
            self.marks(stack),
        )
        self.assertEqual(
            {"direct", "joined", "echoed"}, self.sensitive_keys(stack)
        )

    def test_a_child_stack_is_as_sensitive_as_its_parent(self) -> None:
        stack = self.make_stack(
            {"said": {"get_attr": ["child", "said"]}},
            child={
                "type": "child.yaml",
                "properties": {"given": {"get_param": "secret"}},
            },
        )

        child = self.child_of(stack, "child")

        self.assertEqual({"said": (_SECRET, True)}, self.marks(stack))
        self.assertEqual(
            {"said": (_SECRET, True), "other": ("other", False)},
            self.marks(child),
        )
        self.assertEqual({"said"}, self.sensitive_keys(child))

    def test_what_a_resource_has_generated_is_sensitive(self) -> None:
        stack = self.make_stack(
            {
                "made": {"get_attr": ["random", "value"]},
                "digest": {
                    "digest": ["md5", {"get_attr": ["random", "value"]}]
                },
                "deep": {"get_attr": ["child", "word"]},
                "plain": {"get_param": "word"},
            },
            random={"type": "OS::Heat::RandomString"},
            child={"type": "maker.yaml"},
        )

        found = self.marks(stack)

        self.assertEqual(
            {"made": True, "digest": True, "deep": True, "plain": False},
            {key: mark for key, (_, mark) in found.items()},
        )
        self.assertEqual(32, len(str(found["made"][0])))
        child = self.child_of(stack, "child")
        self.assertEqual({"word": found["deep"]}, self.marks(child))

    def test_an_output_with_the_name_of_a_secret_is_sensitive(self) -> None:
        stack = self.make_stack({"admin_pass": "x", "name": "y"})

        self.assertEqual(
            {"admin_pass": ("x", True), "name": ("y", False)},
            self.marks(stack),
        )
