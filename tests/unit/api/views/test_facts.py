"""Bodies that are made of facts by the marks of their fields."""

import typing

from orch.api.views import facts
from orch.rpc import contract
from orch.rpc.contract import rest
from tests import base

STACK = contract.StackIdentity(
    project_id="demo", stack_name="web", stack_id="s-1"
)
URL = "http://o/v1/demo/stacks/web/s-1"


class Page(typing.TypedDict):
    number: typing.Annotated[int, rest.Name("no")]
    read_at: rest.Time | None


class Book(typing.TypedDict):
    title: str
    key: typing.Annotated[str, rest.HIDDEN]
    place: typing.Annotated[str | None, rest.ForNull("")]
    lent_to: typing.NotRequired[rest.OptionalText]
    note: typing.NotRequired[str]
    last: Page | None
    pages: list[Page]
    chapters: typing.NotRequired[dict[str, list[Page]]]


class Inlined(typing.TypedDict):
    page: typing.Annotated[Page, rest.INLINE]
    other: typing.NotRequired[typing.Annotated[Page, rest.INLINE]]


class OfStacks(typing.TypedDict):
    stack: typing.Annotated[
        contract.StackIdentity, rest.Stack(id="stack_id", rel="stack")
    ]
    root: typing.Annotated[
        contract.StackIdentity, rest.Stack(name="root_name", rel="root")
    ]
    other: typing.Annotated[
        contract.StackIdentity, rest.Stack(name="", id="other_id")
    ]


def book(**given: object) -> dict[str, object]:
    """Return the facts of a book."""
    return {
        "title": "Emma",
        "key": "hidden",
        "place": "row 3",
        "last": None,
        "pages": [],
        **given,
    }


class ViewTest(base.TestCase):
    def view(self, **given: object) -> facts.View:
        return facts.view(book(**given), Book)

    def test_a_field_without_a_mark_is_shown_as_it_is(self) -> None:
        self.assertEqual("Emma", self.view()["title"])

    def test_a_hidden_field_is_not_shown(self) -> None:
        self.assertNotIn("key", self.view())

    def test_null_has_what_stands_for_it(self) -> None:
        self.assertEqual("row 3", self.view()["place"])
        self.assertEqual("", self.view(place=None)["place"])

    def test_what_is_missing_has_its_default_or_is_missing(self) -> None:
        shown = self.view()

        self.assertIsNone(shown["lent_to"])
        self.assertNotIn("note", shown)
        self.assertEqual("ann", self.view(lent_to="ann")["lent_to"])
        self.assertEqual("n", self.view(note="n")["note"])

    def test_a_required_field_that_is_missing_is_an_error(self) -> None:
        given = book()
        del given["title"]

        error = self.assertRaises(KeyError, facts.view, given, Book)

        self.assertEqual(("title",), error.args)

    def test_facts_in_facts_are_shown_at_any_depth(self) -> None:
        page: dict[str, object] = {"number": 1, "read_at": 0.0}
        shown = {"no": 1, "read_at": "1970-01-01T00:00:00Z"}

        found = self.view(
            last=page, pages=[page, page], chapters={"one": [page]}
        )

        self.assertEqual(shown, found["last"])
        self.assertEqual([shown, shown], found["pages"])
        self.assertEqual({"one": [shown]}, found["chapters"])
        self.assertIsNone(self.view()["last"])

    def test_null_for_a_time_is_null(self) -> None:
        self.assertEqual(
            {"no": 2, "read_at": None},
            facts.view({"number": 2, "read_at": None}, Page),
        )

    def test_inlined_facts_are_members_of_the_body(self) -> None:
        page = {"number": 1, "read_at": None}
        other = {"number": 2, "read_at": None}

        self.assertEqual(
            {"no": 1, "read_at": None}, facts.view({"page": page}, Inlined)
        )
        self.assertEqual(
            {"no": 2, "read_at": None},
            facts.view({"page": page, "other": other}, Inlined),
        )
        self.assertRaises(KeyError, facts.view, {"other": other}, Inlined)

    def test_identities_are_names_ids_and_links(self) -> None:
        given = {"stack": STACK, "root": STACK, "other": STACK}

        self.assertEqual(
            {
                "stack_name": "web",
                "stack_id": "s-1",
                "root_name": "web",
                "other_id": "s-1",
                "links": [
                    {"href": URL, "rel": "stack"},
                    {"href": URL, "rel": "root"},
                ],
            },
            facts.view(given, OfStacks, "http://o"),
        )

    def test_plans_and_changes_lead_to_each_other(self) -> None:
        inner = plan([])

        shown = facts.view(plan([change(inner)]), contract.PlanFacts)

        (found,) = typing.cast("list[facts.View]", shown["changes"])
        self.assertEqual({**inner, "warnings": []}, found["child_plan"])
        self.assertEqual("", found["physical_resource_id"])

    def test_a_list_is_shown_one_by_one(self) -> None:
        pages = [{"number": n, "read_at": None} for n in (1, 2)]

        found = facts.views(pages, Page)

        self.assertEqual([1, 2], [each["no"] for each in found])


def plan(changes: list[contract.ChangeFacts]) -> contract.PlanFacts:
    return contract.PlanFacts(
        action="CREATE",
        text="",
        changes=changes,
        unchanged=[],
        returns=[],
        skipped=[],
        orphans=[],
    )


def change(child_plan: contract.PlanFacts) -> contract.ChangeFacts:
    return contract.ChangeFacts(
        key="k",
        kind="create",
        resource_name="kid",
        resource_type="T",
        physical_id=None,
        replaces=None,
        reason="",
        after=[],
        is_certain=True,
        properties={},
        child_plan=child_plan,
    )
