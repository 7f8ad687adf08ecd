"""What plug-ins read of a stack whose sensitive values are not known."""

from unittest import mock

from orch.context import request
from orch.engine.lifecycle import stack_views
from orch.engine.secrets import redaction
from tests import base


class BlindTest(base.TestCase):
    def setUp(self) -> None:
        super().setUp()
        self.look = stack_views.ViewSettings(
            mock.Mock(), request.RequestContext(), redaction.BLIND
        )

    def test_each_value_is_redacted(self) -> None:
        values = {"a": {"b": 1}, "c": None}

        self.assertEqual(
            {"a": "******", "c": "******"}, self.look.frozen(values)
        )
        self.assertEqual(
            {"a": "******", "c": None}, self.look.properties(values)
        )

    def test_nothing_is_shown_of_nothing(self) -> None:
        self.assertEqual({}, self.look.frozen({}))
        self.assertEqual({}, self.look.properties({}))


class LazyMappingTest(base.TestCase):
    def test_names_and_values_are_read_once_when_they_are_used(self) -> None:
        reads: list[str] = []

        def list_names() -> list[str]:
            reads.append("names")
            return ["a", "b"]

        def make(name: str) -> str:
            reads.append(name)
            return name.upper()

        found = stack_views.LazyMapping(list_names, make)
        self.assertEqual([], reads)

        for _ in range(2):
            self.assertEqual(("A", 2), (found["a"], len(found)))

        self.assertEqual(["names", "a"], reads)
        self.assertRaises(KeyError, lambda: found["c"])
