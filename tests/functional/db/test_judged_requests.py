"""Requests that plug-ins judge, while the database fails between calls."""

import collections.abc
import dataclasses
import types
import typing
from unittest import mock

from orch import clock
from orch import errors
from orch.context import request
from orch.db import engine
from orch.db import errors as db_errors
from orch.db.repositories import judged_requests as judged_rows
from orch.db.repositories import stacks
from orch.engine import dependencies
from orch.engine import plugin_reads
from orch.engine.judged_requests import hooks
from orch.engine.judged_requests import judged_request
from orch.engine.moves import hooks as move_hooks
from orch.engine.moves import model as move_model
from orch.engine.secrets import redaction
from orch.model import lifecycle as model
from orch.plugin import lifecycle
from orch.plugin import lifecycle_operation
from orch.plugin import lifecycle_order
from tests.functional.db import base


class _Plugin(lifecycle.LifecyclePlugin):
    """Notes its calls, and what its post-op is told."""

    def __init__(self, name: str, calls: list[tuple[str, str]]) -> None:
        super().__init__(name, None)
        self.calls = calls

    def pre_operation(
        self, operation: lifecycle_operation.LifecycleOperation
    ) -> lifecycle.Verdict:
        self.calls.append(("pre", self.name))
        return lifecycle.allow()

    def post_operation(
        self,
        operation: lifecycle_operation.LifecycleOperation,
        result: lifecycle.OperationResult,
    ) -> None:
        self.calls.append((result.outcome.value, self.name))


class _Denying(_Plugin):
    """Denies all that it is called for."""

    def pre_operation(
        self, operation: lifecycle_operation.LifecycleOperation
    ) -> lifecycle.Verdict:
        super().pre_operation(operation)
        return lifecycle.deny("it is Friday")


def _find_no_template(connection: object, stack: object) -> typing.Never:
    raise errors.NotFound("it was purged")


class _Database:
    """A database that gives no answer to some of its writes.

    :ivar lost: numbers of the writes, from 1 on
    """

    def __init__(self, real: engine.Database, *lost: int) -> None:
        self.query = real.query
        self.lost = lost
        self._real = real
        self._count = 0

    def run(
        self, work: collections.abc.Callable[[engine.Connection], object]
    ) -> object:
        self._count += 1
        if self._count in self.lost:
            raise db_errors.DatabaseDown("it gives no answer")
        return self._real.run(work)


class _RepeatingDatabase(_Database):
    """A database that loses its connection where the first work fails."""

    def run(
        self, work: collections.abc.Callable[[engine.Connection], object]
    ) -> object:
        try:
            return super().run(work)
        except Exception:
            if self._count > 1:
                raise
        return super().run(work)


