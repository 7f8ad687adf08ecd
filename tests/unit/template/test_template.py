"""What others ask of a template."""

import json
import time

from orch import errors as base_errors
from orch.plugin import schema
from orch.template import errors
from orch.template import identity
from orch.template import inputs
from orch.template import limits
from orch.template import template
from orch.template import world
from tests import base
from tests.unit.template import fakes

WHO = identity.Identity("id-1", "web", "demo")
HEAD = "heat_template_version: 2021-04-16\n"


def _picky(self, properties):
    if properties.get("text") == "bad":
        raise base_errors.Invalid("text must not be bad")


THING = fakes.kind(
    "T::Thing",
    (
        schema.Property("text", schema.Type.STRING, default="none"),
        schema.Property("many", schema.Type.LIST),
        schema.Property(
            "count",
            schema.Type.INTEGER,
            constraints=(schema.Range(minimum=1, maximum=9),),
        ),
    ),
    (schema.Attribute("out"), schema.Attribute("other")),
    validate=_picky,
)
NEEDY = fakes.kind(
    "T::Needy", (schema.Property("must", schema.Type.STRING, required=True),)
)
TYPES = fakes.Types(THING, NEEDY)


class _World:
    def reference_id(self, name):
        return f"id-of-{name}"

    def attribute(self, name, attribute):
        if attribute == "other":
            raise base_errors.Unavailable("the service is away")
        return f"{attribute}-of-{name}"


def load(text, *, cap=None, **given):
    return template.Template.load(
        inputs.Inputs(HEAD + text if isinstance(text, str) else text, **given),
        TYPES,
        WHO,
        cap or limits.Limits(),
    )


class LoadTest(base.TestCase):
    def test_a_template_may_be_an_object(self) -> None:
        written = {"heat_template_version": "2018-08-31", "description": "d"}

        loaded = load(written)

        self.assertIs(written, loaded.raw)
        self.assertEqual("d", loaded.description)

    def test_no_text_at_all_is_no_template(self) -> None:
        for written in (None, "", "42", "[a]", ["a"], "{}", "a: 1"):
            self.assertRaises(
                errors.FormatInvalid,
                template.Template.load,
                inputs.Inputs(written),
                TYPES,
                WHO,
                limits.Limits(),
            )

    def test_unreadable_text_is_told_with_its_place(self) -> None:
        error = self.assertRaises(errors.FormatInvalid, load, "a: [b\nc: d")

        self.assertEqual(3, error.problems[0].line)

    def test_a_text_that_is_too_long_is_refused_by_its_bytes(self) -> None:
        cap = limits.Limits(template_size=100)

        load("# " + "x" * 40, cap=cap)
        error = self.assertRaises(
            errors.TooLarge, load, "# " + "é" * 40, cap=cap
        )

        self.assertIn("100 bytes", error.message)

    def test_an_object_that_is_too_deep_is_refused(self) -> None:
        deep: object = "x"
        for _ in range(5000):
            deep = [deep]

        self.assertRaises(
            errors.TooLarge,
            load,
            {"heat_template_version": "2018-08-31", "outputs": deep},
        )
        self.assertRaises(errors.TooLarge, load, "", parameters={"p": deep})

    def test_json_text_that_is_too_deep_is_refused(self) -> None:
        text = '{"heat_template_version": "2018-08-31", "outputs": '
        deep = text + "[" * 5000 + "]" * 5000 + "}"

        self.assertRaises(
            errors.TooLarge,
            template.Template.load,
            inputs.Inputs(deep),
            TYPES,
            WHO,
            limits.Limits(),
        )

    def test_too_many_resources_are_refused_unless_lifted(self) -> None:
        text = "resources:\n" + "".join(
            f"  r{n}: {{type: T::Thing}}\n" for n in range(4)
        )

        self.assertRaises(
            errors.TooLarge, load, text, cap=limits.Limits(resources=3)
        )
        load(text, cap=limits.Limits(resources=-1)).validate()

    def test_an_unknown_parameter_gets_a_suggestion(self) -> None:
        error = self.assertRaises(
            errors.ParameterUnknown,
            load,
            "parameters: {flavor: {type: string}}",
            parameters={"flavour": "x"},
        )

        self.assertIn("Did you mean flavor?", error.message)


