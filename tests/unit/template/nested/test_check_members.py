"""Templates of members of groups, and what templates of resources show."""

import math

from orch.template import errors
from orch.template import inputs
from orch.template.resources import declaration
from tests.unit.template.nested import cases


class GroupTest(cases.NestedCase):
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
        cases.load(
            "resources: {g: {type: T::Group, properties:"
            " {count: 0, of: {type: T::Nothing}}}}"
        ).validate(declaration.check_with_rows)

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
        cases.load(text.format("b%n%"), {"kid.yaml": kid}).validate(
            declaration.check_with_rows
        )

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
            cases.load(text.format(*right)).validate(
                declaration.check_with_rows
            )
        cases.load(
            "resources: {s: {type: T::Scaled, properties: {most: 1}}}"
        ).validate(declaration.check_with_rows)

    def test_what_is_not_known_of_a_member_is_no_mistake(self) -> None:
        cases.load(
            "resources:\n  t: {type: T::Thing}\n"
            "  g: {type: T::Group, properties: {of: {type: T::Thing,"
            " properties: {text: {get_attr: [t, out]}}}}}\n"
            "  h: {type: T::Group, properties: {of: {get_attr: [t, out]}}}"
        ).validate(declaration.check_with_rows)

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


class SizeTest(cases.NestedCase):
    """About how many resources a group makes."""

    def size(self, member: str) -> float:
        loaded = cases.load(
            "resources: {g: {type: T::Group, properties: {count: 9, of:"
            f" {member}}}}}}}",
            {"kid.yaml": "parameters: {p: {type: string}}\n" + cases.ECHO},
        )
        loaded.validate(declaration.check_with_rows)
        return loaded.estimate_size()

    def test_members_that_are_alike_count_as_the_first(self) -> None:
        inner = (
            "{type: T::Group, properties: {count: 4, of: {type: T::Thing}}}"
        )

        self.assertEqual(1 + 9 * (1 + 4), self.size(inner))

    def test_stacks_with_a_number_are_to_be_counted_one_by_one(self) -> None:
        for member in (
            "{type: T::Group, properties: {count: '%n%', of: {}}}",
            "{type: kid.yaml, properties: {p: '%n%'}}",
        ):
            self.assertEqual(math.inf, self.size(member), member)

    def test_resources_with_a_number_are_still_one_each(self) -> None:
        member = "{type: T::Thing, properties: {text: 'thing %n%'}}"

        self.assertEqual(1 + 9, self.size(member))


class ShownTest(cases.NestedCase):
    FILES = {  # noqa: RUF012 read only
        "kid.yaml": "description: kid\nparameters: {p: {type: number,"
        " default: 1}, q: {type: string}}\n"
        "parameter_groups: [{label: L, parameters: [p]}]\n"
        "resources: {low: {type: low.yaml, properties: {x: {get_param: p},"
        " none: 1}}}",
        "low.yaml": "parameters: {x: {type: string}}",
    }

    def show(self, text, files=None, **given):
        answer = cases.load(text, files, **given).validation_answer(
            show_nested=True
        )
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
        answer = cases.load(cases.KID, {"kid.yaml": ""}).validation_answer()

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
        for text in ("resources: {x: {type: T::Nothing}}", cases.KID):
            error = self.assertRaises(
                errors.ValidationFailed,
                self.show,
                cases.KID,
                {"kid.yaml": text},
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
            cases.KID,
            files,
            cap=inputs.Limits(resources=9),
        )
        self.assertEqual(
            9,
            len(
                self.show(cases.KID, files, cap=inputs.Limits(resources=10))[
                    "k"
                ]["NestedParameters"]
            ),
        )
