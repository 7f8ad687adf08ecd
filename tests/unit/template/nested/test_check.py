"""Templates of resources: what is wrong with them."""

from orch.template import errors
from orch.template import inputs
from orch.template.resources import declaration
from tests.unit.template.nested import cases


class PlaceTest(cases.NestedCase):
    def test_what_is_wrong_in_a_file_is_told_with_the_file(self) -> None:
        error = self.refuse(
            cases.KID,
            {
                "kid.yaml": "resources:\n"
                "  x:\n    type: T::Thing\n    properties: {tekst: a}\n"
                "outputs: {o: {value: {get_attr: [x, oud]}}}\n"
            },
        )

        found = [
            (one.file, one.line, one.column, one.path, one.advice)
            for one in error.problems
        ]
        self.assertEqual(
            [
                (
                    *("kid.yaml", 5, 18, "resources.x.properties.tekst"),
                    "Did you mean text?",
                ),
                (
                    *("kid.yaml", 6, 23, "outputs.o.value.get_attr"),
                    "Did you mean out?",
                ),
            ],
            found,
        )
        self.assertIn("kid.yaml", error.message)

    def test_what_is_wrong_here_and_there_is_told_together(self) -> None:
        error = self.refuse(
            "resources: {k: {type: kid.yaml}, x: {type: T::Thing,"
            " properties: {tekst: a}}}",
            {"kid.yaml": "resources: {y: {type: T::Think}}"},
        )

        self.assertEqual(
            {("", 2), ("kid.yaml", 2)},
            {(one.file, one.line) for one in error.problems},
        )

    def test_a_file_that_is_no_template_is_told_once(self) -> None:
        wrong = {
            "a: [b\nc: d": "Error parsing",
            "parameters: {p: {type: strin}}": "Invalid type (strin)",
        }
        for text, why in wrong.items():
            error = self.refuse(
                "resources: {k: {type: kid.yaml}, l: {type: kid.yaml}}\n"
                "outputs: {o: {value: {get_attr: [k, any]}}}",
                {"kid.yaml": text},
            )
            self.assertEqual(1, len(error.problems), error.problems)
            self.assertIn(why, error.problems[0].message)
            self.assertEqual("kid.yaml", error.problems[0].file)

    def test_a_file_that_many_templates_name_is_told_once(self) -> None:
        files = {
            "kid.yaml": "resources: {k: {type: low.yaml}}",
            "low.yaml": "parameters: {p: {type: strin}}",
        }
        text = "resources: {k: {type: kid.yaml}, l: {type: low.yaml}}"
        loaded = cases.load(text, files)

        for _ in range(2):
            error = self.assertRaises(
                errors.TemplateInvalid,
                loaded.validate,
                declaration.check_with_rows,
            )
            self.assertEqual(1, len(error.problems), error.problems)
        self.assertRaises(errors.ValidationFailed, loaded.validation_answer)

    def test_a_version_that_is_unknown_is_told(self) -> None:
        error = self.refuse(cases.KID, {"kid.yaml": "A: b"})

        self.assertIn("version not found", error.message)
        self.assertEqual("kid.yaml", error.problems[0].file)

    def test_a_file_that_did_not_come_gets_a_suggestion(self) -> None:
        error = self.refuse(
            "resources: {k: {type: kit.yaml}}", {"kid.yaml": ""}
        )

        self.assertEqual("Did you mean kid.yaml?", error.problems[0].advice)
        self.assertEqual("resources.k.type", error.problems[0].path)

    def test_stacks_of_one_template_share_what_is_wrong_with_it(self) -> None:
        error = self.refuse(
            "resources:\n"
            + "".join(
                f"  r{n}: {{type: kid.yaml, properties: {{p: {n}}}}}\n"
                for n in range(9)
            ),
            {
                "kid.yaml": "parameters: {p: {type: string}}\n"
                "resources: {x: {type: T::Thing, properties: {tekst: a}}}"
            },
        )

        self.assertEqual(1, len(error.problems))

    def test_what_stands_deep_below_is_told(self) -> None:
        error = self.refuse(
            cases.KID,
            {
                "kid.yaml": "resources: {k: {type: low.yaml}}",
                "low.yaml": "resources: {x: {type: T::Thing, depends_on: y},"
                " y: {type: T::Thing, depends_on: x}}",
            },
        )

        self.assertIn("x -> y -> x", error.message)
        self.assertEqual("low.yaml", error.problems[0].file)


