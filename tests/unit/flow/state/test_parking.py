"""How often an operation was blocked."""

import dataclasses

from orch.flow.state import parking
from tests import base
from tests.functional.db import base as values


class TimesTest(base.TestCase):
    def test_they_count_while_nothing_gets_on(self) -> None:
        asked = values.make_operation(options={"keep_going": True})

        for times in (1, 2, 3):
            asked = dataclasses.replace(
                asked, options=parking.increase_blocked_count(asked, 7)
            )
            self.assertEqual(times, parking.count_blocked(asked, 7))

        self.assertEqual(0, parking.count_blocked(asked, 8))
        self.assertTrue(asked.options["keep_going"])

    def test_a_retry_of_the_user_counts_from_none(self) -> None:
        asked = values.make_operation(options={"keep_going": True})
        options = parking.increase_blocked_count(asked, 7)

        again = dataclasses.replace(
            asked, options=parking.reset_blocked_count(options)
        )

        self.assertEqual(0, parking.count_blocked(again, 7))
        self.assertEqual({"keep_going": True}, again.options)
