"""Tests of the queue in which projects take turns."""

from orch import project_turns
from tests import base


class ProjectTurnsTest(base.TestCase):
    def setUp(self) -> None:
        super().setUp()
        self.turns: project_turns.ProjectTurns[str] = (
            project_turns.ProjectTurns()
        )

    def put(self, *items: str) -> None:
        for each in items:
            self.turns.put(each[0], each)

    def taken(self, *excluded: str) -> list[str | None]:
        return [self.turns.take(excluded) for _ in range(len(self.turns))]

    def test_a_project_waits_behind_itself_alone(self) -> None:
        self.put("a1", "a2", "a3", "a4", "b1", "c1", "b2")

        self.assertEqual(
            ["a1", "b1", "c1", "a2", "b2", "a3", "a4"], self.taken()
        )
        self.assertIsNone(self.turns.take())

    def test_who_comes_late_is_next(self) -> None:
        self.put(*(f"a{n}" for n in range(900)))
        self.turns.take()
        self.put("b1")

        self.assertIn("b1", [self.turns.take(), self.turns.take()])

    def test_who_has_no_turn_keeps_the_place(self) -> None:
        self.put("a1", "a2", "b1")

        self.assertEqual("b1", self.turns.take({"a"}))
        self.assertIsNone(self.turns.take({"a"}))
        self.assertEqual(["a1", "a2"], self.taken())

    def test_what_waits_can_be_removed(self) -> None:
        self.put("a1", "a2", "b1")

        self.turns.remove("a1")
        self.turns.remove("b1")

        self.assertIn("a2", self.turns)
        self.assertNotIn("b1", self.turns)
        self.assertRaises(ValueError, self.turns.remove, "b1")
        self.assertEqual(["a2"], list(self.turns.first()))
        self.assertEqual(["a2"], self.taken())
