"""What is made of a URL, and which errors pass by themselves."""

import concurrent.futures
import sys
import threading
from unittest import mock

import sqlalchemy as sa
import testtools
from sqlalchemy import exc

from orch.context import deadline
from orch.db import engine
from orch.db import errors
from orch.db import migrate
from orch.db import revision
from orch.db.repositories import outbox


class UrlTest(testtools.TestCase):
    def test_a_driver_is_added_where_none_is_named(self) -> None:
        for url, expected in (
            ("postgresql://u@h/d", "postgresql+psycopg2"),
            ("postgresql+psycopg://u@h/d", "postgresql+psycopg"),
            ("mysql://u@h/d", "mysql+pymysql"),
            ("sqlite:///d", "sqlite"),
        ):
            self.assertEqual(expected, engine._completed(url).drivername)

    def test_mysql_gets_all_of_unicode_whatever_the_url_says(self) -> None:
        for url in ("mysql://u@h/d", "mysql+pymysql://u@h/d?charset=utf8"):
            found = engine._completed(url).query["charset"]
            self.assertEqual("utf8mb4", found)

    def test_the_password_stays(self) -> None:
        found = engine._completed("mysql://u:p%40ss@h/d?x=y")

        self.assertEqual("p@ss", found.password)
        self.assertEqual("y", found.query["x"])


class DriverTest(testtools.TestCase):
    def test_a_missing_driver_is_reported_with_its_extra(self) -> None:
        for url, module, extra in (
            ("postgresql://u@h/d", "psycopg2", "orch[postgresql]"),
            ("mysql://u@h/d", "pymysql", "orch[mysql]"),
        ):
            with mock.patch.dict(sys.modules, {module: None}):
                error = self.assertRaises(
                    errors.MissingDriver, engine.Database, url
                )
            self.assertIn(f"package {module}: install {extra}.", str(error))

    def test_a_driver_of_a_site_has_no_extra(self) -> None:
        with mock.patch.dict(sys.modules, {"psycopg": None}):
            error = self.assertRaises(
                errors.MissingDriver,
                engine.Database,
                "postgresql+psycopg://u@h/d",
            )

        self.assertIn("package psycopg: install it.", str(error))


class PassingTest(testtools.TestCase):
    def test_a_server_on_its_way_passes(self) -> None:
        for text, expected in (
            ('connection to server at "h", port 5432 failed: refused', True),
            ("could not connect to server: refused", True),
            ("FATAL:  the database system is starting up", True),
            ("FATAL:  the database system is shutting down", True),
            ("database is locked", True),
            ("no such table: stacks", False),
            ('syntax error at or near "x"', False),
        ):
            error = exc.OperationalError("select", {}, Exception(text))
            self.assertIs(expected, engine._is_passing(error), text)

    def test_other_errors_do_not(self) -> None:
        self.assertFalse(engine._is_passing(ValueError("database is locked")))

    def test_an_error_of_ours_is_told_as_it_is(self) -> None:
        database = engine.Database("sqlite://")
        self.addCleanup(database.dispose)

        def ask(conn: engine.Connection) -> None:
            conn.execute(sa.text("SELECT no_such_column"))

        self.assertRaises(exc.OperationalError, database.run, ask)


class MemoryTest(testtools.TestCase):
    def test_a_database_in_memory_serves_several_threads(self) -> None:
        database = engine.Database("sqlite://")
        self.addCleanup(database.dispose)
        migrate.upgrade(database)

        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            works = [
                pool.submit(method, outbox.count)
                for method in (database.query, database.run) * 20
            ]
            found = {each.result(10) for each in works}

        self.assertEqual({0}, found)
        self.assertEqual(revision.head(), revision.current(database))


class DeadlineTest(testtools.TestCase):
    """Nobody waits any more for the request of this thread."""

    def setUp(self) -> None:
        super().setUp()
        self.database = engine.Database("sqlite://")
        self.addCleanup(self.database.dispose)
        self.tries = 0

    def fail(self, connection: engine.Connection) -> None:
        """Fail so that it would be tried again, when the time is over."""
        self.tries += 1
        while deadline.left_s():
            pass
        raise exc.OperationalError("x", {}, Exception("database is locked"))

    def test_nothing_is_begun(self) -> None:
        for method in (self.database.run, self.database.query):
            with deadline.limited(0):
                self.assertRaises(deadline.DeadlineExceeded, method, self.fail)
        self.assertEqual(0, self.tries)

    def test_nothing_is_tried_again(self) -> None:
        for method in (self.database.run, self.database.query):
            with deadline.limited(0.05):
                self.assertRaises(deadline.DeadlineExceeded, method, self.fail)
        self.assertEqual(2, self.tries)

    def test_a_write_that_had_to_wait_for_another_is_not_begun(self) -> None:
        def work() -> None:
            with deadline.limited(0.2):
                self.database.run(lambda connection: self.fail(connection))

        with concurrent.futures.ThreadPoolExecutor(1) as pool:
            with self.database.write():
                waiting = pool.submit(work)
                while not waiting.running():
                    pass
                threading.Event().wait(0.4)
            self.assertRaises(deadline.DeadlineExceeded, waiting.result, 30)
        self.assertEqual(0, self.tries)
