"""What clients are told of resource types."""

from orch.plugin import schema
from orch.template import inputs
from orch.template import template
from orch.template import type_facts
from orch.template import world
from orch.template.resources import declaration
from tests import base
from tests.unit.template import fakes

KIND = fakes.kind(
    "T::Kind",
    (
        schema.Property(
            "size",
            schema.Type.INTEGER,
            "How big.",
            default=3,
            on_update=schema.OnUpdate.MODIFY,
            constraints=(schema.Range(minimum=1, maximum=5),),
        ),
        schema.Property(
            "items",
            schema.Type.LIST,
            required=True,
            on_update=schema.OnUpdate.REFUSE,
            items=schema.Property(
                "*",
                schema.Type.MAP,
                fields=(schema.Property("name", schema.Type.STRING),),
            ),
        ),
        schema.Property("old", schema.Type.STRING, is_hidden=True),
    ),
    (
        schema.Attribute("out", schema.Type.STRING, "What came out."),
        schema.Attribute("gone", schema.Type.STRING, is_hidden=True),
    ),
)
LISTS = fakes.kind(
    "T::Lists",
    (
        schema.Property("names", schema.Type.LIST, default=["a"]),
        schema.Property(
            "rules",
            schema.Type.LIST,
            items=schema.Property("*", schema.Type.MAP),
        ),
        schema.Property("is_on", schema.Type.BOOLEAN, default=True),
    ),
)


class TypeFactsTest(base.TestCase):
    def test_properties_are_told_in_the_words_of_heat(self) -> None:
        told = type_facts.type_facts(KIND)["properties"]

        self.assertEqual(
            {
                "type": "integer",
                "required": False,
                "update_allowed": True,
                "immutable": False,
                "description": "How big.",
                "default": 3,
                "constraints": [{"range": {"min": 1, "max": 5}}],
            },
            told["size"],
        )
        below = told["items"]["schema"]["*"]["schema"]
        self.assertEqual("string", below["name"]["type"])
        self.assertTrue(told["items"]["immutable"])

    def test_hidden_properties_are_not_told(self) -> None:
        self.assertNotIn("old", type_facts.type_facts(KIND)["properties"])

    def test_every_type_shows_its_live_object(self) -> None:
        told = type_facts.type_facts(KIND)["attributes"]

        self.assertEqual({"out", "show"}, set(told))
        self.assertEqual("string", told["out"]["type"])

    def test_the_templates_tell_no_hidden_attribute(self) -> None:
        self.assertNotIn(
            "gone", type_facts.template_of_type(KIND, "hot")["outputs"]
        )
        self.assertNotIn(
            "gone", type_facts.template_of_type(KIND, "cfn")["Outputs"]
        )

    def test_parameters_take_what_the_properties_take(self) -> None:
        hot = type_facts.template_of_type(LISTS, "hot")["parameters"]
        cfn = type_facts.template_of_type(LISTS, "cfn")["Parameters"]

        self.assertEqual(
            {
                "names": {"type": "comma_delimited_list", "default": ["a"]},
                "rules": {"type": "json"},
                "is_on": {"type": "boolean", "default": True},
            },
            hot,
        )
        self.assertEqual(
            {
                "names": {"Type": "CommaDelimitedList", "Default": ["a"]},
                "rules": {"Type": "Json"},
                "is_on": {
                    "Type": "Boolean",
                    "Default": True,
                    "AllowedValues": ["True", "true", "False", "false"],
                },
            },
            cfn,
        )

    def test_lists_pass_through_the_templates_as_they_are(self) -> None:
        given = {"names": "a,b", "rules": [{"port": 1}], "is_on": "true"}
        for kind in ("hot", "cfn"):
            loaded = template.Template.load(
                inputs.Inputs(
                    type_facts.template_of_type(LISTS, kind), parameters=given
                ),
                fakes.Types(LISTS),
                inputs.Identity("id", "name", "project"),
                inputs.Limits(),
            )
            loaded.validate(declaration.check_with_rows)

            values = loaded.resolve_properties("Made", world.EmptyWorld())

            self.assertEqual(
                {"names": ["a", "b"], "rules": [{"port": 1}], "is_on": True},
                values,
            )

    def test_the_description_comes_when_asked_for(self) -> None:
        self.assertNotIn("description", type_facts.type_facts(KIND))
        self.assertIn(
            "description", type_facts.type_facts(KIND, with_description=True)
        )

    def test_the_templates_are_templates(self) -> None:
        for kind in ("hot", "cfn"):
            written = type_facts.template_of_type(KIND, kind)
            loaded = template.Template.load(
                inputs.Inputs(written, parameters={"items": [], "size": "4"}),
                fakes.Types(KIND),
                inputs.Identity("id", "name", "project"),
                inputs.Limits(),
            )

            loaded.validate(declaration.check_with_rows)

            self.assertEqual("T::Kind", loaded.resources["Made"].type_name)
