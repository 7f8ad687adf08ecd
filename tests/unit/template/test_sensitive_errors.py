"""Errors of a template tell nothing of what is sensitive in it."""

import typing

from orch import errors
from orch.plugin import schema
from orch.template import errors as template_errors
from orch.template import inputs
from orch.template import template
from orch.template.resources import declaration
from tests import base
from tests.unit.template import fakes
from tests.unit.template.nested import cases

SECRET = "s3cretword"
P = {"get_param": "p"}
UP = {"yaql": {"expression": "$.data.toUpper()", "data": P}}
AS_MAP = {"yaql": {"expression": "dict($.data => 1)", "data": P}}
PLAIN = {"get_param": "plain"}
_LENGTH = {"expression": "$.data.len()", "data": P}
_OMITTED = "what is wrong with it is not shown, as a sensitive value is in it"
KEYED = {"map_replace": [{"k": "x"}, {"keys": {"k": UP}}]}


def _validate(plugin: object, properties: typing.Mapping[str, object]) -> None:
    if properties.get("many") == 0:
        raise errors.Invalid("many is 0")
    if str(properties.get("must")).startswith("S"):
        raise errors.Invalid(f"{properties['must']} is wrong")


STRICT = fakes.kind(
    "T::Strict",
    (
        schema.Property("must", schema.Type.STRING),
        schema.Property("many", schema.Type.INTEGER),
    ),
    validate=_validate,
)
THING = fakes.kind(
    "T::Thing",
    (
        schema.Property("text", schema.Type.STRING),
        schema.Property(
            "few",
            schema.Type.STRING,
            constraints=(schema.AllowedValues(values=("a", "b")),),
            former_names=("old",),
        ),
        schema.Property(
            "told",
            schema.Type.STRING,
            constraints=(
                schema.Length(maximum=3, description="at most three"),
            ),
        ),
        schema.Property("number", schema.Type.INTEGER),
        schema.Property(
            "fields",
            schema.Type.MAP,
            fields=(
                schema.Property("deep", schema.Type.NUMBER),
                schema.Property("must", schema.Type.STRING, required=True),
            ),
        ),
        schema.Property("key", schema.Type.STRING, is_sensitive=True),
        schema.Property(
            "flavor",
            schema.Type.STRING,
            constraints=(schema.CustomConstraint(name="nova.flavor"),),
        ),
    ),
    (schema.Attribute("out"),),
)
TYPES = fakes.Types(THING, STRICT, cases.GROUP)


def loaded(
    resources: dict[str, object], **sections: object
) -> template.Template:
    """Load a template in which ``p`` is hidden."""
    return template.Template.load(
        inputs.Inputs(
            {
                "heat_template_version": "2021-04-16",
                "parameters": {
                    "p": {"type": "string", "hidden": True},
                    "plain": {"type": "string", "default": "plain"},
                },
                "resources": resources,
                **sections,
            },
            parameters={"p": SECRET},
        ),
        TYPES,
        inputs.Identity("id-1", "web", "demo"),
        inputs.Limits(function_s=-1, work=500_000),
    )


