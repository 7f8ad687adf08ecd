"""The migrations on each database: what they make, and two at once."""

import multiprocessing
import threading

import sqlalchemy as sa
import testscenarios
from alembic import autogenerate
from alembic.runtime import migration

from orch.db import engine
from orch.db import errors
from orch.db import migrate
from orch.db import revision
from orch.db import schema_lock
from orch.db.models import catalog
from tests import base
from tests.functional import databases

load_tests = testscenarios.load_tests_apply_scenarios


def _upgrade(url: str, start: object, answers: object) -> None:
    database = engine.Database(url)
    start.wait(30)
    try:
        migrate.upgrade(database)
        answers.put("done")
    except Exception as error:
        answers.put(repr(error))


class MigrateTest(testscenarios.TestWithScenarios, base.TestCase):
    scenarios = databases.SCENARIOS

    def setUp(self) -> None:
        super().setUp()
        self.url = self.useFixture(self.kind()).url
        self.database = engine.Database(self.url)
        self.addCleanup(self.database.dispose)

    def test_an_empty_database_is_at_no_revision(self) -> None:
        self.assertIsNone(revision.current(self.database))

    def test_upgrade_makes_exactly_the_tables_that_the_code_knows(
        self,
    ) -> None:
        migrate.upgrade(self.database)

        self.assertEqual(revision.head(), revision.current(self.database))
        with self.database.read() as conn:
            context = migration.MigrationContext.configure(
                conn,
                opts={"compare_type": True, "compare_server_default": True},
            )
            drift = autogenerate.compare_metadata(context, catalog.metadata())
        self.assertEqual([], drift)

    def test_what_the_comparison_would_find(self) -> None:
        migrate.upgrade(self.database)
        with self.database.write() as conn:
            conn.execute(sa.text("DROP TABLE leases"))
            conn.execute(sa.text("ALTER TABLE stacks ADD extra INTEGER"))

        with self.database.read() as conn:
            context = migration.MigrationContext.configure(conn)
            drift = autogenerate.compare_metadata(context, catalog.metadata())

        found = [each[0] for each in drift]
        self.assertEqual(["add_table", "remove_column"], sorted(found))

    def test_a_second_upgrade_changes_nothing(self) -> None:
        migrate.upgrade(self.database)
        with self.database.write() as conn:
            conn.execute(
                sa.text(
                    "INSERT INTO stack_tags (stack_id, tag) VALUES ('s', 't')"
                )
            )

        migrate.upgrade(self.database)

        with self.database.read() as conn:
            found = conn.execute(sa.text("SELECT tag FROM stack_tags"))
            self.assertEqual(["t"], list(found.scalars()))

    def test_processes_that_upgrade_at_once_all_succeed(self) -> None:
        context = multiprocessing.get_context("spawn")
        start, answers = context.Barrier(3), context.Queue()
        workers = [
            context.Process(target=_upgrade, args=(self.url, start, answers))
            for _ in range(3)
        ]
        for worker in workers:
            worker.start()
            self.addCleanup(worker.kill)

        found = [answers.get(timeout=50) for _ in workers]
        for worker in workers:
            worker.join(10)

        self.assertEqual(["done"] * 3, found)
        self.assertEqual(revision.head(), revision.current(self.database))

    def test_names_differ_by_case_and_by_accent(self) -> None:
        migrate.upgrade(self.database)
        tags = ["a", "A", "à", "a\U0001f600"]
        with self.database.write() as conn:
            for tag in tags:
                conn.execute(
                    sa.text("INSERT INTO stack_tags VALUES ('s', :tag)"),
                    {"tag": tag},
                )

        with self.database.read() as conn:
            for tag in tags:
                found = conn.execute(
                    sa.text("SELECT tag FROM stack_tags WHERE tag = :tag"),
                    {"tag": tag},
                )
                self.assertEqual([tag], list(found.scalars()))


class LockTest(base.TestCase):
    def test_a_migration_that_never_ends_keeps_nobody_waiting_for_ever(
        self,
    ) -> None:
        for fixture in (databases.MariaDB, databases.PostgreSQL):
            url = self.useFixture(fixture()).url
            first, second = engine.Database(url), engine.Database(url)
            self.addCleanup(first.dispose)
            self.addCleanup(second.dispose)

            with schema_lock.locked(first, migrate._LOCK):
                lock = schema_lock.locked(second, migrate._LOCK, wait_s=1)
                refused = self.assertRaises(
                    errors.DatabaseDown, lock.__enter__
                )
            self.assertIn(migrate._LOCK, refused.message)

            migrate.upgrade(second)
            with schema_lock.locked(second, migrate._LOCK) as conn:
                if second.dialect == "postgresql":
                    wait = conn.execute(sa.text("SHOW lock_timeout"))
                    self.assertEqual("0", wait.scalar_one())

    def test_the_lock_goes_after_what_was_done_is_committed(self) -> None:
        url = self.useFixture(databases.MariaDB()).url
        first, second = engine.Database(url), engine.Database(url)
        self.addCleanup(first.dispose)
        self.addCleanup(second.dispose)
        migrate.upgrade(first)
        seen: list[list[tuple[str]]] = []

        def look() -> None:
            with schema_lock.locked(second, migrate._LOCK) as conn:
                found = conn.execute(sa.text("SELECT tag FROM stack_tags"))
                seen.append([tuple(row) for row in found])

        with schema_lock.locked(first, migrate._LOCK) as conn:
            conn.execute(
                sa.text("INSERT INTO stack_tags VALUES ('s', 'there')")
            )
            waiting = threading.Thread(target=look)
            waiting.start()
        waiting.join(30)

        self.assertEqual([[("there",)]], seen)
