"""Orphans of types that cannot be listed stay, and the index tells of it."""

import dataclasses

from orch import clock
from orch.search import document
from orch.search.indexing import orphans
from orch.search.rpc import endpoints
from orch.search.sources import port as sources
from tests import base
from tests.support import searching

SERVER, PORT = "OS::Nova::Server", "OS::Neutron::Port"
FIRST = "2023-11-14T22:13:20Z"
"""What the clock of a test says at first."""
PATIENCE_S = 3600.0


class OrphansTestCase(base.TestCase):
    def setUp(self) -> None:
        super().setUp()
        self.clock = searching.Clock()
        self.index = searching.Index()
        self.source = searching.Source(self.clock)

    def set_orphans(
        self, project_id: str, *things: tuple[str, str], **unlisted: str
    ) -> None:
        """Let a project have orphans from now on.

        :param things: type and physical id of each
        :param unlisted: why ``server`` or ``port`` could not be listed
        """
        types = {"server": SERVER, "port": PORT}
        told = document.Orphans(
            project_id=project_id,
            read_at=self.clock.now(),
            documents=tuple(
                document.Document(
                    id=f"orphan/{project_id}/{type_}/{physical_id}",
                    kind=document.ORPHAN,
                    stack_id="",
                    root_id="",
                    project_id=project_id,
                    path=physical_id,
                    name=physical_id,
                    type=type_,
                    physical_id=physical_id,
                )
                for type_, physical_id in things
            ),
            unlisted_types={
                types[name]: why for name, why in unlisted.items()
            },
        )
        others = [e for e in self.source.strays if e.project_id != project_id]
        self.source.strays = sorted(
            [*others, told], key=lambda each: each.project_id
        )

    def bring(self) -> None:
        for _ in orphans.update_orphans(
            self.index, self.source, self.clock, PATIENCE_S
        ):
            pass

    def again(self, seconds: float = 3600.0) -> None:
        """Bring them once more, later."""
        self.clock.pass_(seconds)
        self.source.strays = [
            dataclasses.replace(each, read_at=self.clock.now())
            for each in self.source.strays
        ]
        self.bring()

    def found(self) -> list[tuple[str, object]]:
        """Return what is an orphan, and when it was seen if not just now."""
        return [
            (
                each.physical_id,
                each.fields.get(orphans.LAST_LISTED_AT, (None,))[0],
            )
            for each in self.index.documents()
            if each.kind == document.ORPHAN
        ]


class StoredTest(OrphansTestCase):
    def test_those_of_a_type_that_fails_stay_with_when_they_were_seen(
        self,
    ) -> None:
        self.set_orphans("p1", (SERVER, "s1"), (PORT, "q1"))
        self.bring()

        self.set_orphans("p1", (SERVER, "s2"), port="no list today")
        self.again()

        self.assertEqual([("q1", FIRST), ("s2", None)], self.found())

    def test_each_further_failure_leaves_the_moment_as_it_is(self) -> None:
        self.set_orphans("p1", (SERVER, "s1"), (PORT, "q1"))
        self.bring()
        self.set_orphans("p1", (SERVER, "s1"), port="no list today")
        self.again()

        self.again()

        self.assertEqual([("q1", FIRST), ("s1", None)], self.found())

    def test_once_it_is_listed_again_it_is_as_it_is(self) -> None:
        self.set_orphans("p1", (PORT, "q1"), (PORT, "q2"))
        self.bring()
        self.set_orphans("p1", port="no list today")
        self.again()
        self.set_orphans("p1", (PORT, "q2"))

        self.again()

        self.assertEqual([("q2", None)], self.found())

    def test_one_that_a_stack_has_taken_is_none_any_more(self) -> None:
        self.set_orphans(
            "p1", *((PORT, f"q{number:02d}") for number in range(60))
        )
        self.bring()
        self.index.put(
            [
                document.StackDocuments(
                    stack_id="0a",
                    version=1,
                    read_at=self.clock.now(),
                    documents=(
                        document.Document(
                            id="resource/r",
                            kind=document.RESOURCE,
                            stack_id="0a",
                            root_id="0a",
                            project_id="p2",
                            path="app/port",
                            name="port",
                            type=PORT,
                            physical_id="q55",
                        ),
                    ),
                )
            ]
        )
        self.set_orphans("p1", port="no list today")

        self.again()

        self.assertEqual(
            [f"q{number:02d}" for number in range(60) if number != 55],
            [physical_id for physical_id, _ in self.found()],
        )

    def test_those_of_other_projects_do_not_come_along(self) -> None:
        self.set_orphans("p1", (PORT, "q1"))
        self.set_orphans("p2", (PORT, "q2"))
        self.bring()
        self.set_orphans("p1", port="no list today")
        self.set_orphans("p2")

        self.again()

        self.assertEqual([("q1", FIRST)], self.found())

    def test_a_project_that_nobody_tells_of_any_more_has_none(self) -> None:
        self.set_orphans("p1", (PORT, "q1"))
        self.set_orphans("p2", (PORT, "q2"))
        self.bring()
        del self.source.strays[0]
        self.again()
        self.assertEqual([("q2", None)], self.found())

        self.source.strays.clear()
        self.again()

        self.assertEqual([], self.found())

    def test_a_source_whose_clock_goes_after_ours_is_right(self) -> None:
        self.set_orphans("p1", (PORT, "q1"))
        self.set_orphans("p2", (PORT, "q2"))
        self.source.strays = [
            dataclasses.replace(
                each, read_at=clock.Timestamp(self.clock.now() + 500)
            )
            for each in self.source.strays
        ]
        self.bring()
        self.source.strays.clear()

        self.bring()

        self.assertEqual([], self.found())

    def test_all_are_kept_however_many(self) -> None:
        many = 5_001
        self.set_orphans(
            "p1", *((PORT, f"q{number}") for number in range(many))
        )
        self.bring()
        self.set_orphans("p1", port="no list today")

        self.again()

        self.assertEqual(many, len(self.found()))

    def test_what_a_type_told_before_it_failed_is_there_once(self) -> None:
        self.set_orphans("p1", (PORT, "q1"), (PORT, "q2"))
        self.bring()
        (told,) = self.source.strays
        self.source.strays = [
            dataclasses.replace(
                told,
                documents=told.documents[:1],
                unlisted_types={PORT: "no list"},
            )
        ]

        self.again()

        self.assertEqual(["q1", "q2"], [each for each, _ in self.found()])


