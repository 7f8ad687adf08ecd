from orch.flow.state import results
from orch.planner import plan
from tests import base
from tests.support import scraped


class CountTest(base.TestCase):
    def test_types_that_people_name_are_one(self) -> None:
        counted = self.useFixture(scraped.Counting())
        for name in ("OS::Heat::Value", "http://h/a.yaml", "file:///b.yaml"):
            results.count_step(name, plan.Kind.CREATE, "complete")

        self.assertEqual(
            {("OS::Heat::Value",): 1.0, ("template",): 2.0},
            counted.all_of("orch_resource_steps_total", "type"),
        )
