from orch import clock
from orch import errors
from orch import ids
from orch.db.repositories import leases
from orch.db.repositories import operations
from orch.db.repositories import services
from orch.model import service
from orch.model import states
from tests.functional.rpc import worker
from tests.unit.engine import fakes

TEMPLATE = {
    "heat_template_version": "2018-08-31",
    "resources": {"web": {"type": "Test::Server"}},
}


class OperationsTest(worker.TestCase):
    def setUp(self) -> None:
        super().setUp()
        self.accepted = self.stacks.create(
            self.ann, "app", {"template": TEMPLATE}, {}
        )
        self.stack_id = self.accepted["identity"]["stack_id"]
        self.operation_id = ids.OperationId(self.accepted["operation_id"])

    def test_how_an_operation_runs_is_kept_with_it(self) -> None:
        wanted = self.stacks.update(
            self.ann,
            self.stack_id,
            {"template": TEMPLATE},
            {"converge": True, "keep_going": True},
        )

        with self.database.read() as connection:
            found = operations.get(
                connection, ids.OperationId(wanted["operation_id"])
            )

        self.assertEqual(
            (True, True),
            (found.options["converge"], found.options["keep_going"]),
        )

    def test_an_operation_says_what_its_row_says(self) -> None:
        found = self.operations.show(
            self.ann, self.stack_id, self.operation_id
        )

        self.assertEqual(64, len(found.pop("inputs_hash")))
        self.assertEqual(
            {
                "id": self.operation_id,
                "action": "CREATE",
                "state": "WAITING",
                "attempt": 1,
                "reason": "",
                "total": 0,
                "done": 0,
                "failures": [],
                "superseded_by": None,
                "requested_by": "ann",
                "worker": None,
                "created_at": fakes.NOW,
                "started_at": None,
                "finished_at": None,
                "attempts": [
                    {
                        "number": 1,
                        "requested_by": "ann",
                        "state": "WAITING",
                        "reason": "",
                        "started_at": None,
                        "finished_at": None,
                    }
                ],
                "keep_going": False,
                "skip": [],
                "orphan": [],
                "replace": [],
                "plan_id": None,
                "next_try_at": None,
                "expected_at": None,
                "steps": None,
                "resources": [],
                "failed_resources": [],
                "lifecycle": [],
                "hold": None,
                "child_holds": [],
                "cause": "request",
                "policy_set_by": None,
            },
            found,
        )

    def test_progress_and_failures_are_shown(self) -> None:
        failure = {"name": "web", "reason": "no room"}
        with self.database.write() as connection:
            (claimed,) = leases.claim(connection, "w1", ttl_s=60, limit=1)
            operations.update(
                connection,
                self.operation_id,
                claimed.fence,
                total=3,
                done=2,
                failures=(failure,),
                state=states.OperationState.FAILED,
                reason="no room",
            )

        found = self.operations.show(
            self.ann, self.stack_id, self.operation_id
        )

        self.assertEqual("FAILED", found["state"])
        self.assertEqual((3, 2), (found["total"], found["done"]))
        self.assertEqual([failure], found["failures"])
        self.assertLessEqual(found["created_at"], found["started_at"])

    def test_the_newest_comes_first(self) -> None:
        self.clock.moment = 1.0
        deletion = self.stacks.delete(self.ann, self.stack_id)
        assert deletion is not None

        found = self.operations.list(self.ann, self.stack_id)

        self.assertEqual(
            [deletion["operation_id"], self.operation_id],
            [each["id"] for each in found],
        )
        self.assertEqual(deletion["operation_id"], found[1]["superseded_by"])

    def test_what_is_no_operation_of_the_stack_is_not_found(self) -> None:
        other = self.stacks.create(
            self.ann, "other", {"template": TEMPLATE}, {}
        )
        for operation_id in (other["operation_id"], ids.new(), "x", "\0"):
            error = self.assertRaises(
                errors.NotFound,
                self.operations.show,
                self.ann,
                self.stack_id,
                operation_id,
            )
            self.assertEqual("orch.operation.not_found", error.code)

    def test_operations_of_another_project_are_not_there(self) -> None:
        self.assertRaises(
            errors.NotFound, self.operations.list, self.eve, self.stack_id
        )
        self.assertRaises(
            errors.NotFound,
            self.operations.show,
            self.eve,
            self.stack_id,
            self.operation_id,
        )

    def test_the_hint_to_run_wakes_the_conductor(self) -> None:
        self.operations.run(self.ann, self.operation_id)

        self.assertEqual([self.operation_id], self.conductor.woken)

    def test_the_hint_to_run_some_wakes_the_conductor_for_each(self) -> None:
        self.operations.run_some(self.ann, (self.operation_id, "other"))

        self.assertEqual([self.operation_id, "other"], self.conductor.woken)


class ServicesTest(worker.TestCase):
    def test_processes_are_listed_with_whether_they_are_up(self) -> None:
        with self.database.write() as connection:
            services.save_report(
                connection,
                service.Service(
                    id=ids.WorkerId("w1"),
                    host="here",
                    binary="orch-engine",
                    topic="orch-engine",
                    report_interval_s=10,
                    created_at=clock.Timestamp(0),
                    updated_at=clock.Timestamp(0),
                ),
            )

        (found,) = self.services.list(self.root)

        self.assertEqual("w1", found["id"])
        self.assertEqual("here", found["host"])
        self.assertEqual(10, found["report_interval_s"])
        self.assertIs(True, found["is_up"])
        self.assertGreater(found["created_at"], 1_600_000_000)

    def test_the_revision_is_the_installed_version(self) -> None:
        self.assertRegex(self.services.revision(self.ann), r"^\d+\.\d+")
