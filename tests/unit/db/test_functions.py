"""The clock as each database writes it."""

import sqlalchemy as sa
import testtools
from sqlalchemy import exc
from sqlalchemy.dialects import mysql
from sqlalchemy.dialects import oracle
from sqlalchemy.dialects import postgresql
from sqlalchemy.dialects import sqlite

from orch.db import functions


class NowTest(testtools.TestCase):
    def test_it_is_read_when_the_statement_runs(self) -> None:
        for dialect, expected in (
            (postgresql.dialect(), "clock_timestamp()"),
            (mysql.dialect(), "UNIX_TIMESTAMP(NOW(6))"),
            (sqlite.dialect(), "julianday('now')"),
        ):
            text = str(sa.select(functions.now()).compile(dialect=dialect))
            self.assertIn(expected, text)

    def test_a_database_that_we_do_not_know_is_refused(self) -> None:
        compile_ = functions.now().compile

        self.assertRaises(exc.CompileError, compile_, dialect=oracle.dialect())
