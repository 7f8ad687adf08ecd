"""Of the processes of an index one follows the source, then another one."""

import collections.abc
import contextlib

from tests.support import waiting
from tests.unit.search.indexing import test_follower


class HandoverTest(test_follower.FollowerTestCase):
    def test_a_process_that_starts_continues_at_the_position(self) -> None:
        self.settle()
        self.source.change("a")
        other = self.make("two")
        other.step()
        self.source.change("b")

        self.assertEqual(1.0, self.follower.step())
        other.step()

        self.assertEqual([["a"], ["b"]], self.source.reads)
        self.assertEqual(1, self.source.watches)
        other.stop()
        self.assertEqual(0, self.source.watches)

    def test_one_that_lost_the_lease_continues_where_the_other_was(
        self,
    ) -> None:
        self.settle()
        other = self.make("two")
        other.step()
        self.source.change("a")
        other.step()
        self.follower.step()
        self.source.change("b")

        self.settle(20)

        self.assertEqual([["a"], ["b"]], self.source.reads)
        self.assertEqual(2, self.source.watches)

    def test_one_that_lost_the_lease_while_it_read_stores_nothing(
        self,
    ) -> None:
        self.settle()
        other = self.make("two")

        def take_over() -> None:
            self.source.after_read = lambda: None
            self.source.change("b")
            other.step()

        self.source.change("a")
        self.source.after_read = take_over
        self.follower.step()

        self.assertEqual([["a"], ["a", "b"]], self.source.reads)
        self.assertEqual("feed.2", self.position())
        self.assertEqual("feed.2", self.source.confirmed[-1])

    def test_for_one_that_lost_the_lease_no_stack_waits(self) -> None:
        self.settle()
        self.source.changing.add("s1")
        self.source.change("s1", reason="a")
        self.settle()
        self.assertEqual(1, self.follower.queue.count())
        other = self.make("two")
        other.step()

        self.assertEqual(1.0, self.follower.step())

        self.assertEqual(0, self.follower.queue.count())
        other.stop()
        self.index.save("feed_position", None)
        self.settle(20)
        self.assertEqual({"s1"}, set(self.found()))

    def test_one_that_cannot_search_leaves_all_to_another(self) -> None:
        with self.started():
            waiting.wait_for(lambda: self.source.watches, "it follows")
            self.index.is_unsearchable = True
            self.source.change("a")
            self.follower.wake()
            waiting.wait_for(
                lambda: self.index.load("lease") is None, "it lets go"
            )
            waiting.wait_for(
                lambda: not self.source.watches, "it watches nothing"
            )

    @contextlib.contextmanager
    def started(self) -> collections.abc.Iterator[None]:
        self.follower.start()
        try:
            yield
        finally:
            self.follower.stop()
