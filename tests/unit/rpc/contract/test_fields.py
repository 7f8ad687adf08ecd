"""What typed dictionaries declare of their fields."""

import typing

from orch.rpc.contract import fields
from orch.rpc.contract import rest
from tests import base

Shade: typing.TypeAlias = typing.Annotated[str, rest.Words(("dark", "light"))]


class Page(typing.TypedDict):
    number: int
    book: typing.NotRequired["Book | None"]


class Book(typing.TypedDict):
    title: typing.Annotated[str, rest.Name("name")]
    shade: typing.NotRequired[typing.Annotated[Shade, rest.Default("dark")]]
    pages: list[Page]


class Shelf(typing.TypedDict, total=False):
    rows: dict[str, list[Book]]
    width: typing.Required[int | None]


class Union(typing.TypedDict):
    key: int | str


class FieldsTest(base.TestCase):
    def test_fields_are_in_their_order_with_their_names_in_rest(self) -> None:
        found = fields.fields(Book)

        self.assertEqual(
            [("title", "name"), ("shade", "shade"), ("pages", "pages")],
            [(each.key, each.name) for each in found],
        )

    def test_what_may_be_missing_is_not_required(self) -> None:
        self.assertEqual(
            [True, False, True],
            [each.is_required for each in fields.fields(Book)],
        )
        self.assertEqual(
            [False, True], [each.is_required for each in fields.fields(Shelf)]
        )

    def test_fields_of_a_base_class_are_fields(self) -> None:
        class Longer(Page):
            text: str

        self.assertEqual(
            ["number", "book", "text"],
            [each.key for each in fields.fields(Longer)],
        )


class DeclaredTest(base.TestCase):
    def test_marks_are_collected_through_all_layers(self) -> None:
        found = fields.fields(Book)[1].declared

        self.assertIs(str, found.hint)
        self.assertEqual(
            (rest.Default("dark"), rest.Words(("dark", "light"))),
            (found.find(rest.Default), found.find(rest.Words)),
        )
        self.assertIsNone(found.find(rest.Name))

    def test_the_outermost_of_several_marks_counts(self) -> None:
        hint = typing.Annotated[
            typing.Annotated[str, rest.Name("inner")], rest.Name("outer")
        ]

        self.assertEqual(
            rest.Name("outer"), fields.declared(hint).find(rest.Name)
        )

    def test_a_mark_without_a_value_is_found(self) -> None:
        self.assertTrue(fields.declared(rest.Time).has(rest.TIME))
        self.assertFalse(fields.declared(float).has(rest.TIME))

    def test_null_is_told_apart_from_the_type(self) -> None:
        found = fields.declared(rest.Time | None)

        self.assertEqual((float, True), (found.hint, found.is_nullable))
        self.assertTrue(found.has(rest.TIME))
        self.assertFalse(fields.declared(float).is_nullable)

    def test_lists_and_maps_have_the_types_of_their_items(self) -> None:
        rows = fields.fields(Shelf)[0].declared
        row = fields.declared(rows.arguments[-1])

        self.assertEqual((dict, list), (rows.origin, row.origin))
        self.assertEqual((Book,), row.arguments)
        self.assertEqual((int, ()), fields_of(int))

    def test_a_union_of_more_than_null_is_refused(self) -> None:
        error = self.assertRaises(TypeError, fields.fields, Union)

        self.assertIn("int | str", str(error))

    def test_facts_are_typed_dictionaries(self) -> None:
        self.assertTrue(fields.is_facts(Book))
        self.assertFalse(fields.is_facts(dict))


def fields_of(hint: object) -> tuple[object, object]:
    found = fields.declared(hint)
    return found.origin, found.arguments
