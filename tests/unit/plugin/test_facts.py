"""Facts become schemas, or are refused."""

from orch.plugin import facts
from orch.plugin import schema
from tests import base


class FactsTest(base.TestCase):
    def property(self, **found: object) -> schema.Property:
        (made,) = facts.read_properties({"p": {"type": "string"} | found})
        return made

    def test_what_is_left_out_is_false_or_empty(self) -> None:
        self.assertEqual(
            schema.Property("p", schema.Type.STRING), self.property()
        )

    def test_a_property_keeps_all_that_is_said_of_it(self) -> None:
        made = self.property(
            type="integer",
            required=True,
            default=3,
            immutable=True,
            description="How many.",
            former_names=["n"],
            hidden=True,
            constraints=[
                {"range": {"min": 1, "max": 9}, "description": "few"},
                {"modulo": {"step": 2, "offset": 1}},
            ],
        )

        self.assertEqual(
            schema.Property(
                "p",
                schema.Type.INTEGER,
                "How many.",
                required=True,
                default=3,
                on_update=schema.OnUpdate.REFUSE,
                constraints=(
                    schema.Range(minimum=1, maximum=9, description="few"),
                    schema.Modulo(step=2, offset=1),
                ),
                former_names=("n",),
                is_hidden=True,
            ),
            made,
        )

    def test_all_kinds_of_constraints_are_read(self) -> None:
        for written, wanted in (
            ({"length": {"max": 4}}, schema.Length(maximum=4)),
            (
                {"allowed_values": ["a", 1]},
                schema.AllowedValues(values=("a", 1)),
            ),
            ({"allowed_pattern": "a+"}, schema.AllowedPattern(pattern="a+")),
            (
                {"custom_constraint": "nova.flavor"},
                schema.CustomConstraint(name="nova.flavor"),
            ),
        ):
            made = self.property(constraints=[written])
            self.assertEqual((wanted,), made.constraints)

    def test_a_change_is_made_in_place_where_that_is_said(self) -> None:
        self.assertIs(
            schema.OnUpdate.MODIFY,
            self.property(update_allowed=True).on_update,
        )
        self.assertIs(schema.OnUpdate.REPLACE, self.property().on_update)

    def test_parts_of_lists_and_maps_are_read(self) -> None:
        made = self.property(
            type="list",
            schema={
                "*": {"type": "map", "schema": {"size": {"type": "number"}}}
            },
        )

        assert made.items is not None
        self.assertEqual((), made.fields)
        self.assertEqual(
            (schema.Property("size", schema.Type.NUMBER),), made.items.fields
        )

    def test_attributes_may_have_no_type(self) -> None:
        self.assertEqual(
            (
                schema.Attribute("a", schema.Type.MAP, "All."),
                schema.Attribute("b", is_hidden=True),
            ),
            facts.read_attributes(
                {
                    "a": {"type": "map", "description": "All."},
                    "b": {"hidden": True},
                }
            ),
        )

    def test_facts_of_another_form_are_refused(self) -> None:
        for found, text in (
            ({"type": "text"}, "text is no type"),
            ({"typ": "string"}, "unknown: typ"),
            ({"required": "yes"}, "required is no boolean"),
            ({"description": 1}, "description is no text"),
            ({"constraints": {}, "schema": []}, None),
            ({"constraints": "x"}, "constraints is no list"),
            ({"constraints": [{}]}, "a constraint has one of"),
            ({"constraints": [{"size": 1}]}, "a constraint has one of"),
            ({"constraints": [{"range": {"min": "1"}}]}, "min is no number"),
            ({"constraints": [{"length": {"max": 1.5}}]}, "no whole number"),
            ({"constraints": [{"modulo": {}}]}, "needs a step"),
            ({"constraints": [{"allowed_values": 1}]}, "is no list"),
            ({"schema": {"*": 1}}, "is no map"),
        ):
            if text is None:
                self.assertEqual((), self.property(**found).constraints)
                continue
            error = self.assertRaises(facts.BadFacts, self.property, **found)
            self.assertIn(text, error.message)
