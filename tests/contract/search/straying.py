"""What no stack has: it goes and stays as the source tells of it."""

import dataclasses

from orch.search import document as documents
from orch.search.indexing import orphans
from tests.contract.search import cases
from tests.contract.search import samples
from tests.support import searching

SERVER, PORT = "OS::Nova::Server", "OS::Neutron::Port"


class Straying(cases.Case):
    """The walk over the orphans of all projects, with an index."""

    def bring(self, *told: documents.Orphans) -> None:
        """Look for the orphans of all projects, later than before."""
        self.clock.pass_(60)
        self.source.strays = [
            dataclasses.replace(each, read_at=self.clock.now())
            for each in told
        ]
        for _ in orphans.update_orphans(
            self.index, self.source, self.clock, unobserved_limit_s=0
        ):
            pass

    def make_orphans(
        self, project_id: str, *things: tuple[str, str], **unlisted: str
    ) -> documents.Orphans:
        return documents.Orphans(
            project_id=project_id,
            read_at=self.clock.now(),
            documents=tuple(
                samples.resource(
                    f"{project_id}-{physical_id}",
                    id=f"orphan/{project_id}/{type_}/{physical_id}",
                    kind=documents.ORPHAN,
                    project_id=project_id,
                    physical_id=physical_id,
                    type=type_,
                )
                for type_, physical_id in things
            ),
            unlisted_types={
                {"port": PORT}[key]: e for key, e in unlisted.items()
            },
        )

    def setUp(self) -> None:
        super().setUp()
        self.clock = searching.Clock()
        self.source = searching.Source(self.clock)

    def orphans(self) -> dict[str, bool]:
        """Return the orphans by name, and whether one was seen earlier."""
        found = self.index.search(
            samples.query(
                samples.ALL,
                samples.ADMIN,
                kinds=frozenset({documents.ORPHAN}),
                limit=2000,
            )
        )
        return {
            each.document.name: orphans.LAST_LISTED_AT in each.document.fields
            for each in found.hits
        }

    def test_orphans_of_a_type_that_cannot_be_listed_stay(self) -> None:
        many = [(PORT, f"q{number:03d}") for number in range(510)]
        self.put(
            samples.resource("a", physical_id="q007", type=PORT),
            samples.resource("b", physical_id="Q008", type=PORT),
        )
        self.bring(
            self.make_orphans("p1", (SERVER, "s1"), *many),
            self.make_orphans("p2", (PORT, "x1")),
            self.make_orphans("p3", (PORT, "x2")),
        )
        self.assertEqual(513, len(self.orphans()))

        self.bring(
            self.make_orphans("p1", (SERVER, "s2"), port="no list today"),
            self.make_orphans("p2"),
        )

        self.assertEqual(
            {
                "p1-s2": False,
                **{f"p1-{each}": True for _, each in many if each != "q007"},
            },
            self.orphans(),
        )
