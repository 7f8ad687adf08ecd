"""What a task hands on of a change."""

import typing

from orch.flow.tasks import base as tasks
from orch.model import marked
from tests import base

_MARKED: typing.Final = ("attributes", "properties", "metadata")


class StepTest(base.TestCase):
    def test_marks_survive(self) -> None:
        paths = (("a", "b"), ("c", 0))
        values = {"a": {"b": 1}, "c": ["x", "y"], "d": None}
        step = tasks.Step(
            **{name: marked.Marked(values, paths) for name in _MARKED}
        )

        found = step.to_result()

        for name in _MARKED:
            self.assertEqual(values, found[name], name)
            self.assertEqual(paths, marked.paths_of(found[name]), name)

    def test_what_has_no_marks_gets_none(self) -> None:
        step = tasks.Step(**{name: {"a": 1} for name in _MARKED})

        found = step.to_result()

        for name in _MARKED:
            self.assertEqual({"a": 1}, found[name], name)
            self.assertEqual((), marked.paths_of(found[name]), name)

    def test_what_is_not_known_is_left_out(self) -> None:
        self.assertEqual({}, tasks.Step().to_result())
