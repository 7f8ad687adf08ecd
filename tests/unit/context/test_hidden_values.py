from orch.context import hidden_values
from tests import base


class HiddenValuesTest(base.TestCase):
    def test_a_thread_without_a_request_collects_none(self) -> None:
        hidden_values.add(lambda: ["word"])

        self.assertEqual(frozenset(), hidden_values.texts())

    def test_a_request_has_its_own(self) -> None:
        with hidden_values.collected():
            hidden_values.add(lambda: ["one"])
            with hidden_values.collected():
                hidden_values.add(lambda: ["two", "three"])
                inner = hidden_values.texts()
            outer = hidden_values.texts()

        self.assertEqual({"two", "three"}, inner)
        self.assertEqual({"one"}, outer)
