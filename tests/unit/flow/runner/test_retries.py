"""Calls that fail on a loop: made again, waited for, or given up."""

import threading

from orch import errors
from orch.db.repositories import leases
from orch.db.repositories import operations
from orch.flow.runner import messages
from orch.flow.runner import retry_policy
from orch.model import operation
from orch.model import states
from orch.plugin import call_context
from tests import base
from tests.support import flows

BLOCKED = states.OperationState.BLOCKED
COMPLETE = states.OperationState.COMPLETE
FAILED = states.OperationState.FAILED
AWAY = "away"


class _Case(base.TestCase):
    def setUp(self) -> None:
        super().setUp()
        self.flows = self.useFixture(flows.Flows())
        self.script = self.flows.kind.script
        self.calls = self.flows.kind.calls

    def calls_of(self, name: str) -> list[str]:
        return [act for act, who in self.calls if who == name]

    def be_patient(self) -> None:
        """Let every pause be longer than the test."""
        self.flows.retries = retry_policy.RetryPolicy(
            tries=3, first_pause_s=100.0, max_pause_s=100.0
        )

    def begin(
        self, parsed_template: flows.Template, **options: object
    ) -> "flows.Run":
        asked = self.flows.accept(**options)
        return self.flows.start(self.flows.claim(asked), parsed_template)

    def go_on(
        self, asked: operation.Operation, parsed_template: flows.Template
    ) -> operation.Operation:
        """Run a blocked operation once its time has come."""
        return self.flows.finish(
            self.flows.start(self.claim_due(asked), parsed_template)
        )

    def claim_due(self, asked: operation.Operation) -> operation.Operation:
        """Take a blocked operation once its time has come."""
        taken: list[operation.Operation] = []

        def is_taken() -> bool:
            taken.extend(
                self.flows.database.run(
                    lambda connection: leases.claim(
                        connection, flows.WORKER, 60.0, 1, asked.id
                    )
                )
            )
            return bool(taken)

        flows.wait_for(is_taken, "its time comes")
        return taken[0]


