"""Types whose resources are served by another type, by what they say."""

import typing

from orch.plugin import schema
from orch.template import errors
from orch.template import inputs
from orch.template import template
from orch.template.resources import declaration
from tests import base
from tests.unit.template import fakes

HEAD = "heat_template_version: 2021-04-16\n"
WHERE = schema.Property("where", schema.Type.MAP)
OTHER = schema.Property("other", schema.Type.STRING)


def _serving(self: typing.Any, properties: typing.Any) -> str:
    where = properties.get("where")
    is_far = isinstance(where, dict) and bool(where.get("region"))
    return "T::Far" if is_far else "T::Near"


NEAR = fakes.kind(
    "T::Near",
    (WHERE,),
    (schema.Attribute("near"),),
    chosen_by=("where",),
    serving_type=_serving,
)
FAR = fakes.kind(
    "T::Far", (WHERE, OTHER), (schema.Attribute("far"),), is_variant=True
)
TYPES = fakes.Types(NEAR, FAR)


def load(text: str, **given: object) -> template.Template:
    return template.Template.load(
        inputs.Inputs(HEAD + text, **given),
        TYPES,
        inputs.Identity("id-1", "web", "demo"),
        inputs.Limits(),
    )


class ServingTypeTest(base.TestCase):
    def served(self, properties: str, **given: object) -> str:
        """Return the type that serves a resource with these properties."""
        text = (
            f"parameters: {{p: {{type: string, default: ''}}}}\n"
            "resources:\n"
            "  one: {type: T::Near}\n"
            f"  two: {{type: T::Near, properties: {properties}}}\n"
        )
        loaded = load(text, **given)
        found = loaded.resources["two"]
        self.assertEqual("T::Near", found.declared_type)
        self.assertEqual("T::Near", loaded.resources["one"].type_name)
        return found.type_name

    def test_what_is_written_decides(self) -> None:
        self.assertEqual("T::Near", self.served("{}"))
        self.assertEqual("T::Near", self.served("{where: {region: ''}}"))
        self.assertEqual("T::Far", self.served("{where: {region: far}}"))

    def test_values_of_parameters_decide(self) -> None:
        written = "{where: {region: {get_param: p}}}"

        self.assertEqual("T::Near", self.served(written))
        self.assertEqual(
            "T::Far", self.served(written, parameters={"p": "far"})
        )

    def test_what_depends_on_a_resource_counts_as_written(self) -> None:
        written = "{where: {region: {get_attr: [one, near]}}}"

        self.assertEqual("T::Far", self.served(written))

    def test_nobody_names_the_other_type(self) -> None:
        loaded = load("resources: {one: {type: T::Far}}")

        error = self.assertRaises(
            errors.TypeUnknown, loaded.validate, declaration.check_with_rows
        )

        self.assertIn("T::Far", error.message)

    def test_the_schema_is_that_of_the_type_that_serves(self) -> None:
        self.assertEqual(
            "T::Far", self.served("{where: {region: far}, other: x}")
        )
