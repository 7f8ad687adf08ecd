"""The stack of a template at an address, without fetching it."""

import dataclasses

from orch import errors
from orch.plugin import nested_stack
from orch.resources.cfn import stack
from tests import base
from tests.unit.resources import contexts


class View:
    """A stack with one output."""

    stack_id = "s"
    stack_name = "shop-kid"
    members = ()
    outputs = {"Said": {"a": 1}}  # noqa: RUF012 - it is never changed

    def output(self, name: str) -> object:
        if name not in self.outputs:
            raise errors.Invalid(f"the template has no output {name}")
        return self.outputs[name]

    def attribute(self, member: str, path: nested_stack.Path) -> object:
        raise errors.Invalid(member)


class StackTest(base.TestCase):
    def setUp(self) -> None:
        super().setUp()
        self.plugin = stack.NestedStack(contexts.options())
        self.context = contexts.make(
            stack.NestedStack, TemplateURL="http://x/t", TimeoutInMinutes=2
        )

    def test_outputs_are_read_by_either_form(self) -> None:
        for path, value in (
            (("Outputs.Said",), {"a": 1}),
            (("Outputs.Said", "a"), 1),
            (("Outputs", "Said", "a"), 1),
        ):
            found = self.plugin.read(self.context, path, View())

            self.assertEqual(value, found, path)

    def test_nothing_else_is_shown(self) -> None:
        for path in (("Said",), ("Outputs",), ("Outputs.",), ("Outputs.No",)):
            self.assertRaises(
                errors.Invalid, self.plugin.read, self.context, path, View()
            )

    def test_its_one_stage_is_what_was_fetched(self) -> None:
        context = dataclasses.replace(
            self.context, data={"template": "text", "other": 1}
        )

        (stage,) = self.plugin.stages(context, ())

        self.assertEqual(
            nested_stack.Stage(template="text", timeout_s=120), stage
        )

    def test_it_is_known_by_its_name_before_it_stands(self) -> None:
        self.assertEqual("thing", self.plugin.reference_id(self.context))