class JudgedRequestsTest(base.TestCase):
    def setUp(self) -> None:
        super().setUp()
        self.calls: list[tuple[str, str]] = []
        self.stack = base.make_stack()
        with self.database.write() as conn:
            stacks.insert(conn, self.stack)

    def deps(
        self,
        *lost: int,
        second: type[_Plugin] = _Plugin,
        database: type[_Database] = _Database,
    ) -> dependencies.Dependencies:
        """Return a worker with two plug-ins, and what its writes come to."""
        found = types.SimpleNamespace(
            plugins=mock.Mock(),
            plugin_order=lifecycle_order.PluginOrder.of(
                [_Plugin("a", self.calls), second("b", self.calls)]
            ),
            clock=clock.SystemClock(),
            reads=plugin_reads.PluginReads(),
            database=database(self.database, *lost),
            templates=types.SimpleNamespace(find=_find_no_template),
        )
        return typing.cast(dependencies.Dependencies, found)

    def request(
        self, deps: dependencies.Dependencies, *, fails: bool = False
    ) -> None:
        """Make a request about the stack."""
        ctxt = request.RequestContext(project_id="demo")

        def work(connection: engine.Connection) -> None:
            judged.check(self.stack)
            judged.allow(connection)
            if fails:
                raise db_errors.DatabaseDown("it gives no answer")

        with judged_request.JudgedRequest(deps, ctxt, "signal") as judged:
            judged.run(work)

    def move(self, deps: dependencies.Dependencies) -> None:
        """Call the plug-ins of a move from one stack to another."""
        other = base.make_stack()
        sides = {
            each.id: types.SimpleNamespace(stack=each)
            for each in (self.stack, other)
        }
        move = types.SimpleNamespace(
            outermost=sides,
            plans={
                key: types.SimpleNamespace(redacts=redaction.BLIND)
                for key in sides
            },
        )
        begun = {key: base.make_operation(stack_id=key) for key in sides}
        ctxt = request.RequestContext(project_id="demo")
        with move_hooks.MoveHooks(
            deps, ctxt, typing.cast(move_model.Move, move), begun
        ) as judged:
            judged.ask()
            self.database.run(judged.allow)

    def left(self) -> list[model.Run]:
        with self.database.read() as conn:
            return [
                dataclasses.replace(each, calls=())
                for each in judged_rows.list_left(conn, -3600.0)
            ]

    def test_a_request_that_is_done_is_complete(self) -> None:
        self.request(self.deps())

        self.assertEqual(
            [("pre", "a"), ("pre", "b"), ("complete", "b"), ("complete", "a")],
            self.calls,
        )
        self.assertEqual([], self.left())

    def test_plugins_judge_work_that_is_done_again_before_they_are_called(
        self,
    ) -> None:
        deps = self.deps(second=_Denying, database=_RepeatingDatabase)

        self.assertRaises(hooks.RequestDenied, self.request, deps)

        self.assertEqual(
            [("pre", "a"), ("pre", "b"), ("denied", "a")], self.calls
        )
        self.assertEqual([], self.left())

    def test_a_failure_between_pre_ops_is_told_to_those_called(self) -> None:
        # The first write is the transaction that asks.
        self.assertRaises(db_errors.DatabaseDown, self.request, self.deps(3))

        self.assertEqual([("pre", "a"), ("failed", "a")], self.calls)
        self.assertEqual([], self.left())

    def test_a_failure_of_the_work_is_told(self) -> None:
        self.assertRaises(
            db_errors.DatabaseDown, self.request, self.deps(), fails=True
        )

        self.assertEqual(
            [("pre", "a"), ("pre", "b"), ("failed", "b"), ("failed", "a")],
            self.calls,
        )

    def test_a_failure_amid_a_move_is_told_to_those_called(self) -> None:
        # Two writes for the first stack, and one for the second.
        self.assertRaises(db_errors.DatabaseDown, self.move, self.deps(4))

        self.assertEqual(
            [
                ("pre", "a"),
                ("pre", "b"),
                ("pre", "a"),
                ("failed", "a"),
                ("failed", "b"),
                ("failed", "a"),
            ],
            self.calls,
        )
        self.assertEqual([], self.left())

    def test_a_move_that_is_done_leaves_its_post_ops(self) -> None:
        self.move(self.deps())

        self.assertEqual([("pre", "a"), ("pre", "b")] * 2, self.calls)
        self.assertEqual(
            ["complete", "complete"], [each.outcome for each in self.left()]
        )

    def test_a_denial_is_told_once(self) -> None:
        self.assertRaises(
            hooks.RequestDenied, self.request, self.deps(second=_Denying)
        )

        self.assertEqual(
            [("pre", "a"), ("pre", "b"), ("denied", "a")], self.calls
        )
        self.assertEqual([], self.left())

    def test_a_lost_database_leaves_the_post_ops_to_the_sweeper(self) -> None:
        deps = self.deps(4, second=_Denying)

        with self.assertLogs(hooks.LOG.logger, "WARNING") as logged:
            self.assertRaises(hooks.RequestDenied, self.request, deps)

        self.assertIn("notified later", logged.output[0])
        self.assertEqual([("pre", "a"), ("pre", "b")], self.calls)
        self.assertEqual(["signal"], [each.verb for each in self.left()])
