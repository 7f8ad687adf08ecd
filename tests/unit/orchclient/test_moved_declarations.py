"""Declarations go from one template to another."""

import typing

from orchclient import errors
from orchclient import moved_declarations
from tests import base

Json = moved_declarations.Json

_HOT: typing.Final = {"heat_template_version": "2021-04-16"}
_CFN: typing.Final = {"AWSTemplateFormatVersion": "2010-09-09"}


def source(
    declared: Json, template: Json | None = None, **values: str
) -> moved_declarations.Source:
    """Return a stack with what moves, ``a`` and ``b``, and what stays."""
    resources = {"a": declared, "b": {"type": "T"}, "stays": {"type": "T"}}
    return moved_declarations.Source(
        "web",
        {**_HOT, "resources": resources, **(template or {})},
        {"OS::stack_name": "web", **values},
        {"stays": "id-of-stays"},
    )


class MovedDeclarationsTest(base.TestCase):
    def moved(self, properties: object, **values: str) -> object:
        kinds = {
            "text": "string",
            "number": "number",
            "list": "comma_delimited_list",
            "map": "json",
            "flag": "boolean",
        }
        leaves = source(
            {"type": "T", "properties": properties},
            {"parameters": {n: {"type": kind} for n, kind in kinds.items()}},
            **values,
        )
        found = moved_declarations.with_resources(
            leaves, dict(_HOT), {"a": "x", "b": "y"}, "network"
        )
        section = typing.cast(dict[str, Json], found["resources"])
        self.assertEqual({"x", "y"}, set(section))
        return section["x"]["properties"]

    def test_references_among_what_moves_get_the_new_names(self) -> None:
        self.assertEqual(
            {
                "id": {"get_resource": "y"},
                "deep": [{"get_attr": ["y", "net", 0]}],
            },
            self.moved(
                {
                    "id": {"get_resource": "b"},
                    "deep": [{"get_attr": ["b", "net", 0]}],
                }
            ),
        )

    def test_what_stays_becomes_its_id(self) -> None:
        self.assertEqual(
            {"list_join": [",", ["id-of-stays"]]},
            self.moved({"list_join": [",", [{"get_resource": "stays"}]]}),
        )

    def test_parameters_become_values_of_their_types(self) -> None:
        for name, text, value in (
            ("text", "7", "7"),
            ("number", "7", 7),
            ("list", "a,b", ["a", "b"]),
            ("list", "", []),
            ("list", '["a", "b"]', ["a", "b"]),
            ("map", '{"k": [1]}', {"k": [1]}),
            ("flag", "True", "True"),
        ):
            found = self.moved({"p": {"get_param": name}}, **{name: text})
            self.assertEqual({"p": value}, found, name)
        for path, value in ((["k", 0], 1), (["k", "0"], 1), (["none"], "")):
            found = self.moved(
                {"p": {"get_param": ["map", *path]}}, map='{"k": [1]}'
            )
            self.assertEqual({"p": value}, found)
        self.assertEqual(
            {"p": "web"}, self.moved({"p": {"get_param": "OS::stack_name"}})
        )

    def test_what_cannot_be_written_is_refused(self) -> None:
        for value, why in (
            ({"get_param": "text"}, "hidden value of parameter text"),
            ({"get_param": "none"}, "reads none"),
            ({"get_param": ["map", {"get_param": "text"}]}, "by a function"),
            ({"get_attr": ["stays", "x"]}, "reads an attribute"),
            ({"get_resource": "other"}, "other, which has no id"),
            ({"if": ["c", 1, 2]}, "uses if"),
            ({"resource_facade": "metadata"}, "uses resource_facade"),
        ):
            with self.assertRaisesRegex(errors.PackagingError, why):
                self.moved({"p": value}, text="******", map="{}")

    def test_a_condition_is_refused(self) -> None:
        leaves = source({"type": "T", "condition": "c"})
        with self.assertRaisesRegex(errors.PackagingError, "a condition"):
            moved_declarations.with_resources(
                leaves, dict(_HOT), {"a": "a"}, "network"
            )

    def test_only_dependencies_that_move_remain(self) -> None:
        for needed, left in (
            ("stays", None),
            ("b", ["y"]),
            (["b", "stays"], ["y"]),
        ):
            leaves = source({"type": "T", "depends_on": needed})
            found = moved_declarations.with_resources(
                leaves, dict(_HOT), {"a": "x", "b": "y"}, "network"
            )
            section = typing.cast(dict[str, Json], found["resources"])
            self.assertEqual(left, section["x"].get("depends_on"), needed)

    def test_templates_of_the_other_format(self) -> None:
        resources = {
            "a": {
                "Type": "T",
                "Properties": {
                    "p": {"Ref": "word"},
                    "b": {"Ref": "b"},
                    "at": {"Fn::GetAtt": ["b", "x"]},
                    "dotted": {"Fn::GetAtt": "b.x"},
                },
            },
            "b": {"Type": "T"},
        }
        leaves = moved_declarations.Source(
            "web",
            {
                **_CFN,
                "Parameters": {"word": {"Type": "CommaDelimitedList"}},
                "Resources": resources,
            },
            {"word": "w,x"},
            {},
        )

        found = moved_declarations.with_resources(
            leaves, dict(_CFN), {"a": "a", "b": "c"}, "network"
        )

        section = typing.cast(dict[str, Json], found["Resources"])
        self.assertEqual(
            {
                "p": ["w", "x"],
                "b": {"Ref": "c"},
                "at": {"Fn::GetAtt": ["c", "x"]},
                "dotted": {"Fn::GetAtt": "c.x"},
            },
            section["a"]["Properties"],
        )
        with self.assertRaisesRegex(errors.PackagingError, "formats"):
            moved_declarations.with_resources(
                leaves, dict(_HOT), {"a": "a"}, "network"
            )

    def test_what_stays_must_not_read_what_moves(self) -> None:
        for read in (
            {"type": "T", "properties": {"p": [{"get_resource": "a"}]}},
            {"type": "T", "properties": {"p": {"get_attr": ["a", "x"]}}},
            {"type": "T", "depends_on": ["a"]},
            {"type": "T", "depends_on": "a"},
        ):
            leaves = source({"type": "T"})
            template = {
                **leaves.template,
                "resources": {"a": {"type": "T"}, "stays": read},
            }
            leaves = moved_declarations.Source("web", template, {}, {})
            with self.assertRaisesRegex(errors.PackagingError, "stays reads"):
                moved_declarations.without_resources(leaves, {"a": "a"})

    def test_an_output_must_not_read_what_moves(self) -> None:
        leaves = source(
            {"type": "T"},
            {"outputs": {"o": {"value": {"get_attr": ["a", "x"]}}}},
        )
        with self.assertRaisesRegex(errors.PackagingError, "Output o reads a"):
            moved_declarations.without_resources(leaves, {"a": "a"})
        found = moved_declarations.without_resources(leaves, {"b": "b"})
        self.assertEqual(
            {"a", "stays"}, set(typing.cast(Json, found["resources"]))
        )
