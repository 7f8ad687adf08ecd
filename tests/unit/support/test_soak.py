"""Random draws: the first part is played always, all of them on demand."""

import fixtures

from tests import base
from tests.support import soak


class SoakTests(base.TestCase):
    def test_the_first_part_is_played_without_the_variable(self) -> None:
        self.useFixture(fixtures.EnvironmentVariable("ORCH_SOAK"))

        self.assertFalse(soak.is_on())
        self.assertEqual(4, soak.rounds(4, 60))

    def test_all_of_it_is_played_with_the_variable(self) -> None:
        self.useFixture(fixtures.EnvironmentVariable("ORCH_SOAK", "1"))

        self.assertTrue(soak.is_on())
        self.assertEqual(60, soak.rounds(4, 60))