class UnobservedTest(OrphansTestCase):
    """Nobody who was asked looks: the only one that does may start again."""

    def setUp(self) -> None:
        super().setUp()
        self.set_orphans("p1", (PORT, "q1"))
        self.set_orphans("p2", (PORT, "q2"))
        self.bring()
        self.all = [("q1", None), ("q2", None)]

    def observe_none(self, seconds: float = PATIENCE_S) -> None:
        self.clock.pass_(seconds)
        self.assertRaises(sources.Unobserved, self.bring)

    def test_all_stay_for_a_while(self) -> None:
        for seen_to in ("", "p1"):
            self.source.listed_to = seen_to
            self.observe_none()
            self.assertEqual(self.all, self.found())
        self.source.listed_to = None

        self.again()

        self.assertEqual(self.all, self.found())

    def test_after_long_all_are_forgotten(self) -> None:
        self.source.listed_to = ""
        self.observe_none()
        self.observe_none(PATIENCE_S - 1)
        self.assertEqual(self.all, self.found())
        self.clock.pass_(1)

        self.bring()

        self.assertEqual([], self.found())
        # And nobody is told again and again.
        self.clock.pass_(1)
        self.bring()

    def test_those_of_a_round_under_way_are_forgotten_too(self) -> None:
        self.source.listed_to = "p1"
        self.observe_none()
        self.clock.pass_(PATIENCE_S)

        self.bring()

        self.assertEqual([], self.found())

    def test_whoever_looks_meanwhile_begins_the_while_anew(self) -> None:
        self.source.listed_to = ""
        self.observe_none()
        self.source.listed_to = None
        self.again()
        self.source.listed_to = ""

        self.observe_none()

        self.assertEqual(self.all, self.found())

    def test_so_does_whoever_finds_no_project(self) -> None:
        self.source.listed_to = ""
        self.observe_none()
        self.source.strays.clear()
        self.source.listed_to = None
        self.bring()
        self.source.listed_to = ""

        self.observe_none()


class StatusTest(OrphansTestCase):
    def shown_unlisted(self) -> list[tuple[str, str, int, float]]:
        status = endpoints.status_of(self.index)
        return [
            (each["type"], each["reason"], each["projects"], each["at"])
            for each in status["unlisted_types"]
        ]

    def test_nothing_is_told_before_anybody_has_looked(self) -> None:
        status = endpoints.status_of(self.index)

        self.assertIsNone(status["orphans_at"])
        self.assertEqual([], status["unlisted_types"])

    def test_types_are_told_with_the_reason_and_how_many_projects(
        self,
    ) -> None:
        begun = self.clock.now()
        self.set_orphans("p1", port="no list today", server="slow")
        self.set_orphans("p2", port="no port today")

        self.bring()

        self.assertEqual(
            [
                (PORT, "no port today", 2, begun),
                (SERVER, "slow", 1, begun),
            ],
            self.shown_unlisted(),
        )
        status = endpoints.status_of(self.index)
        self.assertEqual(begun, status["orphans_at"])

    def test_it_is_told_while_the_round_goes_on(self) -> None:
        self.set_orphans("p1", port="no list today")
        self.set_orphans("p2")

        next(
            orphans.update_orphans(
                self.index, self.source, self.clock, PATIENCE_S
            )
        )

        self.assertEqual([PORT], [each[0] for each in self.shown_unlisted()])
        self.assertIsNone(endpoints.status_of(self.index)["orphans_at"])

    def test_a_round_in_which_all_is_listed_forgets_them(self) -> None:
        self.set_orphans("p1", port="no list today")
        self.bring()
        self.set_orphans("p1", (PORT, "q1"))

        self.again()

        self.assertEqual([], self.shown_unlisted())
