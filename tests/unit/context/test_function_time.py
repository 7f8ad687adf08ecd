import time

from orch.context import function_time
from tests import base
from tests.unit.engine import fakes


class BudgetTest(base.TestCase):
    def setUp(self) -> None:
        super().setUp()
        self.clock = fakes.Clock()
        self.budget = function_time.ProjectBudget(self.clock, burst_s=0.05)

    def compute(self, project_id: str, seconds: float) -> None:
        with self.budget.counted(project_id), function_time.running():
            until = time.thread_time() + seconds
            while time.thread_time() < until:
                pass

    def test_a_project_has_half_of_a_processor(self) -> None:
        self.compute("many", 0.2)

        self.assertRaises(function_time.TimeTaken, self.compute, "many", 0)
        self.compute("few", 0)
        self.clock.moment += 1
        self.compute("many", 0)

    def test_a_request_that_fails_is_charged_too(self) -> None:
        with (
            self.assertRaisesRegex(ValueError, "^no$"),
            self.budget.counted("many"),
            function_time.running(),
        ):
            until = time.thread_time() + 0.1
            while time.thread_time() < until:
                pass
            raise ValueError("no")

        self.assertRaises(function_time.TimeTaken, self.compute, "many", 0)
