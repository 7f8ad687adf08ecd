"""What others ask of a template: its values, and what is shown of it."""

import json

from orch import errors as base_errors
from orch.template import errors
from orch.template import world
from orch.template.resources import declaration
from tests import base
from tests.unit.template import loading


class _World(world.EmptyWorld):
    def reference_id(self, name):
        return f"id-of-{name}"

    def attribute(self, name, attribute):
        if attribute == "other":
            raise base_errors.Unavailable("the service is away")
        return f"{attribute}-of-{name}"


class ShownTest(base.TestCase):
    TEXT = (
        "parameters:\n"
        "  a: {type: number, default: 1}\n"
        "  b: {type: string, default: x}\n"
        "  c: {type: string, default: x, hidden: true}\n"
    )

    def test_validation_shows_no_empty_values(self) -> None:
        loaded = loading.load(
            self.TEXT, parameters={"a": 0, "b": "", "c": "y"}
        )

        shown = loaded.validation_answer()["Parameters"]

        self.assertEqual(
            ["c"], [name for name, one in shown.items() if "Value" in one]
        )

    def test_the_environment_of_a_stack_names_secret_parameters(self) -> None:
        loaded = loading.load(
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
        loaded = loading.load(
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
        values = loading.load(self.TEXT).resolve_properties("b", _World())

        self.assertEqual(
            {"text": "out-of-a-z", "many": [1, "id-of-a"], "count": None},
            values,
        )

    def test_properties_without_references_are_worked_out_once(self) -> None:
        loaded = loading.load(self.TEXT)

        first = loaded.resolve_properties("a", _World())

        self.assertEqual("x", first["text"])
        self.assertIs(first, loaded.resolve_properties("a", _World()))

    def test_a_value_that_turns_out_wrong_is_refused(self) -> None:
        loaded = loading.load(
            "resources:\n"
            "  a: {type: T::Thing}\n"
            "  b: {type: T::Thing, properties: {count:"
            " {get_attr: [a, out]}}}\n"
        )
        loaded.validate(declaration.check_with_rows)

        error = self.assertRaises(
            errors.TemplateInvalid, loaded.resolve_properties, "b", _World()
        )
        self.assertIn("resources.b.properties.count", error.message)

    def test_before_the_world_exists_values_are_marked(self) -> None:
        loaded = loading.load(self.TEXT)

        values = loaded.resolve_properties(
            "b", world.EmptyWorld(), marks_unknown=True
        )

        self.assertIs(world.UNKNOWN, values["text"])
        self.assertEqual([1, world.UNKNOWN], values["many"])
        self.assertEqual([1, None], world.visible_value(values["many"]))

    def test_without_marks_the_unknown_ends_it(self) -> None:
        self.assertRaises(
            world.NotYetKnown,
            loading.load(self.TEXT).resolve_properties,
            "b",
            world.EmptyWorld(),
        )

    def test_a_service_that_fails_is_not_called_a_wrong_template(
        self,
    ) -> None:
        loaded = loading.load(
            "resources:\n"
            "  a: {type: T::Thing}\n"
            "  b: {type: T::Thing, properties: {text:"
            " {get_attr: [a, other]}}}\n"
        )

        self.assertRaises(
            base_errors.Unavailable, loaded.resolve_properties, "b", _World()
        )

    def test_declarations_tell_what_the_engine_needs(self) -> None:
        declared = loading.load(self.TEXT).resources

        self.assertEqual(["a", "b"], list(declared))
        self.assertEqual(("a",), declared["b"].requires)
        self.assertEqual("Retain", declared["b"].deletion_policy)

    def test_metadata_is_resolved(self) -> None:
        self.assertEqual(
            {"m": "id-of-a"},
            loading.load(self.TEXT).resolve_metadata("b", _World()),
        )

    def test_each_output_has_its_own_error(self) -> None:
        found = {
            one.key: one
            for one in loading.load(self.TEXT).resolve_outputs(_World())
        }

        self.assertEqual("out-of-b", found["o"].value)
        self.assertEqual("d", found["o"].description)
        self.assertEqual("the service is away", found["bad"].error)
        self.assertIsNone(found["bad"].value)

    def test_one_output_alone_can_be_asked_for(self) -> None:
        found = loading.load(self.TEXT).resolve_outputs(_World(), "o")

        self.assertEqual(["o"], [one.key for one in found])

    def test_outputs_that_are_not_known_yet_are_null(self) -> None:
        found = loading.load(self.TEXT).resolve_outputs(
            world.EmptyWorld(), "o"
        )

        self.assertIsNone(found[0].value)
        self.assertIsNone(found[0].error)

    def test_attributes_that_anything_reads_are_known(self) -> None:
        loaded = loading.load(self.TEXT)

        self.assertEqual({"out", "other"}, loaded.attributes_read("a"))
        self.assertEqual({"out", "other"}, loaded.attributes_read("b"))
        self.assertEqual(frozenset(), loaded.attributes_read("gone"))

    def test_hidden_values_are_never_shown(self) -> None:
        loaded = loading.load(self.TEXT, parameters={"p": "secret"})

        shown = json.dumps(
            [loaded.shown_parameters(), loaded.shown_environment()]
        )

        self.assertNotIn("secret", shown)
        self.assertEqual("******", loaded.shown_parameters()["p"])
        self.assertEqual("web", loaded.shown_parameters()["OS::stack_name"])

    def test_nothing_of_a_hidden_value_is_told_when_it_is_refused(
        self,
    ) -> None:
        for kind, constraint, given, told, untold in (
            (
                "string",
                "{allowed_values: [a]}",
                'geh\u00e4im"x',
                'is not an allowed value ["a"]',
                "eim",
            ),
            (
                "string",
                "{allowed_pattern: '[a-z]+'}",
                "UPPER",
                'does not match pattern "[a-z]+"',
                "UPPER",
            ),
            (
                "string",
                "{length: {min: 8}}",
                "short",
                "has a length that is out of range (min: 8, max: None)",
                "short",
            ),
            (
                "string",
                "{custom_constraint: dns_name}",
                "-label.example.org",
                "does not validate dns_name",
                "label",
            ),
            (
                "number",
                "{range: {max: 9}}",
                "4711",
                "is out of range (min: None, max: 9)",
                "4711",
            ),
            (
                "number",
                "{modulo: {step: 2, offset: 0}}",
                "4711",
                "is not a multiple of 2 with an offset of 0",
                "4711",
            ),
            ("number", "{range: {max: 9}}", "o'n\\e", "is no number", "o'n"),
            (
                "string",
                "{length: {min: 8}, description: Too weak.}",
                "short",
                "Too weak.",
                "short",
            ),
        ):
            with self.subTest(kind=kind, constraint=constraint, given=given):
                error = self.assertRaises(
                    errors.TemplateInvalid,
                    loading.load(
                        "parameters:\n"
                        f"  p: {{type: {kind}, hidden: true,"
                        f" constraints: [{constraint}]}}\n",
                        parameters={"p": given},
                    ).validate,
                    declaration.check_with_rows,
                )
                self.assertIn(told, error.message)
                self.assertNotIn(untold, error.message)

    def test_a_template_is_not_changed_by_its_use(self) -> None:
        loaded = loading.load(self.TEXT)
        before = json.dumps(loaded.raw)

        loaded.validate(declaration.check_with_rows)
        loaded.resolve_properties("b", _World())
        loaded.resolve_outputs(_World())

        self.assertEqual(before, json.dumps(loaded.raw))


class ValidationAnswerTest(base.TestCase):
    def test_values_may_be_missing(self) -> None:
        answer = loading.load(
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
                errors.ValidationFailed, loading.load(text).validation_answer
            )

    def test_asking_leaves_the_template_strict(self) -> None:
        loaded = loading.load("parameters: {n: {type: number}}")

        loaded.validation_answer()

        self.assertRaises(
            errors.ParameterMissing,
            loaded.validate,
            declaration.check_with_rows,
        )
