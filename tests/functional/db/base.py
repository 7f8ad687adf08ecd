"""The base of tests that run on each of the three databases."""

import atexit
import functools

import fixtures
import sqlalchemy as sa
import testscenarios

from orch import clock
from orch import ids
from orch.db import engine
from orch.db.models import catalog
from orch.db.repositories import operations
from orch.model import operation
from orch.model import resource
from orch.model import stack
from orch.model import states
from tests import base
from tests.functional import databases
from tests.support import tables

NOW = clock.Timestamp(1_700_000_000.25)
HASH = "0" * 64


class TestCase(testscenarios.TestWithScenarios, base.TestCase):
    """A test with a migrated database whose tables are empty.

    The tables and the connections are made once a process: a new connection
    costs more than the statements of most tests.

    :ivar database: what a test changes of it, it changes back
    """

    scenarios = databases.SCENARIOS
    kind: type[fixtures.Fixture] = databases.SQLite

    def setUp(self) -> None:
        super().setUp()
        self.url = _migrated(self.kind)
        self.database = _opened(self.url)
        with self.database.write() as conn:
            for statement in _deletions(self.url):
                conn.exec_driver_sql(statement)

    def connect(self) -> engine.Database:
        """Return the database once more, as another process has it."""
        database = engine.Database(self.url)
        self.addCleanup(database.dispose)
        return database


class OperationTestCase(TestCase):
    """A test of the rows of operations."""

    def store(self, **given: object) -> operation.Operation:
        value = make_operation(**given)
        with self.database.write() as conn:
            operations.insert(conn, value)
        return value

    def read(self, value: operation.Operation) -> operation.Operation:
        with self.database.read() as conn:
            return operations.get(conn, value.id)


@functools.cache
def _migrated(kind: type[fixtures.Fixture]) -> str:
    """Return the URL of a database with tables, the same each time."""
    opened = kind()
    opened.setUp()
    atexit.register(opened.cleanUp)
    tables.make(opened.url)
    return opened.url


@functools.cache
def _opened(url: str) -> engine.Database:
    """Return a database with its connections, the same each time."""
    database = engine.Database(url)
    atexit.register(database.dispose)
    return database


@functools.cache
def _deletions(url: str) -> tuple[str, ...]:
    """Return what empties all tables; each engine would compile it anew."""
    dialect = sa.make_url(url).get_dialect()()
    return tuple(
        str(sa.delete(table).compile(dialect=dialect))
        for table in catalog.TABLES
    )


def make_stack(**given: object) -> stack.Stack:
    stack_id = ids.StackId(ids.new())
    values = {
        "id": stack_id,
        "root_id": stack_id,
        "project_id": "demo",
        "name": f"stack-{stack_id[:8]}",
        "action": states.Action.CREATE,
        "status": states.Status.IN_PROGRESS,
        "status_reason": "",
        "template_hash": HASH,
        "environment_hash": HASH,
        "created_at": NOW,
    }
    return stack.Stack(**(values | given))


def make_operation(**given: object) -> operation.Operation:
    values = {
        "id": ids.OperationId(ids.new()),
        "stack_id": ids.StackId(ids.new()),
        "project_id": "demo",
        "action": states.Action.CREATE,
        "state": states.OperationState.WAITING,
        "created_at": NOW,
    }
    return operation.Operation(**(values | given))


def make_resource(**given: object) -> resource.Resource:
    values = {
        "id": ids.ResourceId(ids.new()),
        "stack_id": ids.StackId(ids.new()),
        "name": "web",
        "type_name": "OS::Heat::Value",
        "created_at": NOW,
        "updated_at": NOW,
    }
    return resource.Resource(**(values | given))