class RetryTest(_Case):
    def test_what_passes_by_itself_is_tried_again_and_succeeds(self) -> None:
        self.script["create", "a"] = [errors.Transient(AWAY)]

        ended = self.flows.run(flows.Template(a="", b="a"))

        row = self.flows.row("a")
        self.assertEqual(COMPLETE, ended.state)
        self.assertEqual(
            (states.Status.COMPLETE, "state changed", False),
            (row.status, row.status_reason, row.is_outcome_unknown),
        )

    def test_what_an_attempt_left_is_found_and_not_made_again(self) -> None:
        self.script["create", "a"] = [errors.Transient("no answer")]
        self.script["find", "a"] = ["thing-found"]

        self.flows.run(flows.Template(a=""))

        self.assertEqual("thing-found", self.flows.row("a").physical_id)
        acts = ["create", "find", "is_created", "find_all"]
        self.assertEqual(acts, self._acts("a"))

    def test_what_cannot_be_found_is_not_made_twice(self) -> None:
        self.script["create", "a"] = [errors.Transient("no answer")]
        self.script["find", "a"] = [
            call_context.OutcomeUnknown("look yourself")
        ]

        failed = self.flows.run(flows.Template(a=""))

        self.assertEqual(FAILED, failed.state)
        self.assertEqual(["create", "find"], self._acts("a"))
        self.assertTrue(self.flows.row("a").is_outcome_unknown)

    def test_what_was_refused_is_made_by_any_plugin(self) -> None:
        self.script["create", "a"] = [errors.Busy("one at a time")]
        self.script["find", "a"] = [call_context.OutcomeUnknown("cannot look")]

        ended = self.flows.run(flows.Template(a=""))

        self.assertEqual(COMPLETE, ended.state)
        self.assertEqual(2, self._acts("a").count("create"))

    def test_a_look_that_fails_leaves_open_what_was_made(self) -> None:
        self.script["create", "a"] = [errors.Transient("no answer")]
        self.script["find", "a"] = [
            errors.Busy("one at a time"),
            call_context.OutcomeUnknown("cannot look"),
        ]

        failed = self.flows.run(flows.Template(a=""))

        self.assertEqual(FAILED, failed.state)
        self.assertEqual(1, self._acts("a").count("create"))

    def test_after_all_tries_it_fails(self) -> None:
        self.script["create", "a"] = [errors.Transient(AWAY)] * 9

        failed = self.flows.run(flows.Template(a="", b="a"))

        self.assertEqual(FAILED, failed.state)
        self.assertEqual(3, self._acts("a").count("create"))
        self.assertIn("Transient: resources.a: away", failed.reason)

    def test_many_tries_are_one_event(self) -> None:
        self.script["create", "a"] = [errors.Transient(AWAY)] * 9

        self.flows.run(flows.Template(a=""))

        told = [
            (each.status, each.reason)
            for each in self.flows.events()
            if each.resource_name == "a"
        ]
        self.assertEqual(3, len(told))
        self.assertIn("try 1 of 3 failed, next try at 2", told[1][1])
        self.assertEqual(states.Status.IN_PROGRESS, told[1][0])

    def test_an_error_that_stays_fails_at_once(self) -> None:
        self.script["create", "a"] = [errors.Permanent("no such flavour")]

        self.flows.run(flows.Template(a=""))

        self.assertEqual(["create"], self._acts("a"))

    def test_a_look_at_what_is_in_the_making_is_tried_again(self) -> None:
        self.script["is_created", "a"] = [
            call_context.Pending(after_s=0.0),
            errors.Transient(AWAY),
            errors.Transient(AWAY),
            call_context.Pending(after_s=0.0),
            errors.Transient(AWAY),
        ]

        ended = self.flows.run(flows.Template(a=""))

        self.assertEqual(COMPLETE, ended.state)
        self.assertEqual(["create", *["is_created"] * 6], self._acts("a"))

    def test_a_thing_whose_first_look_fails_is_known_all_the_same(
        self,
    ) -> None:
        self.script["is_created", "a"] = [errors.Permanent("broken")]

        self.flows.run(flows.Template(a=""))

        row = self.flows.row("a")
        self.assertEqual(
            (states.Status.FAILED, "thing-a"), (row.status, row.physical_id)
        )

    def test_a_thing_whose_first_look_fails_is_not_made_again(self) -> None:
        self.script["is_created", "a"] = [errors.Transient(AWAY)]

        ended = self.flows.run(flows.Template(a=""))

        self.assertEqual(COMPLETE, ended.state)
        self.assertEqual(
            ["create", "is_created", "is_created"], self._acts("a")
        )

    def test_a_removal_is_tried_again(self) -> None:
        self.flows.run(flows.Template(a=""))
        self.script["delete", "a"] = [errors.Busy("in use")]
        self.script["is_deleted", "a"] = [errors.Transient(AWAY)]

        deleted = self.flows.run(None, states.Action.DELETE)

        self.assertEqual(COMPLETE, deleted.state)
        self.assertEqual([], self.flows.rows())

    def test_waiting_for_many_needs_few_threads(self) -> None:
        names = [f"r{number}" for number in range(200)]
        for name in names:
            self.script["create", name] = [errors.Transient(AWAY)]
        self.flows.retries = retry_policy.RetryPolicy(
            tries=3, first_pause_s=0.5, max_pause_s=0.5
        )
        before = threading.active_count()
        run = self.begin(flows.Template(**dict.fromkeys(names, "")))
        flows.wait_for(lambda: len(self.calls) >= 200, "all have failed once")
        most = threading.active_count()

        self.assertEqual(COMPLETE, self.flows.finish(run).state)
        self.assertLessEqual(most - before, 5)

    def test_a_stop_gives_back_what_is_to_be_tried_again(self) -> None:
        self.be_patient()
        self.script["create", "a"] = [errors.Transient(AWAY)]
        run = self.begin(flows.Template(a=""))
        self.wait_for_reason("a")

        run.runner.post(messages.Stop())
        self.flows.finish(run)

        self.assertTrue(run.has_given_back)
        self.assertEqual(states.Status.IN_PROGRESS, self.flows.row("a").status)

    def test_a_newer_request_does_not_wait_for_the_next_try(self) -> None:
        self.be_patient()
        self.script["create", "a"] = [errors.Transient(AWAY)]
        run = self.begin(flows.Template(a=""))
        self.wait_for_reason("a")
        newer = self.flows.accept(states.Action.DELETE)
        self.flows.database.run(
            lambda connection: operations.supersede(
                connection, self.flows.stack.id, newer.id
            )
        )

        run.runner.post(messages.NextTick())

        self.assertEqual(
            states.OperationState.SUPERSEDED, self.flows.finish(run).state
        )

    def test_time_over_tells_what_the_last_try_gave(self) -> None:
        self.be_patient()
        self.script["create", "a"] = [errors.Transient(AWAY)]
        run = self.begin(flows.Template(a=""))
        self.wait_for_reason("a")

        run.runner.post(messages.Deadline())
        ended = self.flows.finish(run)

        self.assertEqual("Create timed out", ended.reason)
        self.assertIn(
            "the last try failed: Transient: away",
            self.flows.row("a").status_reason,
        )

    def test_the_next_try_is_when_the_service_wants_it(self) -> None:
        self.flows.retries = retry_policy.RetryPolicy(
            tries=3, first_pause_s=0.0, max_pause_s=100.0
        )
        away = errors.Transient(AWAY)
        away.after_s = 100.0
        self.script["create", "a"] = [away]
        run = self.begin(flows.Template(a=""))
        self.wait_for_reason("a")

        run.runner.post(messages.Stop())
        self.flows.finish(run)

        self.assertEqual(["create"], self.calls_of("a"))

    def test_another_failure_ends_the_waiting(self) -> None:
        self.be_patient()
        gate = threading.Event()
        self.addCleanup(gate.set)
        self.script["create", "a"] = [errors.Transient(AWAY)]

        def fail(context: call_context.Context) -> str:
            gate.wait(10)
            raise errors.Permanent("no room")

        self.script["create", "b"] = [fail]
        run = self.begin(flows.Template(a="", b=""))
        self.wait_for_reason("a")

        gate.set()
        ended = self.flows.finish(run)

        self.assertEqual(FAILED, ended.state)
        self.assertIn("no room", ended.reason)
        self.assertEqual(
            "Transient: resources.a: away", self.flows.row("a").status_reason
        )

    def wait_for_reason(self, name: str) -> None:
        """Wait until it stands in the row that a call is made again."""
        flows.wait_for(
            lambda: [
                row
                for row in self.flows.rows()
                if row.name == name and "next try at" in row.status_reason
            ],
            f"{name} waits",
        )

    def _acts(self, name: str) -> list[str]:
        return [act for act in self.calls_of(name) if act != "read_attributes"]


