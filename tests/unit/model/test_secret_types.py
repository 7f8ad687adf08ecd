from orch.model import secret_types
from tests import base


class MappedTest(base.TestCase):
    def test_a_name_leads_to_what_it_stands_for_in_the_end(self) -> None:
        registry = {
            "A": "B",
            "resources": {"one": {"B": "C", "hooks": ["x"]}, "two": 3},
        }

        self.assertEqual({"A": "C", "B": "C"}, secret_types.mapped(registry))

    def test_circles_end(self) -> None:
        found = secret_types.mapped({"A": "B", "B": "A"})

        self.assertEqual({"A", "B"}, set(found))

    def test_what_is_no_registry_maps_nothing(self) -> None:
        for wrong in (None, "A", ["A"], {"A": 1}):
            self.assertEqual({}, secret_types.mapped(wrong))
