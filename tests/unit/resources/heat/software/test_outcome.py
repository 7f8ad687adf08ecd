"""What a signal says of a deployment."""

from orch.plugin import software
from orch.resources.heat.software import outcome
from tests import base

_OUTPUTS = [{"name": "o"}, {"name": "e", "error_output": True}]


class OutcomeTests(base.TestCase):
    def test_outputs_and_no_failure_complete_it(self) -> None:
        for code in (0, "0", None, ""):
            details = {"o": 1, "other": 2, "deploy_status_code": code}

            found = outcome.parse_signal(details, _OUTPUTS, {"o": 0, "old": 3})

            self.assertEqual(
                (software.Status.COMPLETE, "Outputs received"),
                (found.status, found.reason),
            )
            self.assertEqual(
                {
                    "o": 1,
                    "old": 3,
                    "deploy_stdout": None,
                    "deploy_stderr": None,
                    "deploy_status_code": code,
                },
                found.outputs,
            )
            self.assertEqual(
                "deployment d succeeded",
                outcome.describe_signal("d", details, ["e"]),
            )

    def test_an_exit_code_fails_it(self) -> None:
        details = {"deploy_status_code": 3, "deploy_stderr": "no"}

        found = outcome.parse_signal(details, _OUTPUTS, {})

        self.assertEqual(
            (
                software.Status.FAILED,
                "deploy_status_code : Deployment exited with non-zero status"
                " code: 3",
            ),
            (found.status, found.reason),
        )
        self.assertEqual("no", found.outputs["deploy_stderr"])
        self.assertEqual(
            "deployment d failed (3)",
            outcome.describe_signal("d", details, []),
        )

    def test_an_error_output_fails_it(self) -> None:
        details = {"e": "broken", "deploy_status_code": 0}

        found = outcome.parse_signal(details, _OUTPUTS, {})

        self.assertEqual(
            (software.Status.FAILED, "e : broken"),
            (found.status, found.reason),
        )
        self.assertEqual(
            "deployment d failed", outcome.describe_signal("d", details, ["e"])
        )
