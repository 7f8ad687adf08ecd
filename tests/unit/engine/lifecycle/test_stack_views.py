"""What plug-ins read of a stack whose sensitive values are not known."""

from unittest import mock

from orch.context import request
from orch.engine.lifecycle import stack_views
from orch.engine.secrets import redaction
from orch.model import marked
from orch.template import world
from orch.template.language import versions
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


class MarkedTest(base.TestCase):
    def setUp(self) -> None:
        super().setUp()
        self.look = stack_views.ViewSettings(
            mock.Mock(), request.RequestContext(), redaction.Redaction()
        )

    def test_metadata_are_redacted_by_their_marks(self) -> None:
        metadata = marked.Marked(
            {"a": ["s3cret", "plain"], "b": world.UNKNOWN}, [("a", 0)]
        )

        self.assertEqual(
            {"a": ("******", "plain"), "b": None}, self.look.frozen(metadata)
        )

    def test_the_template_of_a_child_stack_is_redacted_by_its_marks(
        self,
    ) -> None:
        written = {"resources": {"r": {"properties": {"text": "s3cret"}}}}
        path = ("resources", "r", "properties", "text")
        parsed = mock.Mock(
            raw=written, sensitive_parts=(path,), secret_literals=()
        )
        parsed.version = versions.VERSIONS[-1]

        self.assertEqual(
            {"resources": {"r": {"properties": {"text": "******"}}}},
            self.look.template(parsed),
        )


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
