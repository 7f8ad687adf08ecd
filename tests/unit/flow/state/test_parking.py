"""What a blocked operation says, and how often it was blocked."""

import dataclasses

from orch import clock
from orch.flow.state import parking
from tests import base
from tests.functional.db import base as values

MOMENT = clock.Timestamp(1_700_000_000.0)


class ReasonTest(base.TestCase):
    def test_it_names_some_and_counts_the_others(self) -> None:
        failed = [f"QuotaExceeded: resources.r{n}: full" for n in range(5)]

        reason = parking.parking_reason(failed, [], MOMENT)

        self.assertEqual(
            f"waiting for {', '.join(failed[:3])} and 2 more, next try at"
            " 2023-11-14T22:13:20Z",
            reason,
        )

    def test_it_tells_of_both_kinds_of_waiting(self) -> None:
        reason = parking.parking_reason(
            ["a is full"], [("b", "pre-create")], MOMENT
        )

        self.assertEqual(
            "waiting for a is full, next try at 2023-11-14T22:13:20Z;"
            " waiting until Hook pre-create of b is cleared",
            reason,
        )


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
