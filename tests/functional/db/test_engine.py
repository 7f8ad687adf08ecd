"""Transactions on each database: what is committed, what is tried again."""

import concurrent.futures
import pathlib
import signal
import subprocess
import sys
import threading
import time

import sqlalchemy as sa
import testscenarios
from oslo_config import cfg
from oslo_db import exception
from oslo_db import options

from orch import ids
from orch.db import engine
from orch.db import errors
from orch.db import migrate
from orch.db.models import stacks as stacks_tables
from orch.db.repositories import outbox
from orch.db.repositories import stacks
from orch.model import stack
from tests import base as tests_base
from tests.functional import databases
from tests.functional.db import base
from tests.functional.db import endless_writer
from tests.functional.db import test_outbox
from tests.support import ports
from tests.support import proxy

load_tests = testscenarios.load_tests_apply_scenarios


def _count_up(conn: engine.Connection, stack_id: ids.StackId) -> int:
    number = stacks.lock(conn, stack_id).depth + 1
    stacks.update(conn, stack_id, depth=number)
    return number


class TransactionTest(base.TestCase):
    def count(self) -> int:
        with self.database.read() as conn:
            return outbox.count(conn)

    def test_a_block_that_ends_is_committed(self) -> None:
        with self.database.write() as conn:
            outbox.insert_many(conn, [test_outbox._make(1)])

        self.assertEqual(1, self.count())

    def test_a_block_that_fails_is_rolled_back_and_frees_its_connection(
        self,
    ) -> None:
        def fail() -> None:
            with self.database.write() as conn:
                outbox.insert_many(conn, [test_outbox._make(1)])
                raise ZeroDivisionError

        for _ in range(30):
            self.assertRaises(ZeroDivisionError, fail)

        self.assertEqual(0, self.count())

    def test_errors_quote_no_parameters(self) -> None:
        row = {"hash": "0" * 64, "body": b"canary-7b1d", "used_at": 0.0}

        def fail() -> None:
            with self.database.write() as conn:
                for _ in range(2):
                    conn.execute(sa.insert(stacks_tables.CONTENTS), row)

        error = self.assertRaises(exception.DBDuplicateEntry, fail)

        self.assertIn("INSERT INTO contents", str(error))
        self.assertNotIn("canary-7b1d", str(error))

    def test_run_answers_what_its_function_answers(self) -> None:
        answer = self.database.run(lambda conn: outbox.count(conn) + 41)

        self.assertEqual(41, answer)
        self.assertEqual(0, self.database.query(outbox.count))

    def test_run_passes_on_errors_that_no_second_try_helps(self) -> None:
        calls = []

        def fail(conn: engine.Connection) -> None:
            calls.append(1)
            outbox.insert_many(conn, [test_outbox._make(1)])
            raise ZeroDivisionError

        for method in (self.database.run, self.database.query):
            self.assertRaises(ZeroDivisionError, method, fail)

        self.assertEqual([1, 1], calls)
        self.assertEqual(0, self.count())

    def test_a_deadlock_is_tried_again_from_the_start(self) -> None:
        calls = []

        def work(conn: engine.Connection) -> str:
            calls.append(1)
            outbox.insert_many(conn, [test_outbox._make(1)])
            if len(calls) < 3:
                raise exception.DBDeadlock
            return "done"

        self.assertEqual("done", self.database.run(work))
        self.assertEqual(1, self.count())

    def test_an_end_of_the_tries_says_that_the_database_is_down(
        self,
    ) -> None:
        calls = []
        database = engine.Database(self.url, max_retries=2)
        self.addCleanup(database.dispose)

        def fail(conn: engine.Connection) -> None:
            calls.append(1)
            raise exception.DBConnectionError

        self.assertRaises(errors.DatabaseDown, database.run, fail)
        self.assertEqual(3, len(calls))

    def test_many_threads_write_and_read_at_once(self) -> None:
        value = base.make_stack()
        self.database.run(lambda conn: stacks.insert(conn, value))

        def count_up(_: int) -> list[int]:
            seen = []
            for _ in range(10):
                seen.append(
                    self.database.run(lambda conn: _count_up(conn, value.id))
                )
                self.database.query(lambda conn: stacks.get(conn, value.id))
            return seen

        with concurrent.futures.ThreadPoolExecutor(12) as pool:
            found = [
                each for seen in pool.map(count_up, range(12)) for each in seen
            ]

        self.assertEqual(list(range(1, 121)), sorted(found))

    def test_a_reader_does_not_wait_for_a_writer(self) -> None:
        with self.database.write() as conn:
            outbox.insert_many(conn, [test_outbox._make(1)])
            with concurrent.futures.ThreadPoolExecutor(1) as pool:
                seen = pool.submit(self.count).result(10)

        self.assertEqual(0, seen)

    def test_a_disposed_database_opens_anew(self) -> None:
        self.database.dispose()

        self.assertEqual(0, self.count())


