"""Templates of resources: what is wrong with them, and what they show."""

from orch.plugin import members
from orch.plugin import schema
from orch.template import errors
from orch.template import identity
from orch.template import inputs
from orch.template import limits
from orch.template import template
from tests import base
from tests.unit.template import fakes

WHO = identity.Identity("id-1", "web", "demo")
HEAD = "heat_template_version: 2018-08-31\n"
KID = "resources: {k: {type: kid.yaml}}"
ECHO = "outputs: {out: {value: x}}"

THING = fakes.kind(
    "T::Thing",
    (schema.Property("text", schema.Type.STRING),),
    (schema.Attribute("out"),),
)
PICKY = fakes.kind(
    "T::Picky",
    (
        schema.Property("must", schema.Type.STRING, required=True),
        schema.Property("many", schema.Type.INTEGER),
    ),
    (schema.Attribute("out"), schema.Attribute("old", is_hidden=True)),
)
GROUP = fakes.kind(
    "T::Group",
    (
        schema.Property("of", schema.Type.MAP),
        schema.Property("count", schema.Type.INTEGER, default=1),
        schema.Property("mark", schema.Type.STRING, default="%n%"),
    ),
    members=members.Members(definition="of", count="count", index="mark"),
    shows_any_attribute=True,
)
CHAIN = fakes.kind(
    "T::Chain",
    (
        schema.Property("types", schema.Type.LIST),
        schema.Property("with", schema.Type.MAP),
    ),
    members=members.Members(types="types", properties="with"),
)
SCALED = fakes.kind(
    "T::Scaled",
    tuple(
        schema.Property(name, schema.Type.INTEGER)
        for name in ("least", "most", "wanted")
    ),
    members=members.Members(
        definition="of", count="wanted", least="least", most="most"
    ),
)
TYPES = fakes.Types(THING, PICKY, GROUP, CHAIN, SCALED)


def load(text, files=None, *, cap=None, head=HEAD, **given):
    texts = {
        name: one if one.startswith(("{", "A", "H")) else HEAD + one
        for name, one in (files or {}).items()
    }
    return template.Template.load(
        inputs.Inputs(head + text, files=texts, **given),
        TYPES,
        WHO,
        cap or limits.Limits(),
    )


class _Case(base.TestCase):
    def refuse(self, text, files=None, **given):
        """Return the error of a template that is wrong."""
        return self.assertRaises(
            errors.TemplateInvalid, load(text, files, **given).validate
        )

    def take(self, text, files=None, **given):
        """See that nothing is in the way."""
        load(text, files, **given).validate()


class PlaceTest(_Case):
    def test_what_is_wrong_in_a_file_is_told_with_the_file(self) -> None:
        error = self.refuse(
            KID,
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
        loaded = load(text, files)

        for _ in range(2):
            error = self.assertRaises(errors.TemplateInvalid, loaded.validate)
            self.assertEqual(1, len(error.problems), error.problems)
        self.assertRaises(errors.ValidationFailed, loaded.validation_answer)

    def test_a_version_that_is_unknown_is_told(self) -> None:
        error = self.refuse(KID, {"kid.yaml": "A: b"})

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
            KID,
            {
                "kid.yaml": "resources: {k: {type: low.yaml}}",
                "low.yaml": "resources: {x: {type: T::Thing, depends_on: y},"
                " y: {type: T::Thing, depends_on: x}}",
            },
        )

        self.assertIn("x -> y -> x", error.message)
        self.assertEqual("low.yaml", error.problems[0].file)


class PropertiesTest(_Case):
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

        self.refuse(KID, files)
        self.take(KID, files, environment={"parameter_defaults": {"p": "a"}})

    def test_a_parameter_of_the_stack_does_not_reach_below(self) -> None:
        self.refuse(
            f"parameters: {{p: {{type: string}}}}\n{KID}",
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
            f"{KID}\noutputs: {{o: {{value: {{get_attr: [k, any]}}}}}}",
            {"kid.yaml": ""},
        )

    def test_a_snapshot_cannot_be_kept_of_it(self) -> None:
        self.refuse(
            "resources: {k: {type: kid.yaml, deletion_policy: snapshot}}",
            {"kid.yaml": ""},
        )


class ValuesTest(_Case):
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
        self.take(KID, {"kid.yaml": "resources: {x: {type: T::Picky}}"})

    def test_cloudformation_templates_may_be_in_it(self) -> None:
        self.take(
            "resources: {k: {type: kid.template, properties: {P: a}}}",
            {
                "kid.template": "AWSTemplateFormatVersion: '2010-09-09'\n"
                "Parameters: {P: {Type: String}}\n"
                "Outputs: {o: {Value: {Ref: P}}}"
            },
        )


