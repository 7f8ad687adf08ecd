"""Things that stand in the world, and in no stack."""

import collections.abc
import threading
import typing

import fixtures
from oslo_config import cfg

from orch import errors
from orch import ids
from orch.context import request
from orch.engine import dependencies
from orch.engine import plugin_reads
from orch.plugin import listing
from orch.plugin import registry
from orch.plugin import resource
from tests.functional.rpc import searchable
from tests.unit.engine import fakes


class ListingResource(resource.Resource):
    """A type that lists what there is.

    Its own text says what it is.
    """

    type_name = "Test::Things"
    requests: typing.ClassVar[list[tuple[str | None, str]]] = []
    narrowed: typing.ClassVar[list[bool]] = []
    fails: typing.ClassVar[Exception | bool] = False
    gate: typing.ClassVar[threading.Event | None] = None
    others: typing.ClassVar[list[listing.PhysicalResource]] = []

    def list_physical_resources(
        self,
        requested_by: request.RequestContext,
        wanted: listing.PhysicalResourceFilter,
    ) -> collections.abc.Iterable[listing.PhysicalResource]:
        self.requests.append((requested_by.project_id, wanted.acts_for))
        self.narrowed.append(wanted.is_of_project)
        if self.gate is not None:
            self.gate.wait(60)
        if isinstance(self.fails, Exception):
            raise self.fails
        if self.fails:
            raise errors.Permanent("no list today")
        return [
            listing.PhysicalResource(physical_id="thing-1", name="one"),
            listing.PhysicalResource(physical_id="thing-2", name="two"),
            listing.PhysicalResource(physical_id="thing-3"),
            *self.others,
        ]


class More(resource.Resource):
    """Another type of the same service.

    It has one thing.
    """

    type_name = "Test::More"

    def list_physical_resources(
        self,
        requested_by: request.RequestContext,
        wanted: listing.PhysicalResourceFilter,
    ) -> collections.abc.Iterable[listing.PhysicalResource]:
        return [listing.PhysicalResource(physical_id="more-1")]


class Elsewhere(More):
    """A type of which there can be nothing here.

    It lacks what it needs.
    """

    type_name = "Test::Elsewhere"

    @property
    def lacks(self) -> str | None:
        return "They need a cloud"


class Holder(resource.Resource):
    """A type whose resources have things beside their own.

    Two of them each.
    """

    type_name = "Test::Holder"

    def holds(
        self, physical_name: str, data: collections.abc.Mapping[str, object]
    ) -> collections.abc.Collection[str]:
        return [physical_name, str(data["box"])]