class SessionTest(base.TestCase):
    def test_a_session_of_mysql_has_what_the_queries_need(self) -> None:
        if self.database.dialect != "mysql":
            self.skipTest("only MySQL needs settings")
        names = "time_zone", "tx_isolation", "character_set_client"
        with self.database.read() as conn:
            found = [
                conn.exec_driver_sql(f"SELECT @@session.{name}").scalar_one()
                for name in names
            ]
            mode = conn.exec_driver_sql("SELECT @@session.sql_mode")
            self.assertIn("STRICT_ALL_TABLES", mode.scalar_one())

        self.assertEqual(["+00:00", "READ-COMMITTED", "utf8mb4"], found)

    def test_so_has_the_one_that_was_made_to_see_the_server(self) -> None:
        if self.database.dialect != "mysql":
            self.skipTest("only MySQL needs settings")
        other = engine.Database(self.url, connect_retries=1)
        self.addCleanup(other.dispose)

        with other.read() as conn:
            found = conn.exec_driver_sql(
                "SELECT @@session.time_zone, @@session.tx_isolation"
            ).one()

        self.assertEqual(("+00:00", "READ-COMMITTED"), tuple(found))


class PoolTest(base.TestCase):
    def test_who_gets_no_connection_in_time_is_told(self) -> None:
        if self.database.dialect == "sqlite":
            self.skipTest("SQLite's connections have no bound")
        database = engine.Database(
            self.url, max_pool_size=1, max_overflow=0, pool_timeout_s=1
        )
        self.addCleanup(database.dispose)
        with database.read() as conn:
            started = time.monotonic()
            self.assertRaises(errors.DatabaseDown, database.run, outbox.count)
            waited = time.monotonic() - started

            self.assertEqual(0, outbox.count(conn))
        self.assertTrue(0.9 < waited < 5, waited)


class LostConnectionTest(base.TestCase):
    def setUp(self) -> None:
        super().setUp()
        if self.database.dialect == "sqlite":
            self.skipTest("SQLite has no connection to lose")

    def kill(self, number: int) -> None:
        """Let the server close a connection, as its restart does."""
        act = {
            "postgresql": f"SELECT pg_terminate_backend({number})",
            "mysql": f"KILL {number}",
        }
        with self.connect().engine.connect() as killer:
            killer.exec_driver_sql(act[self.database.dialect])

    def number_of(self, conn: engine.Connection) -> int:
        name = {"postgresql": "pg_backend_pid()", "mysql": "connection_id()"}
        asked = sa.text(f"SELECT {name[self.database.dialect]}")
        return int(conn.execute(asked).scalar_one())

    def test_a_connection_lost_inside_is_tried_again(self) -> None:
        calls = []

        def work(conn: engine.Connection) -> int:
            calls.append(1)
            outbox.insert_many(conn, [test_outbox._make(1)])
            if len(calls) == 1:
                self.kill(self.number_of(conn))
            return outbox.count(conn)

        self.assertEqual(1, self.database.run(work))
        self.assertEqual(2, len(calls))

    def test_a_connection_lost_between_is_not_noticed(self) -> None:
        with self.database.write() as conn:
            number = self.number_of(conn)
        self.kill(number)

        with self.database.read() as conn:
            self.assertEqual(0, outbox.count(conn))
            self.assertNotEqual(number, self.number_of(conn))

    def test_a_block_that_lost_its_connection_says_so(self) -> None:
        def work() -> None:
            with self.database.write() as conn:
                self.kill(self.number_of(conn))
                outbox.count(conn)

        self.assertRaises(errors.DatabaseDown, work)

    def test_work_waits_for_a_server_that_comes_back(self) -> None:
        url = sa.make_url(self.url)
        between = self.useFixture(proxy.Proxy(url.host, url.port))
        through = url.set(port=between.port)
        database = engine.Database(
            through.render_as_string(hide_password=False)
        )
        self.addCleanup(database.dispose)
        self.assertEqual(0, database.run(outbox.count))

        between.cut()
        timer = threading.Timer(0.4, between.restore)
        timer.start()
        self.addCleanup(timer.join)

        self.assertEqual(0, database.run(outbox.count))


