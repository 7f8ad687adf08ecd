"""Operations on a loop: order, progress, failures, what plug-ins answer."""

import threading

from orch import errors
from orch.db.repositories import operations
from orch.model import states
from orch.plugin import call_context
from tests.support import flows
from tests.unit.flow import running

COMPLETE = states.OperationState.COMPLETE
FAILED = states.OperationState.FAILED


class RunnerTest(running.RunnerCase):
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
        self.script["is_created", "b"] = [call_context.Pending(after_s=0.05)]

        failed = self.flows.run(
            flows.Template(a="", b="", c="b", d="a"), keep_going=True
        )

        self.assertEqual(FAILED, failed.state)
        self.assertEqual(["a", "b", "c"], sorted(self.made()))

    def test_a_retry_goes_on_from_the_last_completed_resource(self) -> None:
        self.script["create", "b"] = [errors.Permanent("no room")]
        parsed_template = flows.Template(a="", b="a", c="b")
        failed = self.flows.run(parsed_template)
        self.calls.clear()
        self.flows.database.run(
            lambda connection: operations.reopen(
                connection, failed.id, 2, failed.options
            )
        )

        again = self.flows.finish(
            self.flows.start(self.flows.claim(failed), parsed_template)
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
            call_context.CreateResult("thing-a", {"lock": threading.Lock()})
        ]

        self.flows.run(flows.Template(a=""))

        self.assertIn("is not JSON", self.flows.row("a").status_reason)

    def test_a_value_that_cannot_be_computed_fails_the_resource(self) -> None:
        parsed_template = flows.Template(a="")
        parsed_template.broken["a"] = errors.Invalid("no such key")

        failed = self.flows.run(parsed_template)

        self.assertEqual(FAILED, failed.state)
        self.assertEqual([], self.made())
        self.assertIn("no such key", self.flows.row("a").status_reason)

    def test_many_waits_need_few_threads(self) -> None:
        names = [f"r{number}" for number in range(300)]
        for name in names:
            self.script["is_created", name] = [
                call_context.Pending(after_s=0.5)
            ]
        before = threading.active_count()
        run = self.flows.start(
            self.flows.claim(self.flows.accept()),
            flows.Template(**dict.fromkeys(names, "")),
        )
        flows.wait_for(lambda: len(self.made()) == 300, "all have begun")
        most = threading.active_count()

        self.assertEqual(COMPLETE, self.flows.finish(run).state)
        self.assertLessEqual(most - before, 5)

    def test_attributes_that_cannot_be_read_do_not_fail_the_resource(
        self,
    ) -> None:
        self.script["read_attributes", "a"] = [ValueError("busy")]

        ended = self.flows.run(flows.Template(a=""))

        self.assertEqual(COMPLETE, ended.state)
        self.assertEqual({}, self.flows.row("a").attributes)

    def test_an_external_thing_is_adopted_and_left_standing(self) -> None:
        parsed_template = flows.Template(net="", web="net")
        parsed_template.resources["net"] = flows.declare(
            "net", external_id="net-1"
        )

        self.flows.run(parsed_template)
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