class ValidateTest(base.TestCase):
    def refuse(self, text, kind=errors.TemplateInvalid, **given):
        loaded = load(text, **given)
        return self.assertRaises(kind, loaded.validate)

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
            inputs.Inputs(HEAD + "resources: {a: {type: T::Wild}}"),
            fakes.Types(wild),
            WHO,
            limits.Limits(),
        )

        error = self.assertRaises(errors.TemplateInvalid, loaded.validate)
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
            inputs.Inputs(HEAD + text),
            fakes.Types(nosy),
            WHO,
            limits.Limits(),
        ).validate()

        self.assertEqual({"c": "known"}, seen[1])

    def test_a_template_as_a_type_has_to_be_there(self) -> None:
        text = "resources: {a: {type: kid.yaml}}"

        self.refuse(text)
        load(text, files={"kid.yaml": HEAD}).validate()

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
                cap=limits.Limits(work=5_000_000),
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
            cap=limits.Limits(work=1000),
        )

    def test_text_that_doubles_itself_is_refused(self) -> None:
        text: object = "x" * 100
        for _ in range(40):
            text = {"str_replace": {"template": "YY", "params": {"Y": text}}}
        loaded = load(
            {
                "heat_template_version": "2018-08-31",
                "resources": {
                    "a": {"type": "T::Thing", "properties": {"text": text}}
                },
            }
        )

        self.assertRaises(errors.TooLarge, loaded.validate)


class ShownTest(base.TestCase):
    TEXT = (
        "parameters:\n"
        "  a: {type: number, default: 1}\n"
        "  b: {type: string, default: x}\n"
        "  c: {type: string, default: x, hidden: true}\n"
    )

    def test_validation_shows_no_empty_values(self) -> None:
        loaded = load(self.TEXT, parameters={"a": 0, "b": "", "c": "y"})

        shown = loaded.validation_answer()["Parameters"]

        self.assertEqual(
            ["c"], [name for name, one in shown.items() if "Value" in one]
        )

    def test_the_environment_of_a_stack_names_secret_parameters(self) -> None:
        loaded = load(
            self.TEXT,
            environment="encrypted_param_names: [b]\nparameters: {c: y}\n",
        )

        shown = loaded.shown_environment()

        self.assertEqual(["b"], shown["encrypted_param_names"])
        self.assertEqual({"c": "******"}, shown["parameters"])
        self.assertNotIn(
            "encrypted_param_names", loaded.validation_answer()["Environment"]
        )

    def test_resources_bear_the_hooks_of_the_environment(self) -> None:
        loaded = load(
            "resources: {web: {type: T::Thing}, db: {type: T::Thing}}",
            environment="resource_registry: {resources: {w*: {hooks:"
            " pre-create, restricted_actions: [replace]}}}",
        )

        self.assertEqual(("pre-create",), loaded.resources["web"].hooks)
        self.assertEqual(
            ("replace",), loaded.resources["web"].restricted_actions
        )
        self.assertEqual((), loaded.resources["db"].hooks)


