import typing

from orch.model import secret_types
from tests import base

_STRING: typing.Final = "OS::Heat::RandomString"


class SecretTest(base.TestCase):
    def test_it_is_an_attribute_or_kept_by_the_plugin(self) -> None:
        for attributes, data, expected in (
            ({"value": "read", "other": "plain"}, {}, "read"),
            ({}, {"value": "kept", "other": "plain"}, "kept"),
            ({"value": "read"}, {"value": "kept"}, "read"),
            ({"other": "plain"}, {"other": "plain"}, ""),
        ):
            found = secret_types.secret_of(_STRING, attributes, data)
            self.assertEqual(expected, found)

    def test_other_types_make_none(self) -> None:
        values = {"value": "plain"}

        self.assertEqual(
            "", secret_types.secret_of("OS::Heat::Value", values, values)
        )


class MappedTest(base.TestCase):
    def test_a_name_leads_to_what_it_stands_for_in_the_end(self) -> None:
        registry = {
            "A": "B",
            "resources": {"one": {"B": "C", "hooks": ["x"]}, "two": 3},
        }

        self.assertEqual(
            {"A": "C", "B": "C"}, secret_types.resolve_types(registry)
        )

    def test_circles_end(self) -> None:
        found = secret_types.resolve_types({"A": "B", "B": "A"})

        self.assertEqual({"A", "B"}, set(found))

    def test_what_is_no_registry_maps_nothing(self) -> None:
        for wrong in (None, "A", ["A"], {"A": 1}):
            self.assertEqual({}, secret_types.resolve_types(wrong))
