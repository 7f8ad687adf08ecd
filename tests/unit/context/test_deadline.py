"""Tests of the deadline of a request."""

import threading

from orch.context import deadline
from tests import base


class DeadlineTest(base.TestCase):
    """A thread that serves a request knows when its caller stops waiting."""

    def test_none(self) -> None:
        """A thread without a request may work as long as it takes."""
        deadline.check()
        self.assertIsNone(deadline.left_s())
        self.assertEqual(9.0, deadline.shorten(9.0))

    def test_over(self) -> None:
        """Work whose time is over is refused, in each call of it."""
        with deadline.limited(0.0):
            self.assertRaises(deadline.DeadlineExceeded, deadline.check)
            self.assertRaises(deadline.DeadlineExceeded, deadline.shorten, 9.0)
        deadline.check()

    def test_earlier_stays(self) -> None:
        """A later deadline inside does not lengthen the time."""
        with deadline.limited(5.0), deadline.limited(50.0):
            self.assertLessEqual(deadline.shorten(9.0), 5.0)
        with deadline.limited(50.0), deadline.limited(None):
            self.assertLess(deadline.left_s() or 0.0, 50.0)

    def test_other_threads(self) -> None:
        """A thread that a request starts has no deadline."""
        found: list[float | None] = []
        with deadline.limited(0.0):
            thread = threading.Thread(
                target=lambda: found.append(deadline.left_s())
            )
            thread.start()
            thread.join()
        self.assertEqual([None], found)

    def test_lifted(self) -> None:
        """What undoes a refused request is done after its deadline, too."""
        with deadline.limited(0.0):
            with deadline.lifted():
                deadline.check()
            self.assertRaises(deadline.DeadlineExceeded, deadline.check)
