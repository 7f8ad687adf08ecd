import hypothesis
from hypothesis import strategies

from orch.resources.groups import adjustment as group_adjustment
from tests import base

BOUNDS = (1, 10)


class AdjustedTest(base.TestCase):
    def test_sizes_after_adjustments(self) -> None:
        for current, kind, adjustment, step, expected in (
            (3, group_adjustment.CHANGE, 2, None, 5),
            (3, group_adjustment.CHANGE, -1, None, 2),
            (3, group_adjustment.CHANGE, -5, None, 1),
            (3, group_adjustment.EXACT, 7, None, 7),
            (3, group_adjustment.EXACT, 70, None, 10),
            (3, group_adjustment.PERCENT, 10, None, 4),
            (3, group_adjustment.PERCENT, -10, None, 2),
            (4, group_adjustment.PERCENT, 60, None, 6),
            (4, group_adjustment.PERCENT, -60, None, 2),
            (4, group_adjustment.PERCENT, 60, 3, 7),
            (6, group_adjustment.PERCENT, -60, 5, 1),
            (8, group_adjustment.PERCENT, 0, 3, 8),
        ):
            with self.subTest(kind=kind, adjustment=adjustment):
                found = group_adjustment.adjusted_size(
                    current, kind, adjustment, step, BOUNDS
                )
                self.assertEqual(expected, found)

    def test_a_step_fills_an_empty_group(self) -> None:
        found = group_adjustment.adjusted_size(
            0, group_adjustment.PERCENT, 50, 2, (0, 10)
        )

        self.assertEqual(2, found)

    @hypothesis.given(
        current=strategies.integers(0, 10_000),
        kind=strategies.sampled_from(
            (
                group_adjustment.CHANGE,
                group_adjustment.EXACT,
                group_adjustment.PERCENT,
            )
        ),
        adjustment=strategies.floats(-1e6, 1e6),
        step=strategies.none() | strategies.integers(0, 100),
        minimum=strategies.integers(0, 100),
        more=strategies.integers(0, 100),
    )
    def test_a_size_is_within_its_bounds(
        self,
        current: int,
        kind: str,
        adjustment: float,
        step: int | None,
        minimum: int,
        more: int,
    ) -> None:
        bounds = (minimum, minimum + more)
        found = group_adjustment.adjusted_size(
            current, kind, adjustment, step, bounds
        )

        self.assertIsInstance(found, int)
        self.assertTrue(bounds[0] <= found <= bounds[1])

    @hypothesis.given(
        current=strategies.integers(1, 1000),
        percent=strategies.floats(0.001, 1000),
        step=strategies.none() | strategies.integers(0, 100),
    )
    def test_a_percentage_changes_in_its_direction_by_the_step_at_least(
        self, current: int, percent: float, step: int | None
    ) -> None:
        bounds = (0, 10**9)
        grown = group_adjustment.adjusted_size(
            current, group_adjustment.PERCENT, percent, step, bounds
        )
        shrunk = group_adjustment.adjusted_size(
            current, group_adjustment.PERCENT, -percent, step, bounds
        )

        self.assertGreaterEqual(grown - current, max(step or 0, 1))
        self.assertEqual(max(2 * current - grown, 0), shrunk)


class CooldownTest(base.TestCase):
    def test_it_is_too_early_until_the_cooldown_is_over(self) -> None:
        self.assertTrue(group_adjustment.is_too_early(159.9, 100.0, 60))
        self.assertFalse(group_adjustment.is_too_early(160.0, 100.0, 60))

    def test_without_an_adjustment_or_cooldown_it_is_never_too_early(
        self,
    ) -> None:
        self.assertFalse(group_adjustment.is_too_early(100.0, None, 60))
        self.assertFalse(group_adjustment.is_too_early(100.0, 100.0, None))
        self.assertFalse(group_adjustment.is_too_early(100.0, 100.0, 0))

    def test_a_clock_that_was_set_back_does_not_prolong_it(self) -> None:
        self.assertFalse(group_adjustment.is_too_early(50.0, 100.0, 60))
