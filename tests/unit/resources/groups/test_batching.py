"""How fast groups change, as their policies say it."""

import hypothesis
from hypothesis import strategies

from orch.resources.groups import batching as group_batching
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
            found = group_batching.read_batch_policy(
                {"PauseTime": written}, group_batching.CFN_NAMES
            )

            self.assertEqual(
                group_batching.BatchPolicy(
                    batch_size=1, in_service=0, pause_s=seconds
                ),
                found,
            )

    def test_what_is_no_duration_is_refused(self) -> None:
        for written in ("PT", "P1D", "soon", "PT1.5S", "1", "PT1S ", "PT-1S"):
            error = self.assertRaises(
                group_batching.BadDuration,
                group_batching.read_batch_policy,
                {"PauseTime": written},
                group_batching.CFN_NAMES,
            )
            self.assertIn("PT#H#M#S", error.message)

    def test_each_kind_of_policy_has_its_own_words(self) -> None:
        cfn = {"MaxBatchSize": 2, "MinInstancesInService": 3}
        heat = {"max_batch_size": 2, "min_in_service": 3}
        expected = group_batching.BatchPolicy(batch_size=2, in_service=3)

        self.assertEqual(
            expected,
            group_batching.read_batch_policy(cfn, group_batching.CFN_NAMES),
        )
        self.assertEqual(expected, group_batching.read_batch_policy(heat))
        self.assertIsNone(group_batching.read_batch_policy(None))

    def test_batches_of_one_way(self) -> None:
        for size, in_service, desired, current, done, expected in (
            (1, 0, 3, 3, 0, 3),
            (2, 0, 3, 3, 0, 2),
            (3, 0, 3, 3, 0, 1),
            (1, 0, 3, 3, 3, 0),
            # A spare one is made first, and goes in a batch of its own.
            (1, 3, 3, 3, 0, 4),
            (2, 0, 4, 0, 0, 2),
            (1, 0, 0, 2, 0, 1),
        ):
            batch_policy = group_batching.BatchPolicy(
                batch_size=size, in_service=in_service
            )

            found = group_batching.count_batches(
                batch_policy, desired, current, done
            )

            self.assertEqual(
                expected, found, (batch_policy, desired, current, done)
            )

    @hypothesis.given(
        batch_policy=strategies.builds(
            group_batching.BatchPolicy,
            batch_size=strategies.integers(1, 5),
            in_service=strategies.integers(0, 9),
        ),
        desired=strategies.integers(0, 12),
        current=strategies.integers(0, 12),
        done=strategies.integers(0, 12),
    )
    def test_every_way_has_an_end(
        self,
        batch_policy: group_batching.BatchPolicy,
        desired: int,
        current: int,
        done: int,
    ) -> None:
        done = min(done, desired, current)

        found = group_batching.count_batches(
            batch_policy, desired, current, done
        )

        self.assertLessEqual(found, desired + current + 1)
        self.assertLessEqual((desired - done) / batch_policy.batch_size, found)