class DepthTest(_Case):
    def test_a_template_that_names_itself_is_refused(self) -> None:
        for depth in (5, -1):
            error = self.refuse(
                KID, {"kid.yaml": KID}, cap=limits.Limits(nested_depth=depth)
            )

            self.assertIn("Recursion depth", error.message)
            self.assertEqual("kid.yaml", error.problems[0].file)

    def test_stacks_may_be_as_deep_as_the_limit(self) -> None:
        files = {
            "kid.yaml": "resources: {k: {type: low.yaml}}",
            "low.yaml": "",
        }

        self.take(KID, files, cap=limits.Limits(nested_depth=2))
        self.refuse(KID, files, cap=limits.Limits(nested_depth=1))

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


class RegistryTest(_Case):
    def test_a_template_may_use_the_type_that_it_stands_for(self) -> None:
        for name in ("T::Thing", "T::Th*"):
            self.take(
                "resources: {k: {type: T::Thing}}",
                {"kid.yaml": f"resources: {{x: {{type: T::Thing}}}}\n{ECHO}"},
                environment={"resource_registry": {name: "kid.yaml"}},
            )

    def test_a_section_of_a_resource_holds_in_its_stack(self) -> None:
        registry = {"resources": {"k": {"x": {"My::Own": "T::Thing"}}}}
        files = {"kid.yaml": "resources: {x: {type: My::Own}}"}

        self.refuse(KID, files)
        self.take(KID, files, environment={"resource_registry": registry})

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
            "lacks the required property must",
            "has the parameter many as a string",
            "requires own",
            "lacks the attribute out",
        ):
            self.assertIn(part, text)
        self.assertNotIn("old", text)

    def test_a_template_that_looks_like_it_is_taken(self) -> None:
        self.take(
            "resources: {k: {type: T::Picky, properties: {must: a}}}",
            {
                "kid.yaml": "parameters: {must: {type: string},"
                f" many: {{type: number, default: 1}}}}\n{ECHO}"
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
            {"front.yaml": ECHO, "kid.yaml": ""},
            environment={"resource_registry": registry},
        )

        self.assertIn("lacks the attribute out", error.message)


class GroupTest(_Case):
    def test_a_member_is_checked_where_it_is_defined(self) -> None:
        error = self.refuse(
            "resources:\n  g:\n    type: T::Group\n    properties:\n"
            "      of: {type: T::Thing, properties: {tekst: a}}"
        )

        self.assertEqual(
            ("resources.g.properties.of.properties.tekst", 6),
            (error.problems[0].path, error.problems[0].line),
        )

    def test_groups_may_be_in_groups(self) -> None:
        error = self.refuse(
            "resources: {g: {type: T::Group, properties: {of:"
            " {type: T::Group, properties: {of: {type: T::Nothing}}}}}}"
        )

        self.assertEqual(
            "resources.g.properties.of.properties.of.type",
            error.problems[0].path,
        )

    def test_a_member_may_be_a_template(self) -> None:
        error = self.refuse(
            "resources: {g: {type: T::Group, properties:"
            " {of: {type: kid.yaml, properties: {q: 1}}}}}",
            {"kid.yaml": "resources: {x: {type: T::Nothing}}"},
        )

        self.assertEqual(
            ["", "kid.yaml"], sorted(one.file for one in error.problems)
        )

    def test_a_group_of_none_may_define_anything(self) -> None:
        load(
            "resources: {g: {type: T::Group, properties:"
            " {count: 0, of: {type: T::Nothing}}}}"
        ).validate()

    def test_the_number_of_a_member_is_put_in(self) -> None:
        text = (
            "resources: {{g: {{type: T::Group, properties: {{of:"
            " {{type: kid.yaml, properties: {{p: {}}}}}}}}}}}"
        )
        kid = (
            "parameters: {p: {type: string}}\n"
            "resources: {x: {type: T::Nothing, condition:"
            " {equals: [{get_param: p}, a0]}}}"
        )

        self.refuse(text.format("a%n%"), {"kid.yaml": kid})
        load(text.format("b%n%"), {"kid.yaml": kid}).validate()

    def test_a_group_has_as_many_members_as_it_may(self) -> None:
        text = (
            "resources: {{s: {{type: T::Scaled, properties:"
            " {{least: {}, most: {}, wanted: {}}}}}}}"
        )
        for wrong, name in (
            ((1, 2, 5), "wanted"),
            ((2, 3, 1), "wanted"),
            ((3, 2, 2), "least"),
        ):
            error = self.refuse(text.format(*wrong))
            self.assertEqual(
                f"resources.s.properties.{name}", error.problems[0].path
            )
        for right in ((1, 2, 2), (0, 0, 0), (1, 2, 1)):
            load(text.format(*right)).validate()
        load(
            "resources: {s: {type: T::Scaled, properties: {most: 1}}}"
        ).validate()

    def test_what_is_not_known_of_a_member_is_no_mistake(self) -> None:
        load(
            "resources:\n  t: {type: T::Thing}\n"
            "  g: {type: T::Group, properties: {of: {type: T::Thing,"
            " properties: {text: {get_attr: [t, out]}}}}}\n"
            "  h: {type: T::Group, properties: {of: {get_attr: [t, out]}}}"
        ).validate()

    def test_the_types_of_a_chain_are_checked(self) -> None:
        error = self.refuse(
            "resources: {c: {type: T::Chain, properties:"
            " {types: [T::Thing, T::Thing, T::Nothing], with: {a: 1}}}}"
        )

        self.assertEqual(
            [
                "resources.c.properties.types[2]",
                "resources.c.properties.with.a",
            ],
            sorted(one.path for one in error.problems),
        )


class ShownTest(_Case):
    FILES = {  # noqa: RUF012 read only
        "kid.yaml": "description: kid\nparameters: {p: {type: number,"
        " default: 1}, q: {type: string}}\n"
        "parameter_groups: [{label: L, parameters: [p]}]\n"
        "resources: {low: {type: low.yaml, properties: {x: {get_param: p},"
        " none: 1}}}",
        "low.yaml": "parameters: {x: {type: string}}",
    }

    def show(self, text, files=None, **given):
        answer = load(text, files, **given).validation_answer(show_nested=True)
        return answer.get("NestedParameters")

    def test_parameters_are_told_of_all_stacks_below(self) -> None:
        shown = self.show(
            "resources: {t: {type: T::Thing},"
            " k: {type: kid.yaml, properties: {p: 5,"
            " q: {get_attr: [t, out]}}}}",
            self.FILES,
        )

        def told(name, kind, **more):
            return {
                "Type": kind,
                "Description": "",
                "Label": name,
                "NoEcho": "false",
                **more,
            }

        self.assertEqual(
            {
                "k": {
                    "Type": "kid.yaml",
                    "Description": "kid",
                    "Parameters": {
                        "p": told("p", "Number", Default=1, Value=5),
                        "q": told("q", "String"),
                    },
                    "ParameterGroups": [{"label": "L", "parameters": ["p"]}],
                    "NestedParameters": {
                        "low": {
                            "Type": "low.yaml",
                            "Description": "No description",
                            "Parameters": {
                                "x": told("x", "String", Value="5")
                            },
                        }
                    },
                }
            },
            shown,
        )

    def test_nothing_is_told_where_there_is_nothing(self) -> None:
        self.assertIsNone(self.show("resources: {t: {type: T::Thing}}"))

    def test_nothing_is_told_that_nobody_asked_for(self) -> None:
        answer = load(KID, {"kid.yaml": ""}).validation_answer()

        self.assertNotIn("NestedParameters", answer)

    def test_the_type_is_what_the_template_names(self) -> None:
        shown = self.show(
            "resources: {k: {type: My::Own}}",
            {"kid.yaml": ""},
            environment={"resource_registry": {"My::Own": "kid.yaml"}},
        )

        self.assertEqual("My::Own", shown["k"]["Type"])

    def test_members_of_groups_are_told_of(self) -> None:
        shown = self.show(
            "resources: {g: {type: T::Group, properties:"
            " {of: {type: kid.yaml}}}}",
            {"kid.yaml": "parameters: {p: {type: string}}"},
        )

        below = shown["g"]["NestedParameters"]["0"]
        self.assertEqual("T::Group", shown["g"]["Type"])
        self.assertEqual({"p"}, below["Parameters"].keys())

    def test_what_is_wrong_below_has_one_type(self) -> None:
        for text in ("resources: {x: {type: T::Nothing}}", KID):
            error = self.assertRaises(
                errors.ValidationFailed, self.show, KID, {"kid.yaml": text}
            )
            self.assertEqual("kid.yaml", error.problems[0].file)

    def test_more_stacks_than_resources_may_be_are_refused(self) -> None:
        files = {
            "kid.yaml": "resources:\n"
            + "".join(f"  r{n}: {{type: low.yaml}}\n" for n in range(9)),
            "low.yaml": "",
        }

        self.assertRaises(
            errors.TooLarge,
            self.show,
            KID,
            files,
            cap=limits.Limits(resources=9),
        )
        self.assertEqual(
            9,
            len(
                self.show(KID, files, cap=limits.Limits(resources=10))["k"][
                    "NestedParameters"
                ]
            ),
        )
