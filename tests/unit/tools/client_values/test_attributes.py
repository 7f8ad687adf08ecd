"""Attributes of the client's classes, as fields and marks declare them."""

import typing

from orch.rpc import contract
from orch.rpc.contract import rest
from tests import base
from tools.client_values import attributes
from tools.client_values import classes

_PARSER = "response_parser."


class Page(typing.TypedDict):
    number: int


class Values(typing.TypedDict):
    type_name: rest.ResourceType
    text: str | None
    place: rest.PhysicalId
    number: int
    seconds: rest.Seconds | None
    flag: bool
    time: rest.Time
    no_time: rest.Time | None
    anything: object
    texts: list[str] | None
    tables: list[dict[str, object]]
    pages: list[Page]
    page: Page
    no_page: Page | None
    table: dict[str, object]
    counts: dict[str, int]
    names: dict[str, str]
    by_name: dict[str, Page]
    stack: typing.Annotated[contract.StackIdentity, rest.Stack(rel="self")]
    hidden: typing.Annotated[str, rest.HIDDEN]
    inlined: typing.Annotated[Page, rest.INLINE]


class Optional(typing.TypedDict, total=False):
    text: str
    pages: list[Page]
    table: dict[str, object]
    shown: typing.Annotated[int, rest.Default(0)]
    many: typing.Annotated[int, rest.Default(3)]
    anything: object


class Unreadable(typing.TypedDict):
    key: complex


class UnreadableList(typing.TypedDict):
    key: list[list[str]]


class OptionalInline(typing.TypedDict):
    page: typing.NotRequired[typing.Annotated[Page, rest.INLINE]]


class Unlinked(typing.TypedDict):
    stack: typing.Annotated[contract.StackIdentity, rest.Stack(id="id")]


def made(kind: type, **given: typing.Any) -> list[attributes.Attribute]:
    value = classes.Value(facts=kind, name="Made", **given)
    return list(attributes.make_attributes(value, lambda each: each.__name__))


def read(kind: type, **given: typing.Any) -> dict[str, tuple[str, str, str]]:
    """Return annotation, expression and default by attribute."""
    return {
        each.name: (
            each.annotation,
            each.value.removeprefix(_PARSER).replace("(body, ", "("),
            each.default,
        )
        for each in made(kind, **given)
    }


class AttributesTest(base.TestCase):
    def test_each_type_and_mark_has_its_parser(self) -> None:
        mapping = "collections.abc.Mapping[str, "
        empty = "dataclasses.field(default_factory=dict)"

        self.assertEqual(
            {
                "type": ("str", 'get_text("resource_type")', "''"),
                "text": ("str | None", 'find_text("text")', "None"),
                "place": ("str", 'get_text("physical_resource_id")', "''"),
                "number": ("int", 'get_integer("number")', "0"),
                "seconds": ("float | None", 'find_number("seconds")', "None"),
                "flag": ("bool", 'get_boolean("flag")', "False"),
                "time": ("datetime.datetime", 'required_time("time")', ""),
                "no_time": (
                    "datetime.datetime | None",
                    'find_time("no_time")',
                    "None",
                ),
                "anything": ("object", 'body.get("anything")', "None"),
                "texts": (
                    "tuple[str, ...] | None",
                    'find_texts("texts")',
                    "None",
                ),
                "tables": (
                    "tuple[response_parser.Json, ...]",
                    'get_values("tables", response_parser.read_map)',
                    "()",
                ),
                "pages": (
                    "tuple[Page, ...]",
                    'get_values("pages", Page.of)',
                    "()",
                ),
                "page": (
                    "Page",
                    'Page.of(response_parser.get_map("page"))',
                    "",
                ),
                "no_page": (
                    "Page | None",
                    'find_value("no_page", Page.of)',
                    "None",
                ),
                "table": (
                    "response_parser.Json",
                    'find_map("table")',
                    empty,
                ),
                "counts": (
                    f"{mapping}int]",
                    'get_integer_map("counts")',
                    empty,
                ),
                "names": (f"{mapping}str]", 'get_text_map("names")', empty),
                "by_name": (
                    f"{mapping}Page]",
                    'get_value_map("by_name", Page.of)',
                    empty,
                ),
                "stack": (
                    "stack_identity.StackIdentity",
                    'stack_identity.get_stack("self")',
                    "",
                ),
                "inlined": ("Page", "Page.of(body)", ""),
            },
            read(Values),
        )

    def test_what_may_be_missing_is_none_unless_rest_shows_it(self) -> None:
        absent = "response_parser.ABSENT"

        self.assertEqual(
            {
                "text": ("str | None", 'find_text("text")', "None"),
                "pages": (
                    "tuple[Page, ...] | None",
                    'find_values("pages", Page.of)',
                    "None",
                ),
                "table": (
                    "response_parser.Json | None",
                    'find_value("table", response_parser.read_map)',
                    "None",
                ),
                "shown": ("int", 'get_integer("shown")', "0"),
                "many": ("int", 'get_integer("many", 3)', "3"),
                "anything": (
                    "object",
                    f'body.get("anything", {absent})',
                    absent,
                ),
            },
            read(Optional),
        )

    def test_a_class_has_names_and_defaults_of_its_own(self) -> None:
        found = read(
            Optional,
            names={"text": "reason"},
            omitted=("table", "anything", "many"),
            required=("text",),
            defaults={"pages": (), "shown": 1},
        )

        self.assertEqual(
            {
                "reason": ("str", 'required_text("text")', ""),
                "pages": (
                    "tuple[Page, ...]",
                    'get_values("pages", Page.of)',
                    "()",
                ),
                "shown": ("int", 'get_integer("shown", 1)', "1"),
            },
            found,
        )

    def test_extras_come_last(self) -> None:
        extra = classes.Extra(annotation="bool", value="expression")

        found = made(Page, extras={"is_up": extra})

        self.assertEqual(["number", "is_up"], [each.name for each in found])
        self.assertEqual("expression", found[-1].value)

    def test_what_no_parser_reads_is_refused_by_its_name(self) -> None:
        for kind in (Unreadable, UnreadableList):
            error = self.assertRaises(TypeError, made, kind)
            self.assertIn("Made.key: no parser reads", str(error))

    def test_a_stack_without_a_link_is_refused(self) -> None:
        error = self.assertRaises(TypeError, made, Unlinked)

        self.assertIn("Made.stack has no link", str(error))

    def test_inlined_facts_that_may_be_missing_are_refused(self) -> None:
        error = self.assertRaises(TypeError, made, OptionalInline)

        self.assertIn("Made.page may be missing", str(error))

    def test_only_a_text_can_be_required(self) -> None:
        error = self.assertRaises(TypeError, made, Page, required=("number",))

        self.assertIn("Made.number", str(error))

    def test_names_of_fields_that_do_not_exist_are_refused(self) -> None:
        error = self.assertRaises(
            ValueError, made, Page, defaults={"gone": ""}
        )

        self.assertIn("gone", str(error))
