"""The index in PostgreSQL when things go wrong, and when many use it."""

import collections.abc
import multiprocessing
import os
import signal
import threading
import uuid

import psycopg2
import sqlalchemy as sa

from orch import errors
from orch.search import document as documents
from orch.search.index import formats
from orch.search.index import port
from orch.search.index.postgresql import index as postgresql_index
from orch.search.index.postgresql import write as putting
from orch.search.query import nodes
from tests.contract.search import samples
from tests.functional import databases
from tests.functional.search import postgresql_opening as opening
from tests.support import postgres_server
from tests.support import waiting

_WAIT_S = 60
_TABLES = (
    *("documents", "details", "former", "stacks"),
    *("shapes", "tallies", "names", "name_sets"),
)


def _prepare(url: str, started: "multiprocessing.synchronize.Barrier") -> None:
    index = postgresql_index.PostgresIndex(url)
    started.wait(_WAIT_S)
    index.prepare()
    index.put([samples.stacked(samples.resource("a"), stack_id=url[-3:])])


def _named(
    name: str, stack_id: str = "s1", version: int = 1, project_id: str = "p1"
) -> documents.StackDocuments:
    """Return a stack of one resource, with a field of this name."""
    found = samples.resource(
        f"of-{stack_id}",
        stack_id=stack_id,
        project_id=project_id,
        fields={f"properties.{name}": ("x",)},
    )
    return samples.stacked(found, stack_id=stack_id, version=version)


def _put_for_ever(url: str) -> None:
    index = postgresql_index.PostgresIndex(url)
    version = 1
    while True:
        version += 1
        index.put([opening.pair("s1", version), opening.pair("s2", version)])


class PreparingTest(opening.Case):
    def setUp(self) -> None:
        super().setUp()
        self.url = self.useFixture(databases.PostgreSQL()).url

    def execute(self, statement: str) -> object:
        engine = sa.create_engine(self.url, isolation_level="AUTOCOMMIT")
        try:
            with engine.connect() as connection:
                found = connection.exec_driver_sql(statement)
                return found.scalar() if found.returns_rows else None
        finally:
            engine.dispose()

    def test_several_processes_may_prepare_at_once(self) -> None:
        spawning = multiprocessing.get_context("spawn")
        started = spawning.Barrier(4)
        processes = [
            spawning.Process(target=_prepare, args=(self.url, started))
            for _ in range(4)
        ]
        for each in processes:
            each.start()
        for each in processes:
            each.join(_WAIT_S)

        self.assertEqual([0] * 4, [each.exitcode for each in processes])
        self.assertEqual(1, self.total(self.open(self.url)))

    def test_an_older_format_is_forgotten_with_all_that_was_noted(
        self,
    ) -> None:
        index = self.open(self.url)
        index.prepare()
        index.put([samples.stacked(samples.resource("a"))])
        index.save("x", "y")
        self.execute("UPDATE search_format SET number = number - 1")
        # A table of that format alone.
        self.execute("CREATE TABLE search_marks (stack_id text)")

        index.prepare()

        self.execute("CREATE TABLE search_marks (stack_id text)")
        self.assertEqual(0, self.total(index))
        self.assertEqual([], index.stack_ids("", 10))
        self.assertIsNone(index.load("x"))

    def test_a_newer_format_stays_though_a_table_of_ours_is_missing(
        self,
    ) -> None:
        index = self.open(self.url)
        index.prepare()
        index.save("x", "y")
        self.execute("UPDATE search_format SET number = number + 1")
        self.execute("DROP TABLE search_details")

        refused = self.assertRaises(formats.NewerFormat, index.prepare)

        self.assertIn("a newer release", refused.message)
        self.assertEqual("y", index.load("x"))

    def test_a_table_that_is_missing_is_made(self) -> None:
        index = self.open(self.url)
        index.prepare()
        self.execute("DROP TABLE search_texts")
        self.assertIsNone(index.index_state().found)

        index.prepare()
        index.save("x", "y")

        self.assertEqual("y", index.load("x"))

    def test_it_lives_beside_others_in_a_schema_of_its_own(self) -> None:
        for name in ("one", "two"):
            self.execute(f"CREATE SCHEMA {name}")
        for name in ("one", "two"):
            url = f"{self.url}?options=-csearch_path%3D{name}"
            index = self.open(url)
            index.prepare()
            index.put([samples.stacked(samples.resource(name))])
            self.assertEqual(1, self.total(index))

    def test_who_may_not_make_the_extension_is_told_what_to_do(self) -> None:
        name = f"poor_{uuid.uuid4().hex[:12]}"
        self.execute(f"CREATE ROLE {name} LOGIN")
        self.addCleanup(self.execute, f"DROP ROLE {name}")
        self.addCleanup(self.execute, f"DROP OWNED BY {name}")
        self.execute(f"CREATE SCHEMA poor AUTHORIZATION {name}")
        url = sa.make_url(self.url).set(username=name)
        poor = self.open(
            url.update_query_dict(
                {"options": "-csearch_path=poor"}
            ).render_as_string(hide_password=False)
        )

        refused = self.assertRaises(errors.Permanent, poor.prepare)

        self.assertIn("CREATE EXTENSION pg_trgm", refused.message)
        self.execute("CREATE EXTENSION pg_trgm")
        poor.prepare()
        poor.put([samples.stacked(samples.resource("a", name="a-web"))])
        found = poor.search(samples.query(nodes.Pattern("name", "*we*")))
        self.assertEqual(1, found.total)

    def test_rows_that_are_counted_are_narrow_whatever_is_in_them(
        self,
    ) -> None:
        index = self.open(self.url)
        index.prepare()
        index.put(
            [
                samples.stacked(
                    *(
                        samples.resource(f"{size}-{each}", description=text)
                        for each in range(500)
                    ),
                    stack_id=str(size),
                )
                for size in (0, 1000)
                for text in ("x" * size,)
            ]
        )

        found = self.execute("SELECT pg_relation_size('search_documents')")

        assert isinstance(found, int)
        self.assertLess(found, 1000 * 160)


