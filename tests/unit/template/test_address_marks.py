"""What is made of an address that is proof by itself is marked."""

from orch.model import marked
from tests import base
from tests.unit.template import test_marks

ADDRESS = "http://h/v1/signal/arn?Signature=pr00f"
SEALED = {"get_resource": "a"}


class _Sealed(test_marks.World):
    """Shows an address that is proof by itself."""

    def reference_id(self, name):
        return ADDRESS

    def attribute(self, name, attribute):
        return f"curl '{ADDRESS}' --data 1"


class AddressTest(base.TestCase):
    """Addresses that are proof by themselves."""

    def marks(self, value: object) -> list[marked.Path]:
        return test_marks.marks({"text": "x", "map": {"k": value}}, _Sealed())

    def test_a_whole_address_is_not_sensitive(self) -> None:
        for value in (
            SEALED,
            {"get_attr": ["a", "out"]},
            {"list_join": ["", ["URL=", SEALED, " ", SEALED]]},
            {"str_replace": {"template": "u u", "params": {"u": SEALED}}},
        ):
            self.assertEqual([], self.marks(value), value)

    def test_what_is_made_of_one_is_sensitive(self) -> None:
        piece = {"str_split": ["=", SEALED, 1]}
        for value in (
            piece,
            {"digest": ["sha256", SEALED]},
            {"str_split": ["=", {"get_attr": ["a", "out"]}]},
            {"list_join": ["", [SEALED, " ", piece]]},
            {"yaql": {"expression": "$.data.toUpper()", "data": SEALED}},
        ):
            self.assertEqual([("map", "k")], self.marks(value), value)

    def test_a_parameter_may_have_one(self) -> None:
        for value, expected in (
            ({"get_param": "sealed"}, []),
            ({"str_split": ["=", {"get_param": "sealed"}, 1]}, [("text",)]),
        ):
            self.assertEqual(expected, test_marks.marks({"text": value}))
