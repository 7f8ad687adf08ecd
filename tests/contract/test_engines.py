"""The same flow on our engine and on TaskFlow's own: same rows, same facts."""

import testscenarios
from taskflow import states
from taskflow.persistence import backends

from orch import errors
from orch.plugin import call_context
from tests import base
from tests.support import flows

load_tests = testscenarios.load_tests_apply_scenarios


class EngineContractTest(base.TestCase):
    scenarios = (
        ("ours", {"engine": "orch", "options": {}}),
        ("serial", {"engine": "serial", "options": {"never_resolve": True}}),
        (
            "parallel",
            {
                "engine": "parallel",
                "options": {"never_resolve": True, "max_workers": 1},
            },
        ),
    )

    def setUp(self) -> None:
        super().setUp()
        self.flows = self.useFixture(flows.Flows())

    def test_a_chain_gives_the_same_rows_and_events(self) -> None:
        self.flows.kind.script["is_created", "b"] = [
            call_context.Pending(after_s=0.0)
        ]

        self.run_it(flows.Template(a="", b="a", c="b"))

        self.assertEqual(
            [
                ("a", "CREATE", "COMPLETE", "thing-a", {"value": []}),
                ("b", "CREATE", "COMPLETE", "thing-b", {"value": ["thing-a"]}),
                ("c", "CREATE", "COMPLETE", "thing-c", {"value": ["thing-b"]}),
            ],
            sorted(
                (
                    row.name,
                    row.action,
                    row.status,
                    row.physical_id,
                    row.properties,
                )
                for row in self.flows.rows()
            ),
        )
        self.assertEqual(
            [
                "a CREATE_IN_PROGRESS",
                "a CREATE_COMPLETE",
                "b CREATE_IN_PROGRESS",
                "b CREATE_COMPLETE",
                "c CREATE_IN_PROGRESS",
                "c CREATE_COMPLETE",
            ],
            self.flows.event_log(),
        )

    def test_a_failure_gives_the_same_rows_and_events(self) -> None:
        self.flows.kind.script["create", "b"] = [errors.Permanent("no room")]

        error = self.assertRaises(
            errors.Permanent,
            self.run_it,
            flows.Template(a="", b="a", c="b"),
        )

        self.assertEqual("no room", str(error))
        self.assertEqual(
            {
                "a": ("CREATE", "COMPLETE", "state changed"),
                "b": ("CREATE", "FAILED", "Permanent: resources.b: no room"),
                "c": ("INIT", "COMPLETE", ""),
            },
            {
                row.name: (row.action, row.status, row.status_reason)
                for row in self.flows.rows()
            },
        )
        self.assertEqual(
            [
                "a CREATE_IN_PROGRESS",
                "a CREATE_COMPLETE",
                "b CREATE_IN_PROGRESS",
                "b CREATE_FAILED",
            ],
            self.flows.event_log(),
        )

    def test_progress_is_read_through_taskflow(self) -> None:
        self.flows.kind.script["create", "b"] = [errors.Permanent("no room")]
        bound = flows.Template(a="", b="a", c="b")
        self.assertRaises(errors.Permanent, self.run_it, bound)
        (asked,) = self.flows.read_operations()

        backend = backends.fetch(
            {"connection": "orch://", "database": self.flows.database}
        )
        detail = backend.get_connection().get_flow_details(asked.id)

        self.assertEqual(
            {
                "create:a": states.SUCCESS,
                "create:b": states.FAILURE,
                "create:c": states.PENDING,
            },
            {atom.name.rpartition(":")[0]: atom.state for atom in detail},
        )

    def run_it(self, bound: flows.Template) -> None:
        self.flows.run_on(self.engine, bound, **self.options)