class OutageTest(opening.Case):
    def setUp(self) -> None:
        super().setUp()
        self.server = self.useFixture(postgres_server.PostgresServer())
        self.index = self.open(self.server.url)
        self.index.prepare()
        self.index.put([samples.stacked(samples.resource("a"))])
        self.index.save("x", "y")

    def test_s5_nothing_is_lost_when_the_server_is_killed(self) -> None:
        self.server.kill()
        newer = samples.stacked(samples.resource("b"), version=2)
        for act in (
            lambda: self.index.put([newer]),
            lambda: self.index.save("x", "z"),
            lambda: self.index.search(samples.query()),
            self.index.prepare,
            self.index.counts,
        ):
            self.assertRaises(errors.Unavailable, act)
        self.server.start()

        self.assertEqual("y", self.index.load("x"))
        found = self.index.search(samples.query()).hits
        self.assertEqual(["a"], [each.document.name for each in found])
        self.assertEqual(1, self.index.put([newer]))
        found = self.index.search(samples.query()).hits
        self.assertEqual(["b"], [each.document.name for each in found])

    def test_a_restart_between_two_calls_is_not_noticed(self) -> None:
        self.server.kill()
        self.server.start()

        newer = samples.stacked(samples.resource("b"), version=2)
        self.assertEqual(1, self.index.put([newer]))
        self.assertEqual(1, self.total(self.index))


