"""Tests of calls to other services for a request."""

import contextlib
import threading
import time

from orch import project_slots
from orch.context import deadline
from orch.context import outside
from tests import base


class OutsideCallsTest(base.TestCase):
    """One request, and the slots of its pool."""

    def test_slots_are_half_of_the_threads(self) -> None:
        """A project has at most two, and leaves one to others."""
        for threads, limit, project_limit in (
            (1, 1, 1),
            (2, 1, 1),
            (3, 1, 1),
            (4, 2, 1),
            (6, 3, 2),
            (8, 4, 2),
            (64, 32, 2),
        ):
            slots = outside.make_slots(threads)
            taken = [self.fill(slots, str(n)) for n in range(limit)]

            self.assertEqual(project_limit, taken[0], threads)
            self.assertEqual(limit, sum(taken), threads)

    def fill(self, slots: project_slots.ProjectSlots, project_id: str) -> int:
        """Return how many slots a project gets."""
        count = 0
        with contextlib.suppress(project_slots.SlotsTaken):
            while True:
                slots.take(project_id)
                count += 1
        return count

    def test_a_request_has_one_slot(self) -> None:
        """A call within another one of the same request needs no other."""
        slots = outside.make_slots(2)
        calls = outside.OutsideCalls("p", slots)
        with calls.slot(), calls.slot():
            self.assertRaises(project_slots.SlotsTaken, slots.take, "q")
        slots.take("q")

    def test_a_thread_without_a_request_has_no_limit(self) -> None:
        """Nor does one that serves a request in another thread's name."""
        slots = outside.make_slots(2)
        found: list[outside.OutsideCalls] = []
        calls = outside.OutsideCalls("p", slots, is_awaited=True)
        with outside.limited(calls):
            self.assertIs(calls, outside.current())
            self.assertIs(calls, outside.awaited())
            thread = threading.Thread(
                target=lambda: found.append(outside.current())
            )
            thread.start()
            thread.join()
        self.assertIsNone(found[0].project_id)
        self.assertIsNot(calls, outside.current())
        with found[0].slot():
            slots.take("p")

    def test_calls_that_no_caller_awaits(self) -> None:
        """Calls of a plug-in keep their project, and need no slot to wait."""
        slots = outside.make_slots(2)
        slots.take("p")
        with outside.limited(outside.OutsideCalls("p", slots)):
            awaited = outside.awaited()
            self.assertEqual("p", awaited.project_id)
            with awaited.slot():
                pass

    def test_calls_of_a_kind_have_one_time_limit(self) -> None:
        """It counts what they take; the deadline may end it before."""
        calls = outside.OutsideCalls()
        self.assertEqual(5, calls.left_s("a", 5))

        with calls.slot("a"):
            threading.Event().wait(0.02)

        self.assertTrue(0 < calls.left_s("a", 5) <= 5 - 0.02)
        self.assertEqual(0, calls.left_s("a", 0.01))
        self.assertEqual(5, calls.left_s("b", 5))
        with deadline.limited(2):
            self.assertTrue(0 < calls.left_s("b", 5) <= 2)

    def test_a_slot_is_waited_for_until_the_deadline(self) -> None:
        """A caller that waits no longer holds no thread."""
        slots = outside.make_slots(2)
        slots.take("p")
        calls = outside.OutsideCalls("p", slots)
        began = time.monotonic()
        with deadline.limited(0.05):
            self.assertRaises(project_slots.SlotsTaken, calls.slot().__enter__)
        self.assertLess(time.monotonic() - began, outside.WAIT_S)

    def test_nothing_is_called_after_the_deadline(self) -> None:
        """The caller has its error already."""
        with deadline.limited(0):
            calls = outside.OutsideCalls()
            self.assertRaises(
                deadline.DeadlineExceeded, calls.slot().__enter__
            )
