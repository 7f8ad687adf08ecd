"""How PostgreSQL goes about what the index asks."""

import typing

import sqlalchemy as sa
from sqlalchemy import event

from orch.search.index import port
from orch.search.index.postgresql import search as searching
from orch.search.query import nodes
from tests.contract.search import samples
from tests.functional import databases
from tests.functional.search import postgresql_opening as opening


class PlanningTest(opening.Case):
    """The planner knows all values, and thinks a look at all to be cheap."""

    def setUp(self) -> None:
        super().setUp()
        url = self.useFixture(databases.PostgreSQL()).url
        self.index = self.open(url)
        self.index.prepare()
        other = samples.resource("other", status="FAILED", stack_id="s")
        self.index.put(
            [
                samples.stacked(other, stack_id="s"),
                *(opening.pair(f"s{each}-", 1) for each in range(20)),
            ]
        )
        self.engine = sa.create_engine(url, poolclass=sa.NullPool)
        with self.engine.begin() as connection:
            connection.exec_driver_sql(
                "ANALYZE search_documents, search_details"
            )

    def plans_of(
        self, query: port.Query, many: int = 10_000
    ) -> tuple[int, list[str]]:
        """Return the total, and the plans of what has to do with details."""
        told: list[tuple[str, object]] = []

        def note(*found: typing.Any) -> None:
            told.append((found[2], found[3]))

        with self.engine.begin() as connection:
            event.listen(connection, "before_cursor_execute", note)
            found = searching.Finding(connection, query, many).answer()
            event.remove(connection, "before_cursor_execute", note)
            return found.total, [
                "\n".join(
                    connection.exec_driver_sql(f"EXPLAIN {sql}", given)  # type: ignore[arg-type]
                    .scalars()
                    .all()
                )
                for sql, given in told
                if sql.startswith("SELECT") and "search_details" in sql
            ]

    def count_scans(self, many: int, query: port.Query) -> tuple[int, int]:
        """Return the total, and how often all documents were looked at."""
        with self.engine.begin() as connection:
            found = searching.Finding(connection, query, many).answer()
            scans = connection.exec_driver_sql(
                "SELECT sum(seq_scan) FROM pg_stat_xact_user_tables"
                " WHERE relname IN ('search_documents', 'search_details')"
            ).scalar()
        return found.total, int(scans or 0)

    def test_s6_no_query_for_words_looks_at_all_documents(self) -> None:
        word = samples.words("complete")
        for node in (word, nodes.Term("version", "1"), nodes.Not(word)):
            for sort in ((), (port.Sort("name"),)):
                for many in (1, 10_000):
                    query = samples.query(node, sort=sort)
                    total, scans = self.count_scans(many, query)
                    self.assertEqual(0, scans, str(query))
                    is_not = isinstance(node, nodes.Not)
                    self.assertEqual(1 if is_not else 800, total, str(query))

    def test_s6_no_query_for_a_type_looks_at_all_documents(self) -> None:
        node = nodes.Term("kind", "resource")
        query = samples.query(node, sort=(port.Sort("name"),))
        self.assertEqual((801, 0), self.count_scans(10_000, query))

    def test_s6_no_query_goes_through_all_contents_by_their_ids(self) -> None:
        query = samples.query(nodes.Range("version", low=1))
        total, plans = self.plans_of(query)

        self.assertEqual(800, total)
        self.assertEqual(2, len(plans))
        for plan in plans:
            self.assertIn("search_documents_content", plan)
            self.assertNotIn("search_documents_pkey", plan)

    def test_s6_patterns_in_the_midst_of_words_are_found_by_trigrams(
        self,
    ) -> None:
        some = samples.resource(
            "q", name="a-needle", path="a/needles", physical_id="xyzzy77"
        )
        self.index.put(
            [
                samples.stacked(some, stack_id="q"),
                *(opening.pair(f"t{each}-", 1) for each in range(80)),
            ]
        )
        # As autovacuum does.
        with self.engine.begin() as connection:
            connection.exec_driver_sql(
                "SELECT gin_clean_pending_list('search_details_trigrams')"
            )
            connection.exec_driver_sql(
                "ANALYZE search_documents, search_details"
            )
        scopes = (samples.ADMIN, port.Scope(frozenset({"p1"})))
        for field, pattern in (
            ("name", "*eedl*"),
            ("path", "*eedl*"),
            ("physical_id", "?yzzy*"),
        ):
            node = nodes.Pattern(field, pattern)
            for scope in scopes:
                query = samples.query(node, scope=scope)
                total, plans = self.plans_of(query)

                self.assertEqual(1, total, field)
                for plan in plans:
                    self.assertIn("search_details_trigrams", plan)
                    self.assertIn("search_documents_pkey", plan)

    def test_s6_of_few_documents_only_their_details_are_looked_at(
        self,
    ) -> None:
        # The planner thinks that one fits.
        self.index.put([opening.pair(f"zebra{x}-", 1) for x in range(20)])
        with self.engine.begin() as connection:
            connection.exec_driver_sql(
                "SELECT gin_clean_pending_list('search_details_trigrams')"
            )
        query = samples.query(nodes.Pattern("path", "*ebra*"), limit=100)
        total, plans = self.plans_of(query, many=1)

        self.assertEqual(800, total)
        near = [each for each in plans if "search_documents_moment" in each]
        self.assertEqual(1, len(near))
        self.assertIn("search_details_pkey", near[0])
        self.assertNotIn("search_details_trigrams", near[0])

    def test_s6_hits_are_counted_though_the_planner_knows_of_few(
        self,
    ) -> None:
        def put(times: int) -> None:
            for part in range(10):
                version = 1 if part < 4 else 2
                self.index.put(
                    [
                        opening.pair(f"{times}-{part}-{x}", version)
                        for x in range(2)
                    ]
                )

        self.index.clear()
        put(0)
        with self.engine.begin() as connection:
            connection.exec_driver_sql("ANALYZE search_documents")
        put(1)
        put(2)

        query = samples.query(nodes.Term("version", "1"), limit=0)
        with self.engine.begin() as connection:
            found = searching.Finding(connection, query, 1).answer()
            read = connection.exec_driver_sql(
                "SELECT idx_tup_fetch FROM pg_stat_xact_user_tables"
                " WHERE relname = 'search_documents'"
            ).scalar()

        # The others are 1440.
        self.assertEqual(960, found.total)
        self.assertEqual(960, read)

    def test_the_planner_is_told_where_there_is_much_more(self) -> None:
        def known() -> float:
            with self.engine.begin() as connection:
                return float(
                    connection.exec_driver_sql(
                        "SELECT reltuples FROM pg_class"
                        " WHERE relname = 'search_documents'"
                    ).scalar()
                    or 0
                )

        self.index.clear()
        self.index.put([opening.pair("s1", 1)])
        self.index.forget_history(samples.at(0))
        self.assertEqual(-1, known())

        with self.engine.begin() as connection:
            connection.exec_driver_sql(
                "UPDATE search_stacks SET documents = 6000"
            )
        self.index.forget_history(samples.at(0))
        self.assertEqual(40, known())