class BlockedTest(_Case):
    def block(self, *more: BaseException) -> operation.Operation:
        """Run into a quota; return the operation as it waits."""
        quota = errors.QuotaExceeded("10 of 10 volumes")
        self.script["create", "a"] = [quota, *more]
        self.parsed_template = flows.Template(a="", b="a", c="")
        return self.flows.run(self.parsed_template)

    def test_an_exhausted_quota_is_waited_for_without_a_worker(self) -> None:
        self.flows.retries = retry_policy.RetryPolicy(
            first_block_s=100.0, max_quota_block_s=100.0
        )

        blocked = self.block()
        seen_at = self.flows.clock.now()

        row = self.flows.row("a")
        self.assertEqual(
            (BLOCKED, None, None),
            (blocked.state, blocked.owner, blocked.lease_expires_at),
        )
        # Less a fifth, so that not all come back at once.
        self.assertAlmostEqual(seen_at + 90, blocked.next_try_at, delta=15)
        self.assertIn(
            "waiting for a: QuotaExceeded: 10 of 10 volumes, next try at ",
            blocked.reason,
        )
        self.assertEqual(
            (states.Status.IN_PROGRESS, False),
            (row.status, row.is_outcome_unknown),
        )
        self.assertIn("waiting, next try at", row.status_reason)

    def test_all_else_goes_on_before(self) -> None:
        self.block()

        self.assertEqual(states.Status.COMPLETE, self.flows.row("c").status)
        self.assertEqual([], self.calls_of("b"))

    def test_it_goes_on_by_itself(self) -> None:
        blocked = self.block()

        ended = self.go_on(blocked, self.parsed_template)

        self.assertEqual((COMPLETE, ""), (ended.state, ended.reason))
        self.assertIsNone(ended.next_try_at)
        self.assertEqual(1, self.calls_of("c").count("create"))

    def test_its_pauses_grow_while_it_does_not_get_on(self) -> None:
        self.flows.retries = retry_policy.RetryPolicy(
            first_block_s=0.05, max_block_s=1000.0
        )
        self.script["create", "a"] = [errors.QuotaExceeded("full")]
        asked = self.flows.accept(blocked_times=10, blocked_done=0)

        blocked = self.flows.finish(
            self.flows.start(self.flows.claim(asked), flows.Template(a=""))
        )

        self.assertEqual(11, blocked.options["blocked_times"])
        self.assertGreater(blocked.next_try_at, self.flows.clock.now() + 20)

    def test_they_are_short_again_once_it_got_on(self) -> None:
        self.flows.retries = retry_policy.RetryPolicy(
            first_block_s=0.05, max_block_s=1000.0
        )
        self.script["create", "b"] = [errors.QuotaExceeded("full")]
        asked = self.flows.accept(blocked_times=10, blocked_done=0)

        blocked = self.flows.finish(
            self.flows.start(
                self.flows.claim(asked), flows.Template(a="", b="a")
            )
        )

        self.assertEqual(1, blocked.options["blocked_times"])
        self.assertLess(blocked.next_try_at, self.flows.clock.now() + 5)

    def test_one_event_tells_of_it_however_often_it_is_tried(self) -> None:
        quota = errors.QuotaExceeded("10 of 10 volumes")
        blocked = self.go_on(self.block(quota), self.parsed_template)

        self.assertEqual(BLOCKED, blocked.state)
        told = [
            each.reason
            for each in self.flows.events()
            if "QuotaExceeded" in each.reason
        ]
        self.assertEqual(1, len(told))

    def test_a_service_that_stays_away_is_waited_for(self) -> None:
        self.script["create", "a"] = [errors.Outage(AWAY)] * 3
        parsed_template = flows.Template(a="")

        blocked = self.flows.run(parsed_template)
        ended = self.go_on(blocked, parsed_template)

        self.assertEqual((BLOCKED, COMPLETE), (blocked.state, ended.state))
        self.assertIn("waiting for a: Outage: away", blocked.reason)

    def test_while_others_are_at_work_it_is_tried_here(self) -> None:
        gate = threading.Event()
        self.addCleanup(gate.set)
        quota = errors.QuotaExceeded("full")
        self.script["create", "a"] = [quota, quota]
        self.script["create", "b"] = [lambda context: gate.wait(10) and "b-1"]
        run = self.begin(flows.Template(a="", b=""))
        flows.wait_for(lambda: "is_created" in self.calls_of("a"), "a is made")

        gate.set()
        self.assertEqual(COMPLETE, self.flows.finish(run).state)

    def test_the_intent_is_written_again_before_the_next_call(self) -> None:
        gate = threading.Event()
        self.addCleanup(gate.set)
        seen: list[bool] = []

        def look(context: call_context.Context) -> str:
            seen.append(self.flows.row("a").is_outcome_unknown)
            return "a-1"

        self.script["create", "a"] = [errors.QuotaExceeded("full"), look]
        self.script["create", "b"] = [lambda context: gate.wait(10) and "b-1"]
        run = self.begin(flows.Template(a="", b=""))
        flows.wait_for(lambda: seen, "a is tried again")
        gate.set()
        self.flows.finish(run)

        self.assertEqual([True], seen)

    def test_a_failure_elsewhere_ends_it(self) -> None:
        self.script["create", "a"] = [errors.QuotaExceeded("full")] * 9
        self.script["create", "b"] = [errors.Permanent("no room")]

        failed = self.flows.run(
            flows.Template(a="", b="", c=""), keep_going=True
        )

        self.assertEqual(FAILED, failed.state)
        self.assertEqual(
            "QuotaExceeded: resources.a: full",
            self.flows.row("a").status_reason,
        )
        self.assertEqual(states.Status.COMPLETE, self.flows.row("c").status)

    def test_a_newer_request_ends_it_at_once(self) -> None:
        blocked = self.block()
        newer = self.flows.accept(states.Action.DELETE)
        requested_at = self.flows.clock.now()

        self.flows.database.run(
            lambda connection: operations.supersede(
                connection, self.flows.stack.id, newer.id
            )
        )

        ended = self.flows.read_operation(blocked.id)
        self.assertEqual(states.OperationState.SUPERSEDED, ended.state)
        self.assertAlmostEqual(requested_at, ended.finished_at, delta=5)
        deleted = self.flows.finish(
            self.flows.start(self.flows.claim(newer), None)
        )
        self.assertEqual(COMPLETE, deleted.state)

    def test_its_time_ends_it(self) -> None:
        blocked = self.block()
        run = flows.Run(
            self.flows,
            self.claim_due(blocked),
            self.parsed_template,
            deadline=0.0,
        )

        ended = self.flows.finish(run)

        row = self.flows.row("a")
        self.assertEqual(
            (FAILED, "Create timed out"), (ended.state, ended.reason)
        )
        self.assertEqual(states.Status.FAILED, row.status)