class SensitiveErrorTest(base.TestCase):
    def refuse(
        self, properties: object, type_name: str = "T::Thing"
    ) -> list[tuple[str, str]]:
        """Return paths and texts of what is wrong with a resource."""
        return self.refuse_parts(
            {"r": {"type": type_name, "properties": properties}}
        )

    def refuse_parts(
        self, resources: dict[str, object], **sections: object
    ) -> list[tuple[str, str]]:
        error = self.assertRaises(
            errors.OrchError,
            lambda: loaded(resources, **sections).validate(
                declaration.check_with_rows
            ),
        )
        for text in (
            error.message,
            *(
                f"{each.message} {each.path} {each.advice}"
                for each in error.problems
            ),
        ):
            self.assertNotIn(SECRET, text.lower())
        start = "resources.r.properties"
        return [
            (each.path.removeprefix(start).removeprefix("."), each.message)
            for each in error.problems
        ]

    def test_a_value_of_another_type(self) -> None:
        for written, where, kind in (
            ({"number": UP}, "number", "integer"),
            ({"fields": UP}, "fields", "map"),
            ({"fields": {"deep": UP, "must": "x"}}, "fields.deep", "number"),
            ({"text": [UP]}, "text", "string"),
        ):
            self.assertEqual(
                [(where, f"its value, which is sensitive, is no {kind}")],
                self.refuse(written),
            )

    def test_a_value_that_breaks_a_constraint(self) -> None:
        for written, expected in (
            (
                {"few": UP},
                "its value, which is sensitive, is not an allowed value"
                ' ["a", "b"]',
            ),
            (
                {"old": UP},
                "its value, which is sensitive, is not an allowed value"
                ' ["a", "b"]',
            ),
            ({"told": UP}, "at most three"),
        ):
            (name,) = written
            self.assertEqual([(name, expected)], self.refuse(written))

    def test_a_literal_that_is_a_secret_by_its_type(self) -> None:
        self.assertEqual(
            [("key", "its value, which is sensitive, is no string")],
            self.refuse({"key": [SECRET]}),
        )

    def test_keys_of_a_map_that_a_function_made(self) -> None:
        for written, where in (
            ({"fields": AS_MAP}, "fields"),
            ({"fields": KEYED}, "fields"),
            (AS_MAP, ""),
        ):
            found = self.refuse(written)

            self.assertIn((where, _OMITTED), found)
            self.assertEqual({where}, {path for path, _ in found})

    def test_the_name_of_a_property_that_does_not_exist(self) -> None:
        self.assertEqual(
            [("txet", "Unknown Property txet")], self.refuse({"txet": UP})
        )

    def test_a_property_that_is_missing_beside_a_sensitive_one(self) -> None:
        self.assertEqual(
            [("fields", "Property must not assigned")],
            self.refuse({"fields": {"deep": {"yaql": _LENGTH}}}),
        )

    def test_a_function_that_fails(self) -> None:
        for written in (
            {"make_url": {"scheme": "a", "host": "b", "port": UP}},
            {"yaql": {"expression": "int($.data)", "data": UP}},
            {"list_join": [",", [UP, {"list_join": [",", PLAIN]}]]},
        ):
            found = self.refuse({"text": written, "number": "x"})

            self.assertIn(("text", _OMITTED), found)
            self.assertIn(("number", "Value 'x' is not an integer"), found)

    def test_a_function_that_has_read_nothing_sensitive(self) -> None:
        written = {
            "make_url": {"scheme": "a", "host": "b", "port": PLAIN},
        }

        self.assertEqual(
            [("text", 'Invalid URL port "plain"')],
            self.refuse({"text": written, "key": UP}),
        )

    def test_work_that_is_too_much_is_told(self) -> None:
        many = {"repeat": {"for_each": {"%a%": ["x"] * 300}, "template": UP}}
        for _ in range(2):
            many = {
                "repeat": {
                    "for_each": {"%b%": ["x"] * 300},
                    "template": many,
                }
            }

        declared = {"text": {"list_join": ["", many]}}
        checked = loaded({"r": {"type": "T::Thing", "properties": declared}})

        error = self.assertRaises(
            template_errors.TooLarge,
            checked.validate,
            declaration.check_with_rows,
        )

        self.assertIn("makes more than it may", error.message)

    def test_a_name_of_a_resource(self) -> None:
        for written in (
            {"get_attr": ["r", UP]},
            {"get_attr": [UP, "out"]},
        ):
            self.refuse_parts(
                {
                    "r": {"type": "T::Thing"},
                    "s": {"type": "T::Thing", "properties": {"text": written}},
                }
            )

    def test_what_a_plug_in_refuses(self) -> None:
        self.assertEqual(
            [("", _OMITTED)], self.refuse({"must": UP}, "T::Strict")
        )
        self.assertEqual(
            [("", "many is 0")],
            self.refuse({"must": UP, "many": 0}, "T::Strict"),
        )
        self.assertEqual(
            [("", "Sx is wrong")], self.refuse({"must": "Sx"}, "T::Strict")
        )

    def test_a_condition_that_is_no_boolean(self) -> None:
        for sections in (
            {"conditions": {"c": UP}},
            {"conditions": {"c": {"not": UP}}},
        ):
            self.refuse_parts(
                {"r": {"type": "T::Thing", "condition": "c"}}, **sections
            )

    def test_a_policy_that_does_not_exist(self) -> None:
        found = self.refuse_parts(
            {"r": {"type": "T::Thing", "deletion_policy": UP}}
        )

        self.assertEqual(
            [("resources.r", _OMITTED)],
            [(path.partition(".deletion")[0], text) for path, text in found],
        )

    def test_the_type_of_a_member_of_a_group(self) -> None:
        self.assertEqual(
            [("of.type", _OMITTED)],
            self.refuse({"of": {"type": UP}}, "T::Group"),
        )

    def test_a_value_that_a_service_does_not_know(self) -> None:
        checked = loaded(
            {"r": {"type": "T::Thing", "properties": {"flavor": UP}}}
        )

        error = self.assertRaises(
            template_errors.TemplateInvalid,
            checked.check_services,
            lambda questions: dict.fromkeys(questions, "unknown"),
        )

        self.assertNotIn(SECRET.upper(), error.message)