class PropertiesTest(cases.NestedCase):
    def test_parameters_are_properties(self) -> None:
        error = self.refuse(
            "resources: {k: {type: kid.yaml, properties:"
            " {one: [], tow: 1, few: c}}}",
            {
                "kid.yaml": "parameters:\n"
                "  one: {type: number}\n  two: {type: string}\n"
                "  few: {type: string, constraints: [{allowed_values: [a]}]}"
            },
        )

        self.assertEqual(
            [
                "resources.k.properties",
                "resources.k.properties.few",
                "resources.k.properties.one",
                "resources.k.properties.tow",
            ],
            sorted(one.path for one in error.problems),
        )

    def test_a_default_of_the_environment_makes_it_optional(self) -> None:
        files = {"kid.yaml": "parameters: {p: {type: string}}"}

        self.refuse(cases.KID, files)
        self.take(
            cases.KID, files, environment={"parameter_defaults": {"p": "a"}}
        )

    def test_a_parameter_of_the_stack_does_not_reach_below(self) -> None:
        self.refuse(
            f"parameters: {{p: {{type: string}}}}\n{cases.KID}",
            {"kid.yaml": "parameters: {p: {type: string}}"},
            parameters={"p": "a"},
        )

    def test_lists_and_maps_may_be_given_as_texts(self) -> None:
        kid = "parameters: {l: {type: comma_delimited_list}, j: {type: json}}"
        for value in ("'[1]'", "[1]", "{a: 1}"):
            self.take(
                "resources: {k: {type: kid.yaml, properties:"
                f" {{l: 'a,b', j: {value}}}}}}}",
                {"kid.yaml": kid},
            )
        self.refuse(
            "resources: {k: {type: kid.yaml, properties: {l: {}, j: 5}}}",
            {"kid.yaml": kid},
        )

    def test_any_attribute_may_be_read(self) -> None:
        self.take(
            f"{cases.KID}\noutputs: {{o: {{value: {{get_attr: [k, any]}}}}}}",
            {"kid.yaml": ""},
        )

    def test_a_snapshot_cannot_be_kept_of_it(self) -> None:
        self.refuse(
            "resources: {k: {type: kid.yaml, deletion_policy: snapshot}}",
            {"kid.yaml": ""},
        )


class ValuesTest(cases.NestedCase):
    KID = (
        "parameters: {p: {type: boolean}}\nconditions: {c: {get_param: p}}\n"
        "resources: {x: {type: T::Nothing, condition: c}}"
    )

    def test_conditions_see_what_the_resource_gives(self) -> None:
        for value, check in (("true", self.refuse), ("'false'", self.take)):
            check(
                "resources: {k: {type: kid.yaml, properties:"
                f" {{p: {value}}}}}}}",
                {"kid.yaml": self.KID},
            )

    def test_values_pass_through_a_template_between(self) -> None:
        between = (
            "parameters: {q: {type: string}}\n"
            "resources: {k: {type: low.yaml, properties: {p: {get_param: q}}}}"
        )
        for value, check in (("true", self.refuse), ("false", self.take)):
            check(
                "resources: {k: {type: kid.yaml, properties:"
                f" {{q: {value}}}}}}}",
                {"kid.yaml": between, "low.yaml": self.KID},
            )

    def test_what_is_not_known_yet_is_no_mistake(self) -> None:
        self.take(
            "resources:\n"
            "  t: {type: T::Thing}\n"
            "  k: {type: kid.yaml, properties: {p: {get_attr: [t, out]}},"
            " metadata: {a: {get_attr: [t, out]}}}",
            {
                "kid.yaml": "parameters: {p: {type: string}}\n"
                "conditions: {c: {equals: [{get_param: p}, a]}}\n"
                "resources: {x: {type: T::Thing, condition: c, properties:"
                " {text: {str_split: [a, {get_param: p}, 0]}},"
                " metadata: {resource_facade: metadata}}}"
            },
        )

    def test_a_value_that_is_wrong_here_is_not_told_there(self) -> None:
        error = self.refuse(
            "resources: {k: {type: kid.yaml, properties: {p: maybe}}}",
            {
                "kid.yaml": "parameters: {p: {type: boolean}}\n"
                "conditions: {c: {get_param: p}}\n"
                "outputs: {o: {value: {if: [c, a, b]}}}"
            },
        )

        self.assertEqual(1, len(error.problems))

    def test_the_values_of_resources_wait_until_they_are_made(self) -> None:
        self.take(cases.KID, {"kid.yaml": "resources: {x: {type: T::Picky}}"})

    def test_cloudformation_templates_may_be_in_it(self) -> None:
        self.take(
            "resources: {k: {type: kid.template, properties: {P: a}}}",
            {
                "kid.template": "AWSTemplateFormatVersion: '2010-09-09'\n"
                "Parameters: {P: {Type: String}}\n"
                "Outputs: {o: {Value: {Ref: P}}}"
            },
        )


