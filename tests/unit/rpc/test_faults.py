import fixtures
import oslo_messaging as messaging

from orch import errors
from orch import redacted
from orch.context import hidden_values
from orch.rpc import faults
from tests import base
from tests.support import scraped


class Special(errors.Conflict):
    """An error whose making takes more than what travels."""

    code = "orch.test.special"

    def __init__(self, one: str, other: str) -> None:
        super().__init__(f"{one} against {other}")


class WireTest(base.TestCase):
    def test_code_message_and_problems_survive(self) -> None:
        problem = errors.Problem("wrong", "a.b", "mend it", "f.yaml", 3, 4)

        error = faults.from_wire(
            faults.to_wire(errors.NotFound("no such stack", [problem]))
        )

        self.assertIs(errors.NotFound, type(error))
        self.assertEqual("orch.not_found", error.code)
        self.assertEqual("no such stack", error.message)
        self.assertEqual("no such stack", str(error))
        self.assertEqual((problem,), error.problems)

    def test_a_class_with_other_arguments_is_rebuilt(self) -> None:
        error = faults.from_wire(faults.to_wire(Special("a", "b")))

        self.assertIs(Special, type(error))
        self.assertEqual("a against b", error.message)

    def test_an_unknown_code_takes_the_nearest_kind(self) -> None:
        fault = faults.to_wire(Special("a", "b"))
        del errors.OrchError.by_code[Special.code]
        self.addCleanup(
            errors.OrchError.by_code.__setitem__, Special.code, Special
        )

        error = faults.from_wire(fault)

        self.assertIs(errors.Conflict, type(error))
        self.assertEqual("orch.test.special", error.code)
        self.assertEqual("orch.conflict", errors.Conflict.code)


class Endpoint:
    target = messaging.Target(namespace="noun", version="1.0")
    attribute = 1

    def good(self, ctxt: object, *, value: int) -> int:
        return value + 1

    def refuse(self, ctxt: object) -> None:
        raise errors.Invalid("not so")

    @messaging.expected_exceptions(errors.OrchError)
    def refuse_expectedly(self, ctxt: object) -> None:
        raise errors.Invalid("not so")

    def refuse_words(self, ctxt: object, *, words: list[str]) -> None:
        hidden_values.add(lambda: words)
        raise errors.Invalid(
            "it is a word", [errors.Problem("a word", "path.word", "no word")]
        )

    def crash(self, ctxt: object) -> None:
        raise ValueError("a secret")

    def _hidden(self, ctxt: object) -> None:
        raise AssertionError


class GuardTest(base.TestCase):
    def setUp(self) -> None:
        super().setUp()
        self.log = self.useFixture(fixtures.FakeLogger())
        self.guard = faults.Guard(Endpoint())

    def _fault_of(self, name: str, **given: object) -> errors.OrchError:
        expected = self.assertRaises(
            messaging.ExpectedException,
            getattr(self.guard, name),
            {},
            **given,
        )
        kind, fault, traceback = expected.exc_info
        self.assertIs(faults.FaultError, kind)
        self.assertIsNone(traceback)
        return faults.from_wire(fault)

    def test_an_answer_passes(self) -> None:
        self.assertEqual(2, self.guard.good({}, value=1))

    def test_the_target_passes(self) -> None:
        self.assertIs(Endpoint.target, self.guard.target)

    def test_an_error_of_ours_is_expected_and_not_logged(self) -> None:
        for name in ("refuse", "refuse_expectedly"):
            error = self._fault_of(name)

            self.assertEqual(
                ("orch.invalid", "not so"), (error.code, error.message)
            )
        self.assertEqual("", self.log.output)

    def test_a_crash_is_logged_and_tells_nothing(self) -> None:
        error = self._fault_of("crash")

        self.assertEqual("orch.internal", error.code)
        self.assertNotIn("secret", error.message)
        self.assertIn("ValueError: a secret", self.log.output)

    def test_each_call_is_counted_by_what_came_of_it(self) -> None:
        counted = self.useFixture(scraped.Counting())

        for _ in range(2):
            self.guard.good({}, value=1)
        for name in ("refuse", "refuse_expectedly", "crash"):
            self._fault_of(name)

        self.assertEqual(
            {
                ("noun", "good", "answered"): 2.0,
                ("noun", "refuse", "refused"): 1.0,
                ("noun", "refuse_expectedly", "refused"): 1.0,
                ("noun", "crash", "failed"): 1.0,
            },
            counted.all_of(
                "orch_rpc_calls_total", "namespace", "method", "outcome"
            ),
        )

    def test_only_public_methods_are_served(self) -> None:
        for name in ("_hidden", "attribute", "missing"):
            self.assertFalse(hasattr(self.guard, name), name)

    def test_hidden_values_of_the_request_are_redacted(self) -> None:
        error = self._fault_of("refuse_words", words=["word"])

        (problem,) = error.problems
        self.assertEqual("it is a ******", error.message)
        self.assertEqual("a ******", problem.message)
        self.assertEqual("no ******", problem.advice)
        self.assertEqual("path.word", problem.path)

    def test_too_many_hidden_values_leave_nothing_of_the_text(self) -> None:
        error = self._fault_of(
            "refuse_words", words=[f"w{n}" for n in range(2000)]
        )

        self.assertEqual(redacted.TEXT, error.message)
        self.assertEqual("path.word", error.problems[0].path)
