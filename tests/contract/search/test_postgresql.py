"""The index in PostgreSQL keeps the contract."""

import collections.abc

import sqlalchemy as sa

from orch.search import document as documents
from orch.search.index import port
from orch.search.index.postgresql import index as postgresql_index
from tests.contract.search import answering
from tests.contract.search import cases
from tests.contract.search import contract
from tests.contract.search import finding
from tests.contract.search import formats
from tests.contract.search import generated
from tests.contract.search import samples
from tests.functional import databases


class PostgresCase(cases.Case):
    """A database for each test.

    :cvar many_hits: from how many hits on they are looked for in order
    """

    many_hits = 10_000

    def make_index(self) -> port.Index:
        self.url: str = self.useFixture(databases.PostgreSQL()).url
        index = postgresql_index.PostgresIndex(
            self.url, many_hits=self.many_hits
        )
        index.prepare()
        return index

    def reopen(self) -> port.Index:
        index = postgresql_index.PostgresIndex(self.url)
        self.addCleanup(index.close)
        return index


class PostgresIndexTest(PostgresCase, contract.Contract, formats.Formats):
    """With few hits all of them are put in order."""

    def write_format(self, add: int) -> None:
        engine = sa.create_engine(self.url, poolclass=sa.NullPool)
        with engine.begin() as connection:
            connection.exec_driver_sql(
                f"UPDATE search_format SET number = number + {add}"
            )

    def open_nothing(self) -> port.Index:
        url = self.useFixture(databases.PostgreSQL()).url
        index = postgresql_index.PostgresIndex(url)
        self.addCleanup(index.close)
        return index


class PostgresManyTest(
    PostgresCase, finding.Finding, answering.Answering, generated.Generated
):
    """With many hits the first are found without a look at the others."""

    many_hits = 1

    def test_s6_pages_go_on_from_one_score_to_the_next(self) -> None:
        self.put(
            samples.resource("a", description="a pump", path="x/a"),
            samples.resource("b", name="pump", path="x/b"),
            samples.resource("c", name="pump 2", path="x/c"),
            samples.resource("d", path="x/pump/d"),
            samples.resource("e", path="y/pump/e"),
            samples.resource("f", path="x/f", tags=("pump",)),
            samples.resource("g", path="x/g", reason="pump"),
            samples.resource("h", name="pump", is_hidden=True),
            samples.resource("i", name="pump", project_id="p2"),
            samples.stack("s1", path="s1", description="pump"),
            samples.stack("s2", path="s2", name="pump"),
        )
        node = samples.words("pump")
        whole = ["b", "c", "s2", "d", "e", "f", "a", "g", "s1"]
        self.assertEqual(whole, self.ids(node))
        for limit in (1, 2, 4):
            found: list[str] = []
            after = None
            while len(found) <= len(whole):
                hits = self.index.search(
                    samples.query(node, limit=limit, after=after)
                ).hits
                if not hits:
                    break
                found += [x.document.id.partition("/")[2] for x in hits]
                after = hits[-1].cursor
            self.assertEqual(whole, found)
        offset = self.index.search(samples.query(node, offset=3, limit=3))
        self.assertEqual(
            ["d", "e", "f"],
            [x.document.id.partition("/")[2] for x in offset.hits],
        )


class _Analysed(postgresql_index.PostgresIndex):
    """Has the planner know all that was put, as autovacuum does."""

    def __init__(self, url: str, many_hits: int) -> None:
        super().__init__(url, many_hits=many_hits)
        self._engine = sa.create_engine(url, poolclass=sa.NullPool)

    def put(
        self, changes: collections.abc.Sequence[documents.StackDocuments]
    ) -> int:
        found = super().put(changes)
        with self._engine.begin() as connection:
            connection.exec_driver_sql(
                "ANALYZE search_documents, search_details"
            )
        return found


class PostgresAnalysedTest(
    PostgresCase, finding.Finding, answering.Answering, generated.Generated
):
    """What most documents have is counted by those that have it not."""

    many_hits = 1

    def make_index(self) -> port.Index:
        self.url = self.useFixture(databases.PostgreSQL()).url
        index = _Analysed(self.url, self.many_hits)
        index.prepare()
        return index
