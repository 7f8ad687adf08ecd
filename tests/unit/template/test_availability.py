"""Templates with types that nothing serves cannot become stacks."""

from orch.template import errors
from orch.template import inputs
from orch.template import template
from orch.template.resources import declaration
from tests import base
from tests.unit.template import fakes

KNOWN = fakes.kind("T::Known", is_schema_only=True)
OTHER = fakes.kind("T::Other", is_schema_only=True, shows_any_attribute=True)
SERVED = fakes.kind("T::Served")


def load(resources, **more) -> template.Template:
    return template.Template.load(
        inputs.Inputs(
            {
                "heat_template_version": "2021-04-16",
                "resources": resources,
                **more,
            }
        ),
        fakes.Types(KNOWN, OTHER, SERVED),
        inputs.Identity("id", "name", "project"),
        inputs.Limits(),
    )


class AvailabilityTest(base.TestCase):
    def refuse(self, resources, **more) -> errors.TypeUnavailable:
        loaded = load(resources, **more)
        return self.assertRaises(
            errors.TypeUnavailable,
            loaded.validate,
            declaration.check_with_rows,
        )

    def test_one_error_names_all_types_and_resources(self) -> None:
        error = self.refuse(
            {
                "a": {"type": "T::Known"},
                "b": {"type": "T::Served"},
                "c": {"type": "T::Other"},
                "d": {"type": "T::Known"},
            }
        )

        self.assertIn("T::Known (a, d), T::Other (c)", error.message)
        self.assertNotIn("T::Served", error.message)
        self.assertEqual(
            {"resources.a.type", "resources.c.type", "resources.d.type"},
            {problem.path for problem in error.problems},
        )

    def test_of_many_resources_some_are_named(self) -> None:
        error = self.refuse(
            {f"r{number}": {"type": "T::Known"} for number in range(30)}
        )

        self.assertIn("r9 and 20 more", error.message)
        self.assertEqual(30, len(error.problems))

    def test_a_thing_that_exists_already_is_refused_too(self) -> None:
        error = self.refuse({"a": {"type": "T::Known", "external_id": "x"}})

        self.assertIn("T::Known (a)", error.message)

    def test_a_resource_that_is_left_out_does_not_matter(self) -> None:
        load(
            {"a": {"type": "T::Known", "condition": "never"}},
            conditions={"never": False},
        ).validate(declaration.check_with_rows)

    def test_what_is_wrong_with_the_template_comes_first(self) -> None:
        loaded = load(
            {"a": {"type": "T::Known", "properties": {"no_such": 1}}}
        )

        error = self.assertRaises(
            errors.TemplateInvalid,
            loaded.validate,
            declaration.check_with_rows,
        )

        self.assertIn("no_such", error.message)

    def test_the_template_may_be_looked_at(self) -> None:
        answer = load({"a": {"type": "T::Known"}}).validation_answer()

        self.assertEqual("No description", answer["Description"])

    def test_a_type_may_show_attributes_that_it_does_not_declare(
        self,
    ) -> None:
        for type_name, is_fine in (("T::Other", True), ("T::Known", False)):
            loaded = load(
                {"a": {"type": type_name}},
                outputs={"o": {"value": {"get_attr": ["a", "any"]}}},
            )
            if is_fine:
                loaded.validation_answer()
            else:
                error = self.assertRaises(
                    errors.ValidationFailed, loaded.validation_answer
                )
                self.assertIn("(a any) is incorrect", error.message)
