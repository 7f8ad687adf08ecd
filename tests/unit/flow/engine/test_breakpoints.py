"""Breakpoints on a loop: what waits at them, and how it goes on."""

import collections.abc
import dataclasses
import threading

from orch import errors
from orch.db import engine as db_engine
from orch.db.repositories import breakpoints as stored_breakpoints
from orch.db.repositories import leases
from orch.db.repositories import operations
from orch.db.repositories import resources
from orch.flow.runner import messages
from orch.model import breakpoints
from orch.model import operation
from orch.model import resource as model_resource
from orch.model import states
from orch.plugin import call_context
from tests import base
from tests.support import flows

BLOCKED = states.OperationState.BLOCKED
COMPLETE = states.OperationState.COMPLETE
FAILED = states.OperationState.FAILED


class HoldsTest(base.TestCase):
    def setUp(self) -> None:
        super().setUp()
        self.flows = self.useFixture(flows.Flows())
        self.script = self.flows.kind.script
        self.parsed_template = flows.Template(a="", b="a", c="")

    def made(self) -> list[str]:
        return sorted(
            name for act, name in self.flows.kind.calls if act == "create"
        )

    def events_of(self, name: str) -> list[tuple[str, str]]:
        return [
            (f"{each.action}_{each.status}", each.reason)
            for each in self.flows.events()
            if each.resource_name == name
        ]

    def release(self, asked: operation.Operation, name: str) -> None:
        """Clear what a resource waits at, as a signal does."""

        def work(connection: db_engine.Connection) -> None:
            operations.lock(connection, asked.id)
            rows = [row for row in self.flows.rows() if row.name == name]
            stored_breakpoints.save_many(
                connection, [_released(row, asked) for row in rows]
            )
            leases.unpark(connection, asked.id)

        self.flows.database.run(work)

    def go_on(self, asked: operation.Operation) -> operation.Operation:
        """Run an operation that was cleared."""
        return self.flows.finish(
            self.flows.start(self.flows.claim(asked), self.parsed_template)
        )

    def test_nothing_of_a_resource_begins_before_it_is_cleared(self) -> None:
        self.flows.hooks["a"] = ("pre-create",)

        held = self.flows.run(self.parsed_template)

        row = self.flows.row("a")
        self.assertEqual(["c"], self.made())
        self.assertEqual((BLOCKED, None), (held.state, held.next_try_at))
        self.assertEqual(
            "waiting until Hook pre-create of a is cleared", held.reason
        )
        self.assertEqual(states.Action.INIT, row.action)
        self.assertEqual(
            [
                (
                    "INIT_COMPLETE",
                    "CREATE paused until Hook pre-create is cleared",
                )
            ],
            self.events_of("a"),
        )

    def test_it_begins_once_it_is_cleared(self) -> None:
        self.flows.hooks["a"] = ("pre-create",)
        held = self.flows.run(self.parsed_template)

        self.release(held, "a")
        ended = self.go_on(held)

        self.assertEqual(COMPLETE, ended.state)
        self.assertEqual(["a", "b", "c"], self.made())
        self.assertEqual(
            [
                "CREATE paused until Hook pre-create is cleared",
                "Hook pre-create is cleared",
                "state changed",
                "state changed",
            ],
            [reason for _, reason in self.events_of("a")],
        )

    def test_nobody_takes_it_before(self) -> None:
        self.flows.hooks["a"] = ("pre-create",)
        held = self.flows.run(self.parsed_template)

        taken = self.flows.database.run(
            lambda connection: leases.claim(
                connection, flows.WORKER, 60.0, 1, held.id
            )
        )

        self.assertEqual([], taken)

    def test_what_needs_a_resource_waits_behind_it(self) -> None:
        self.flows.hooks["a"] = ("post-create",)

        held = self.flows.run(self.parsed_template)

        self.assertEqual(BLOCKED, held.state)
        self.assertEqual(["a", "c"], self.made())
        self.assertEqual(
            [
                ("CREATE_IN_PROGRESS", "state changed"),
                ("CREATE_COMPLETE", "state changed"),
                (
                    "CREATE_COMPLETE",
                    "CREATE paused until Hook post-create is cleared",
                ),
            ],
            self.events_of("a"),
        )

    def test_it_waits_behind_it_in_a_later_run_too(self) -> None:
        self.flows.hooks["a"] = ("post-create",)
        self.flows.hooks["c"] = ("pre-create",)
        held = self.flows.run(self.parsed_template)

        self.release(held, "c")
        again = self.go_on(held)

        self.assertEqual(BLOCKED, again.state)
        self.assertEqual(["a", "c"], self.made())
        self.assertEqual(3, len(self.events_of("a")))
        self.release(held, "a")
        self.assertEqual(COMPLETE, self.go_on(held).state)
        self.assertEqual(["a", "b", "c"], self.made())

    def test_the_last_resource_holds_the_end_of_the_operation(self) -> None:
        self.flows.hooks["b"] = ("post-create",)

        held = self.flows.run(self.parsed_template)
        self.release(held, "b")
        ended = self.go_on(held)

        self.assertEqual((BLOCKED, COMPLETE), (held.state, ended.state))
        self.assertEqual((3, 3), (held.done, ended.done))

    def test_before_and_behind_are_two_waits(self) -> None:
        self.flows.hooks["a"] = ("pre-create", "post-create")
        held = self.flows.run(self.parsed_template)

        self.release(held, "a")
        behind = self.go_on(held)
        self.release(held, "a")
        ended = self.go_on(held)

        self.assertEqual((BLOCKED, COMPLETE), (behind.state, ended.state))
        self.assertIn("post-create", behind.reason)

    def test_effect_free_resources_wait_too(self) -> None:
        self.flows.kind.is_free = True
        self.flows.hooks["a"] = ("pre-create", "post-create")

        before = self.flows.run(self.parsed_template)
        self.release(before, "a")
        behind = self.go_on(before)

        self.assertEqual(["a", "c"], self.made())
        self.assertEqual((BLOCKED, BLOCKED), (before.state, behind.state))

    def test_a_removal_waits_and_holds_what_comes_after(self) -> None:
        self.flows.run(self.parsed_template)
        self.flows.hooks["b"] = ("pre-delete", "post-delete")

        held = self.flows.run(None, states.Action.DELETE)
        names = sorted(
            row.name for row in self.flows.rows() if not row.is_gone
        )
        self.parsed_template = None
        self.release(held, "b")
        behind = self.go_on(held)
        left = sorted(row.name for row in self.flows.rows() if not row.is_gone)
        self.release(held, "b")
        ended = self.go_on(held)

        self.assertEqual(["a", "b"], names)
        self.assertEqual(["a"], left)
        self.assertEqual(
            (BLOCKED, BLOCKED, COMPLETE),
            (held.state, behind.state, ended.state),
        )
        self.assertIn(
            (
                "DELETE_COMPLETE",
                "DELETE paused until Hook post-delete is cleared",
            ),
            self.events_of("b"),
        )

    def test_a_later_operation_waits_anew(self) -> None:
        self.flows.hooks["a"] = ("pre-create",)
        first = self.flows.run(self.parsed_template)
        newer = self.flows.accept()
        self.flows.database.run(
            lambda connection: operations.supersede(
                connection, self.flows.stack.id, newer.id
            )
        )

        second = self.go_on(newer)

        ended = self.flows.read_operation(first.id)
        self.assertEqual(states.OperationState.SUPERSEDED, ended.state)
        self.assertEqual(BLOCKED, second.state)
        self.assertEqual(2, len(self.events_of("a")))

    def test_a_retry_does_not_wait_where_it_was_cleared(self) -> None:
        self.flows.hooks["a"] = ("pre-create",)
        self.script["create", "a"] = [errors.Permanent("no room")]
        held = self.flows.run(self.parsed_template)
        self.release(held, "a")
        failed = self.go_on(held)
        self.flows.database.run(
            lambda connection: operations.reopen(
                connection, failed.id, 2, failed.options
            )
        )

        ended = self.go_on(failed)

        self.assertEqual((FAILED, COMPLETE), (failed.state, ended.state))

    def test_a_failure_elsewhere_ends_the_wait(self) -> None:
        self.flows.hooks["a"] = ("pre-create",)
        self.script["create", "c"] = [errors.Permanent("no room")]

        failed = self.flows.run(self.parsed_template)

        self.assertEqual(FAILED, failed.state)
        self.assertEqual(states.Action.INIT, self.flows.row("a").action)

    def test_time_over_ends_the_wait(self) -> None:
        self.flows.hooks["a"] = ("pre-create",)
        held = self.flows.run(self.parsed_template)
        self.release(held, "c")
        run = flows.Run(
            self.flows,
            self.flows.claim(held),
            self.parsed_template,
            deadline=0.0,
        )

        ended = self.flows.finish(run)

        self.assertEqual(
            (FAILED, "Create timed out"), (ended.state, ended.reason)
        )
        self.assertEqual(["c"], self.made())

    def test_no_event_repeats_when_it_is_planned_again(self) -> None:
        self.flows.hooks["a"] = ("pre-create",)
        held = self.flows.run(self.parsed_template)
        self.release(held, "c")

        again = self.go_on(held)

        self.assertEqual(BLOCKED, again.state)
        self.assertEqual(1, len(self.events_of("a")))

    def test_what_is_cleared_while_others_are_at_work_goes_on_here(
        self,
    ) -> None:
        gate, run = self.begin_beside_a_held_one()
        self.release(run.claimed, "a")

        run.runner.post(messages.CheckRows())
        flows.wait_for(lambda: "b" in self.made(), "b is made")
        gate.set()

        self.assertEqual(COMPLETE, self.flows.finish(run).state)

    def test_what_is_cleared_in_the_last_moment_is_not_missed(self) -> None:
        gate, run = self.begin_beside_a_held_one()
        self.release(run.claimed, "a")

        gate.set()

        self.assertEqual(COMPLETE, self.flows.finish(run).state)
        self.assertEqual(["a", "b", "c"], self.made())

    def test_an_end_that_is_cleared_in_the_last_moment_is_not_missed(
        self,
    ) -> None:
        self.parsed_template = flows.Template(a="", c="")
        gate, run = self.begin_beside_a_held_one("post-create")
        self.release(run.claimed, "a")

        gate.set()

        self.assertEqual(COMPLETE, self.flows.finish(run).state)

    def test_writing_the_row_does_not_undo_a_release(self) -> None:
        gate, run = self.begin_beside_a_held_one()
        self.release(run.claimed, "a")
        row = self.flows.row("a")
        stale = _with_hooks(row, run.claimed, breakpoints.WAITING)

        self.flows.database.run(
            lambda connection: resources.save_many(connection, [stale])
        )

        self.assertEqual(row.hooks, self.flows.row("a").hooks)
        gate.set()
        self.flows.finish(run)

    def begin_beside_a_held_one(
        self, hook: str = "pre-create"
    ) -> "tuple[threading.Event, flows.Run]":
        """Begin while ``a`` is held and a call of ``c`` is under way."""
        gate = threading.Event()
        self.addCleanup(gate.set)
        self.flows.hooks["a"] = (hook,)
        self.script["is_created", "c"] = [
            call_context.Pending(after_s=0.0),
            lambda context: (gate.wait(10), None)[1],
        ]
        run = self.flows.start(
            self.flows.claim(self.flows.accept()), self.parsed_template
        )
        flows.wait_for(
            lambda: any(row.hooks for row in self.flows.rows()), "a is held"
        )
        return gate, run


def _released(
    row: model_resource.Resource, asked: operation.Operation
) -> model_resource.Resource:
    return _with_hooks(row, asked, breakpoints.RELEASED)


def _with_hooks(
    row: model_resource.Resource, asked: operation.Operation, state: str
) -> model_resource.Resource:
    """Return the row with another state of whatever it waits at."""
    known = breakpoints.states_of(row, asked.id)
    changed: collections.abc.Mapping[str, str] = {
        name: state if now == breakpoints.WAITING else now
        for name, now in known.items()
    }
    hooks = breakpoints.with_states(asked.id, changed)
    return dataclasses.replace(row, hooks=hooks)
