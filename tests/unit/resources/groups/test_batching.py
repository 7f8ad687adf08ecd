"""How fast groups change, as their policies say it."""

import hypothesis
from hypothesis import strategies

from orch.resources.groups import batching as pace_
from tests import base


class PaceTest(base.TestCase):
    def test_pauses_are_seconds_or_durations(self) -> None:
        for written, seconds in (
            (1.5, 1.5),
            ("PT0S", 0),
            ("PT45S", 45),
            ("PT1M30S", 90),
            ("PT2H", 7200),
            ("PT1H1M1S", 3661),
            (None, 0),
        ):
            found = pace_.of({"PauseTime": written}, pace_.CFN)

            self.assertEqual(
                pace_.Pace(batch_size=1, in_service=0, pause_s=seconds), found
            )

    def test_what_is_no_duration_is_refused(self) -> None:
        for written in ("PT", "P1D", "soon", "PT1.5S", "1", "PT1S ", "PT-1S"):
            error = self.assertRaises(
                pace_.BadDuration,
                pace_.of,
                {"PauseTime": written},
                pace_.CFN,
            )
            self.assertIn("PT#H#M#S", error.message)

    def test_each_kind_of_policy_has_its_own_words(self) -> None:
        cfn = {"MaxBatchSize": 2, "MinInstancesInService": 3}
        heat = {"max_batch_size": 2, "min_in_service": 3}
        expected = pace_.Pace(batch_size=2, in_service=3)

        self.assertEqual(expected, pace_.of(cfn, pace_.CFN))
        self.assertEqual(expected, pace_.of(heat))
        self.assertIsNone(pace_.of(None))

    def test_batches_of_one_way(self) -> None:
        for size, in_service, wanted, standing, done, expected in (
            (1, 0, 3, 3, 0, 3),
            (2, 0, 3, 3, 0, 2),
            (3, 0, 3, 3, 0, 1),
            (1, 0, 3, 3, 3, 0),
            # A spare one is made first, and goes in a batch of its own.
            (1, 3, 3, 3, 0, 4),
            (2, 0, 4, 0, 0, 2),
            (1, 0, 0, 2, 0, 1),
        ):
            pace = pace_.Pace(batch_size=size, in_service=in_service)

            found = pace_.batches(pace, wanted, standing, done)

            self.assertEqual(expected, found, (pace, wanted, standing, done))

    @hypothesis.given(
        pace=strategies.builds(
            pace_.Pace,
            batch_size=strategies.integers(1, 5),
            in_service=strategies.integers(0, 9),
        ),
        wanted=strategies.integers(0, 12),
        standing=strategies.integers(0, 12),
        done=strategies.integers(0, 12),
    )
    def test_every_way_has_an_end(
        self, pace: pace_.Pace, wanted: int, standing: int, done: int
    ) -> None:
        done = min(done, wanted, standing)

        found = pace_.batches(pace, wanted, standing, done)

        self.assertLessEqual(found, wanted + standing + 1)
        self.assertLessEqual((wanted - done) / pace.batch_size, found)
