"""Schemas that are made of facts by the marks of their fields."""

import typing

from orch.api.response_schemas import facts
from orch.rpc import contract
from orch.rpc.contract import rest
from tests import base

TEXT = {"type": "string"}
Shade: typing.TypeAlias = typing.Annotated[str, rest.Words(("dark", "light"))]


class Page(typing.TypedDict):
    number: typing.Annotated[rest.Count, rest.Name("no")]


class Book(typing.TypedDict):
    title: str
    key: typing.Annotated[str, rest.HIDDEN]
    pages: list[Page]
    note: typing.NotRequired[str]
    lent_to: typing.NotRequired[rest.OptionalText]


class Values(typing.TypedDict):
    flag: bool
    number: int
    percent: rest.Percent
    seconds: rest.Seconds | None
    shade: Shade
    no_shade: Shade | None
    time: rest.Time
    no_time: rest.Time | None
    place: typing.Annotated[str | None, rest.ForNull("")]
    anything: object
    texts: list[str] | None
    table: dict[str, object]
    counts: typing.Annotated[dict[str, int], rest.Keys(("a", "b"))]
    numbers: dict[str, int]
    bare: dict  # type: ignore[type-arg]
    page: Page | None
    book: Book
    no_book: Book | None


class Inlined(typing.TypedDict):
    book: typing.Annotated[Book, rest.INLINE]
    page: typing.NotRequired[typing.Annotated[Page, rest.INLINE]]


class OfStacks(typing.TypedDict):
    stack: typing.Annotated[
        contract.StackIdentity, rest.Stack(id="stack_id", rel="stack")
    ]
    root: typing.Annotated[
        contract.StackIdentity, rest.Stack(name="root_name")
    ]


class Complex(typing.TypedDict):
    key: complex


class SchemaTest(base.TestCase):
    def setUp(self) -> None:
        super().setUp()
        self.components = facts.Components({Book: "Book"}, {})

    def members(self, kind: type) -> dict[str, typing.Any]:
        found = self.components.members(kind)
        return typing.cast("dict[str, typing.Any]", found["properties"])

    def test_a_named_schema_is_pointed_to(self) -> None:
        ref = {"$ref": "#/components/schemas/Book"}

        self.assertEqual(["Book"], list(self.components.named))
        self.assertEqual(ref, self.components.of(Book))
        self.assertEqual(
            {"type": "array", "items": ref}, self.components.many(Book)
        )

    def test_it_has_the_members_of_the_body_and_no_other(self) -> None:
        page = {
            "type": "object",
            "required": ["no"],
            "properties": {"no": {"type": "integer", "minimum": 0}},
            "additionalProperties": False,
        }

        self.assertEqual(
            {
                "type": "object",
                "required": ["lent_to", "pages", "title"],
                "properties": {
                    "title": TEXT,
                    "pages": {"type": "array", "items": page},
                    "note": TEXT,
                    "lent_to": {"type": ["string", "null"]},
                },
                "additionalProperties": False,
            },
            self.components.named["Book"],
        )

    def test_each_type_and_mark_has_its_schema(self) -> None:
        found = self.members(Values)
        moment = {"type": "string", "format": "date-time"}
        ref = {"$ref": "#/components/schemas/Book"}
        page = self.components.of(Page)

        self.assertEqual(
            {
                "flag": {"type": "boolean"},
                "number": {"type": "integer"},
                "percent": {"type": "integer", "minimum": 0, "maximum": 100},
                "seconds": {"type": ["number", "null"], "minimum": 0},
                "shade": {"enum": ["dark", "light"]},
                "no_shade": {"enum": ["dark", "light", None]},
                "time": moment,
                "no_time": {**moment, "type": ["string", "null"]},
                "place": TEXT,
                "anything": {},
                "texts": {"type": ["array", "null"], "items": TEXT},
                "table": {"type": "object"},
                "counts": {
                    "type": "object",
                    "required": ["a", "b"],
                    "properties": {
                        "a": {"type": "integer"},
                        "b": {"type": "integer"},
                    },
                    "additionalProperties": False,
                },
                "numbers": {
                    "type": "object",
                    "additionalProperties": {"type": "integer"},
                },
                "bare": {"type": "object"},
                "page": {**page, "type": ["object", "null"]},
                "book": ref,
                "no_book": {"anyOf": [{"type": "null"}, ref]},
            },
            found,
        )

    def test_inlined_facts_are_members(self) -> None:
        found = self.components.members(Inlined)

        self.assertEqual(["lent_to", "pages", "title"], found["required"])
        self.assertEqual(
            {"title", "pages", "lent_to", "note", "no"},
            set(self.members(Inlined)),
        )

    def test_identities_are_names_ids_and_links(self) -> None:
        link = {"$ref": "#/components/schemas/Link"}

        self.assertEqual(
            {
                "stack_name": TEXT,
                "stack_id": TEXT,
                "links": {"type": "array", "items": link},
                "root_name": TEXT,
            },
            self.members(OfStacks),
        )

    def test_members_that_a_view_adds_are_required(self) -> None:
        added: dict[str, dict[str, object]] = {"more": {"type": "string"}}

        found = facts.Components({}, {Page: added}).of(Page)

        self.assertEqual(["more", "no"], found["required"])

    def test_facts_that_lead_to_each_other_need_names(self) -> None:
        names = {contract.PlanFacts: "Plan", contract.ChangeFacts: "Change"}

        found = facts.Components(names, {}).named

        self.assertIn("#/components/schemas/Change", str(found["Plan"]))
        self.assertIn("#/components/schemas/Plan", str(found["Change"]))

    def test_a_type_without_a_schema_is_refused(self) -> None:
        error = self.assertRaises(TypeError, self.components.members, Complex)

        self.assertIn("complex", str(error))