class DownTest(testscenarios.TestWithScenarios, tests_base.TestCase):
    scenarios = (
        ("PostgreSQL", {"url": "postgresql://postgres@127.0.0.1:{}/x"}),
        ("MariaDB", {"url": "mysql://root@127.0.0.1:{}/x"}),
    )

    def test_a_server_that_is_not_there_is_down(self) -> None:
        url = self.url.format(ports.find_free())
        database = engine.Database(url, max_retries=1)
        self.addCleanup(database.dispose)

        def read() -> None:
            with database.read():
                self.fail("there is nothing to read")

        def write() -> None:
            with database.write():
                self.fail("there is nothing to write")

        self.assertRaises(errors.DatabaseDown, read)
        self.assertRaises(errors.DatabaseDown, write)
        self.assertRaises(errors.DatabaseDown, database.run, outbox.count)
        self.assertRaises(errors.DatabaseDown, database.query, outbox.count)

    def test_the_first_connection_is_waited_for_where_asked(self) -> None:
        url = self.url.format(ports.find_free())

        self.assertRaises(
            errors.DatabaseDown,
            engine.Database,
            url,
            connect_retries=2,
            connect_interval_s=0,
        )


class ConfTest(tests_base.TestCase):
    def test_the_options_of_oslo_db_describe_a_database(self) -> None:
        url = self.useFixture(databases.SQLite()).url
        conf = cfg.ConfigOpts()
        conf([], default_config_files=[])
        conf.register_opts(options.database_opts, "database")
        conf.set_override("connection", url, "database")

        database = engine.Database.from_conf(conf)
        self.addCleanup(database.dispose)
        migrate.upgrade(database)

        with database.read() as conn:
            self.assertEqual(0, outbox.count(conn))


class MariadbTest(tests_base.TestCase):
    def setUp(self) -> None:
        super().setUp()
        self.database = engine.Database(
            self.useFixture(databases.MariaDB()).url,
            max_pool_size=1,
            max_overflow=0,
        )
        self.addCleanup(self.database.dispose)

    def count_rollbacks(self) -> int:
        with self.database.read() as conn:
            found = conn.exec_driver_sql(
                "SHOW SESSION STATUS LIKE 'Com_rollback'"
            )
            return int(found.one()[1])

    def test_a_commit_is_not_followed_by_a_rollback(self) -> None:
        before = self.count_rollbacks()

        for _ in range(3):
            self.database.run(lambda conn: conn.exec_driver_sql("SELECT 1"))

        self.assertEqual(before, self.count_rollbacks())

    def test_an_error_rolls_back(self) -> None:
        def fail(conn: engine.Connection) -> None:
            conn.exec_driver_sql("SELECT 1")
            raise ZeroDivisionError

        before = self.count_rollbacks()

        self.assertRaises(ZeroDivisionError, self.database.run, fail)

        self.assertEqual(before + 1, self.count_rollbacks())


