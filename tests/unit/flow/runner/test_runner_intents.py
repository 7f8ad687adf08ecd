"""What is durable around calls, and what a next worker makes of it."""

import threading

from orch import errors
from orch.db.repositories import leases
from orch.db.repositories import operations
from orch.flow import call_pool
from orch.flow.runner import messages
from orch.model import states
from orch.plugin import call_context
from tests.support import flows
from tests.unit.flow import running

COMPLETE = states.OperationState.COMPLETE
FAILED = states.OperationState.FAILED


class IntentTest(running.RunnerCase):
    def test_an_id_is_durable_while_its_resource_is_in_the_making(
        self,
    ) -> None:
        gate = threading.Event()
        self.addCleanup(gate.set)
        self.script["is_created", "a"] = [
            call_context.Pending(after_s=0.05),
            lambda context: (gate.wait(10), None)[1],
        ]
        run = self.flows.start(
            self.flows.claim(self.flows.accept()), flows.Template(a="")
        )

        flows.wait_for(
            lambda: (
                [row.physical_id for row in self.flows.rows()] == ["thing-a"]
            ),
            "the id is stored",
        )
        row = self.flows.row("a")
        gate.set()
        self.flows.finish(run)

        self.assertEqual(states.Status.IN_PROGRESS, row.status)
        self.assertFalse(row.is_outcome_unknown)

    def test_the_intent_is_durable_before_the_call(self) -> None:
        seen: list[tuple[object, ...]] = []

        def look(context: call_context.Context) -> str:
            row = self.flows.row("a")
            seen.append(
                (row.id, row.status, row.attempt, row.is_outcome_unknown)
            )
            return f"thing-{context.token}"

        self.script["create", "a"] = [look]

        self.flows.run(flows.Template(a=""))

        row = self.flows.row("a")
        self.assertEqual([(row.id, states.Status.IN_PROGRESS, 1, True)], seen)
        self.assertEqual(f"thing-{row.id}", row.physical_id)

    def crash_after(self, parsed_template: flows.Template) -> "flows.Run":
        """Begin a creation and lose the worker during its first call."""
        gate = threading.Event()
        self.addCleanup(gate.set)
        self.script["create", "a"] = [lambda context: gate.wait(10) and "x"]
        asked = self.flows.accept()
        run = self.flows.start(
            self.flows.claim(asked, ttl_s=0.0), parsed_template
        )
        flows.wait_for(lambda: "a" in self.made(), "the call is under way")
        run.store.fence.lose()
        run.runner.post(messages.LeaseLost())
        self.expire(run)
        return run

    def expire(self, run: "flows.Run") -> None:
        self.flows.database.run(
            lambda connection: leases.release(
                connection, run.claimed.id, run.claimed.fence
            )
        )

    def test_after_a_crash_the_thing_is_found_and_not_made_again(
        self,
    ) -> None:
        parsed_template = flows.Template(a="")
        lost = self.crash_after(parsed_template)
        self.script["find", "a"] = ["thing-found"]

        ended = self.flows.finish(
            self.flows.start(self.flows.claim(lost.claimed), parsed_template)
        )

        self.assertEqual(COMPLETE, ended.state)
        self.assertEqual("thing-found", self.flows.row("a").physical_id)
        self.assertEqual(["a"], self.made())

    def test_after_a_crash_a_thing_that_is_not_there_is_made(self) -> None:
        parsed_template = flows.Template(a="")
        lost = self.crash_after(parsed_template)

        ended = self.flows.finish(
            self.flows.start(self.flows.claim(lost.claimed), parsed_template)
        )

        self.assertEqual(COMPLETE, ended.state)
        self.assertEqual(["a", "a"], self.made())

    def test_a_plugin_that_cannot_tell_stops_rather_than_make_two(
        self,
    ) -> None:
        parsed_template = flows.Template(a="")
        lost = self.crash_after(parsed_template)
        self.script["find", "a"] = [
            call_context.OutcomeUnknown("look yourself")
        ]

        ended = self.flows.finish(
            self.flows.start(self.flows.claim(lost.claimed), parsed_template)
        )

        self.assertEqual(FAILED, ended.state)
        self.assertEqual(["a"], self.made())
        self.assertTrue(self.flows.row("a").is_outcome_unknown)

    def test_a_clear_failure_may_be_tried_again_by_any_plugin(self) -> None:
        self.script["create", "a"] = [ValueError("refused")]
        self.script["find", "a"] = [call_context.OutcomeUnknown("cannot look")]
        parsed_template = flows.Template(a="")
        failed = self.flows.run(parsed_template)
        self.flows.database.run(
            lambda connection: operations.reopen(
                connection, failed.id, 2, failed.options
            )
        )

        again = self.flows.finish(
            self.flows.start(self.flows.claim(failed), parsed_template)
        )

        self.assertEqual(COMPLETE, again.state)

    def test_a_worker_that_lost_its_lease_writes_nothing_more(self) -> None:
        gate = threading.Event()
        self.addCleanup(gate.set)
        self.script["create", "a"] = [lambda context: gate.wait(10) and "x"]
        parsed_template = flows.Template(a="", b="a")
        stalled = self.flows.start(
            self.flows.claim(self.flows.accept()), parsed_template
        )
        flows.wait_for(lambda: self.made() == ["a"], "the call is under way")
        self.expire(stalled)
        self.flows.claim(stalled.claimed)

        gate.set()
        flows.wait_for(stalled.ended.is_set, "the stalled run ends")

        self.assertEqual(states.Status.IN_PROGRESS, self.flows.row("a").status)
        self.assertEqual(["a"], self.made())
        self.assertIsNone(stalled.aborted)

    def test_no_call_is_made_once_the_lease_may_have_run_out(self) -> None:
        self.script["is_created", "a"] = [call_context.Pending(after_s=0.3)]
        run = self.flows.start(
            self.flows.claim(self.flows.accept()), flows.Template(a="")
        )
        flows.wait_for(lambda: self.made() == ["a"], "a has begun")
        run.store.fence.lose()

        flows.wait_for(run.ended.is_set, "the run ends")

        asked = [act for act, _ in self.calls if act == "is_created"]
        self.assertEqual(1, len(asked))

    def test_a_hung_call_fails_its_resource_and_leaves_its_outcome_open(
        self,
    ) -> None:
        gate = threading.Event()
        self.addCleanup(gate.set)
        self.flows.pool = call_pool.CallPool(1, 0.05, self.flows.clock)
        self.addCleanup(self.flows.pool.stop)
        self.script["create", "a"] = [lambda context: gate.wait(30) and "x"]
        run = self.flows.start(
            self.flows.claim(self.flows.accept()), flows.Template(a="")
        )
        flows.wait_for(lambda: self.made() == ["a"], "the call hangs")

        def is_given_up() -> bool:
            self.flows.pool.abandon_hung()
            return run.ended.is_set()

        flows.wait_for(is_given_up, "the call is given up")
        ended = self.flows.finish(run)

        self.assertEqual(FAILED, ended.state)
        self.assertIn("HungCall", self.flows.row("a").status_reason)
        self.assertTrue(self.flows.row("a").is_outcome_unknown)

    def test_a_removal_that_could_not_look_stays_open(self) -> None:
        self.script["create", "a"] = [errors.Transient("no answer")] * 9
        self.flows.run(flows.Template(a=""))
        self.script["find", "a"] = [errors.Invalid("no such field")]

        ended = self.flows.run(None, states.Action.DELETE)

        self.assertEqual(FAILED, ended.state)
        self.assertTrue(self.flows.row("a").is_outcome_unknown)

    def test_what_a_lost_worker_left_fails_with_the_operation(self) -> None:
        self.script["is_created", "b"] = [call_context.Pending(after_s=30)]
        parsed_template = flows.Template(b="", a="")
        lost = self.crash_after(parsed_template)
        self.flows.kind.broken.append(errors.Invalid("no such key"))

        ended = self.flows.finish(
            self.flows.start(self.flows.claim(lost.claimed), parsed_template)
        )

        row = self.flows.row("a")
        self.assertEqual(FAILED, ended.state)
        self.assertIn("no such key", ended.reason)
        self.assertEqual(states.Status.FAILED, row.status)
        self.assertIn("Interrupted: resources.a", row.status_reason)
        self.assertTrue(row.is_outcome_unknown)
        self.assertIn("a CREATE_FAILED", self.flows.event_log())
