"""Decisions that are saved while the plug-in's call is awaited, or later."""

import collections.abc
import types
import typing

import testscenarios

from orch import clock
from orch.db import engine
from orch.db.repositories import decisions
from orch.db.repositories import operations
from orch.db.repositories import stacks
from orch.engine.lifecycle import hook_call
from orch.engine.lifecycle import hook_caller
from orch.engine.lifecycle import hook_loading
from orch.engine.lifecycle import situation
from orch.flow.state import hooks
from orch.plugin import lifecycle
from orch.plugin import lifecycle_operation
from orch.plugin import lifecycle_order
from tests.functional.db import base
from tests.support import patterns

load_tests = testscenarios.load_tests_apply_scenarios


class _Allotting(lifecycle.LifecyclePlugin):
    """Decides by what it has decided for other trees.

    :cvar racks: how many it may allot
    """

    racks = 10

    def pre_operation(
        self, operation: lifecycle_operation.LifecycleOperation
    ) -> lifecycle.Verdict:
        rack = len(operation.decisions_elsewhere(self.name))
        self.racks -= 1
        return lifecycle.allow(
            decisions={"web": rack} if self.racks >= 0 else {}
        )

    post_operation = None


def _show(
    found: situation.Situation,
    asked: lifecycle_operation.OperationRequest,
    phase: str,
) -> situation.OperationOf:
    shown = patterns.make_operation(request=asked)
    return lambda member: shown


class DecisionsAtOnceTest(base.TestCase):
    write_late: typing.Any = None

    def setUp(self) -> None:
        super().setUp()
        self.stack = base.make_stack()
        self.operation = base.make_operation(stack_id=self.stack.id)
        with self.database.write() as conn:
            stacks.insert(conn, self.stack)
            operations.insert(conn, self.operation)
        self.plugin = _Allotting("racks", None)
        self.caller = self.load()
        self.caller.advance()

    def load(self) -> hook_caller.HookCaller:
        """Return what calls the plug-in before the operation."""
        self.store: typing.Any = types.SimpleNamespace(
            operation=self.operation,
            stack=self.stack,
            redact=str,
            record_stack=lambda text: None,
            write_apart=self.write_apart,
        )
        settings = situation.HookSettings(
            lifecycle_order.PluginOrder.of([self.plugin]),
            _show,
            clock.SystemClock(),
            hold_limit_s=600.0,
        )
        self.loader = hook_loading.HookLoader(self.database, settings)
        found = self.loader.load(
            self.operation,
            typing.cast(typing.Any, types.SimpleNamespace(stack=self.stack)),
            self.store,
        )
        assert found is not None
        return found

    def write_apart(
        self, work: collections.abc.Callable[[engine.Connection], object]
    ) -> object:
        return (self.write_late or self.database.run)(work)

    def write(self) -> None:
        """Write what is to be stored of the calls."""
        entry = self.store.book.take()
        assert entry is not None
        self.database.run(lambda conn: entry(conn, None, None))

    def call(self, made: hooks.HookCall | None) -> hook_call.CallResult:
        assert made is not None
        found = made.function()
        assert isinstance(found, hook_call.CallResult)
        return found

    def saved(self) -> list[tuple[str, object]]:
        with self.database.read() as conn:
            return [
                (each.path, each.value)
                for each in decisions.list_(conn, self.stack.root_id)
            ]

    def test_an_awaited_call_saves_them(self) -> None:
        found = self.call(self.caller.next_call())

        self.assertIsNone(found.error)
        self.assertEqual([("web", 0)], self.saved())

    def test_a_call_that_has_timed_out_saves_nothing(self) -> None:
        made = self.caller.next_call()
        self.caller.take(None, hooks.HookTimeout("it gave no answer"))

        found = self.call(made)

        self.assertIn("HookTimeout", found.error or "")
        self.assertEqual([], self.saved())

    def test_what_a_call_has_saved_is_undone_once_it_has_timed_out(
        self,
    ) -> None:
        with self.database.write() as conn:
            earlier = base.make_operation(stack_id=self.stack.id)
            decisions.save(
                conn, self.stack, earlier, self.plugin.name, {"web": 7}
            )
            decisions.save(conn, self.stack, self.operation, "other", {"": 1})
        self.caller = self.load()
        self.caller.advance()
        self.call(self.caller.next_call())
        self.assertEqual([("", 1), ("web", 0)], sorted(self.saved()))

        self.caller.take(None, hooks.HookTimeout("it gave no answer"))
        self.write()

        self.assertEqual([("", 1), ("web", 7)], sorted(self.saved()))

    def test_a_timeout_before_the_commit_leaves_nothing(self) -> None:
        """The timeout comes between the check and the commit."""
        made = self.caller.next_call()
        run = self.database.run

        def run_late(
            work: collections.abc.Callable[[engine.Connection], object],
        ) -> object:
            def write(connection: engine.Connection) -> object:
                found = work(connection)
                self.caller.take(None, hooks.HookTimeout("it gave no answer"))
                return found

            return run(write)

        self.write_late = run_late
        self.call(made)
        self.write()

        self.assertEqual([], self.saved())

    def test_a_call_that_is_made_again_saves_nothing_itself(self) -> None:
        made = self.caller.next_call()
        self.caller.advance()
        again = self.caller.next_call()

        found = self.call(made)

        self.assertIn("HookTimeout", found.error or "")
        self.assertEqual([], self.saved())
        self.call(again)
        self.assertEqual([("web", 0)], self.saved())

    def test_after_others_have_decided_the_tree_can_still_have_none(
        self,
    ) -> None:
        other = base.make_stack()
        begun = base.make_operation(stack_id=other.id)
        with self.database.write() as conn:
            stacks.insert(conn, other)
            operations.insert(conn, begun)
            decisions.save(conn, other, begun, "racks", {"web": 0})
        self.plugin.racks = 1

        found = self.call(self.caller.next_call())
        self.caller.take(found, None)

        assert found.verdict is not None
        self.assertEqual({}, found.verdict.decisions)
        self.assertTrue(self.loader.is_undecided(self.store))
