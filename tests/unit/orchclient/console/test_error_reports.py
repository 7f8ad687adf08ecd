"""Errors as people and programs read them; exit codes."""

from orchclient import errors
from orchclient import operation_errors
from orchclient import operations
from orchclient import packaging
from orchclient.console import error_reports
from orchclient.console import exit_codes
from tests import base
from tests.unit.orchclient.console import making


def _failed(
    count: int, **more: object
) -> operation_errors.OperationFailedError:
    failures = [
        operations.Failure(
            path=("group", str(number)),
            stack=making.ROOT,
            reason=f"why {number}",
            type="Test::Thing",
            line=7,
        )
        for number in range(count)
    ]
    operation = making.operation("FAILED", **more)
    return operation_errors.OperationFailedError("failed", operation, failures)


class ReportTests(base.TestCase):
    def of(self, error: Exception) -> error_reports.Report:
        package = packaging.Package(template="", places={"": "/d/t.yaml"})
        return error_reports.report_of(
            error, error_reports.Situation("orch", "we b", package)
        )

    def test_the_root_cause_is_first(self) -> None:
        lines = self.of(_failed(2, total=5, done=3)).lines()

        self.assertEqual(
            [
                "Error: CREATE of web failed, 3 of 5 resources are done",
                "  root cause: group/0 (Test::Thing) at /d/t.yaml:7",
                "      why 0",
                "  group/1 (Test::Thing) at /d/t.yaml:7",
                "      why 1",
                "Next:",
            ],
            lines[:6],
        )
        self.assertIn("orch retry web ", lines[6])

    def test_many_failures_are_counted(self) -> None:
        report = self.of(_failed(25))

        self.assertIn("  and 15 more", report.lines())
        self.assertEqual(25, len(report.causes))

    def test_an_operation_that_tells_no_failures(self) -> None:
        lines = self.of(_failed(0, reason="no plan")).lines()

        self.assertIn("      no plan", lines)

    def test_names_are_quoted_for_the_shell(self) -> None:
        error = errors.error_of(
            errors.ErrorDetails(status=409, message="busy")
        )

        self.assertIn("orch attach 'we b'", self.of(error).document()["next"])

    def test_a_hold_has_an_exit_code_and_what_to_type(self) -> None:
        held = making.operation("BLOCKED", hold=making.hold())
        error = operation_errors.OperationHeldError("it is held", held)

        report = self.of(error)

        self.assertEqual(12, report.code)
        self.assertEqual(
            [
                "orch stack approve web",
                "orch stack reject web",
                "orch attach web",
            ],
            report.document()["next"],
        )

    def test_what_is_held_in_the_stack_is_approved_there(self) -> None:
        held = making.operation(child_holds=(making.child_hold(),))
        error = operation_errors.OperationHeldError("it is held", held)

        found = self.of(error).document()["next"]

        self.assertEqual(
            [
                "orch stack approve id-2",
                "orch stack reject id-2",
                "orch attach web",
            ],
            found,
        )

    def test_problems_have_places_and_advice(self) -> None:
        problem = errors.Problem("bad", "a.b", "do this", "", 3, 4)
        error = errors.error_of(
            errors.ErrorDetails(status=400, message="no", problems=(problem,))
        )

        self.assertEqual(
            ["Error: no", "  a.b at /d/t.yaml:3:4", "      bad"],
            self.of(error).lines()[:3],
        )
        self.assertIn("      do this", self.of(error).lines())


class ExitTests(base.TestCase):
    def test_each_class_of_errors_has_its_code(self) -> None:
        for status, code in (
            (400, exit_codes.Exit.INVALID),
            (401, exit_codes.Exit.NOT_ALLOWED),
            (403, exit_codes.Exit.NOT_ALLOWED),
            (404, exit_codes.Exit.NOT_FOUND),
            (409, exit_codes.Exit.CONFLICT),
            (412, exit_codes.Exit.CONFLICT),
            (413, exit_codes.Exit.INVALID),
            (422, exit_codes.Exit.INVALID),
            (429, exit_codes.Exit.UNREACHABLE),
            (500, exit_codes.Exit.ERROR),
            (503, exit_codes.Exit.UNREACHABLE),
        ):
            error = errors.error_of(
                errors.ErrorDetails(status=status, message="m")
            )
            self.assertIs(code, exit_codes.exit_code_of(error), status)
        for other, code in (
            (errors.ConnectError("m"), exit_codes.Exit.UNREACHABLE),
            (errors.LoginError("m"), exit_codes.Exit.NOT_ALLOWED),
            (errors.PackagingError("p", "m"), exit_codes.Exit.INVALID),
            (exit_codes.UsageError("m"), exit_codes.Exit.USAGE),
            (errors.AnswerError("m"), exit_codes.Exit.ERROR),
            (_failed(0), exit_codes.Exit.FAILED),
        ):
            self.assertIs(code, exit_codes.exit_code_of(other), other)
