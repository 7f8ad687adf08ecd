"""A soak plays each module that draws how much it plays."""

from tests import base
from tools import quick
from tools import soak


class ModulesTests(base.TestCase):
    def test_who_draws_is_found_and_who_takes_the_cases_of_one(self) -> None:
        found = soak.modules(quick.Imports.read())

        self.assertLessEqual(
            {
                "tests.chaos.test_kill",
                "tests.chaos.test_move",
                "tests.chaos.test_move_nested",
                "tests.chaos.test_operations_chaos",
                "tests.scenarios.test_sequences",
                "tests.scenarios.test_trees",
                "tests.unit.template.test_fuzz",
            },
            found,
        )
        self.assertNotIn("tests.unit.support.test_soak", found)
        self.assertNotIn("tests.chaos.test_stall", found)

    def test_single_ones_are_run_alone(self) -> None:
        found = {"tests.a", "tests.b"}

        self.assertEqual(found, soak.choose(found, []))
        self.assertEqual({"tests.a"}, soak.choose(found, ["tests.a"]))
        error = self.assertRaises(
            SystemExit, soak.choose, found, ["tests.c", "tests.a"]
        )
        self.assertIn("no module of a soak: tests.c; there", str(error))