class OrphansTest(searchable.TestCase):
    def start(self, **given: object) -> None:
        ListingResource.requests, ListingResource.narrowed = [], []
        given.setdefault(
            "types",
            registry.ResourceTypes.of(
                [*fakes.KINDS, ListingResource, More, Elsewhere, Holder],
                cfg.ConfigOpts(),
            ),
        )
        given.setdefault("settings", dependencies.Settings(observes=True))
        super().start(**given)

    def setUp(self) -> None:
        ListingResource.fails, ListingResource.gate, ListingResource.others = (
            False,
            None,
            [],
        )
        super().setUp()
        self.first = self.make()
        self.second = self.create(searchable.TEXT, ctxt=self.eve)
        self.put_resource(self.first, "a", physical_id="thing-1")

    def test_what_no_stack_of_any_project_has_is_told(self) -> None:
        (found,) = self.documents.orphans(searchable.SERVICE, "demo")

        self.assertEqual("other", found["project_id"])
        self.assertEqual(
            [
                ("orphan", "more-1", "more-1", "Test::More", "other"),
                ("orphan", "thing-2", "two", "Test::Things", "other"),
                ("orphan", "thing-3", "thing-3", "Test::Things", "other"),
            ],
            [
                (
                    each["kind"],
                    each["physical_id"],
                    each["name"],
                    each["type"],
                    each["project_id"],
                )
                for each in found["documents"]
            ],
        )
        self.assertEqual([("other", self.second)], ListingResource.requests)
        self.assertEqual([], found["unlisted_types"])

    def test_only_what_belongs_to_the_project_is_looked_for(self) -> None:
        self.documents.orphans(searchable.SERVICE, "")

        self.assertEqual([True], ListingResource.narrowed)

    def test_projects_come_one_by_one(self) -> None:
        (found,) = self.documents.orphans(searchable.SERVICE, "")

        self.assertEqual("demo", found["project_id"])
        self.assertEqual(
            [], self.documents.orphans(searchable.SERVICE, "other")
        )

    def test_all_of_a_project_come_page_by_page(self) -> None:
        for most, pages in (
            (1, [["more-1"], ["thing-2"], ["thing-3"]]),
            (2, [["more-1", "thing-2"], ["thing-3"]]),
            (3, [["more-1", "thing-2", "thing-3"]]),
        ):
            with self.subTest(most=most):
                self.useFixture(
                    fixtures.MonkeyPatch(
                        "orch.engine.search_documents.orphans.MOST", most
                    )
                )
                seen, rest = [], None
                while True:
                    (found,) = self.documents.orphans(
                        searchable.SERVICE, "", rest
                    )
                    seen.append([x["physical_id"] for x in found["documents"]])
                    rest = found["rest"]
                    if rest is None:
                        break
                self.assertEqual(pages, seen)

    def test_only_types_that_are_left_are_asked_again(self) -> None:
        self.documents.orphans(
            searchable.SERVICE, "", {"types": ["Test::More"], "past": ""}
        )

        self.assertEqual([], ListingResource.requests)

    def test_a_thing_of_a_stack_that_is_gone_is_an_orphan(self) -> None:
        self.set_stack(self.first, deleted_at=fakes.NOW)

        (found,) = self.documents.orphans(searchable.SERVICE, "")

        self.assertEqual(4, len(found["documents"]))

    def orphans_of(self, after: str) -> set[str]:
        """Return ids of what no stack of the next project has."""
        (found,) = self.documents.orphans(searchable.SERVICE, after)
        return {str(each["physical_id"]) for each in found["documents"]}

    def test_what_a_thing_of_a_stack_has_is_no_orphan(self) -> None:
        ListingResource.others = [
            listing.PhysicalResource(
                physical_id="disk-1", held_by=("x", "thing-1")
            ),
            listing.PhysicalResource(
                physical_id="disk-2", held_by=("thing-2",)
            ),
        ]

        found = self.orphans_of("")

        self.assertNotIn("disk-1", found)
        self.assertIn("disk-2", found)

    def test_what_a_resource_has_beside_its_own_is_no_orphan(self) -> None:
        row = self.put_resource(
            self.first, "b", type_name="Test::Holder", data={"box": "box-1"}
        )
        self.put_resource(
            self.second, "b", type_name="Test::Holder", data={"box": "box-2"}
        )
        ListingResource.others = [
            listing.PhysicalResource(physical_id=each, is_named=True)
            for each in (f"app-b-{ids.short(row.id)}", "box-1", "box-2")
        ]

        found = self.orphans_of("")

        self.assertEqual({"more-1", "thing-2", "thing-3", "box-2"}, found)

    def test_a_name_is_known_in_the_project_of_the_stack_alone(self) -> None:
        self.put_resource(self.first, "b", physical_id="backup")
        ListingResource.others = [
            listing.PhysicalResource(physical_id="backup", is_named=True)
        ]

        self.assertNotIn("backup", self.orphans_of(""))
        self.assertIn("backup", self.orphans_of("demo"))

    def test_a_type_that_fails_is_told_of_and_the_others_are_listed(
        self,
    ) -> None:
        ListingResource.fails = True

        (found,) = self.documents.orphans(searchable.SERVICE, "")

        self.assertEqual(
            ["more-1"], [each["physical_id"] for each in found["documents"]]
        )
        self.assertEqual(
            [{"type": "Test::Things", "reason": "no list today"}],
            found["unlisted_types"],
        )
        self.assertEqual([("demo", self.first)], ListingResource.requests)

    def test_a_type_that_breaks_is_told_of(self) -> None:
        ListingResource.fails = ZeroDivisionError("by nought")

        (found,) = self.documents.orphans(searchable.SERVICE, "")

        self.assertEqual(
            [
                {
                    "type": "Test::Things",
                    "reason": "ZeroDivisionError: by nought",
                }
            ],
            found["unlisted_types"],
        )

    def test_a_type_that_is_late_is_told_of(self) -> None:
        gate = threading.Event()
        self.addCleanup(gate.set)
        ListingResource.gate = gate
        self.start(reads=plugin_reads.PluginReads(limit_s=0.2))

        (found,) = self.documents.orphans(searchable.SERVICE, "demo")

        self.assertIn(
            "Test::Things", [each["type"] for each in found["unlisted_types"]]
        )
        self.assertEqual(
            {"the resource gave no answer in time"},
            {each["reason"] for each in found["unlisted_types"]},
        )

    def test_calls_keep_to_the_pace_of_the_observer(self) -> None:
        asked: list[tuple[str, str]] = []

        def pace(project_id: str, type_name: str, within_s: float) -> bool:
            asked.append((project_id, type_name))
            self.assertLess(0, within_s)
            return type_name != "Test::Things"

        self.start(pace=pace)
        (found,) = self.documents.orphans(searchable.SERVICE, "demo")

        self.assertEqual(
            [("other", "Test::More"), ("other", "Test::Things")],
            sorted(asked),
        )
        self.assertEqual([], ListingResource.requests)
        (untold,) = found["unlisted_types"]
        self.assertEqual("Test::Things", untold["type"])
        self.assertIn("calls_per_second", untold["reason"])

    def test_nobody_is_asked_where_nothing_is_observed(self) -> None:
        self.start(settings=dependencies.Settings())

        (found,) = self.documents.orphans(searchable.SERVICE, "")

        self.assertEqual(("", []), (found["project_id"], found["documents"]))
        self.assertEqual([], ListingResource.requests)