class ResolveTest(base.TestCase):
    TEXT = (
        "parameters: {p: {type: string, default: x, hidden: true}}\n"
        "conditions: {never: false}\n"
        "resources:\n"
        "  a: {type: T::Thing, properties: {text: {get_param: p}}}\n"
        "  b:\n"
        "    type: T::Thing\n"
        "    deletion_policy: retain\n"
        "    depends_on: [gone]\n"
        "    metadata: {m: {get_resource: a}}\n"
        "    properties:\n"
        "      text: {list_join: ['-', [{get_attr: [a, out]}, z]]}\n"
        "      many: [1, {get_resource: a}]\n"
        "  gone: {type: T::Thing, condition: never}\n"
        "outputs:\n"
        "  o: {value: {get_attr: [b, out]}, description: d}\n"
        "  bad: {value: {get_attr: [a, other]}}\n"
        "  all: {value: {get_attr: [b]}}\n"
    )

    def test_properties_are_coerced_and_completed(self) -> None:
        values = load(self.TEXT).resolve_properties("b", _World())

        self.assertEqual(
            {"text": "out-of-a-z", "many": [1, "id-of-a"], "count": None},
            values,
        )

    def test_properties_without_references_are_worked_out_once(self) -> None:
        loaded = load(self.TEXT)

        first = loaded.resolve_properties("a", _World())

        self.assertEqual("x", first["text"])
        self.assertIs(first, loaded.resolve_properties("a", _World()))

    def test_a_value_that_turns_out_wrong_is_refused(self) -> None:
        loaded = load(
            "resources:\n"
            "  a: {type: T::Thing}\n"
            "  b: {type: T::Thing, properties: {count:"
            " {get_attr: [a, out]}}}\n"
        )
        loaded.validate()

        error = self.assertRaises(
            errors.TemplateInvalid, loaded.resolve_properties, "b", _World()
        )
        self.assertIn("resources.b.properties.count", error.message)

    def test_before_the_world_exists_values_are_marked(self) -> None:
        loaded = load(self.TEXT)

        values = loaded.resolve_properties(
            "b", world.EmptyWorld(), marks_unknown=True
        )

        self.assertIs(world.UNKNOWN, values["text"])
        self.assertEqual([1, world.UNKNOWN], values["many"])
        self.assertEqual([1, None], world.visible(values["many"]))

    def test_without_marks_the_unknown_ends_it(self) -> None:
        self.assertRaises(
            world.NotYetKnown,
            load(self.TEXT).resolve_properties,
            "b",
            world.EmptyWorld(),
        )

    def test_a_service_that_fails_is_not_called_a_wrong_template(
        self,
    ) -> None:
        loaded = load(
            "resources:\n"
            "  a: {type: T::Thing}\n"
            "  b: {type: T::Thing, properties: {text:"
            " {get_attr: [a, other]}}}\n"
        )

        self.assertRaises(
            base_errors.Unavailable, loaded.resolve_properties, "b", _World()
        )

    def test_declarations_tell_what_the_engine_needs(self) -> None:
        declared = load(self.TEXT).resources

        self.assertEqual(["a", "b"], list(declared))
        self.assertEqual(("a",), declared["b"].requires)
        self.assertEqual("Retain", declared["b"].deletion_policy)

    def test_metadata_is_resolved(self) -> None:
        self.assertEqual(
            {"m": "id-of-a"}, load(self.TEXT).resolve_metadata("b", _World())
        )

    def test_each_output_has_its_own_error(self) -> None:
        found = {
            one.key: one for one in load(self.TEXT).resolve_outputs(_World())
        }

        self.assertEqual("out-of-b", found["o"].value)
        self.assertEqual("d", found["o"].description)
        self.assertEqual("the service is away", found["bad"].error)
        self.assertIsNone(found["bad"].value)

    def test_one_output_alone_can_be_asked_for(self) -> None:
        found = load(self.TEXT).resolve_outputs(_World(), "o")

        self.assertEqual(["o"], [one.key for one in found])

    def test_outputs_that_are_not_known_yet_are_null(self) -> None:
        found = load(self.TEXT).resolve_outputs(world.EmptyWorld(), "o")

        self.assertIsNone(found[0].value)
        self.assertIsNone(found[0].error)

    def test_attributes_that_anything_reads_are_known(self) -> None:
        loaded = load(self.TEXT)

        self.assertEqual({"out", "other"}, loaded.attributes_read("a"))
        self.assertEqual({"out", "other"}, loaded.attributes_read("b"))
        self.assertEqual(frozenset(), loaded.attributes_read("gone"))

    def test_hidden_values_are_never_shown(self) -> None:
        loaded = load(self.TEXT, parameters={"p": "secret"})

        shown = json.dumps(
            [loaded.shown_parameters(), loaded.shown_environment()]
        )

        self.assertNotIn("secret", shown)
        self.assertEqual("******", loaded.shown_parameters()["p"])
        self.assertEqual("web", loaded.shown_parameters()["OS::stack_name"])

    def test_a_template_is_not_changed_by_its_use(self) -> None:
        loaded = load(self.TEXT)
        before = json.dumps(loaded.raw)

        loaded.validate()
        loaded.resolve_properties("b", _World())
        loaded.resolve_outputs(_World())

        self.assertEqual(before, json.dumps(loaded.raw))


class ValidationAnswerTest(base.TestCase):
    def test_values_may_be_missing(self) -> None:
        answer = load(
            "parameters:\n"
            "  n: {type: number, label: Size, constraints:"
            " [{range: {min: 1, max: 5}, description: small}]}\n"
            "resources: {a: {type: T::Needy, properties: {must:"
            " {get_param: n}}}}\n"
        ).validation_answer()

        self.assertEqual(
            {
                "Type": "Number",
                "Description": "",
                "NoEcho": "false",
                "Label": "Size",
                "MinValue": 1,
                "MaxValue": 5,
                "ConstraintDescription": "small",
            },
            answer["Parameters"]["n"],
        )

    def test_what_is_wrong_has_one_type(self) -> None:
        for text in (
            "resources: {a: {type: No::Such}}",
            "sections: {}",
            "resources: {a: {type: T::Thing, properties: {nope: 1}}}",
        ):
            self.assertRaises(
                errors.ValidationFailed, load(text).validation_answer
            )

    def test_asking_leaves_the_template_strict(self) -> None:
        loaded = load("parameters: {n: {type: number}}")

        loaded.validation_answer()

        self.assertRaises(errors.ParameterMissing, loaded.validate)
