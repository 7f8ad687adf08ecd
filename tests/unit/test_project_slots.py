"""Tests of slots for work by project."""

import threading

from orch import project_slots
from tests import base


class ProjectSlotsTest(base.TestCase):
    """One project leaves slots for others."""

    def test_limits(self) -> None:
        """A project has its share, and all together have a limit."""
        slots = project_slots.ProjectSlots("fetches", 3, 2)
        slots.take("a")
        slots.take("a")
        error = self.assertRaises(project_slots.SlotsTaken, slots.take, "a")
        self.assertIn("2 fetches of one project", error.message)
        slots.take("b")
        error = self.assertRaises(project_slots.SlotsTaken, slots.take, "c")
        self.assertIn("3 fetches are in progress", error.message)
        slots.release("a")
        slots.take("c")

    def test_taken(self) -> None:
        """The slot is free after the block, whatever ended it."""
        slots = project_slots.ProjectSlots("fetches", 1, 1)

        def fail() -> None:
            with slots.taken(None):
                raise ValueError

        self.assertRaises(ValueError, fail)
        with slots.taken(None):
            self.assertRaises(project_slots.SlotsTaken, slots.take, None)


class WaitTest(base.TestCase):
    """Work that waits for a slot."""

    def setUp(self) -> None:
        super().setUp()
        self.slots = project_slots.ProjectSlots("fetches", 2, 1)

    def test_a_slot_is_waited_for(self) -> None:
        """One that is released in time is taken."""
        self.slots.take("a")
        timer = threading.Timer(0.05, self.slots.release, ["a"])
        timer.start()
        self.addCleanup(timer.join)

        with self.slots.taken("a", wait_s=60):
            pass

    def test_slow_work_is_not_waited_for(self) -> None:
        """A project that has waited in vain does not wait again."""
        with self.slots.taken("a", wait_s=60):
            self.refused("a", wait_s=0.01)
            self.refused("a", wait_s=1e6)
        # What has ended soon shows that it pays to wait.
        self.test_a_slot_is_waited_for()

    def test_slow_work_shows_not_that_it_pays_to_wait(self) -> None:
        """A project that has waited in vain still does not wait then."""
        with self.slots.taken("a", wait_s=0.001):
            self.refused("a", wait_s=0.01)
            threading.Event().wait(0.01)
        self.slots.take("a")

        self.refused("a", wait_s=1e6)

    def test_others_wait_still(self) -> None:
        """Slow work of one project is nothing to the next one."""
        with self.slots.taken("a", wait_s=60):
            self.refused("a", wait_s=0.01)
            self.slots.take("b")
            timer = threading.Timer(0.05, self.slots.release, ["b"])
            timer.start()
            self.addCleanup(timer.join)
            with self.slots.taken("b", wait_s=60):
                pass

    def test_a_wait_for_work_of_others_is_no_sign_of_slow_work(self) -> None:
        """A project that others keep waiting waits the next time, too."""
        for project_id in ("a", "b"):
            self.slots.take(project_id)
        self.refused("c", wait_s=0.01)
        timer = threading.Timer(0.05, self.slots.release, ["a"])
        timer.start()
        self.addCleanup(timer.join)

        with self.slots.taken("c", wait_s=60):
            pass

    def refused(self, project_id: str, wait_s: float) -> None:
        taken = self.slots.taken(project_id, wait_s)
        self.assertRaises(project_slots.SlotsTaken, taken.__enter__)
