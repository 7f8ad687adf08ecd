"""What the types of inputs make of values."""

from orch import errors
from orch.resources.heat.software import input_types
from tests import base


def convert(kind: str | None, value: object) -> object:
    declared = {"name": "i"} if kind is None else {"name": "i", "type": kind}
    return input_types.convert_input(declared, value)


class InputTypesTest(base.TestCase):
    def test_each_type_has_its_values(self) -> None:
        for kind, given, wanted in (
            ("String", "a", "a"),
            ("String", 7, "7"),
            ("String", 1.5, "1.5"),
            ("String", True, "True"),
            ("String", ["a"], ["a"]),
            ("Number", "7", 7),
            ("Number", "1.5", 1.5),
            ("Number", 7, 7),
            ("Json", '{"a": [1]}', {"a": [1]}),
            ("Json", "[1]", [1]),
            ("Json", {"a": 1}, {"a": 1}),
            ("Boolean", "Yes", True),
            ("Boolean", "off", False),
            ("Boolean", True, True),
            ("Boolean", 0, False),
            ("CommaDelimitedList", "a, b", ["a", "b"]),
            ("CommaDelimitedList", "", []),
            ("CommaDelimitedList", ["a", 1], ["a", "1"]),
        ):
            found = convert(kind, given)
            self.assertEqual(wanted, found, kind)
            self.assertIs(type(wanted), type(found), kind)

    def test_no_value_stays_none(self) -> None:
        for kind in ("String", "Number", "Json", "Boolean"):
            self.assertIsNone(convert(kind, None))

    def test_without_a_type_a_value_stays_as_it_is(self) -> None:
        self.assertEqual(7, convert(None, 7))

    def test_what_is_none_of_a_type_is_refused_and_not_told(self) -> None:
        for kind, wrong in (
            ("Number", "s3cret"),
            ("Number", True),
            ("Number", [1]),
            ("Number", "inf"),
            ("Number", "nan"),
            ("Json", "s3cret"),
            ("Json", "7"),
            ("Json", 7),
            ("Boolean", "s3cret"),
            ("CommaDelimitedList", 7),
        ):
            error = self.assertRaises(errors.Invalid, convert, kind, wrong)
            self.assertIn(f"input i is no {kind}", error.message)
            self.assertNotIn("s3cret", error.message)
