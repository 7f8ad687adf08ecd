"""What has changed is marked once, and nothing is missed after a kill."""

import collections.abc

from orch import errors
from orch.search.index import port
from orch.search.indexing import follower
from orch.search.indexing import full_scan_state
from tests import base
from tests.support import searching


class FollowerTest(base.TestCase):
    def setUp(self) -> None:
        super().setUp()
        self.clock = searching.Clock()
        self.index = searching.Index()
        self.source = searching.FollowedSource(self.clock)
        self.source.change("before")
        self.begun: list[str] = []
        self.enqueued: list[tuple[list[str], list[str]]] = []
        self.follower = self.make()

    def make(self) -> follower.Follower:
        def enqueue(
            now: collections.abc.Sequence[port.Mark],
            later: collections.abc.Sequence[port.Mark],
        ) -> None:
            self.enqueued.append(
                ([x.stack_id for x in now], [x.stack_id for x in later])
            )

        return follower.Follower(
            self.index,
            self.source,
            enqueue,
            self.clock,
            follower.POLL_S,
            on_following=lambda: self.begun.append("following"),
            on_missed=lambda: self.begun.append("missed"),
        )

    def test_the_first_step_takes_the_position_alone(self) -> None:
        self.follower.step()

        self.assertEqual(["following"], self.begun)
        self.assertEqual({}, self.index.marks)
        self.assertEqual([], self.enqueued)

    def test_what_has_changed_is_marked_once(self) -> None:
        self.follower.step()
        self.source.change("a")
        self.source.change("b")
        self.source.changing.add("b")

        self.follower.step()
        self.follower.step()

        self.assertEqual({"a", "b"}, set(self.index.marks))
        self.assertEqual([(["a"], ["b"])], self.enqueued)
        self.assertEqual(["following"], self.begun)

    def test_it_asks_less_often_while_nothing_changes(self) -> None:
        self.follower.step()
        self.assertEqual(0.5, self.follower.step())
        self.clock.pass_(11)
        self.assertEqual(1.0, self.follower.step())
        self.source.change("a")
        self.assertEqual(0.5, self.follower.step())

    def test_another_process_continues_at_the_position(self) -> None:
        self.follower.step()
        self.source.change("a")

        self.make().step()
        self.source.change("b")
        self.follower.step()

        self.assertEqual([(["a"], []), (["b"], [])], self.enqueued)

    def test_marks_that_were_not_stored_are_made_again(self) -> None:
        self.follower.step()
        self.source.change("a")
        self.index.is_away = True
        self.assertRaises(errors.Unavailable, self.follower.step)
        self.index.is_away = False

        self.make().step()

        self.assertEqual({"a"}, set(self.index.marks))

    def test_an_index_that_is_emptied_misses_nothing(self) -> None:
        self.follower.step()
        full_scan_state.begin_fill(self.index, from_nothing=True)
        self.source.change("a")

        self.follower.step()

        self.assertEqual({"a"}, set(self.index.marks))
        self.assertEqual(["following"], self.begun)

    def test_a_position_is_stored_again_after_the_index_was_emptied(
        self,
    ) -> None:
        self.follower.step()
        self.index.clear()

        self.follower.step()

        self.assertEqual("feed.1", self.index.load("feed_position"))

    def test_all_is_read_again_where_the_position_is_not_known(self) -> None:
        for lose in (self.replace_database, self.forget_changes):
            self.follower.step()
            self.begun.clear()
            self.index.save("filled_at", "1.0")
            self.index.save("history_since", "1.0")
            full_scan_state.forget_request(self.index)
            lose()

            self.follower.step()

            self.assertTrue(full_scan_state.is_fill_requested(self.index))
            self.assertIsNone(full_scan_state.history_since(self.index))
            self.assertEqual(["missed"], self.begun)
            self.begun.clear()
            self.follower.step()
            self.assertEqual([], self.begun)

    def replace_database(self) -> None:
        self.source.feed_id = "other"

    def forget_changes(self) -> None:
        self.source.change("x")
        self.source.complete_from = len(self.source.feed)