class SQLiteTest(tests_base.TestCase):
    """What only a file has to get right."""

    def setUp(self) -> None:
        super().setUp()
        self.url = self.useFixture(databases.SQLite()).url
        self.database = engine.Database(self.url)
        self.addCleanup(self.database.dispose)
        migrate.upgrade(self.database)

    def test_what_was_committed_survives_a_kill(self) -> None:
        worker = subprocess.Popen(
            [sys.executable, "-m", endless_writer.__name__, self.url],
            cwd=pathlib.Path(__file__).parents[3],
            stdout=subprocess.PIPE,
            text=True,
        )
        self.addCleanup(worker.stdout.close)
        self.addCleanup(worker.wait)
        self.addCleanup(worker.kill)
        confirmed = [int(worker.stdout.readline()) for _ in range(60)]
        worker.send_signal(signal.SIGKILL)
        confirmed += [
            int(line) for line in worker.stdout if line.endswith("\n")
        ]

        with self.database.write() as conn:
            found = outbox.list_waiting(conn, 100_000)
            check = conn.exec_driver_sql("PRAGMA integrity_check").scalar_one()
        self.assertEqual("ok", check)
        stored = [each.sequence for each in found]
        self.assertEqual(list(range(len(stored))), stored)
        # One more may have been committed than it could tell.
        self.assertIn(len(stored) - len(confirmed), (0, 1))

    def test_a_writer_waits_for_one_in_another_process(self) -> None:
        other = engine.Database(self.url)
        self.addCleanup(other.dispose)
        has_begun = threading.Event()

        def hold() -> None:
            with other.write() as conn:
                has_begun.set()
                outbox.insert_many(conn, [test_outbox._make(1)])
                time.sleep(0.3)

        with concurrent.futures.ThreadPoolExecutor(1) as pool:
            held = pool.submit(hold)
            has_begun.wait(10)
            with self.database.write() as conn:
                # It began after the other one had ended.
                self.assertEqual(1, outbox.count(conn))
            held.result(10)

    def test_a_transaction_that_reads_first_can_still_write(self) -> None:
        other = engine.Database(self.url)
        self.addCleanup(other.dispose)
        start = threading.Barrier(2)
        value = _store(self.database)

        def count_up(database: engine.Database) -> None:
            start.wait(10)
            for _ in range(20):
                with database.write() as conn:
                    found = stacks.get(conn, value.id).depth
                    stacks.update(conn, value.id, depth=found + 1)

        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            list(pool.map(count_up, (self.database, other)))

        with self.database.read() as conn:
            self.assertEqual(40, stacks.get(conn, value.id).depth)

    def test_a_file_held_too_long_is_down(self) -> None:
        other = engine.Database(self.url, max_retries=0)
        self.addCleanup(other.dispose)
        with other.read() as conn:
            conn.exec_driver_sql("PRAGMA busy_timeout=10")
        with self.database.write():
            self.assertRaises(errors.DatabaseDown, other.run, outbox.count)

            with other.read() as conn:
                self.assertEqual(0, outbox.count(conn))

    def test_commits_are_durable(self) -> None:
        with self.database.write() as conn:
            for name, expected in (
                ("journal_mode", "wal"),
                ("synchronous", 2),
            ):
                found = conn.exec_driver_sql(f"PRAGMA {name}").scalar_one()
                self.assertEqual(expected, found)

    def test_connections_are_kept(self) -> None:
        def which() -> object:
            with self.database.read() as conn:
                return conn.connection.driver_connection

        self.assertIs(which(), which())

    def test_a_reader_sees_one_moment(self) -> None:
        with self.database.read() as conn:
            self.assertEqual(0, outbox.count(conn))
            with self.database.write() as writing:
                outbox.insert_many(writing, [test_outbox._make(1)])
            self.assertEqual(0, outbox.count(conn))

        self.assertEqual(1, self.database.query(outbox.count))


def _store(database: engine.Database) -> stack.Stack:
    value = base.make_stack()
    database.run(lambda conn: stacks.insert(conn, value))
    return value
