"""One process maintains an index, and another one takes over from it."""

from orch import errors
from orch.search.indexing import lease
from tests import base
from tests.support import searching


class LeaseTest(base.TestCase):
    def setUp(self) -> None:
        super().setUp()
        self.clock = searching.Clock()
        self.index = searching.Index()
        self.first = self.make("first")
        self.second = self.make("second")

    def make(self, owner: str, *, is_alone: bool = False) -> lease.Lease:
        return lease.Lease(self.index, owner, self.clock, is_alone=is_alone)

    def test_the_process_that_started_last_has_it(self) -> None:
        self.assertTrue(self.first.hold())
        self.assertTrue(self.second.hold())

        for _ in range(60):
            self.clock.pass_(1)
            self.assertFalse(self.first.hold())
            self.assertTrue(self.second.hold())

    def test_it_is_taken_from_a_process_that_was_killed(self) -> None:
        self.first.hold()
        self.second.hold()
        self.assertFalse(self.first.hold())
        self.clock.pass_(14)
        self.assertFalse(self.first.hold())

        self.clock.pass_(1)

        self.assertTrue(self.first.hold())

    def test_it_is_free_once_it_is_released(self) -> None:
        self.first.hold()
        self.second.hold()
        self.first.release()
        self.assertFalse(self.first.hold())

        self.second.release()

        self.assertTrue(self.first.hold())

    def test_who_is_alone_asks_nothing(self) -> None:
        self.index.is_away = True
        self.assertRaises(errors.Unavailable, self.first.hold)

        alone = self.make("alone", is_alone=True)

        self.assertTrue(alone.hold())
        alone.release()

    def test_who_cannot_search_the_index_does_not_take_it(self) -> None:
        self.first.hold()
        self.index.is_unsearchable = True
        for _ in range(60):
            self.clock.pass_(1)
            self.assertRaises(errors.Unavailable, self.second.hold)
            self.assertTrue(self.first.hold())

        self.index.is_unsearchable = False

        self.assertTrue(self.second.hold())
        self.assertFalse(self.first.hold())

    def test_who_cannot_search_any_more_leaves_it_after_a_failure(
        self,
    ) -> None:
        self.first.hold()
        self.second.hold()
        self.fail_step()
        self.assertTrue(self.second.hold())
        self.assertFalse(self.first.hold())
        self.index.is_unsearchable = True
        self.fail_step()

        self.assertRaises(errors.Unavailable, self.second.hold)

        self.assertTrue(self.first.hold())

    def fail_step(self) -> None:
        def step() -> float:
            raise ValueError

        self.assertRaises(ValueError, self.second.checked(step))

    def test_it_is_written_each_few_seconds_only(self) -> None:
        self.first.hold()
        written = self.index.load("lease")
        self.clock.pass_(3)
        self.first.hold()
        self.assertEqual(written, self.index.load("lease"))
        self.clock.pass_(2)
        self.first.hold()
        self.assertNotEqual(written, self.index.load("lease"))
