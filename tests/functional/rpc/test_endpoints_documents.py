import dataclasses

from orch import errors
from tests.functional.rpc import worker


class DocumentsTest(worker.TestCase):
    TEXT = """
heat_template_version: 2018-08-31
parameters:
  zone: {type: string, default: z}
  secret: {type: string, hidden: true}
resources:
  web: {type: "Test::Server"}
  app: {type: "Test::Value", properties: {value: 7}}
outputs:
  zone: {description: The zone., value: {get_param: zone}}
  huge: {value: 1}
"""

    def setUp(self) -> None:
        super().setUp()
        self.stack_id = self.create(
            self.TEXT,
            environment={
                "parameters": {"secret": "s3cret"},
                "parameter_defaults": {"zone": "y"},
            },
            files={"a.txt": "text ü", "b.txt": "", "c.txt": "text ü"},
        )

    def test_a_template_is_shown_as_an_object_in_its_order(self) -> None:
        found = self.stacks.template(self.ann, self.stack_id)

        self.assertEqual("2018-08-31", found["heat_template_version"])
        self.assertEqual(["web", "app"], list(found["resources"]))
        self.assertEqual(
            {"type": "Test::Value", "properties": {"value": 7}},
            found["resources"]["app"],
        )

    def test_an_environment_is_shown_with_hidden_values_masked(self) -> None:
        found = self.stacks.environment(self.ann, self.stack_id)

        self.assertEqual({"secret": "******"}, found["parameters"])
        self.assertEqual({"zone": "y"}, found["parameter_defaults"])
        self.assertIn("resource_registry", found)

    def test_files_are_shown_by_name(self) -> None:
        self.assertEqual(
            {"a.txt": "text ü", "b.txt": "", "c.txt": "text ü"},
            self.stacks.files(self.ann, self.stack_id),
        )

    def test_outputs_are_listed_without_values(self) -> None:
        found = self.stacks.outputs(self.ann, self.stack_id)

        self.assertEqual(["zone", "huge"], [each["key"] for each in found])
        self.assertEqual("The zone.", found[0]["description"])
        self.assertNotIn("value", found[0])

    def test_one_output_is_shown_with_its_value(self) -> None:
        self.assertEqual(
            {
                "key": "zone",
                "description": "The zone.",
                "value": "y",
                "sensitive": False,
            },
            self.stacks.output(self.ann, self.stack_id, "zone"),
        )

    def test_an_output_that_is_not_declared_is_not_found(self) -> None:
        error = self.assertRaises(
            errors.NotFound,
            self.stacks.output,
            self.ann,
            self.stack_id,
            "none",
        )
        self.assertEqual("orch.output.not_found", error.code)

    def test_documents_of_another_project_are_not_there(self) -> None:
        for read in (
            self.stacks.template,
            self.stacks.environment,
            self.stacks.files,
            self.stacks.outputs,
        ):
            error = self.assertRaises(
                errors.NotFound, read, self.eve, self.stack_id
            )
            self.assertEqual("orch.stack.not_found", error.code)
        self.assertRaises(
            errors.NotFound,
            self.stacks.output,
            self.eve,
            self.stack_id,
            "zone",
        )

    def test_a_stack_stays_readable_when_limits_are_lowered(self) -> None:
        self.start(
            limits=dataclasses.replace(
                self.deps.limits, template_size=1, resources=1
            )
        )

        found = self.stacks.show(self.ann, self.stack_id)

        self.assertEqual("y", found["parameters"]["zone"])
