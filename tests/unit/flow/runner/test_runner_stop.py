"""Runs that end early: newer requests, stops, cancels, time, our errors."""

import threading

from orch.db.repositories import operations
from orch.flow.runner import messages
from orch.model import operation
from orch.model import states
from orch.plugin import call_context
from tests.support import flows
from tests.unit.flow import running

COMPLETE = states.OperationState.COMPLETE
FAILED = states.OperationState.FAILED
SUPERSEDED = states.OperationState.SUPERSEDED


class HaltingTest(running.RunnerCase):
    def test_a_newer_request_ends_the_run_and_keeps_what_is_known(
        self,
    ) -> None:
        self.script["is_created", "a"] = [call_context.Pending(after_s=30)]
        parsed_template = flows.Template(a="", b="", c="b")
        gate = threading.Event()
        self.script["create", "b"] = [lambda context: gate.wait(10) and "b-1"]
        run = self.flows.start(
            self.flows.claim(self.flows.accept()), parsed_template
        )
        flows.wait_for(lambda: len(self.made()) == 2, "both have begun")
        newer = self.flows.accept(states.Action.DELETE)
        self.flows.database.run(
            lambda connection: operations.supersede(
                connection, self.flows.stack.id, newer.id
            )
        )

        gate.set()
        ended = self.flows.finish(run)

        self.assertEqual(SUPERSEDED, ended.state)
        self.assertEqual("thing-a", self.flows.row("a").physical_id)
        self.assertEqual("b-1", self.flows.row("b").physical_id)
        self.assertEqual(["a", "b"], sorted(self.made()))

    def test_a_superseded_operation_that_is_taken_over_begins_nothing(
        self,
    ) -> None:
        asked = self.flows.accept()
        claimed = self.flows.claim(asked)
        newer = self.flows.accept(states.Action.DELETE)
        self.flows.database.run(
            lambda connection: operations.supersede(
                connection, self.flows.stack.id, newer.id
            )
        )
        claimed = self.flows.read_operation(asked.id)

        ended = self.flows.finish(
            self.flows.start(claimed, flows.Template(a=""))
        )

        self.assertEqual(SUPERSEDED, ended.state)
        self.assertEqual([], self.made())

    def test_an_intent_learnt_to_be_superseded_is_taken_back(self) -> None:
        parsed_template = flows.Template(a="")
        claimed = self.flows.claim(self.flows.accept())
        newer = self.flows.accept(states.Action.DELETE)
        self.flows.database.run(
            lambda connection: operations.supersede(
                connection, self.flows.stack.id, newer.id
            )
        )

        ended = self.flows.finish(self.flows.start(claimed, parsed_template))

        row = self.flows.row("a")
        self.assertEqual(SUPERSEDED, ended.state)
        self.assertEqual([], self.made())
        self.assertEqual(
            (states.Action.INIT, False), (row.action, row.is_outcome_unknown)
        )

    def test_a_stop_waits_for_calls_and_gives_the_operation_back(
        self,
    ) -> None:
        gate = threading.Event()
        self.addCleanup(gate.set)
        self.script["create", "a"] = [lambda context: gate.wait(10) and "a-1"]
        run = self.flows.start(
            self.flows.claim(self.flows.accept()), flows.Template(a="", b="a")
        )
        flows.wait_for(lambda: self.made() == ["a"], "the call is under way")

        run.runner.post(messages.Stop())
        gate.set()
        ended = self.flows.finish(run)

        self.assertTrue(run.has_given_back)
        self.assertEqual(states.OperationState.RUNNING, ended.state)
        self.assertEqual("a-1", self.flows.row("a").physical_id)
        self.assertEqual(["a"], self.made())

    def test_a_stop_gives_back_what_only_waits(self) -> None:
        self.script["is_created", "a"] = [call_context.Pending(after_s=30)]
        run = self.flows.start(
            self.flows.claim(self.flows.accept()), flows.Template(a="")
        )
        flows.wait_for(
            lambda: ("is_created", "a") in self.calls, "it was asked"
        )

        run.runner.post(messages.Stop())
        ended = self.flows.finish(run)

        self.assertTrue(run.has_given_back)
        self.assertEqual(states.OperationState.RUNNING, ended.state)
        self.assertEqual(states.Status.IN_PROGRESS, self.flows.row("a").status)

    def test_a_cancelled_operation_fails_where_it_stands(self) -> None:
        self.script["is_created", "a"] = [call_context.Pending(after_s=30)]
        parsed_template = flows.Template(a="", b="", c="b")
        gate = threading.Event()
        self.addCleanup(gate.set)
        self.script["create", "b"] = [lambda context: gate.wait(10) and "b-1"]
        run = self.flows.start(
            self.flows.claim(self.flows.accept()), parsed_template
        )
        flows.wait_for(lambda: len(self.made()) == 2, "both have begun")
        self.cancel(run.claimed)

        gate.set()
        ended = self.flows.finish(run)

        self.assertEqual((FAILED, "Stack CREATE cancelled"), _end(ended))
        self.assertEqual(["a", "b"], sorted(self.made()))
        a, b, c = (self.flows.row(name) for name in "abc")
        self.assertEqual(states.Status.FAILED, a.status)
        self.assertIn("the operation was cancelled", a.status_reason)
        self.assertEqual("thing-a", a.physical_id)
        self.assertEqual(states.Status.COMPLETE, b.status)
        self.assertEqual(states.Action.INIT, c.action)

    def test_a_cancelled_operation_that_is_taken_over_begins_nothing(
        self,
    ) -> None:
        asked = self.flows.accept()
        self.flows.claim(asked)
        self.cancel(asked)
        claimed = self.flows.read_operation(asked.id)

        ended = self.flows.finish(
            self.flows.start(claimed, flows.Template(a=""))
        )

        self.assertEqual((FAILED, "Stack CREATE cancelled"), _end(ended))
        self.assertEqual([], self.made())

    def test_what_was_complete_when_it_was_cancelled_is_complete(self) -> None:
        gate = threading.Event()
        self.addCleanup(gate.set)
        self.script["create", "a"] = [lambda context: gate.wait(10) and "a-1"]
        run = self.flows.start(
            self.flows.claim(self.flows.accept()), flows.Template(a="")
        )
        flows.wait_for(lambda: self.made() == ["a"], "the call is under way")
        self.cancel(run.claimed)

        gate.set()
        ended = self.flows.finish(run)

        self.assertEqual(COMPLETE, ended.state)

    def cancel(self, asked: operation.Operation) -> None:
        self.flows.database.run(
            lambda connection: operations.cancel(connection, asked.id)
        )

    def test_time_over_fails_what_waits(self) -> None:
        self.script["is_created", "a"] = [call_context.Pending(after_s=30)]
        run = self.flows.start(
            self.flows.claim(self.flows.accept()), flows.Template(a="", b="a")
        )
        flows.wait_for(lambda: self.made() == ["a"], "a has begun")

        run.runner.post(messages.Deadline())
        ended = self.flows.finish(run)

        self.assertEqual((FAILED, "Create timed out"), _end(ended))
        self.assertIn("TimedOut", self.flows.row("a").status_reason)

    def test_time_over_waits_for_a_call_that_is_under_way(self) -> None:
        gate = threading.Event()
        self.addCleanup(gate.set)
        self.script["create", "a"] = [lambda context: gate.wait(30) and "x"]
        self.script["is_created", "a"] = [call_context.Pending(after_s=30)]
        run = self.flows.start(
            self.flows.claim(self.flows.accept()), flows.Template(a="")
        )
        flows.wait_for(lambda: self.made() == ["a"], "the call is made")

        run.runner.post(messages.Deadline())
        self.assertFalse(run.ended.wait(0.3))
        gate.set()
        ended = self.flows.finish(run)

        self.assertEqual((FAILED, "Create timed out"), _end(ended))
        self.assertEqual("x", self.flows.row("a").physical_id)

    def test_time_that_was_over_before_begins_nothing(self) -> None:
        run = flows.Run(
            self.flows,
            self.flows.claim(self.flows.accept()),
            flows.Template(a=""),
            deadline=0.0,
        )

        ended = self.flows.finish(run)

        self.assertEqual((FAILED, "Create timed out"), _end(ended))
        self.assertEqual([], self.made())

    def test_an_error_of_ours_ends_this_operation_alone(self) -> None:
        error = RuntimeError("a mistake")

        class Broken(flows.Run):
            def prepare(self, flush, survey):
                raise error

        run = Broken(
            self.flows,
            self.flows.claim(self.flows.accept()),
            flows.Template(a=""),
        )

        flows.wait_for(run.ended.is_set, "the run ends")

        self.assertIs(error, run.aborted)

    def test_an_error_of_ours_is_told_once_no_call_is_under_way(self) -> None:
        gate = threading.Event()
        self.addCleanup(gate.set)
        self.script["create", "a"] = [lambda context: gate.wait(30) and "x"]
        run = self.flows.start(
            self.flows.claim(self.flows.accept()), flows.Template(a="")
        )
        flows.wait_for(lambda: self.made() == ["a"], "the call is under way")
        error = RuntimeError("a mistake")

        run.runner.crash(error)
        aborted_before = run.aborted
        gate.set()
        flows.wait_for(run.ended.is_set, "the run ends")

        self.assertIsNone(aborted_before)
        self.assertIs(error, run.aborted)


def _end(ended) -> tuple[states.OperationState, str]:
    return ended.state, ended.reason
