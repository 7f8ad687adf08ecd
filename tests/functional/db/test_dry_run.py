"""What a use case writes while it is only rehearsed, on each database."""

import typing

import sqlalchemy as sa
import testscenarios

from orch import clock
from orch import errors
from orch.db import engine as db_engine
from orch.db.models import stacks as stack_tables
from orch.db.repositories import operations
from orch.db.repositories import stacks
from orch.engine import dependencies
from orch.engine.acceptance import dry_run
from orch.model import stack
from orch.template import inputs
from tests.functional.db import base

load_tests = testscenarios.load_tests_apply_scenarios


class DryRunTest(base.TestCase):
    def setUp(self) -> None:
        super().setUp()
        nothing = typing.cast(typing.Any, None)
        self.deps = dependencies.Dependencies(
            database=self.database,
            types=nothing,
            limits=inputs.Limits(),
            settings=dependencies.Settings(),
            clock=clock.SystemClock(),
            conductor=nothing,
            rules=nothing,
            templates=nothing,
            records=nothing,
        )
        self.stack = base.make_stack()
        begun = base.make_operation(stack_id=self.stack.id)
        with self.database.write() as conn:
            stacks.insert(conn, self.stack)
            operations.insert(conn, begun)

    def write(self, conn: db_engine.Connection) -> None:
        stacks.update(conn, self.stack.id, description="changed")
        conn.execute(
            sa.insert(stack_tables.IDEMPOTENT_ANSWERS).values(
                project_id="demo",
                key="k",
                digest="d",
                request_id="r",
                answer=None,
                created_at=base.NOW,
            )
        )

    def check_unchanged(self) -> None:
        with self.database.read() as conn:
            found = conn.scalars(sa.select(stack_tables.STACKS.c.description))
            self.assertEqual([""], list(found))
            kept = conn.execute(
                sa.select(stack_tables.IDEMPOTENT_ANSWERS.c.key)
            )
            self.assertEqual([], kept.all())

    def test_what_accepts_nothing_leaves_nothing(self) -> None:
        seen: list[stack.Stack] = []

        def ask(deps: dependencies.Dependencies) -> None:
            deps.database.run(self.write)
            # Each transaction begins with what there is.
            seen.append(
                deps.database.run(lambda conn: stacks.get(conn, self.stack.id))
            )

        self.assertRaises(
            dry_run.NothingToDo,
            dry_run.dry_run,
            self.deps,
            self.stack.id,
            ask,
        )

        self.assertEqual([""], [each.description for each in seen])
        self.check_unchanged()

    def test_what_is_refused_leaves_nothing(self) -> None:
        def work(conn: db_engine.Connection) -> None:
            self.write(conn)
            raise errors.Conflict("no")

        self.assertRaises(
            errors.Conflict,
            dry_run.dry_run,
            self.deps,
            self.stack.id,
            lambda deps: deps.database.run(work),
        )

        self.check_unchanged()