class DepthTest(cases.NestedCase):
    def test_a_template_that_names_itself_is_refused(self) -> None:
        for depth in (5, -1):
            error = self.refuse(
                cases.KID,
                {"kid.yaml": cases.KID},
                cap=inputs.Limits(nested_depth=depth),
            )

            self.assertIn("Recursion depth", error.message)
            self.assertEqual("kid.yaml", error.problems[0].file)

    def test_stacks_may_be_as_deep_as_the_limit(self) -> None:
        files = {
            "kid.yaml": "resources: {k: {type: low.yaml}}",
            "low.yaml": "",
        }

        self.take(cases.KID, files, cap=inputs.Limits(nested_depth=2))
        self.refuse(cases.KID, files, cap=inputs.Limits(nested_depth=1))

    def test_a_template_may_end_its_own_repetition(self) -> None:
        self.take(
            "resources: {k: {type: kid.yaml, properties: {more: true}}}",
            {
                "kid.yaml": "parameters: {more: {type: boolean}}\n"
                "conditions: {c: {get_param: more}}\n"
                "resources: {k: {type: kid.yaml, condition: c,"
                " properties: {more: false}}}"
            },
        )


class RegistryTest(cases.NestedCase):
    def test_a_template_may_use_the_type_that_it_stands_for(self) -> None:
        echo = cases.ECHO
        for name in ("T::Thing", "T::Th*"):
            self.take(
                "resources: {k: {type: T::Thing}}",
                {"kid.yaml": f"resources: {{x: {{type: T::Thing}}}}\n{echo}"},
                environment={"resource_registry": {name: "kid.yaml"}},
            )

    def test_a_section_of_a_resource_holds_in_its_stack(self) -> None:
        registry = {"resources": {"k": {"x": {"My::Own": "T::Thing"}}}}
        files = {"kid.yaml": "resources: {x: {type: My::Own}}"}

        self.refuse(cases.KID, files)
        self.take(
            cases.KID, files, environment={"resource_registry": registry}
        )

    def test_a_template_must_look_like_the_type_it_stands_for(self) -> None:
        error = self.refuse(
            "resources: {k: {type: T::Picky}}",
            {
                "kid.yaml": "parameters: {many: {type: string, default: a},"
                " own: {type: string}}"
            },
            environment={"resource_registry": {"T::Picky": "kid.yaml"}},
        )

        text = " ".join(one.message for one in error.problems)
        for part in (
            "Required property must for facade T::Picky missing in provider",
            "Property many type mismatch between facade T::Picky",
            "Provider requires property own unknown in facade T::Picky",
            "Attribute out for facade T::Picky missing in provider",
        ):
            self.assertIn(part, text)
        self.assertNotIn("old", text)

    def test_a_template_that_looks_like_it_is_taken(self) -> None:
        self.take(
            "resources: {k: {type: T::Picky, properties: {must: a}}}",
            {
                "kid.yaml": "parameters: {must: {type: string},"
                f" many: {{type: number, default: 1}}}}\n{cases.ECHO}"
            },
            environment={"resource_registry": {"T::Picky": "kid.yaml"}},
        )

    def test_one_template_may_stand_in_for_another(self) -> None:
        registry = {
            "My::Own": "front.yaml",
            "resources": {"k": {"My::Own": "kid.yaml"}},
        }
        error = self.refuse(
            "resources: {k: {type: My::Own}}",
            {"front.yaml": cases.ECHO, "kid.yaml": ""},
            environment={"resource_registry": registry},
        )

        self.assertEqual(
            "Attribute out for facade My::Own missing in provider",
            error.message,
        )
