import testtools
from hypothesis import given
from hypothesis import strategies as st

from orch import clock
from orch import ids
from orch.engine.observer import scan
from orch.engine.observer import schedule
from orch.model import observation

RHYTHM = schedule.Schedule(period_s=600.0, max_s=1800.0)
MOMENTS = st.floats(0, 1e9).map(clock.Timestamp)


def watch(
    observed_at: float | None, due_at: float | None, project_id: str = "p"
) -> observation.Watch:
    return observation.Watch(
        root_id=ids.StackId("root"),
        project_id=project_id,
        observed_at=None
        if observed_at is None
        else clock.Timestamp(observed_at),
        due_at=None if due_at is None else clock.Timestamp(due_at),
    )


def summary(is_changed: bool, is_drifted: bool) -> scan.Summary:
    return scan.Summary(
        root_id=ids.StackId("root"),
        observed_at=clock.Timestamp(0),
        drifted=int(is_drifted),
        is_changed=is_changed,
    )


def pause_s(
    last_s: float | None,
    *,
    is_changed: bool = False,
    is_drifted: bool = False,
    late_s: float = 0.0,
) -> float:
    """Return the seconds from the moment of a look to that of the next."""
    moment = RHYTHM.moment_of("p", clock.Timestamp(1e6))
    found = RHYTHM.next_at(
        watch(None if last_s is None else moment - last_s, moment),
        summary(is_changed, is_drifted),
        clock.Timestamp(moment + late_s),
    )
    return round(found - moment, 3)


class RhythmTestCase(testtools.TestCase):
    def test_the_first_look_is_followed_by_one_after_a_period(self) -> None:
        self.assertEqual(600.0, pause_s(None))

    def test_new_drift_is_looked_at_again_sooner(self) -> None:
        self.assertEqual(
            300.0, pause_s(600.0, is_changed=True, is_drifted=True)
        )

    def test_drift_that_is_known_is_looked_at_each_period(self) -> None:
        self.assertEqual(600.0, pause_s(1200.0, is_drifted=True))

    def test_what_changed_back_is_looked_at_after_a_period(self) -> None:
        self.assertEqual(600.0, pause_s(1800.0, is_changed=True))

    def test_what_does_not_change_is_looked_at_ever_more_seldom(self) -> None:
        self.assertEqual(1200.0, pause_s(600.0))
        self.assertEqual(1800.0, pause_s(1200.0))
        self.assertEqual(1800.0, pause_s(1800.0))

    def test_what_could_not_be_looked_at_is_looked_at_soon(self) -> None:
        now = clock.Timestamp(1e6)

        self.assertEqual(now + 30, RHYTHM.next_at(watch(0, 1e6), None, now))

    def test_a_look_that_comes_late_keeps_the_next_moment(self) -> None:
        self.assertEqual(600.0, pause_s(None, late_s=100.0))

    def test_a_look_that_comes_very_late_leaves_a_moment_out(self) -> None:
        self.assertEqual(1200.0, pause_s(None, late_s=400.0))

    def test_projects_have_moments_of_their_own(self) -> None:
        found = {
            RHYTHM.moment_of(str(each), clock.Timestamp(1e6))
            for each in range(100)
        }

        self.assertEqual(100, len(found))
        self.assertGreater(max(found) - min(found), 500)

    @given(MOMENTS, st.text())
    def test_a_moment_is_the_first_that_is_not_too_early(
        self, earliest: clock.Timestamp, project_id: str
    ) -> None:
        found = RHYTHM.moment_of(project_id, earliest)

        self.assertTrue(-1e-3 <= found - earliest <= 600 + 1e-3)

    @given(
        MOMENTS,
        st.none() | MOMENTS,
        st.none() | MOMENTS,
        st.booleans(),
        st.booleans(),
    )
    def test_no_pause_leaves_its_bounds(
        self,
        now: clock.Timestamp,
        observed_at: float | None,
        due_at: float | None,
        is_changed: bool,
        is_drifted: bool,
    ) -> None:
        found = RHYTHM.next_at(
            watch(observed_at, due_at), summary(is_changed, is_drifted), now
        )

        self.assertTrue(300 - 1e-3 <= found - now <= 1800 + 600)