class SharingTest(opening.Case):
    def setUp(self) -> None:
        super().setUp()
        self.url = self.useFixture(databases.PostgreSQL()).url
        self.index = self.open(self.url)
        self.index.prepare()

    def rows(self) -> dict[str, int]:
        with psycopg2.connect(
            sa.make_url(self.url)
            .set(drivername="postgresql")
            .render_as_string(hide_password=False)
        ) as connection:
            cursor = connection.cursor()
            found = {}
            for name in _TABLES:
                cursor.execute(f"SELECT count(*) FROM search_{name}")
                found[name] = int(cursor.fetchone()[0])  # type: ignore[index]
        connection.close()
        return found

    def test_s5_stacks_are_whole_when_a_writer_is_killed(self) -> None:
        for _ in range(3):
            writer = multiprocessing.get_context("spawn").Process(
                target=_put_for_ever, args=(self.url,)
            )
            writer.start()
            self.addCleanup(writer.kill)
            waiting.wait_for(self.newest, "something is put", _WAIT_S)
            os.kill(writer.pid or 0, signal.SIGKILL)
            writer.join(_WAIT_S)
            facets = (port.Facet("version"),)
            found = self.index.search(samples.query(facets=facets, limit=0))
            self.assertEqual(80, found.total)
            self.assertEqual([80], [x[1] for x in found.facets["version"]])
            self.index.clear()

    def newest(self) -> int:
        found = self.index.search(
            samples.query(statistics=("version",), limit=0)
        )
        return int(found.statistics["version"].greatest or 0)

    def test_s5_writers_of_the_same_stacks_do_not_hinder_each_other(
        self,
    ) -> None:
        failures: list[BaseException] = []
        names = [f"s{number}" for number in range(6)]

        def write(index: port.Index, order: list[str], first: int) -> None:
            try:
                for version in range(first, 41, 2):
                    index.put([opening.pair(each, version) for each in order])
            except BaseException as e:
                failures.append(e)

        other = self.open(self.url)
        threads = [
            threading.Thread(target=write, args=(self.index, names, 1)),
            threading.Thread(target=write, args=(other, names[::-1], 2)),
        ]
        for each in threads:
            each.start()
        for each in threads:
            each.join()

        self.assertEqual([], failures)
        found = self.index.search(
            samples.query(facets=(port.Facet("version"),), limit=0)
        )
        self.assertEqual((("40", 240),), found.facets["version"])
        self.assertEqual(240, found.total)

    def test_repeated_changes_leave_no_rows_behind(self) -> None:
        def change(first: int) -> None:
            for version in range(first, first + 40):
                self.index.put(
                    [opening.pair("s1", version), opening.pair("s2", version)]
                )
            self.index.put([samples.stacked(stack_id="s3", version=first)])
            self.index.forget_history(samples.at(1e6))

        change(1)
        once = self.rows()
        change(100)
        change(200)

        self.assertEqual(once, self.rows())
        self.assertEqual(80, once["documents"])
        self.assertEqual(80, once["details"])
        self.assertEqual(0, once["former"])
        self.assertEqual(2, once["stacks"])

    def test_sets_of_fields_that_nobody_has_are_forgotten(self) -> None:
        self.index.put([_named("a", version=1)])
        self.index.put([_named("b", version=2)])
        self.assertEqual(2, self.rows()["name_sets"])

        self.index.forget_history(samples.at(0))

        self.assertEqual(1, self.rows()["name_sets"])
        self.assertIn("properties.b", self.fields())

    def test_a_set_that_is_wanted_again_meanwhile_stays(self) -> None:
        self.index.put([_named("a", version=1)])
        self.index.put([_named("b", version=2)])
        engine = sa.create_engine(self.url, poolclass=sa.NullPool)
        again = _named("a", stack_id="s2", project_id="p2")
        forgetting = threading.Thread(
            target=self.index.forget_history, args=(samples.at(0),)
        )

        with engine.connect() as writer, writer.begin():
            putting.Putting(writer, putting.newest_of([again])).put()
            forgetting.start()
            waiting.wait_for(
                lambda: self.waits(engine) or not forgetting.is_alive(),
                "the writer is waited for",
            )
        forgetting.join(_WAIT_S)

        self.assertEqual(2, self.rows()["name_sets"])
        self.assertIn("properties.a", self.fields())

    def waits(self, engine: sa.Engine) -> bool:
        """Answer whether somebody waits for a lock."""
        with engine.connect() as connection:
            return bool(
                connection.exec_driver_sql(
                    "SELECT count(*) FROM pg_locks l JOIN pg_database d"
                    " ON d.oid = l.database WHERE NOT granted"
                    " AND d.datname = current_database()"
                ).scalar()
            )

    def fields(self) -> collections.abc.Mapping[str, str]:
        return self.index.fields(samples.ADMIN, frozenset())

    def test_a_query_that_takes_too_long_is_ended(self) -> None:
        index = postgresql_index.PostgresIndex(self.url, longest_read_s=1)
        self.addCleanup(index.close)
        index.put([opening.pair("s1", 1)])
        with psycopg2.connect(
            sa.make_url(self.url)
            .set(drivername="postgresql")
            .render_as_string(hide_password=False)
        ) as connection:
            connection.cursor().execute(
                "LOCK TABLE search_documents IN ACCESS EXCLUSIVE MODE"
            )
            refused = self.assertRaises(
                errors.Unavailable,
                index.search,
                samples.query(samples.words("s10")),
            )
            self.assertIn("too long", refused.message)
        connection.close()
        self.assertEqual(
            1, index.search(samples.query(samples.words("s10"))).total
        )
