"""Operations on a loop: failures, waits, crashes, stops, newer requests."""

import threading
import time

from orch import errors
from orch.db.repositories import leases
from orch.db.repositories import operations
from orch.flow import calls
from orch.flow import messages
from orch.model import operation
from orch.model import states
from orch.plugin import resource
from tests import base
from tests.support import flows

COMPLETE = states.OperationState.COMPLETE
FAILED = states.OperationState.FAILED
SUPERSEDED = states.OperationState.SUPERSEDED


class RunnerTest(base.TestCase):
    def setUp(self) -> None:
        super().setUp()
        self.flows = self.useFixture(flows.Flows())
        self.script = self.flows.kind.script
        self.calls = self.flows.kind.calls

    def made(self) -> list[str]:
        return [name for act, name in self.calls if act == "create"]

    def test_resources_are_made_in_order_and_removed_backwards(self) -> None:
        created = self.flows.run(flows.Template(a="", b="a", c="b"))
        deleted = self.flows.run(None, states.Action.DELETE)

        self.assertEqual((COMPLETE, COMPLETE), (created.state, deleted.state))
        self.assertEqual(["a", "b", "c"], self.made())
        self.assertEqual(
            ["c", "b", "a"],
            [name for act, name in self.calls if act == "delete"],
        )
        self.assertEqual([], self.flows.rows())

    def test_progress_counts_what_is_complete(self) -> None:
        self.script["create", "b"] = [errors.Permanent("no room")]

        failed = self.flows.run(flows.Template(a="", b="a", c="b"))

        self.assertEqual((3, 1), (failed.total, failed.done))

    def test_a_failure_names_the_resource_and_begins_nothing_new(
        self,
    ) -> None:
        self.script["create", "a"] = [errors.Permanent("no room")]

        failed = self.flows.run(flows.Template(a="", b="a"))

        self.assertEqual(FAILED, failed.state)
        self.assertEqual(
            "Resource CREATE failed: Permanent: resources.a: no room",
            failed.reason,
        )
        self.assertEqual(["a"], self.made())

    def test_keep_going_finishes_what_does_not_need_the_failed(self) -> None:
        self.script["create", "a"] = [errors.Permanent("no room")]
        self.script["is_created", "b"] = [resource.Pending(after_s=0.05)]

        failed = self.flows.run(
            flows.Template(a="", b="", c="b", d="a"), keep_going=True
        )

        self.assertEqual(FAILED, failed.state)
        self.assertEqual(["a", "b", "c"], sorted(self.made()))

    def test_a_retry_goes_on_from_the_last_completed_resource(self) -> None:
        self.script["create", "b"] = [errors.Permanent("no room")]
        bound = flows.Template(a="", b="a", c="b")
        failed = self.flows.run(bound)
        self.calls.clear()
        self.flows.database.run(
            lambda connection: operations.reopen(
                connection, failed.id, 2, failed.options
            )
        )

        again = self.flows.finish(
            self.flows.start(self.flows.claim(failed), bound)
        )

        self.assertEqual((COMPLETE, 2), (again.state, again.attempt))
        self.assertEqual((3, 3), (again.total, again.done))
        self.assertEqual(["b", "c"], self.made())

    def test_an_error_of_a_plugin_that_is_not_ours_fails_its_resource(
        self,
    ) -> None:
        self.script["create", "a"] = [ZeroDivisionError("oops")]

        failed = self.flows.run(flows.Template(a=""))

        self.assertEqual(
            "ZeroDivisionError: resources.a: oops",
            self.flows.row("a").status_reason,
        )
        self.assertEqual(FAILED, failed.state)

    def test_rubbish_instead_of_an_id_fails_the_resource(self) -> None:
        self.script["create", "a"] = [object()]

        self.flows.run(flows.Template(a=""))

        self.assertIn(
            "BadAnswer: resources.a: create returned object",
            self.flows.row("a").status_reason,
        )

    def test_rubbish_instead_of_pending_fails_the_resource(self) -> None:
        self.script["is_created", "a"] = ["soon"]

        self.flows.run(flows.Template(a=""))

        self.assertIn(
            "is_created returned str", self.flows.row("a").status_reason
        )

    def test_an_id_that_is_not_json_safe_data_fails_the_resource(
        self,
    ) -> None:
        self.script["create", "a"] = [
            resource.Made("thing-a", {"lock": threading.Lock()})
        ]

        self.flows.run(flows.Template(a=""))

        self.assertIn("is not JSON", self.flows.row("a").status_reason)

    def test_a_value_that_cannot_be_computed_fails_the_resource(self) -> None:
        bound = flows.Template(a="")
        bound.broken["a"] = errors.Invalid("no such key")

        failed = self.flows.run(bound)

        self.assertEqual(FAILED, failed.state)
        self.assertEqual([], self.made())
        self.assertIn("no such key", self.flows.row("a").status_reason)

    def test_many_waits_need_few_threads(self) -> None:
        names = [f"r{number}" for number in range(300)]
        for name in names:
            self.script["is_created", name] = [resource.Pending(after_s=0.5)]
        before = threading.active_count()
        run = self.flows.start(
            self.flows.claim(self.flows.accept()),
            flows.Template(**dict.fromkeys(names, "")),
        )
        flows.wait_for(lambda: len(self.made()) == 300, "all have begun")
        most = threading.active_count()

        self.assertEqual(COMPLETE, self.flows.finish(run).state)
        self.assertLessEqual(most - before, 5)

    def test_an_id_is_durable_while_its_resource_is_in_the_making(
        self,
    ) -> None:
        gate = threading.Event()
        self.addCleanup(gate.set)
        self.script["is_created", "a"] = [
            resource.Pending(after_s=0.05),
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

        def look(context: resource.Context) -> str:
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

    def crash_after(self, bound: flows.Template) -> "flows.Run":
        """Begin a creation and lose the worker during its first call."""
        gate = threading.Event()
        self.addCleanup(gate.set)
        self.script["create", "a"] = [lambda context: gate.wait(10) and "x"]
        asked = self.flows.accept()
        run = self.flows.start(self.flows.claim(asked, ttl_s=0.0), bound)
        flows.wait_for(lambda: "a" in self.made(), "the call is under way")
        run.kept.fence.lose()
        run.runner.post(messages.Drop())
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
        bound = flows.Template(a="")
        lost = self.crash_after(bound)
        self.script["find", "a"] = ["thing-found"]

        ended = self.flows.finish(
            self.flows.start(self.flows.claim(lost.claimed), bound)
        )

        self.assertEqual(COMPLETE, ended.state)
        self.assertEqual("thing-found", self.flows.row("a").physical_id)
        self.assertEqual(["a"], self.made())

    def test_after_a_crash_a_thing_that_is_not_there_is_made(self) -> None:
        bound = flows.Template(a="")
        lost = self.crash_after(bound)

        ended = self.flows.finish(
            self.flows.start(self.flows.claim(lost.claimed), bound)
        )

        self.assertEqual(COMPLETE, ended.state)
        self.assertEqual(["a", "a"], self.made())

    def test_a_plugin_that_cannot_tell_stops_rather_than_make_two(
        self,
    ) -> None:
        bound = flows.Template(a="")
        lost = self.crash_after(bound)
        self.script["find", "a"] = [resource.OutcomeUnknown("look yourself")]

        ended = self.flows.finish(
            self.flows.start(self.flows.claim(lost.claimed), bound)
        )

        self.assertEqual(FAILED, ended.state)
        self.assertEqual(["a"], self.made())
        self.assertTrue(self.flows.row("a").is_outcome_unknown)

    def test_a_clear_failure_may_be_tried_again_by_any_plugin(self) -> None:
        self.script["create", "a"] = [ValueError("refused")]
        self.script["find", "a"] = [resource.OutcomeUnknown("cannot look")]
        bound = flows.Template(a="")
        failed = self.flows.run(bound)
        self.flows.database.run(
            lambda connection: operations.reopen(
                connection, failed.id, 2, failed.options
            )
        )

        again = self.flows.finish(
            self.flows.start(self.flows.claim(failed), bound)
        )

        self.assertEqual(COMPLETE, again.state)

    def test_a_worker_that_lost_its_lease_writes_nothing_more(self) -> None:
        gate = threading.Event()
        self.addCleanup(gate.set)
        self.script["create", "a"] = [lambda context: gate.wait(10) and "x"]
        bound = flows.Template(a="", b="a")
        stalled = self.flows.start(
            self.flows.claim(self.flows.accept()), bound
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
        self.script["is_created", "a"] = [resource.Pending(after_s=0.3)]
        run = self.flows.start(
            self.flows.claim(self.flows.accept()), flows.Template(a="")
        )
        flows.wait_for(lambda: self.made() == ["a"], "a has begun")
        run.kept.fence.lose()

        flows.wait_for(run.ended.is_set, "the run ends")

        asked = [act for act, _ in self.calls if act == "is_created"]
        self.assertEqual(1, len(asked))

    def test_a_newer_request_ends_the_run_and_keeps_what_is_known(
        self,
    ) -> None:
        self.script["is_created", "a"] = [resource.Pending(after_s=30)]
        bound = flows.Template(a="", b="", c="b")
        gate = threading.Event()
        self.script["create", "b"] = [lambda context: gate.wait(10) and "b-1"]
        run = self.flows.start(self.flows.claim(self.flows.accept()), bound)
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
        bound = flows.Template(a="")
        claimed = self.flows.claim(self.flows.accept())
        newer = self.flows.accept(states.Action.DELETE)
        self.flows.database.run(
            lambda connection: operations.supersede(
                connection, self.flows.stack.id, newer.id
            )
        )

        ended = self.flows.finish(self.flows.start(claimed, bound))

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
        self.script["is_created", "a"] = [resource.Pending(after_s=30)]
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
        self.script["is_created", "a"] = [resource.Pending(after_s=30)]
        bound = flows.Template(a="", b="", c="b")
        gate = threading.Event()
        self.addCleanup(gate.set)
        self.script["create", "b"] = [lambda context: gate.wait(10) and "b-1"]
        run = self.flows.start(self.flows.claim(self.flows.accept()), bound)
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
        self.script["is_created", "a"] = [resource.Pending(after_s=30)]
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
        self.script["is_created", "a"] = [resource.Pending(after_s=30)]
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

    def test_a_hung_call_fails_its_resource_and_leaves_its_outcome_open(
        self,
    ) -> None:
        gate = threading.Event()
        self.addCleanup(gate.set)
        self.flows.pool = calls.CallPool(1, 0.05, self.flows.clock)
        self.addCleanup(self.flows.pool.stop)
        self.script["create", "a"] = [lambda context: gate.wait(30) and "x"]
        run = self.flows.start(
            self.flows.claim(self.flows.accept()), flows.Template(a="")
        )
        flows.wait_for(lambda: self.made() == ["a"], "the call hangs")
        time.sleep(0.1)

        self.flows.pool.give_up_hung()
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
        self.script["is_created", "b"] = [resource.Pending(after_s=30)]
        bound = flows.Template(b="", a="")
        lost = self.crash_after(bound)
        self.flows.kind.broken.append(errors.Invalid("no such key"))

        ended = self.flows.finish(
            self.flows.start(self.flows.claim(lost.claimed), bound)
        )

        row = self.flows.row("a")
        self.assertEqual(FAILED, ended.state)
        self.assertIn("no such key", ended.reason)
        self.assertEqual(states.Status.FAILED, row.status)
        self.assertIn("Interrupted: resources.a", row.status_reason)
        self.assertTrue(row.is_outcome_unknown)
        self.assertIn("a CREATE_FAILED", self.flows.story())

    def test_an_error_of_ours_ends_this_operation_alone(self) -> None:
        run = flows.Run.__new__(flows.Run)
        error = RuntimeError("a mistake")

        class Broken(flows.Run):
            def prepare(self, held, flush):
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

    def test_attributes_that_cannot_be_read_do_not_fail_the_resource(
        self,
    ) -> None:
        self.script["read_attributes", "a"] = [ValueError("busy")]

        ended = self.flows.run(flows.Template(a=""))

        self.assertEqual(COMPLETE, ended.state)
        self.assertEqual({}, self.flows.row("a").attributes)

    def test_an_external_thing_is_adopted_and_left_standing(self) -> None:
        bound = flows.Template(net="", web="net")
        bound.resources["net"] = flows.Declaration("net", external_id="net-1")

        self.flows.run(bound)
        adopted = self.flows.row("net")
        seen = self.flows.row("web").properties
        self.flows.run(None, states.Action.DELETE)

        self.assertEqual(
            (states.Action.CHECK, "net-1"),
            (adopted.action, adopted.physical_id),
        )
        self.assertEqual({"value": ["net-1"]}, seen)
        self.assertEqual(["web"], self.made())
        self.assertNotIn(("delete", "net"), self.calls)

    def test_failed_deletion_keeps_the_row_and_can_be_retried(self) -> None:
        self.flows.run(flows.Template(a="", b="a"))
        self.script["delete", "b"] = [errors.Permanent("refuses")]

        failed = self.flows.run(None, states.Action.DELETE)

        self.assertEqual(FAILED, failed.state)
        self.assertEqual(
            ["a", "b"], sorted(row.name for row in self.flows.rows())
        )
        deleted = self.flows.run(None, states.Action.DELETE)
        self.assertEqual(COMPLETE, deleted.state)
        self.assertEqual([], self.flows.rows())


def _end(ended) -> tuple[states.OperationState, str]:
    return ended.state, ended.reason
