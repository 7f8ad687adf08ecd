"""Open calls of a stack, when the database does not tell of them."""

import typing

from orch import errors
from orch import ids
from orch.db import engine as db_engine
from orch.db import errors as db_errors
from orch.flow.runner import open_calls
from tests import base


class Database:
    """A database that is away for some questions, then knows of nothing."""

    def __init__(self, away: int) -> None:
        self.away = away
        self.query_count = 0

    def query(self, work: object) -> dict[str, ids.WorkerId]:
        self.query_count += 1
        if self.query_count <= self.away:
            raise db_errors.DatabaseDown("away")
        return {}


class OpenCallsTest(base.TestCase):
    def calls_on(self, database: Database) -> open_calls.OpenCalls:
        return open_calls.OpenCalls(
            typing.cast(db_engine.Database, database), ids.StackId("s")
        )

    def test_nothing_is_asked_before_the_first_call(self) -> None:
        database = Database(away=0)

        stack = self.calls_on(database)
        asked_before = database.query_count
        stack.check(ids.ResourceId("a"))
        stack.check(ids.ResourceId("b"))

        self.assertEqual((0, 1), (asked_before, database.query_count))

    def test_a_call_is_put_off_while_nobody_can_tell(self) -> None:
        stack = self.calls_on(Database(away=1))

        self.assertRaises(errors.Outage, stack.check, ids.ResourceId("a"))
        stack.check(ids.ResourceId("a"))
