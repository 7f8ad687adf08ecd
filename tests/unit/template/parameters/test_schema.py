"""How templates define parameters: what counts, what is refused, and when."""

from orch.template import errors
from orch.template import inputs
from orch.template import template
from orch.template.resources import declaration
from tests import base
from tests.unit.template import fakes

NUMBER = {"range": {"min": 2}}


def load(definition, *, value=None, is_cfn=False):
    """Return a template with one parameter ``p``."""
    head, section = "heat_template_version", "parameters"
    version = "2021-04-16"
    if is_cfn:
        head, section = "HeatTemplateFormatVersion", "Parameters"
        version = "2012-12-12"
    return template.Template.load(
        inputs.Inputs(
            {head: version, section: {"p": definition}},
            parameters={} if value is None else {"p": value},
        ),
        fakes.Types(),
        inputs.Identity("id", "name", "project"),
        inputs.Limits(),
    )


def act(definition, *, value=None, is_cfn=False):
    loaded = load(definition, value=value, is_cfn=is_cfn)
    loaded.validate(declaration.check_with_rows)
    return loaded


class SchemaTest(base.TestCase):
    def validation_answer(self, definition, **given):
        answer = load(definition, **given).validation_answer()
        parameters = answer["Parameters"]
        assert isinstance(parameters, dict)
        return parameters["p"]

    def refuse(self, kind, definition, **given) -> None:
        self.assertRaises(kind, act, definition, **given)

    def test_label_and_description_are_told_as_written(self) -> None:
        told = self.validation_answer(
            {"type": "string", "label": 1, "description": ["d"]}
        )

        self.assertEqual((1, ["d"]), (told["Label"], told["Description"]))

    def test_bounds_may_be_larger_than_any_float(self) -> None:
        huge = 10**400
        for definition, value in (
            (
                {"type": "string", "constraints": [{"length": {"max": huge}}]},
                "x",
            ),
            (
                {
                    "type": "number",
                    "constraints": [{"modulo": {"step": huge, "offset": 0}}],
                },
                0,
            ),
        ):
            act(definition, value=value)

    def test_without_label_the_name_is_told(self) -> None:
        told = self.validation_answer(
            {"type": "string", "label": "", "description": 0}
        )

        self.assertEqual(("p", ""), (told["Label"], told["Description"]))

    def test_whatever_is_not_empty_hides_a_parameter_of_hot(self) -> None:
        for word, wanted in (
            ("false", "true"),
            ("yes", "true"),
            (1, "true"),
            (False, "false"),
            ("", "false"),
        ):
            told = self.validation_answer({"type": "string", "hidden": word})
            self.assertEqual(wanted, told["NoEcho"], word)

    def test_only_the_word_true_hides_one_of_cloudformation(self) -> None:
        for word, wanted in (
            ("True", "true"),
            (True, "true"),
            (1, "false"),
            ("yes", "false"),
        ):
            told = self.validation_answer(
                {"Type": "String", "NoEcho": word}, is_cfn=True
            )
            self.assertEqual(wanted, told["NoEcho"], word)

    def test_tags_are_a_list_of_anything(self) -> None:
        told = self.validation_answer({"type": "string", "tags": ["a", 1]})

        self.assertEqual(["a", 1], told["Tags"])
        for wrong in (None, "a,b", {}):
            self.refuse(
                errors.SchemaInvalid, {"type": "string", "tags": wrong}
            )

    def test_of_several_constraints_in_one_item_the_first_counts(self) -> None:
        for item, value in (
            ({"allowed_pattern": "x", "length": {"max": 1}}, "a"),
            ({"allowed_pattern": "x", "allowed_values": ["a"]}, "a"),
            ({"custom_constraint": "ip_addr", "length": {"max": 1}}, "a"),
        ):
            act({"type": "string", "constraints": [item]}, value=value)
        both = {"range": {"min": 9}, "modulo": {"step": 2, "offset": 0}}
        act({"type": "number", "constraints": [both]}, value=4)

    def test_steps_are_whole_numbers(self) -> None:
        for modulo in ({"step": 1.5, "offset": 0}, {"step": 2, "offset": 0.5}):
            self.refuse(
                errors.SchemaInvalid,
                {"type": "number", "constraints": [{"modulo": modulo}]},
                value=2,
            )

    def test_a_bound_of_cloudformation_needs_a_number(self) -> None:
        for key in ("MinLength", "MaxLength"):
            self.refuse(
                errors.SchemaInvalid,
                {"Type": "String", "Default": "a", key: None},
                is_cfn=True,
            )
        self.refuse(
            errors.SchemaInvalid,
            {"Type": "Number", "Default": 1, "MinValue": None},
            is_cfn=True,
        )

    def test_cloudformation_knows_no_custom_constraints(self) -> None:
        self.refuse(
            errors.SchemaInvalid,
            {"Type": "String", "CustomConstraint": "ip_addr"},
            is_cfn=True,
        )


class DefaultTest(base.TestCase):
    def refuse(self, kind, type_name, default, constraint) -> None:
        definition = {
            "type": type_name,
            "default": default,
            "constraints": [constraint],
        }
        self.assertRaises(kind, act, definition)

    def test_a_default_has_to_keep_to_the_constraints(self) -> None:
        self.refuse(errors.SchemaInvalid, "number", 1, NUMBER)
        self.refuse(
            errors.SchemaInvalid, "json", {"a": 1}, {"length": {"min": 2}}
        )

    def test_constraints_see_a_default_as_it_is_written(self) -> None:
        self.refuse(errors.SchemaInvalid, "string", 5, {"length": {"min": 1}})
        self.refuse(
            errors.SchemaInvalid,
            "comma_delimited_list",
            "",
            {"allowed_values": ["a"]},
        )
        # The text is long enough; the value is not.
        self.refuse(
            errors.TemplateInvalid, "json", '["a"]', {"length": {"min": 2}}
        )

    def test_named_checks_judge_the_value_alone(self) -> None:
        definition = {
            "type": "string",
            "default": "x",
            "constraints": [{"custom_constraint": "ip_addr"}],
        }

        self.assertIn("Parameters", load(definition).validation_answer())
        self.assertRaises(errors.TemplateInvalid, act, definition)

    def test_the_default_of_a_list_is_a_list_or_text(self) -> None:
        for default in (5, True, {"a": "b"}):
            definition = {"type": "comma_delimited_list", "default": default}
            self.assertRaises(errors.SchemaInvalid, act, definition)
            self.assertRaises(
                errors.SchemaInvalid, load(definition).validation_answer
            )


class ShownTest(base.TestCase):
    def test_json_is_shown_as_json_whatever_it_is(self) -> None:
        for value, wanted in (
            ("", '""'),
            ("null", "null"),
            ('"a"', '"a"'),
            ([1], "[1]"),
        ):
            shown = act({"type": "json"}, value=value).shown_parameters()
            self.assertEqual(wanted, shown["p"])
