"""What others ask of a template: to be loaded and validated."""

import time

from orch.plugin import schema
from orch.template import errors
from orch.template import inputs
from orch.template import template
from orch.template.resources import declaration
from tests import base
from tests.unit.template import fakes
from tests.unit.template import loading


class LoadTest(base.TestCase):
    def test_a_template_may_be_an_object(self) -> None:
        written = {"heat_template_version": "2018-08-31", "description": "d"}

        loaded = loading.load(written)

        self.assertIs(written, loaded.raw)
        self.assertEqual("d", loaded.description)

    def test_no_text_at_all_is_no_template(self) -> None:
        for written in (None, "", "42", "[a]", ["a"], "{}", "a: 1"):
            self.assertRaises(
                errors.FormatInvalid,
                template.Template.load,
                inputs.Inputs(written),
                loading.TYPES,
                loading.WHO,
                inputs.Limits(),
            )

    def test_unreadable_text_is_told_with_its_place(self) -> None:
        error = self.assertRaises(
            errors.FormatInvalid, loading.load, "a: [b\nc: d"
        )

        self.assertEqual(3, error.problems[0].line)

    def test_a_text_that_is_too_long_is_refused_by_its_bytes(self) -> None:
        cap = inputs.Limits(template_size=100)

        loading.load("# " + "x" * 40, cap=cap)
        error = self.assertRaises(
            errors.TooLarge, loading.load, "# " + "é" * 40, cap=cap
        )

        self.assertIn("100 bytes", error.message)

    def test_an_object_that_is_too_deep_is_refused(self) -> None:
        deep: object = "x"
        for _ in range(5000):
            deep = [deep]

        self.assertRaises(
            errors.TooLarge,
            loading.load,
            {"heat_template_version": "2018-08-31", "outputs": deep},
        )
        self.assertRaises(
            errors.TooLarge, loading.load, "", parameters={"p": deep}
        )

    def test_json_text_that_is_too_deep_is_refused(self) -> None:
        text = '{"heat_template_version": "2018-08-31", "outputs": '
        deep = text + "[" * 5000 + "]" * 5000 + "}"

        self.assertRaises(
            errors.TooLarge,
            template.Template.load,
            inputs.Inputs(deep),
            loading.TYPES,
            loading.WHO,
            inputs.Limits(),
        )

    def test_too_many_resources_are_refused_unless_lifted(self) -> None:
        text = "resources:\n" + "".join(
            f"  r{n}: {{type: T::Thing}}\n" for n in range(4)
        )

        self.assertRaises(
            errors.TooLarge, loading.load, text, cap=inputs.Limits(resources=3)
        )
        loading.load(text, cap=inputs.Limits(resources=-1)).validate(
            declaration.check_with_rows
        )

    def test_an_unknown_parameter_gets_a_suggestion(self) -> None:
        error = self.assertRaises(
            errors.ParameterUnknown,
            loading.load,
            "parameters: {flavor: {type: string}}",
            parameters={"flavour": "x"},
        )

        self.assertIn("Did you mean flavor?", error.message)


class ValidateTest(base.TestCase):
    def refuse(self, text, kind=errors.TemplateInvalid, **given):
        loaded = loading.load(text, **given)
        return self.assertRaises(
            kind, loaded.validate, declaration.check_with_rows
        )

    def test_all_problems_come_at_once_each_with_its_place(self) -> None:
        error = self.refuse(
            "resources:\n"
            "  a:\n"
            "    type: T::Thing\n"
            "    properties:\n"
            "      txt: x\n"
            "      count: 20\n"
            "  b:\n"
            "    type: T::Needy\n"
            "outputs:\n"
            "  o: {value: {get_attr: [a, nope]}}\n"
        )

        found = {(one.path, one.line, one.column) for one in error.problems}
        self.assertEqual(
            {
                ("resources.a.properties.txt", 6, 7),
                ("resources.a.properties.count", 7, 7),
                ("resources.b.properties", 8, 3),
                ("outputs.o.value.get_attr", 11, 15),
            },
            found,
        )
        self.assertIn("3 more problems", error.message)

    def test_unknown_names_get_suggestions(self) -> None:
        for text, advice in (
            ("resourses: {}", "resources"),
            ("resources: {a: {type: T::Thin}}", "T::Thing"),
            ("resources: {a: {type: T::Thing, propertys: {}}}", "properties"),
            (
                "resources: {a: {type: T::Thing, properties: {txt: x}}}",
                "text",
            ),
        ):
            error = self.refuse(text)
            self.assertEqual(
                f"Did you mean {advice}?", error.problems[0].advice
            )

    def test_a_reference_to_nothing_is_refused(self) -> None:
        for part in (
            "depends_on: bb",
            "properties: {text: {get_resource: bb}}",
            "metadata: {m: {get_attr: [bb, out]}}",
        ):
            error = self.refuse(
                f"resources: {{a: {{type: T::Thing, {part}}},"
                " b: {type: T::Thing}}",
                errors.ReferenceInvalid,
            )
            self.assertIn("bb", error.message)

    def test_a_circle_is_named(self) -> None:
        error = self.refuse(
            "resources:\n"
            "  a: {type: T::Thing, depends_on: c}\n"
            "  b: {type: T::Thing, properties: {text: {get_resource: a}}}\n"
            "  c: {type: T::Thing, metadata: {m: {get_attr: [b, out]}}}\n"
            "  d: {type: T::Thing, depends_on: a}\n",
            errors.Circular,
        )

        self.assertIn("a -> c -> b -> a", error.message)

    def test_a_name_for_a_parameter_and_a_resource_is_refused(self) -> None:
        error = self.refuse(
            "parameters: {a: {type: string, default: x}}\n"
            "resources: {a: {type: T::Thing}}"
        )

        self.assertIn("Duplicate names", error.message)

    def test_missing_parameters_are_told_together(self) -> None:
        error = self.refuse(
            "parameters: {a: {type: string}, b: {type: number}}",
            errors.ParameterMissing,
        )

        self.assertEqual(
            ["parameters.a", "parameters.b"],
            [one.path for one in error.problems],
        )

    def test_what_the_plug_in_refuses_is_refused(self) -> None:
        error = self.refuse(
            "resources: {a: {type: T::Thing, properties: {text: bad}}}"
        )

        self.assertIn("text must not be bad", error.message)

    def test_a_plug_in_that_raises_anything_makes_a_problem(self) -> None:
        def explode(self, properties):
            raise ZeroDivisionError("oops")

        wild = fakes.kind("T::Wild", validate=explode)
        loaded = template.Template.load(
            inputs.Inputs(loading.HEAD + "resources: {a: {type: T::Wild}}"),
            fakes.Types(wild),
            loading.WHO,
            inputs.Limits(),
        )

        error = self.assertRaises(
            errors.TemplateInvalid,
            loaded.validate,
            declaration.check_with_rows,
        )
        self.assertIn("oops", error.message)

    def test_the_plug_in_does_not_see_what_is_not_known_yet(self) -> None:
        seen = []
        nosy = fakes.kind(
            "T::Nosy",
            (
                schema.Property("a", schema.Type.STRING),
                schema.Property("b", schema.Type.LIST),
                schema.Property("c", schema.Type.STRING),
            ),
            (schema.Attribute("out"),),
            validate=lambda self, properties: seen.append(properties),
        )
        text = (
            "resources:\n"
            "  x: {type: T::Nosy}\n"
            "  y: {type: T::Nosy, properties: {a: {get_resource: x},"
            " b: [1, {get_attr: [x, out]}], c: known}}\n"
        )
        template.Template.load(
            inputs.Inputs(loading.HEAD + text),
            fakes.Types(nosy),
            loading.WHO,
            inputs.Limits(),
        ).validate(declaration.check_with_rows)

        self.assertEqual({"c": "known"}, seen[1])

    def test_a_template_as_a_type_has_to_be_there(self) -> None:
        text = "resources: {a: {type: kid.yaml}}"

        self.refuse(text)
        loading.load(text, files={"kid.yaml": loading.HEAD}).validate(
            declaration.check_with_rows
        )

    def test_conditions_that_need_each_other_are_refused(self) -> None:
        error = self.refuse(
            "conditions: {a: {not: b}, b: {not: a}}\n"
            "outputs: {o: {value: {if: [a, 1, 2]}}}"
        )

        self.assertIn("depends on itself", error.message)

    def test_work_without_end_is_refused(self) -> None:
        ten = "[a, b, c, d, e, f, g, h, i, j]"
        lists = ", ".join(f'"%{n}%": {ten}' for n in range(12))
        bombs = (
            f"{{repeat: {{for_each: {{{lists}}}, template: x}}}}",
            "{yaql: {expression: 'range(190).select(range(190).select("
            "range(190).select(range(190).len()).len()).len()).len()'}}",
        )
        for bomb in bombs:
            self.refuse(
                "resources: {a: {type: T::Thing, properties:"
                f" {{many: [{bomb}]}}}}}}",
                errors.TooLarge,
                cap=inputs.Limits(work=5_000_000),
            )

    def test_names_that_no_row_can_hold_are_refused(self) -> None:
        for name, kind in (
            ("x" * 256, "T::Thing"),
            ("x\0y", "T::Thing"),
            ("x\ud800y", "T::Thing"),
            ("x", "T::" + "y" * 256),
            ("x", "T::\0"),
        ):
            self.refuse(
                {
                    "heat_template_version": "2021-04-16",
                    "resources": {name: {"type": kind}},
                },
                environment={"resource_registry": {kind: "T::Thing"}},
            )

    def test_many_wrong_names_get_no_suggestion_each(self) -> None:
        stem = "a" * 20
        written = {
            "heat_template_version": "2021-04-16",
            "resources": {
                f"{stem}b{number}": {
                    "type": "T::Thing",
                    "depends_on": f"{stem}c{number}",
                }
                for number in range(600)
            },
        }
        begun = time.thread_time()

        error = self.refuse(written, errors.ReferenceInvalid)

        self.assertLess(time.thread_time() - begun, 5)
        self.assertEqual(600, len(error.problems))
        self.assertTrue(error.problems[0].advice)
        self.assertFalse(error.problems[-1].advice)

    def test_a_pattern_that_never_ends_is_refused(self) -> None:
        text = (
            "parameters: {p: {type: string, %s"
            "constraints: [{allowed_pattern: (a|a)+$}]}}"
        )
        endless = "a" * 60 + "!"

        for written, given in (
            (text % "", {"p": endless}),
            (text % f"default: '{endless}', ", {}),
        ):
            begun = time.monotonic()
            self.refuse(written, errors.TooLarge, parameters=given)
            self.assertLess(time.monotonic() - begun, 5)

    def test_patterns_share_the_work_of_a_template(self) -> None:
        names = [f"p{number}" for number in range(9)]
        one = "{type: string, constraints: [{allowed_pattern: (a|a)+$}]}"
        section = ", ".join(f"{name}: {one}" for name in names)
        text = f"parameters: {{{section}}}"
        slow = "a" * 14 + "!"

        self.refuse(
            text,
            errors.TooLarge,
            parameters=dict.fromkeys(names, slow),
            cap=inputs.Limits(work=1000),
        )

    def test_text_that_doubles_itself_is_refused(self) -> None:
        text: object = "x" * 100
        for _ in range(40):
            text = {"str_replace": {"template": "YY", "params": {"Y": text}}}
        loaded = loading.load(
            {
                "heat_template_version": "2018-08-31",
                "resources": {
                    "a": {"type": "T::Thing", "properties": {"text": text}}
                },
            }
        )

        self.assertRaises(
            errors.TooLarge, loaded.validate, declaration.check_with_rows
        )
